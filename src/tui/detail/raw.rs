//! The Raw tab: the place of the record in its file, and its bytes.

use std::ops::Range;
use std::sync::Arc;

use super::lines::{HitSpan, Join, MARKS_MOST, TabLine, TabLines, Tint};
use crate::replay::Place;
use crate::replay::search::Pattern;
use crate::text::{count, fit, grouped};

/// The number of lines before the bytes.
const HEAD: usize = 2;
/// A gap follows this many bytes.
const HALF: usize = 8;

#[derive(Clone)]
pub(crate) struct RawTab {
    record: Arc<[u8]>,
    place: Place,
    inside: Range<usize>,
    columns: usize,
    /// Bytes per line.
    across: usize,
    digits: usize,
}

impl RawTab {
    pub(crate) fn new(record: Arc<[u8]>, place: Place, inside: Range<usize>) -> Self {
        let digits = format!("{:x}", record.len()).len().max(4);
        RawTab { record, place, inside, columns: 0, across: 16, digits }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn lay_out(&mut self, columns: usize) {
        self.columns = columns;
        let width = |across: usize| self.digits + 2 + hex_columns(across) + 2 + across;
        self.across = [16, 8, 4].into_iter().find(|across| width(*across) <= columns).unwrap_or(4);
    }

    /// The line that shows a byte.
    fn line_of(&self, byte: usize) -> usize {
        HEAD + byte / self.across
    }

    fn place_text(&self, at: usize) -> String {
        let length = self.record.len();
        match at {
            0 => format!("{}, {}", self.place, count(length as u64, "byte")),
            _ if self.inside == (0..length) => String::new(),
            _ => {
                let (from, to) = (grouped(self.inside.start as u64), grouped(self.inside.end as u64));
                format!("the event is in bytes {from} to {to} of the record")
            }
        }
    }
}

/// The column of a byte among the hexadecimal digits of its line.
fn hex_at(position: usize) -> usize {
    position * 3 + usize::from(position >= HALF)
}

fn hex_columns(across: usize) -> usize {
    hex_at(across.saturating_sub(1)) + 2
}

impl TabLines for RawTab {
    fn count(&self) -> usize {
        HEAD + self.record.len().div_ceil(self.across)
    }

    fn line(&self, at: usize) -> TabLine {
        let Some(line) = at.checked_sub(HEAD) else {
            return TabLine::at(0).with(Tint::Strong, fit(&self.place_text(at), self.columns));
        };
        let from = line.saturating_mul(self.across).min(self.record.len());
        let bytes = &self.record[from..(from + self.across).min(self.record.len())];
        let mut hex = String::new();
        for (position, byte) in bytes.iter().enumerate() {
            hex.extend(std::iter::repeat_n(' ', hex_at(position) - hex.len()));
            hex.push_str(&format!("{byte:02x}"));
        }
        let shown = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { *byte as char } else { '.' };
        let text: String = bytes.iter().map(shown).collect();
        TabLine::at(0)
            .with(Tint::Dim, format!("{from:0digits$x}  ", digits = self.digits))
            .with(Tint::Text, format!("{hex:<width$}  ", width = hex_columns(self.across)))
            .with(Tint::String, text)
    }

    fn join(&self, _at: usize) -> Join {
        Join::Apart
    }

    /// The bytes are searched, not their digits.
    fn marks(&self, pattern: &Pattern) -> Vec<HitSpan> {
        let mut found = Vec::new();
        let (hex, text) = (self.digits + 2, self.digits + 4 + hex_columns(self.across));
        for range in pattern.find_all(&self.record) {
            let mut from = range.start;
            while from < range.end && found.len() < MARKS_MOST {
                let line = self.line_of(from);
                let begin = from % self.across;
                let end = (begin + range.end - from).min(self.across);
                let begins = from == range.start;
                found.push(HitSpan { line, from: hex + hex_at(begin), to: hex + hex_at(end - 1) + 2, begins });
                found.push(HitSpan { line, from: text + begin, to: text + end, begins: false });
                from += end - begin;
            }
            if found.len() >= MARKS_MOST {
                break;
            }
        }
        found.sort_by_key(|mark| (mark.line, mark.from));
        found
    }
}
