//! The glyphs of the screen: one table with a meaning for each, the same in every dialect, and an ASCII form.
//!
//! The legend in the help is this table. No glyph has two meanings; colours only repeat what a glyph says.

use crate::replay::caption::Outcome;
use crate::replay::vocabulary::Concern;

pub(crate) const PLAYHEAD: &str = "▶";
pub(crate) const BREAKPOINT: &str = "●";
pub(crate) const BOOKMARK: &str = "★";
pub(crate) const NOTE: &str = "✎";
pub(crate) const HIT: &str = "/";
pub(crate) const PINNED: &str = "↑";
pub(crate) const DIFFERENT: &str = "≠";
pub(crate) const ONLY_EXPECTED: &str = "−";
pub(crate) const ONLY_ACTUAL: &str = "+";
pub(crate) const MOVED: &str = "↕";
pub(crate) const RENAMED: &str = "≈";
pub(crate) const TURN: &str = "┊";
/// Bars by their height.
pub(crate) const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
pub(crate) const DAMAGED: &str = "▒";

pub(crate) const fn of_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "✓",
        Outcome::Error => "✗",
        Outcome::Denied => "⊘",
        Outcome::Timeout => "◷",
        Outcome::Running => "◌",
    }
}

/// The glyph of an event without an outcome; a record that is not an event has no concern.
pub(crate) const fn of_concern(concern: Option<Concern>) -> &'static str {
    match concern {
        Some(Concern::User) => "❯",
        Some(Concern::Model) => "◆",
        Some(Concern::Tool) => "■",
        Some(Concern::Rule) => "§",
        Some(Concern::Memory) => "○",
        Some(Concern::Context) => "◇",
        Some(Concern::Run) => "◉",
        Some(Concern::File) => "≡",
        Some(Concern::Process) => "◫",
        Some(Concern::Exchange) => "⇄",
        Some(Concern::Background) => "◦",
        None => DAMAGED,
    }
}

/// A glyph of the legend.
pub(crate) struct Sign {
    pub glyph: &'static str,
    pub ascii: &'static str,
    pub means: &'static str,
}

const fn sign(glyph: &'static str, ascii: &'static str, means: &'static str) -> Sign {
    Sign { glyph, ascii, means }
}

/// The legend, in groups.
pub(crate) static LEGEND: &[(&str, &[Sign])] = &[
    (
        "how it went",
        &[
            sign("✓", "+", "succeeded"),
            sign("✗", "x", "failed"),
            sign("⊘", "0", "not allowed"),
            sign("◷", "%", "timed out"),
            sign("◌", "?", "not finished"),
        ],
    ),
    (
        "what it is about",
        &[
            sign("❯", ">", "user"),
            sign("◆", "m", "model"),
            sign("■", "t", "tool"),
            sign("§", "g", "guard, gate or check"),
            sign("○", "o", "memory"),
            sign("◇", "c", "context, compaction"),
            sign("◉", "@", "run, turn"),
            sign("≡", "=", "file"),
            sign("◫", "p", "process, agent"),
            sign("⇄", "i", "message between programs"),
            sign("◦", "`", "background: clock, cache"),
            sign("▒", "#", "not an event"),
        ],
    ),
    (
        "findings",
        &[sign("‼", "X", "critical"), sign("!", "!", "error"), sign("△", "^", "warning"), sign("·", ".", "info")],
    ),
    (
        "marks",
        &[
            sign("▶", ">", "the current event"),
            sign("●", "*", "a breakpoint stops here"),
            sign("★", "*", "bookmark"),
            sign("✎", "%", "a reviewer's note"),
            sign("/", "/", "search hit"),
            sign("↑", "^", "pinned field"),
            sign("┊", "|", "a turn begins (strip)"),
        ],
    ),
    (
        "differences",
        &[
            sign("≠", "#", "differs, edited"),
            sign("−", "-", "only expected, skipped"),
            sign("+", "+", "only actual, added"),
            sign("↕", "|", "moved"),
            sign("≈", "~", "the same but for names"),
        ],
    ),
];

/// Lines, arrows and bars, which the legend does not explain.
const PLAIN: [(&str, &str); 43] = [
    ("▷", ">"),
    ("▼", "v"),
    ("—", "-"),
    ("–", "-"),
    ("◀", "<"),
    ("▾", "v"),
    ("▸", ">"),
    ("…", "~"),
    ("→", ">"),
    ("←", "<"),
    ("↵", "/"),
    ("›", ">"),
    ("┊", "|"),
    ("─", "-"),
    ("━", "="),
    ("│", "|"),
    ("┃", "|"),
    ("┬", "+"),
    ("┴", "+"),
    ("┼", "+"),
    ("┌", "+"),
    ("┐", "+"),
    ("└", "+"),
    ("┘", "+"),
    ("├", "+"),
    ("┤", "+"),
    ("╭", "+"),
    ("╮", "+"),
    ("╰", "+"),
    ("╯", "+"),
    ("▁", "_"),
    ("▂", "_"),
    ("▃", "."),
    ("▄", "."),
    ("▅", "-"),
    ("▆", "-"),
    ("▇", "="),
    ("█", "#"),
    ("×", "x"),
    ("≤", "<"),
    ("≥", ">"),
    ("▏", "|"),
    ("▕", "|"),
];

/// The ASCII form of a glyph that the screen draws itself. Text from the log keeps its characters.
pub(crate) fn in_ascii(glyph: &str) -> Option<&'static str> {
    let explained = || LEGEND.iter().flat_map(|(_, signs)| *signs).find(|sign| sign.glyph == glyph);
    let plain = || PLAIN.iter().find(|(known, _)| *known == glyph).map(|(_, ascii)| *ascii);
    explained().map(|sign| sign.ascii).or_else(plain)
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::replay::check::Severity;

    #[test]
    fn a_glyph_has_one_meaning_and_one_column() {
        let all: Vec<&Sign> = LEGEND.iter().flat_map(|(_, signs)| *signs).collect();
        for (at, sign) in all.iter().enumerate() {
            assert_eq!((sign.glyph.width(), sign.ascii.len()), (1, 1), "{}", sign.glyph);
            assert!(all[at + 1..].iter().all(|other| other.glyph != sign.glyph), "{}", sign.glyph);
        }
    }

    #[test]
    fn the_legend_explains_what_lists_show() {
        let explained = |glyph: &str| LEGEND.iter().any(|(_, signs)| signs.iter().any(|sign| sign.glyph == glyph));
        assert!(Outcome::ALL.into_iter().all(|outcome| explained(of_outcome(outcome))));
        assert!(Concern::ALL.into_iter().all(|concern| explained(of_concern(Some(concern)))) && explained(DAMAGED));
        assert!(Severity::ALL.into_iter().all(|severity| explained(crate::text::glyph(severity))));
        for glyph in [PLAYHEAD, BREAKPOINT, BOOKMARK, NOTE, HIT, PINNED, DIFFERENT, ONLY_EXPECTED, ONLY_ACTUAL, MOVED] {
            assert!(explained(glyph), "{glyph}");
        }
        assert!(explained(RENAMED) && explained(TURN));
    }
}
