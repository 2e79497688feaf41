//! An invalid condition: what is wrong, and where.

use std::fmt;
use std::ops::Range;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::replay::finding::is_hostile;

/// How much of a long line is shown on either side of the error.
const AROUND_CHARACTERS: usize = 60;

/// Why a text is not a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadCondition {
    pub text: String,
    /// The bytes of the text that are wrong; empty and at the end if something is missing there.
    pub at: Range<usize>,
    pub reason: String,
}

impl BadCondition {
    pub(crate) fn new(text: &str, at: Range<usize>, reason: impl Into<String>) -> Self {
        let boundary = |mut byte: usize| {
            byte = byte.min(text.len());
            while !text.is_char_boundary(byte) {
                byte -= 1;
            }
            byte
        };
        let (from, to) = (boundary(at.start), boundary(at.end));
        BadCondition { text: text.to_owned(), at: from..to.max(from), reason: reason.into() }
    }

    /// An error about `part`, a slice of `text`.
    pub(crate) fn about(text: &str, part: &str, reason: impl Into<String>) -> Self {
        Self::new(text, jaq_core::load::span(text, part), reason)
    }
}

/// A text on one line, each character as wide as it is displayed.
fn shown(text: &str) -> String {
    let plain = |character: char| if is_hostile(character) || character.is_control() { '·' } else { character };
    text.chars().map(plain).collect()
}

impl fmt::Display for BadCondition {
    /// The line, a caret under the error, and the reason.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, from) = self.text.split_at(self.at.start);
        let lead = before.rsplit('\n').next().unwrap_or("");
        let rest = from.split('\n').next().unwrap_or("");
        let skipped = lead.chars().count().saturating_sub(AROUND_CHARACTERS);
        let mut left: String = lead.chars().skip(skipped).collect();
        if skipped > 0 {
            left.insert(0, '…');
        }
        let mut right: String = rest.chars().take(AROUND_CHARACTERS).collect();
        if right.len() < rest.len() {
            right.push('…');
        }
        let (left, right) = (shown(&left), shown(&right));
        let marked = rest.get(..self.at.len().min(rest.len())).unwrap_or("");
        let marked: usize =
            marked.chars().take(AROUND_CHARACTERS).map(|character| character.width().unwrap_or(1)).sum();
        writeln!(out, "{left}{right}")?;
        write!(out, "{}{} {}", " ".repeat(left.width()), "^".repeat(marked.max(1)), self.reason)
    }
}

impl std::error::Error for BadCondition {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caret_marks_the_error() {
        let text = ".a\n| 日本 §";
        let at = text.find('§').expect("there");
        let bad = BadCondition::new(text, at..text.len(), "no token");
        assert_eq!(bad.to_string(), "| 日本 §\n       ^ no token");
        let end = BadCondition::new(".a |", 4..4, "a term is missing");
        assert_eq!(end.to_string(), ".a |\n    ^ a term is missing");
    }

    #[test]
    fn a_long_line_is_cut_and_escaped() {
        let text = format!("{}\u{1b}&{}", "x".repeat(500), "y".repeat(500));
        let bad = BadCondition::new(&text, 501..502, "no");
        let lines: Vec<String> = bad.to_string().lines().map(str::to_owned).collect();
        assert!(lines[0].chars().count() < 130 && lines[0].contains("·&"), "{bad}");
        assert_eq!(lines[1].find('^'), Some(lines[0].chars().position(|character| character == '&').expect("there")));
    }
}
