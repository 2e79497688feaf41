//! The lines of one part of a message: prose, code, output, changes, wrapped to a width and cut at a number of lines.

use unicode_width::UnicodeWidthStr;

use crate::replay::utterance::{Part, PartKind};
use crate::text::clean;
use crate::text::code::{CodeReader, CodeTone};
use crate::text::markdown::{Inline, MarkdownLine, MarkdownReader};
use crate::text::wrap::{WrapLimits, wrap};
use crate::tui::detail::lines::{Join, Tint, TintedText};

/// More lines of a part are shown only if it is unfolded.
const fn folded_lines(kind: &PartKind) -> usize {
    match kind {
        PartKind::Prose => 100,
        PartKind::Change => 24,
        PartKind::Plain | PartKind::Code(_) | PartKind::Failure => 12,
        PartKind::Title | PartKind::Note => 3,
    }
}

/// As many lines are shown of a part that is unfolded.
const UNFOLDED_LINES: usize = 20_000;
const TAB: &str = "    ";

/// One line of a part.
pub(super) struct PartLine {
    pub pieces: Vec<TintedText>,
    pub join: Join,
}

/// The lines of a part, and what they do not show.
pub(super) struct LaidPart {
    pub lines: Vec<PartLine>,
    /// The byte of the text from which on it is not shown.
    pub shown: usize,
    /// How many lines of the text are not shown, also of what was omitted before.
    pub hidden: usize,
}

pub(super) fn lay_out(part: &Part, columns: usize, is_unfolded: bool) -> LaidPart {
    let text = match part.left_out {
        0 => part.text.trim_end_matches(['\n', '\r']),
        _ => part.text.as_str(),
    };
    let all = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    let most = match folded_lines(&part.kind) {
        _ if is_unfolded => UNFOLDED_LINES,
        // A line that says that two lines are hidden would save one line.
        most if all <= most + 2 && part.left_out == 0 => most + 2,
        most => most,
    };
    let mut layout = PartLayout { columns: columns.max(8), most, lines: Vec::new() };
    let mut reader = Reader::new(&part.kind);
    let (mut at, mut lines) = (0, 0);
    for line in text.split('\n') {
        if layout.lines.len() >= most {
            break;
        }
        let drawn = reader.line(line.strip_suffix('\r').unwrap_or(line));
        if let Some(drawn) = drawn
            && let Some(rest) = layout.line(&drawn)
        {
            // The line itself is longer than all that is shown.
            at += line.len().saturating_sub(rest);
            // Escaped characters count as they are shown, so the place is a guess.
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            return LaidPart { lines: layout.lines, shown: at, hidden: all - lines + part.lines_left_out };
        }
        at += line.len() + 1;
        lines += 1;
    }
    LaidPart { lines: layout.lines, shown: at.min(text.len()), hidden: all - lines + part.lines_left_out }
}

/// A line before it is wrapped: the prefix of its first row, the prefix of the others, and its text.
struct Drawn<'t> {
    lead: TintedText,
    /// Before the following rows; as wide as the first lead.
    hang: TintedText,
    runs: Vec<(Tint, &'t str)>,
}

impl<'t> Drawn<'t> {
    fn new(lead: &str, runs: Vec<(Tint, &'t str)>) -> Drawn<'t> {
        let lead = TintedText { tint: Tint::Dim, text: lead.to_owned() };
        Drawn { hang: lead.clone(), lead, runs }
    }

    /// The following rows are indented.
    fn hanging(mut self) -> Drawn<'t> {
        self.hang.text = " ".repeat(self.lead.text.width());
        self
    }
}

/// What reads the lines of a part.
enum Reader {
    Prose { markdown: MarkdownReader, code: CodeReader },
    Code(CodeReader),
    Change,
    Plain(Tint),
}

impl Reader {
    fn new(kind: &PartKind) -> Reader {
        match kind {
            PartKind::Prose => Reader::Prose { markdown: MarkdownReader::default(), code: CodeReader::new("") },
            PartKind::Code(language) => Reader::Code(CodeReader::new(language)),
            PartKind::Change => Reader::Change,
            PartKind::Plain => Reader::Plain(Tint::Text),
            PartKind::Title => Reader::Plain(Tint::Key),
            PartKind::Note => Reader::Plain(Tint::Dim),
            PartKind::Failure => Reader::Plain(Tint::Error),
        }
    }

