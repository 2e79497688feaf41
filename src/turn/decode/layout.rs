//! Layouts of earlier records: the text between their values, which most writers repeat exactly.
//!
//! A layout is learned from a record that was scanned in full. A later record with the same text between its values has
//! the same keys in the same order (and the same unknown fields), so only its values remain to be scanned.

use super::fields::{Fields, WireField};
use crate::json::scan::{Scanner, ValueShape};
use crate::turn::kind::EventKind;

/// The largest number of layouts. A log with more of them does not repeat its layouts.
const LAYOUTS: usize = 24;
/// How many layouts are tried before a record is scanned in full.
const TRIES: usize = 6;

#[derive(Clone)]
struct Layout {
    kind: EventKind,
    /// The text before each value, and the field of the value. The tag is part of such a text: it is the same in every
    /// record of this layout.
    parts: Vec<(Box<str>, WireField)>,
    tail: Box<str>,
    /// The layout that followed this one the last time.
    next: usize,
}

#[derive(Clone, Default)]
pub(super) struct Layouts {
    known: Vec<Layout>,
    last: usize,
}

impl Layouts {
    /// The fields of a record with a known layout.
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

    /// Learns the layout of a record.
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
