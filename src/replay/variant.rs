//! What-if variants: changes to the events of a log, applied as an overlay; the log itself stays unchanged.
//!
//! A variant of a million events with three changes consists of a handful of pieces: ranges of the original and single
//! events between them. Finding an event, in either direction, is a search among the pieces.
//!
//! [`overlay`] reads the records of a variant, [`difference`] shows the consequences of the changes.

pub(crate) mod difference;
pub(crate) mod overlay;

use std::ops::Range;
use std::str::Utf8Error;
use std::sync::Arc;

use serde::de::IgnoredAny;

use super::Seq;

/// One change. Its numbers are those of the variant at the time of the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariantChange {
    /// A new text for an event: JSON, without the envelope of its record.
    Replace {
        at: Seq,
        event: Vec<u8>,
    },
    Skip(Seq),
    /// The copy is right after its event.
    Duplicate(Seq),
    /// `to` is the number of the event after the move.
    Move {
        from: Seq,
        to: Seq,
    },
}

/// Why a change cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum VariantError {
    #[error("there is no event {0}: the variant is empty")]
    Empty(Seq),
    #[error("there is no event {at}: the last event of the variant is {last}")]
    NoEvent { at: Seq, last: u32 },
    #[error("the variant holds as many events as can be numbered")]
    Full,
    #[error("this is not JSON: {0}")]
    NotText(Utf8Error),
    #[error("this is not JSON: {0}")]
    NotJson(serde_json::Error),
}

/// The origin of an event of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub original: Seq,
    /// Its text differs from that of the original.
    pub is_edited: bool,
    /// The original is elsewhere, or was skipped.
    pub is_copy: bool,
}

/// Consecutive events of a variant: a range of the original, or one event that was changed or copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantPiece {
    first: u32,
    count: u32,
    is_copy: bool,
    event: Option<Arc<[u8]>>,
}

impl VariantPiece {
    fn plain(originals: Range<u32>) -> Self {
        VariantPiece { first: originals.start, count: originals.end - originals.start, is_copy: false, event: None }
    }

    /// The numbers of its events in the original.
    pub fn originals(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// The new text of its one event.
    pub fn event(&self) -> Option<&[u8]> {
        self.event.as_deref()
    }

    fn is_plain(&self) -> bool {
        !self.is_copy && self.event.is_none()
    }

    fn continues_with(&self, next: &VariantPiece) -> bool {
        self.is_plain() && next.is_plain() && self.originals().end == next.first
    }
}

/// The events of a log with changes. Changes can be undone and redone.
#[derive(Clone, Debug)]
pub struct Variant {
    original_len: u32,
    /// None is empty, and no two neighbours could be merged.
    pieces: Vec<VariantPiece>,
    /// The number of the first event of each piece.
    starts: Vec<u32>,
    /// For each piece that is not a copy: its first original and its position among the pieces, ascending.
    by_original: Vec<(u32, usize)>,
    changes: Vec<VariantChange>,
    /// For each change, the piece that it removed from the variant.
    taken: Vec<Option<VariantPiece>>,
    undone: Vec<VariantChange>,
}

impl Variant {
    /// An unchanged log of this many events.
    pub fn new(events: u32) -> Self {
        let mut variant = Variant {
            original_len: events,
            pieces: Vec::new(),
            starts: Vec::new(),
            by_original: Vec::new(),
            changes: Vec::new(),
            taken: Vec::new(),
            undone: Vec::new(),
        };
        if events > 0 {
            variant.pieces.push(VariantPiece::plain(0..events));
        }
        variant.settle();
        variant
    }

    /// Applies a change, or returns why it cannot be applied. Undone changes cannot be redone after it.
    pub fn apply(&mut self, change: VariantChange) -> Result<(), VariantError> {
        let change = self.checked(change)?;
        self.make(change);
        self.undone.clear();
        Ok(())
    }

    /// Undoes the last change and returns it.
    pub fn undo(&mut self) -> Option<&VariantChange> {
        let (change, taken) = (self.changes.pop()?, self.taken.pop().flatten());
        match (&change, taken) {
            (VariantChange::Replace { at, .. }, Some(piece)) => {
                self.take(at.0);
                self.put(at.0, piece);
            }
            (VariantChange::Skip(at), Some(piece)) => self.put(at.0, piece),
            (VariantChange::Duplicate(at), _) => {
                self.take(at.0 + 1);
            }
            (VariantChange::Move { from, to }, _) => {
                let piece = self.take(to.0);
                self.put(from.0, piece);
            }
            (VariantChange::Replace { .. } | VariantChange::Skip(_), None) => {}
        }
        self.undone.push(change);
        self.undone.last()
    }

