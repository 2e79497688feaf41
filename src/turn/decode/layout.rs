//! How records were laid out before: the text between their values, which most writers repeat to the letter.
//!
//! A layout is learned from a record that was scanned in full. A later record with the same text between its
//! values has the same keys in the same order (and the same unknown fields), so only its values are left to
//! walk over.

use super::fields::{Fields, WireField};
use crate::json::scan::{Scanner, ValueShape};
use crate::turn::kind::EventKind;

/// More layouts than this are not remembered: their writer has no habits.
const LAYOUTS: usize = 24;
/// How many layouts are tried before a record is scanned in full.
const TRIES: usize = 6;

#[derive(Clone)]
struct Layout {
    kind: EventKind,
    /// The text in front of each value, and the field it belongs to. The tag is part of a text: it is the same
    /// in every record of this layout.
    parts: Vec<(Box<str>, WireField)>,
    tail: Box<str>,
    /// The layout that came after this one the last time.
    next: usize,
}

#[derive(Clone, Default)]
pub(super) struct Layouts {
    known: Vec<Layout>,
    last: usize,
}

impl Layouts {
    /// The fields of a record that is laid out like one before.
    pub(super) fn scan<'a>(&mut self, record: &'a str) -> Option<(EventKind, Fields<'a>)> {
        let expected = self.known.get(self.last)?.next;
        let others = (0..self.known.len()).filter(|index| *index != expected);
        let order = std::iter::once(expected).chain(others).take(TRIES);
        let mut scanner = Scanner::new(record);
        for index in order {
            scanner.rewind();
            if let Some(fields) = self.known[index].scan(record, &mut scanner) {
                self.known[self.last].next = index;
                self.last = index;
                return Some((self.known[index].kind, fields));
            }
        }
        None
    }

    /// Remembers how a record is laid out.
    pub(super) fn learn(&mut self, kind: EventKind, fields: &Fields<'_>) {
        if self.known.len() == LAYOUTS {
            return;
        }
        let record = fields.record;
        let (mut parts, mut from) = (Vec::new(), 0);
        for (start, end, field) in fields.places() {
            if field == WireField::EventType {
                continue;
            }
            parts.push((Box::from(&record[from..start]), field));
            from = end;
        }
        let tail = &record[from..];
        let index = self.known.len();
        self.known.push(Layout { kind, parts, tail: Box::from(tail), next: index });
        if index > 0 {
            self.known[self.last].next = index;
        }
        self.last = index;
    }
}

impl Layout {
    fn scan<'a>(&self, record: &'a str, scanner: &mut Scanner<'a>) -> Option<Fields<'a>> {
        let (first, _) = self.parts.first()?;
        if !record.starts_with(&**first) {
            return None;
        }
        let mut fields = Fields::none(record)?;
        for (text, field) in &self.parts {
            scanner.literal(text)?;
            let from = scanner.at();
            let shape = scanner.value().filter(|shape| *shape != ValueShape::Nested)?;
            fields.put(*field, from, scanner.at(), shape)?;
        }
        (record[scanner.at()..] == *self.tail).then_some(fields)
    }
}