    /// `None` for a line that is only a mark.
    fn line<'t>(&mut self, line: &'t str) -> Option<Drawn<'t>> {
        Some(match self {
            Reader::Plain(tint) => Drawn::new("", vec![(*tint, line)]),
            Reader::Code(code) => Drawn::new("│ ", of_code(code, line)),
            Reader::Change => {
                let tint = match line.bytes().next() {
                    Some(b'+') => Tint::Added,
                    Some(b'-') => Tint::Removed,
                    Some(b'@') => Tint::Dim,
                    _ => Tint::Text,
                };
                Drawn::new("", vec![(tint, line)])
            }
            Reader::Prose { markdown, code } => match markdown.line(line) {
                MarkdownLine::Text(text) => Drawn::new("", of_inlines(text, Tint::Text)),
                MarkdownLine::Heading(text) => Drawn::new("", of_inlines(text, Tint::Heading)),
                MarkdownLine::Item { indent, mark, text } => {
                    let lead = format!("{}{mark} ", " ".repeat(indent.min(24)));
                    Drawn::new(&lead, of_inlines(text, Tint::Text)).hanging()
                }
                MarkdownLine::Quote(text) => Drawn::new("│ ", of_inlines(text, Tint::Emphasis)),
                MarkdownLine::Fence(language) => {
                    *code = CodeReader::new(language.split([' ', ',', '{']).next().unwrap_or_default());
                    return None;
                }
                MarkdownLine::Code(line) => Drawn::new("│ ", of_code(code, line)),
                MarkdownLine::FenceEnd => return None,
                MarkdownLine::Rule => Drawn::new("────────", Vec::new()),
            },
        })
    }
}

fn of_code<'t>(code: &mut CodeReader, line: &'t str) -> Vec<(Tint, &'t str)> {
    let tint = |tone| match tone {
        CodeTone::Plain => Tint::Text,
        CodeTone::Keyword => Tint::Keyword,
        CodeTone::Literal => Tint::Literal,
        CodeTone::Comment => Tint::Dim,
    };
    code.line(line).into_iter().map(|(tone, text)| (tint(tone), text)).collect()
}

fn of_inlines(pieces: Vec<(Inline, &str)>, plain: Tint) -> Vec<(Tint, &str)> {
    let tint = |inline| match inline {
        Inline::Plain => plain,
        Inline::Strong => Tint::Strong,
        Inline::Emphasis => Tint::Emphasis,
        Inline::Code => Tint::Code,
        Inline::Address => Tint::Dim,
    };
    pieces.into_iter().map(|(inline, text)| (tint(inline), text)).collect()
}

struct PartLayout {
    columns: usize,
    most: usize,
    lines: Vec<PartLine>,
}

impl PartLayout {
    /// Adds the rows of a line. Returns the number of bytes that are not shown, if the line is too long.
    fn line(&mut self, drawn: &Drawn<'_>) -> Option<usize> {
        let columns = self.columns.saturating_sub(drawn.lead.text.width()).max(4);
        let rows = self.most - self.lines.len();
        // Only what can be shown is escaped: a line may be as long as a record.
        let mut room = rows.saturating_mul(columns).saturating_add(1);
        let (mut text, mut ends, mut left) = (String::new(), Vec::new(), 0);
        for (tint, run) in &drawn.runs {
            let end = run.char_indices().nth(room).map_or(run.len(), |(at, _)| at);
            room -= run[..end].chars().count();
            left += run.len() - end;
            text.push_str(&clean(&run[..end].replace('\t', TAB)));
            ends.push((text.len(), *tint));
        }
        let limits = WrapLimits { first_columns: columns, columns, lines: rows, characters: usize::MAX };
        let mut characters = text.chars();
        let rows = wrap(&mut characters, limits);
        left += characters.as_str().len();
        let (mut at, is_first_line) = (0, self.lines.is_empty());
        for (number, row) in rows.into_iter().enumerate() {
            if self.lines.len() >= self.most {
                // The row that was begun and does not fit.
                left += row.text.len();
                break;
            }
            let lead = if number == 0 { &drawn.lead } else { &drawn.hang };
            let mut pieces = vec![lead.clone()];
            pieces.retain(|piece| !piece.text.is_empty());
            cut_runs(&row.text, at, &ends, &mut pieces);
            at += row.text.len();
            let join = match number {
                0 if is_first_line => Join::Apart,
                0 => Join::Break,
                _ => Join::Wrap,
            };
            self.lines.push(PartLine { pieces, join });
        }
        (left > 0).then_some(left)
    }
}

