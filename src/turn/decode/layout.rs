//! Layouts of earlier records: the text between their values, which most writers repeat exactly.
//!
//! A layout is learned from a record that was scanned in full. A later record with the same text between its values has
//! the same keys in the same order (and the same unknown fields), so only its values remain to be scanned.

use super::fields::{FieldPlaces, Fields, WireField};
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
    /// Finds the fields of a record with a known layout, and returns its kind.
    #[inline]
    pub(super) fn scan(&mut self, scanner: &mut Scanner<'_>, places: &mut FieldPlaces) -> Option<EventKind> {
        let expected = self.known.get(self.last)?.next;
        let others = (0..self.known.len()).filter(|index| *index != expected);
        let order = std::iter::once(expected).chain(others).take(TRIES);
        for index in order {
            scanner.go_back(0);
            if self.known[index].scan(scanner, places).is_some() {
                self.known[self.last].next = index;
                self.last = index;
                return Some(self.known[index].kind);
            }
        }
        None
    }

    /// Learns the layout of a record.
    pub(super) fn learn(&mut self, kind: EventKind, Fields { record, places }: Fields<'_, '_>) {
        if self.known.len() == LAYOUTS {
            return;
        }
        let (mut parts, mut from) = (Vec::new(), 0);
        for (start, end, field) in places.in_order() {
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
    fn scan(&self, scanner: &mut Scanner<'_>, places: &mut FieldPlaces) -> Option<()> {
        places.clear(scanner.text())?;
        for (text, field) in &self.parts {
            scanner.literal(text)?;
            let from = scanner.at();
            let shape = scanner.value().filter(|shape| *shape != ValueShape::Nested)?;
            places.put(*field, from, scanner.at(), shape)?;
        }
        scanner.is_rest(&self.tail).then_some(())
    }
}
