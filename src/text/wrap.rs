//! Wrapping of long texts into lines of a given width, up to a limit; the caller counts the lines that are left.

use unicode_width::UnicodeWidthChar;

use super::{MARKS_KEPT, clean, columns_of};
use crate::replay::finding::is_hostile;

const TAB_COLUMNS: usize = 4;

/// One line of a wrapped text, escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrappedLine {
    pub text: String,
    /// Whether a line of the text itself starts here; false if the line was broken because of its width.
    pub begins: bool,
}

/// The limits of a wrapped text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrapLimits {
    pub first_columns: usize,
    pub columns: usize,
    pub lines: usize,
    pub characters: usize,
}

/// Takes characters until they or the limits are exhausted. What remains in `characters` was not shown.
pub(crate) fn wrap(characters: &mut impl Iterator<Item = char>, room: WrapLimits) -> Vec<WrappedLine> {
    let mut wrapper = Wrapper {
        lines: Vec::new(),
        line: WrappedLine { text: String::new(), begins: true },
        used: 0,
        room: room.first_columns.max(1),
        columns: room.columns.max(1),
        last_space: None,
        marks: 0,
    };
    let mut after_return = false;
    // Checked before a character is taken, because every character that is taken must be shown.
    for _ in 0..room.characters {
        if wrapper.lines.len() + 1 > room.lines {
            break;
        }
        let Some(character) = characters.next() else { break };
        // A carriage return is only visible if no line feed follows.
        if std::mem::take(&mut after_return) && character != '\n' {
            wrapper.spell("\\r");
        }
        match character {
            '\r' => after_return = true,
            '\n' => wrapper.break_line(true),
            '\t' => {
                let missing = TAB_COLUMNS - wrapper.used % TAB_COLUMNS;
                (0..missing).for_each(|_| wrapper.push(' '));
            }
            character => wrapper.take(character),
        }
    }
    if after_return {
        wrapper.spell("\\r");
    }
    let Wrapper { mut lines, line, .. } = wrapper;
    if lines.is_empty() || !line.text.is_empty() || line.begins {
        lines.push(line);
    }
    lines
}

struct Wrapper {
    lines: Vec<WrappedLine>,
    line: WrappedLine,
    used: usize,
    /// The columns of this line.
    room: usize,
    /// The columns of the following lines.
    columns: usize,
    /// The byte after the last space of this line, and the columns up to there.
    last_space: Option<(usize, usize)>,
    marks: usize,
}

impl Wrapper {
    fn take(&mut self, character: char) {
        let is_mark = character.width() == Some(0);
        self.marks = if is_mark { self.marks + 1 } else { 0 };
        if is_hostile(character) || self.marks > MARKS_KEPT {
            let spelled = if is_hostile(character) {
                clean(character.encode_utf8(&mut [0; 4]))
            } else {
                format!("\\u{{{:x}}}", character as u32)
            };
            self.spell(&spelled);
        } else {
            self.push(character);
        }
    }

    fn spell(&mut self, text: &str) {
        text.chars().for_each(|character| self.push(character));
    }

    fn push(&mut self, character: char) {
        let columns = columns_of(character);
        if self.used + columns > self.room && self.used > 0 {
            self.break_line(false);
        }
        self.line.text.push(character);
        self.used += columns;
        if character == ' ' {
            self.last_space = Some((self.line.text.len(), self.used));
        }
    }

    fn break_line(&mut self, begins: bool) {
        let next = WrappedLine { text: String::new(), begins };
        let mut line = std::mem::replace(&mut self.line, next);
        let used = std::mem::take(&mut self.used);
        // Break between words, unless that would leave half of the line empty.
        if let Some((at, columns)) = self.last_space.take()
            && !begins
            && columns * 2 > self.room
        {
            self.line.text = line.text.split_off(at);
            self.used = used - columns;
        }
        self.lines.push(line);
        self.room = self.columns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, columns: usize) -> Vec<String> {
        let room = WrapLimits { first_columns: columns, columns, lines: 100, characters: 1000 };
        wrap(&mut text.chars(), room).into_iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn lines_break_between_words_and_at_line_breaks() {
        assert_eq!(wrapped("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("a\nb\r\n\nc", 4), ["a", "b", "", "c"]);
        assert_eq!(wrapped("a\tb", 9), ["a   b"]);
        assert_eq!(wrapped("日本語", 4), ["日本", "語"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("日本", 1), ["日", "本"], "a line takes at least one character");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(wrapped("a\x1b[2J\u{202e}b\r", 40), [r"a\u{1b}[2J\u{202e}b\r"]);
        let marks = "\u{301}".repeat(30);
        let shown = wrapped(&format!("a{marks}"), 400).concat();
        assert_eq!(shown.chars().filter(|character| *character == '\u{301}').count(), MARKS_KEPT);
    }

    #[test]
    fn text_beyond_the_limits_stays_in_the_iterator() {
        let mut characters = "a\nb\nc\nd".chars();
        let room = WrapLimits { first_columns: 4, columns: 4, lines: 2, characters: 1000 };
        assert_eq!(wrap(&mut characters, room).len(), 3);
        assert_eq!(characters.as_str(), "c\nd");
        let mut characters = "abcdef".chars();
        wrap(&mut characters, WrapLimits { lines: 9, characters: 2, ..room });
        assert_eq!(characters.as_str(), "cdef");
    }
}