/// The pieces of a row, which begins at a byte of the text whose runs end at `ends`.
fn cut_runs(row: &str, from: usize, ends: &[(usize, Tint)], pieces: &mut Vec<TintedText>) {
    let mut begin = 0;
    for (end, tint) in ends {
        let end = end.saturating_sub(from).min(row.len());
        if let Some(text) = row.get(begin..end).filter(|text| !text.is_empty()) {
            pieces.push(TintedText { tint: *tint, text: text.to_owned() });
        }
        begin = begin.max(end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(laid: &LaidPart) -> Vec<String> {
        laid.lines.iter().map(|line| line.pieces.iter().map(|piece| piece.text.as_str()).collect()).collect()
    }

    fn laid(kind: PartKind, text: &str, columns: usize) -> Vec<String> {
        rows(&lay_out(&Part::new(kind, text), columns, false))
    }

    #[test]
    fn markdown_loses_its_marks() {
        let text = "# Title\n\n- **one** two three\n> said\n```rs\nlet a;\n```\n---";
        let expected = ["Title", "", "- one two ", "  three", "│ said", "│ let a;", "────────"];
        assert_eq!(laid(PartKind::Prose, text, 12), expected);
        let bold = lay_out(&Part::new(PartKind::Prose, "a **b** `c`"), 40, false);
        let tints: Vec<Tint> = bold.lines[0].pieces.iter().map(|piece| piece.tint).collect();
        assert_eq!(tints, [Tint::Text, Tint::Strong, Tint::Text, Tint::Code]);
    }

    #[test]
    fn long_parts_say_how_much_they_hide() {
        let text: String = (0..40).map(|line| format!("line {line}\n")).collect();
        let part = Part::new(PartKind::Plain, text.as_str());
        let folded = lay_out(&part, 40, false);
        assert_eq!((folded.lines.len(), folded.hidden), (12, 28));
        assert!(text[folded.shown..].starts_with("line 12\n"));
        let whole = lay_out(&part, 40, true);
        assert_eq!((whole.lines.len(), whole.hidden), (40, 0));
        let short = lay_out(&Part::new(PartKind::Plain, "x\n".repeat(14)), 40, false);
        assert_eq!((short.lines.len(), short.hidden), (14, 0), "hiding two lines would save one");
        let wide = lay_out(&Part::new(PartKind::Plain, "x".repeat(9_000_000)), 40, false);
        assert_eq!((wide.lines.len(), wide.hidden), (14, 1));
    }

    proptest! {
        #[test]
        fn any_text_is_drawn(text in "(?s).{0,300}", columns in 1_usize..60, kind in 0_usize..4) {
            let kind = [PartKind::Prose, PartKind::Plain, PartKind::Code("rust".to_owned()), PartKind::Change][kind].clone();
            for is_unfolded in [false, true] {
                let laid = lay_out(&Part::new(kind.clone(), text.as_str()), columns, is_unfolded);
                for row in rows(&laid) {
                    prop_assert!(!row.contains(crate::replay::finding::is_hostile), "{:?}", row);
                }
                prop_assert!(text.get(laid.shown..).is_some(), "{} of {:?}", laid.shown, text);
            }
        }
    }
}
