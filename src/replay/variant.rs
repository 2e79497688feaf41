//! What-if variants: changes laid over the events of a log, which itself stays unchanged.
//!
//! A variant of a million events with three changes is a handful of pieces: stretches of the original and single
//! events between them. Finding an event in it, either way, is a search among those.
//!
//! [`overlay`] reads the records of a variant, [`difference`] shows what the changes have done.

pub(crate) mod difference;
pub(crate) mod overlay;

use std::ops::Range;
use std::sync::Arc;

use serde::de::IgnoredAny;

use super::Seq;

/// One change. Its numbers are those of the variant as it stands when the change is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariantChange {
    /// Another text for an event: JSON, without what its record wraps around it.
    Replace {
        at: Seq,
        event: Vec<u8>,
    },
    Skip(Seq),
    /// The copy stands right behind its event.
    Duplicate(Seq),
    /// `to` is the event's number afterwards.
    Move {
        from: Seq,
        to: Seq,
    },
}

/// What an event of a variant was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub original: Seq,
    /// It says something else than its original.
    pub is_edited: bool,
    /// The original stands elsewhere, or was skipped.
    pub is_copy: bool,
}

/// Events of a variant that stand together: a stretch of the original, or one event that was changed or copied.
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

    /// The numbers in the original of the events that this piece is made from.
    pub fn originals(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// What its one event says instead.
    pub fn event(&self) -> Option<&[u8]> {
        self.event.as_deref()
    }

    fn is_plain(&self) -> bool {
        !self.is_copy && self.event.is_none()
    }

    fn goes_on_with(&self, next: &VariantPiece) -> bool {
        self.is_plain() && next.is_plain() && self.originals().end == next.first
    }
}

/// The events of a log with changes laid over them. Each can be taken back, and made again.
#[derive(Clone, Debug)]
pub struct Variant {
    original_len: u32,
    /// None is empty, and no two that stand together could be one.
    pieces: Vec<VariantPiece>,
    /// Of each piece the number of its first event.
    starts: Vec<u32>,
    /// Of each piece that is not a copy, its first original and its place among the pieces, ascending.
    by_original: Vec<(u32, usize)>,
    changes: Vec<VariantChange>,
    /// Of each change what it took out of the variant.
    taken: Vec<Option<VariantPiece>>,
    undone: Vec<VariantChange>,
}

impl Variant {
    /// A log of so many events, as it is.
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

    /// Makes a change, or says why it cannot be made. What had been taken back cannot be made again after it.
    pub fn apply(&mut self, change: VariantChange) -> Result<(), String> {
        let change = self.checked(change)?;
        self.make(change);
        self.undone.clear();
        Ok(())
    }

    /// Takes the last change back and tells which it was.
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

    /// Makes the change that was taken back last and tells which it is.
    pub fn redo(&mut self) -> Option<&VariantChange> {
        let change = self.undone.pop()?;
        self.make(change);
        self.changes.last()
    }

    /// Whether it differs from the original. Changes that undo each other leave it as it was.
    pub fn is_changed(&self) -> bool {
        let originals = |piece: &VariantPiece| piece.is_plain() && piece.originals() == (0..self.original_len);
        !self.pieces.iter().all(originals) || self.len() != self.original_len
    }

    /// The changes in the order in which they were made, without those taken back.
    pub fn changes(&self) -> &[VariantChange] {
        &self.changes
    }

    pub fn len(&self) -> u32 {
        self.starts.last().zip(self.pieces.last()).map_or(0, |(start, piece)| start + piece.count)
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// How many events the original has.
    pub fn original_len(&self) -> u32 {
        self.original_len
    }

    /// The events in their order.
    pub fn pieces(&self) -> &[VariantPiece] {
        &self.pieces
    }

    /// What an event was made from. `None` past the end.
    pub fn origin(&self, at: Seq) -> Option<Origin> {
        let number = self.starts.partition_point(|start| *start <= at.0).checked_sub(1)?;
        let (piece, inside) = (&self.pieces[number], at.0 - self.starts[number]);
        (inside < piece.count).then(|| Origin {
            original: Seq(piece.first + inside),
            is_edited: piece.event.is_some(),
            is_copy: piece.is_copy,
        })
    }

    /// Where an event of the original is now. `None` when it was skipped; copies of it do not count.
    pub fn find(&self, original: Seq) -> Option<Seq> {
        let before = self.by_original.partition_point(|entry| entry.0 <= original.0).checked_sub(1)?;
        let (first, number) = self.by_original[before];
        let inside = original.0 - first;
        (inside < self.pieces[number].count).then(|| Seq(self.starts[number] + inside))
    }

    /// The same, and for one that was skipped where the next event of the original is now, or else the last before.
    pub fn nearest(&self, original: Seq) -> Seq {
        let behind = self.by_original.partition_point(|entry| entry.0 <= original.0);
        let next = || self.by_original.get(behind).map(|(_, number)| Seq(self.starts[*number]));
        let last = || {
            let (_, number) = self.by_original.get(behind.checked_sub(1)?)?;
            Some(Seq(self.starts[*number] + self.pieces[*number].count - 1))
        };
        self.find(original).or_else(next).or_else(last).unwrap_or_default()
    }

    /// The change as it is made, or why it cannot be.
    fn checked(&self, change: VariantChange) -> Result<VariantChange, String> {
        let exists = |at: Seq| match self.len() {
            _ if at.0 < self.len() => Ok(()),
            0 => Err(format!("there is no event {at}: the variant holds none")),
            len => Err(format!("there is no event {at}: the last one of the variant is {}", len - 1)),
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
                    return Err("the variant holds as many events as can be numbered".to_owned());
                }
            }
            VariantChange::Move { from, to } => {
                exists(*from)?;
                exists(*to)?;
            }
        }
        Ok(change)
    }

    /// Makes a change that is known to be possible.
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

    /// The place among the pieces of the one that begins at an event; one that holds it is cut before it.
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

    /// Takes one event out.
    fn take(&mut self, at: u32) -> VariantPiece {
        let number = self.cut(at);
        self.cut(at + 1);
        let piece = self.pieces.remove(number);
        self.settle();
        piece
    }

    /// Puts one event in.
    fn put(&mut self, at: u32, piece: VariantPiece) {
        let number = self.cut(at);
        self.pieces.insert(number, piece);
        self.settle();
    }

    /// Joins what belongs together and finds out anew where everything is.
    fn settle(&mut self) {
        self.pieces.dedup_by(|next, piece| {
            let joined = piece.goes_on_with(next);
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

/// An event's text without blanks around it, or why it is not JSON. A log that it is saved to must stay one.
fn json(event: &[u8]) -> Result<Vec<u8>, String> {
    let text = std::str::from_utf8(event).map_err(|error| format!("this is not JSON: {error}"))?.trim_ascii();
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| format!("this is not JSON: {error}"))?;
    Ok(text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same, one entry an event.
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
        fn a_variant_is_the_same_changes_made_to_a_list(events in 0..12_u32, changes in changes()) {
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
    fn what_cannot_be_is_refused_with_a_sentence() {
        let mut variant = Variant::new(3);
        let refused = |variant: &mut Variant, change| variant.apply(change).expect_err("refused");
        assert_eq!(
            refused(&mut variant, VariantChange::Skip(Seq(3))),
            "there is no event 3: the last one of the variant is 2"
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
            "there is no event 0: the variant holds none"
        );
    }

    #[test]
    fn a_skipped_event_has_a_neighbour() {
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