    /// Redoes the last undone change and returns it.
    pub fn redo(&mut self) -> Option<&VariantChange> {
        let change = self.undone.pop()?;
        self.make(change);
        self.changes.last()
    }

    /// Whether it differs from the original. Changes that cancel each other out leave it unchanged.
    pub fn is_changed(&self) -> bool {
        let originals = |piece: &VariantPiece| piece.is_plain() && piece.originals() == (0..self.original_len);
        !self.pieces.iter().all(originals) || self.len() != self.original_len
    }

    /// The changes in the order in which they were made, without undone ones.
    pub fn changes(&self) -> &[VariantChange] {
        &self.changes
    }

    pub fn len(&self) -> u32 {
        self.starts.last().zip(self.pieces.last()).map_or(0, |(start, piece)| start + piece.count)
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The number of events of the original.
    pub fn original_len(&self) -> u32 {
        self.original_len
    }

    /// The pieces in order.
    pub fn pieces(&self) -> &[VariantPiece] {
        &self.pieces
    }

    /// The origin of an event; `None` past the end.
    pub fn origin(&self, at: Seq) -> Option<Origin> {
        let number = self.starts.partition_point(|start| *start <= at.0).checked_sub(1)?;
        let (piece, inside) = (&self.pieces[number], at.0 - self.starts[number]);
        (inside < piece.count).then(|| Origin {
            original: Seq(piece.first + inside),
            is_edited: piece.event.is_some(),
            is_copy: piece.is_copy,
        })
    }

    /// The current number of an event of the original; `None` if it was skipped. Copies do not count.
    pub fn find(&self, original: Seq) -> Option<Seq> {
        let before = self.by_original.partition_point(|entry| entry.0 <= original.0).checked_sub(1)?;
        let (first, number) = self.by_original[before];
        let inside = original.0 - first;
        (inside < self.pieces[number].count).then(|| Seq(self.starts[number] + inside))
    }

    /// Like [`Variant::find`]; for a skipped event, the next event of the original that is left, or else the last one
    /// before it.
    pub fn nearest(&self, original: Seq) -> Seq {
        let behind = self.by_original.partition_point(|entry| entry.0 <= original.0);
        let next = || self.by_original.get(behind).map(|(_, number)| Seq(self.starts[*number]));
        let last = || {
            let (_, number) = self.by_original.get(behind.checked_sub(1)?)?;
            Some(Seq(self.starts[*number] + self.pieces[*number].count - 1))
        };
        self.find(original).or_else(next).or_else(last).unwrap_or_default()
    }

    /// The change with its values checked, or why it cannot be applied.
    fn checked(&self, change: VariantChange) -> Result<VariantChange, VariantError> {
        let exists = |at: Seq| match self.len() {
            _ if at.0 < self.len() => Ok(()),
            0 => Err(VariantError::Empty(at)),
            len => Err(VariantError::NoEvent { at, last: len - 1 }),
        };
        match &change {
            VariantChange::Replace { at, event } => {
                exists(*at)?;
                return Ok(VariantChange::Replace { at: *at, event: json(event)? });
            }
            VariantChange::Skip(at) => exists(*at)?,
            VariantChange::Duplicate(at) => {
                exists(*at)?;
                if self.len() >= u32::MAX - 1 {
                    return Err(VariantError::Full);
                }
            }
            VariantChange::Move { from, to } => {
                exists(*from)?;
                exists(*to)?;
            }
        }
        Ok(change)
    }

    /// Applies a checked change.
    fn make(&mut self, change: VariantChange) {
        let taken = match &change {
            VariantChange::Replace { at, event } => {
                let before = self.take(at.0);
                self.put(at.0, VariantPiece { event: Some(Arc::from(event.as_slice())), ..before.clone() });
                Some(before)
            }
            VariantChange::Skip(at) => Some(self.take(at.0)),
            VariantChange::Duplicate(at) => {
                let original = self.take(at.0);
                self.put(at.0, original.clone());
                self.put(at.0 + 1, VariantPiece { is_copy: true, ..original });
                None
            }
            VariantChange::Move { from, to } => {
                let moved = self.take(from.0);
                self.put(to.0, moved);
                None
            }
        };
        self.changes.push(change);
        self.taken.push(taken);
    }

    /// The position of the piece that begins at an event; a piece that contains the event is split before it.
    fn cut(&mut self, at: u32) -> usize {
        let behind = self.starts.partition_point(|start| *start < at);
        let Some(last) = behind.checked_sub(1) else { return 0 };
        let (piece, inside) = (&mut self.pieces[last], at - self.starts[last]);
        if inside < piece.count {
            let rest = VariantPiece { first: piece.first + inside, count: piece.count - inside, ..piece.clone() };
            piece.count = inside;
            self.pieces.insert(behind, rest);
            self.starts.insert(behind, at);
        }
        behind
    }

    /// Removes one event.
    fn take(&mut self, at: u32) -> VariantPiece {
        let number = self.cut(at);
        self.cut(at + 1);
        let piece = self.pieces.remove(number);
        self.settle();
        piece
    }

    /// Inserts one event.
    fn put(&mut self, at: u32, piece: VariantPiece) {
        let number = self.cut(at);
        self.pieces.insert(number, piece);
        self.settle();
    }

    /// Merges neighbouring pieces and rebuilds the positions.
    fn settle(&mut self) {
        self.pieces.dedup_by(|next, piece| {
            let joined = piece.continues_with(next);
            piece.count += if joined { next.count } else { 0 };
            joined
        });
        let mut next = 0;
        self.starts.clear();
        self.by_original.clear();
        for (number, piece) in self.pieces.iter().enumerate() {
            self.starts.push(next);
            next += piece.count;
            if !piece.is_copy {
                self.by_original.push((piece.first, number));
            }
        }
        self.by_original.sort_unstable();
    }
}

/// The text of an event without surrounding blanks, or why it is not JSON: a log with it must be valid.
fn json(event: &[u8]) -> Result<Vec<u8>, VariantError> {
    let text = std::str::from_utf8(event).map_err(VariantError::NotText)?.trim_ascii();
    serde_json::from_str::<IgnoredAny>(text).map_err(VariantError::NotJson)?;
    Ok(text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same as a plain list with one entry per event.
    type Plain = Vec<(Origin, Option<Vec<u8>>)>;

    fn plain(events: u32) -> Plain {
        (0..events).map(|at| (Origin { original: Seq(at), is_edited: false, is_copy: false }, None)).collect()
    }

    fn make(plain: &mut Plain, change: &VariantChange) {
        match change {
            VariantChange::Replace { at, event } => {
                let (origin, text) = &mut plain[at.0 as usize];
                origin.is_edited = true;
                *text = Some(event.clone());
            }
            VariantChange::Skip(at) => {
                plain.remove(at.0 as usize);
            }
            VariantChange::Duplicate(at) => {
                let (origin, text) = plain[at.0 as usize].clone();
                plain.insert(at.0 as usize + 1, (Origin { is_copy: true, ..origin }, text));
            }
            VariantChange::Move { from, to } => {
                let entry = plain.remove(from.0 as usize);
                plain.insert(to.0 as usize, entry);
            }
        }
    }

    fn assert_equal(variant: &Variant, plain: &Plain) {
        assert_eq!(variant.len() as usize, plain.len());
        let text =
            |piece: &VariantPiece| piece.originals().map(|_| piece.event().map(<[u8]>::to_vec)).collect::<Vec<_>>();
        let texts: Vec<Option<Vec<u8>>> = variant.pieces().iter().flat_map(text).collect();
        for (at, (origin, event)) in plain.iter().enumerate() {
            assert_eq!(variant.origin(Seq(at as u32)), Some(*origin), "{at}");
            assert_eq!(texts[at], *event, "{at}");
        }
        assert_eq!(variant.origin(Seq(variant.len())), None);
        for original in (0..variant.original_len()).map(Seq) {
            let is_it = |origin: &Origin| origin.original == original && !origin.is_copy;
            let found = plain.iter().position(|(origin, _)| is_it(origin)).map(|at| Seq(at as u32));
            assert_eq!(variant.find(original), found);
            assert!(variant.nearest(original).0 < variant.len().max(1));
            if let Some(found) = found {
                assert_eq!(variant.nearest(original), found);
            }
        }
        let is_original = *plain == self::plain(variant.original_len());
        assert_eq!(variant.is_changed(), !is_original);
        assert!(!is_original || variant.pieces().len() <= 1, "{:?}", variant.pieces());
    }

    fn changes() -> impl Strategy<Value = Vec<VariantChange>> {
        let change = (0..4_u8, 0..14_u32, 0..14_u32).prop_map(|(sort, one, two)| match sort {
            0 => VariantChange::Replace { at: Seq(one), event: format!("{{\"n\":{two}}}").into_bytes() },
            1 => VariantChange::Skip(Seq(one)),
            2 => VariantChange::Duplicate(Seq(one)),
            _ => VariantChange::Move { from: Seq(one), to: Seq(two) },
        });
        prop::collection::vec(change, 0..24)
    }

    proptest! {
        #![proptest_config(crate::tests::cases::cases!(256, "variant"))]

        #[test]
        fn a_variant_behaves_like_a_changed_list(events in 0..12_u32, changes in changes()) {
            let mut variant = Variant::new(events);
            let mut states = vec![plain(events)];
            for change in changes {
                let before = states.last().expect("a state").clone();
                let len = before.len() as u32;
                let possible = match &change {
                    VariantChange::Replace { at, .. } | VariantChange::Skip(at) | VariantChange::Duplicate(at) => at.0 < len,
                    VariantChange::Move { from, to } => from.0 < len && to.0 < len,
                };
                prop_assert_eq!(variant.apply(change.clone()).is_ok(), possible);
                if possible {
                    let mut after = before;
                    make(&mut after, &change);
                    states.push(after);
                }
                assert_equal(&variant, states.last().expect("a state"));
            }
            let made = variant.changes().to_vec();
            prop_assert_eq!(made.len() + 1, states.len());
            for (state, change) in states.iter().rev().skip(1).zip(made.iter().rev()) {
                prop_assert_eq!(variant.undo(), Some(change));
                assert_equal(&variant, state);
            }
            prop_assert_eq!(variant.undo(), None);
            prop_assert!(!variant.is_changed());
            for (state, change) in states.iter().skip(1).zip(&made) {
                prop_assert_eq!(variant.redo(), Some(change));
                assert_equal(&variant, state);
            }
            prop_assert_eq!(variant.redo(), None);
        }
    }

    #[test]
    fn invalid_changes_are_rejected_with_a_message() {
        let mut variant = Variant::new(3);
        let refused = |variant: &mut Variant, change| variant.apply(change).expect_err("refused").to_string();
        assert_eq!(
            refused(&mut variant, VariantChange::Skip(Seq(3))),
            "there is no event 3: the last event of the variant is 2"
        );
        assert!(
            refused(&mut variant, VariantChange::Move { from: Seq(0), to: Seq(3) }).starts_with("there is no event 3")
        );
        let replace = |event: &[u8]| VariantChange::Replace { at: Seq(1), event: event.to_vec() };
        for text in [&b""[..], b"{", b"{} {}", b"{\"a\":\"\n\"}", b"\"\xff\""] {
            assert!(refused(&mut variant, replace(text)).starts_with("this is not JSON"), "{text:?}");
        }
        assert!(!variant.is_changed() && variant.changes().is_empty());
        variant.apply(replace(b" {\n}\n")).expect("JSON");
        assert_eq!(variant.pieces()[1].event(), Some(&b"{\n}"[..]));
        assert_eq!(
            refused(&mut Variant::new(0), VariantChange::Skip(Seq(0))),
            "there is no event 0: the variant is empty"
        );
    }

    #[test]
    fn the_nearest_event_of_a_skipped_one_is_its_neighbour() {
        let mut variant = Variant::new(1_000_000);
        for at in [999_999, 500, 500] {
            variant.apply(VariantChange::Skip(Seq(at))).expect("there");
        }
        assert_eq!(variant.find(Seq(500)), None);
        assert_eq!(variant.nearest(Seq(500)), Seq(500));
        assert_eq!(variant.nearest(Seq(999_999)), Seq(999_996));
        assert_eq!(variant.pieces().len(), 2);
    }
}
