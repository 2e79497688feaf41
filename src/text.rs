//! Text for terminals: control characters escaped, and fitted to a width.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod code;
pub(crate) mod fuzzy;
pub(crate) mod markdown;
pub(crate) mod styled;
pub(crate) mod suggestion;
pub(crate) mod wrap;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::replay::check::Severity;
use crate::replay::finding::is_hostile;

/// The glyph of a severity, so that output is readable without colours.
pub(crate) const fn glyph(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "·",
        Severity::Warning => "△",
        Severity::Error => "!",
        Severity::Critical => "‼",
    }
}

/// As many marks without a width are kept on one character. More could hide the lines above and below.
pub(crate) const MARKS_KEPT: usize = 4;

/// The columns of a character. The variation selector of emoji makes the character before it wider.
fn columns_of(character: char) -> usize {
    if character == '\u{fe0f}' { 1 } else { character.width().unwrap_or(0) }
}

/// Escapes text from a log: the result is one line without characters that could control a terminal.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marks = 0;
    for character in text.chars() {
        let is_mark = !character.is_ascii() && character.width() == Some(0);
        marks = if is_mark { marks + 1 } else { 0 };
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            character if is_hostile(character) || marks > MARKS_KEPT => {
                out.push_str(&format!("\\u{{{:x}}}", character as u32))
            }
            character => out.push(character),
        }
    }
    out
}

/// Like [`clean`], but keeps line breaks: for pretty-printed JSON.
pub(crate) fn clean_lines(text: &str) -> String {
    text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
}

/// Escapes characters in serialized JSON that could control a terminal. They occur only inside strings, where an escape
/// has the same meaning. Line breaks and tabs between tokens stay.
pub(crate) fn harmless(json: String) -> String {
    let steers = |character: char| !matches!(character, '\n' | '\t') && is_hostile(character);
    if !json.contains(steers) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if steers(character) {
            let units = &mut [0; 2];
            character.encode_utf16(units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(character);
        }
    }
    out
}

/// Escaped and cut to a width, with `…` at the end if something was cut.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    let text = clean(text);
    if text.width() <= columns {
        return text;
    }
    // If nothing fits, `…` does not fit either: it would shift the text after it.
    if columns == 0 {
        return String::new();
    }
    let mut out = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += columns_of(character);
        if used > columns {
            break;
        }
        out.push(character);
    }
    out.push('…');
    out
}

/// Like [`fit`], but cuts the middle: for names, which differ at the end as often as at the start.
pub(crate) fn fit_middle(text: &str, columns: usize) -> String {
    let text = clean(text);
    if text.width() <= columns || columns < 8 {
        return fit(&text, columns);
    }
    let tail_columns = (columns - 1) / 2;
    let mut tail = 0;
    let mut from = text.len();
    for (at, character) in text.char_indices().rev() {
        tail += columns_of(character);
        if tail > tail_columns {
            break;
        }
        from = at;
    }
    let head = end_of(&text, columns - 1 - tail_columns);
    format!("{}…{}", &text[..head], &text[from..])
}

/// Pads a text on the right to a width.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// Joins texts with commas and wraps them into indented lines.
pub(crate) fn wrapped(pieces: &[String], columns: usize) -> String {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for piece in pieces {
        if !line.is_empty() && line.width() + piece.width() + 2 > columns.saturating_sub(3) {
            lines.push(format!("{line},"));
            line.clear();
        }
        if !line.is_empty() {
            line.push_str(", ");
        }
        line.push_str(piece);
    }
    lines.push(line);
    lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Wraps a text into lines of a width, between words if possible. Nothing is cut.
pub(crate) fn paragraph(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in clean(text).split(' ') {
        let mut word = word;
        let goes_on = |line: &str| line.width() < columns && end_of(word, columns - line.width() - 1) == word.len();
        if !line.is_empty() && !goes_on(&line) {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        // A word that is wider than a line continues on the next line.
        loop {
            let room = columns - line.width().min(columns);
            // Only the part that can fit is measured: a word may be as long as a record.
            let fits = end_of(word, room);
            if fits == word.len() {
                break;
            }
            let most = fits.max(word.chars().next().map_or(0, char::len_utf8));
            // Names are broken between their parts, unless that leaves half of the line empty.
            let joint = word[..most].rfind(['_', '/', '-', '.']).map(|at| at + 1).filter(|at| *at * 2 > most);
            let end = joint.unwrap_or(most);
            line.push_str(&word[..end]);
            lines.push(std::mem::take(&mut line));
            word = &word[end..];
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// The number of bytes of a text that fit into a width.
fn end_of(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += columns_of(character);
        if used > columns {
            return at;
        }
    }
    text.len()
}

/// Formats a number with groups of three digits: `1204` as `1 204`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A number with a noun: `1 finding`, `2 findings`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(clean("a\x1b[2J\u{202e}b\n"), r"a\u{1b}[2J\u{202e}b\n");
        assert_eq!(fit("日本語テキスト", 7), "日本語…");
        assert_eq!(fit("short", 7), "short");
        assert_eq!((fit("short", 1), fit("short", 0)), ("…".into(), String::new()));
        assert_eq!(fit("❤\u{fe0f} hearts", 5), "❤\u{fe0f} h…", "the selector makes the heart two columns wide");
    }

    #[test]
    fn a_paragraph_keeps_all_text() {
        assert_eq!(paragraph("one two three", 7), ["one two", "three"]);
        assert_eq!(paragraph("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(paragraph("日本語", 3), ["日", "本", "語"]);
        assert_eq!(paragraph("日本", 1), ["日", "本", ""], "wider than the line, but not lost");
        assert_eq!(paragraph("", 9), [""]);
        assert_eq!(paragraph("tool_call_finished", 12), ["tool_call_", "finished"]);
        assert_eq!(fit_middle("memory_plane_query_count", 14), "memory_…_count");
        assert_eq!(fit_middle("日本語テキスト", 9), "日本…スト");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!((grouped(7), grouped(1204), grouped(1_000_000)), ("7".into(), "1 204".into(), "1 000 000".into()));
    }
}
