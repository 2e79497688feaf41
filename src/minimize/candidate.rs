//! A candidate: the records that are left of a log, and the edited events among them.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::parts::{Parts, Whole};

/// The texts of edited events, by record.
pub(crate) type Edits = BTreeMap<u32, Arc<[u8]>>;

/// A smaller log to test. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Numbers of records in the original, ascending.
    pub kept: Arc<[u32]>,
    pub edits: Arc<Edits>,
}

/// Identifies what a candidate contains, whatever records it was made from.
pub(crate) type ContentHash = [u8; 32];

impl Candidate {
    /// Every record that could be read.
    pub(crate) fn all(parts: &Parts) -> Candidate {
        let kept = (0..parts.len() as u32).filter(|part| parts.whole(*part) != Whole::Unread).collect();
        Candidate { kept, edits: Arc::default() }
    }

    #[must_use]
    pub(crate) fn keeping(&self, kept: Vec<u32>) -> Candidate {
        let edits = Arc::clone(&self.edits);
        Candidate { kept: kept.into(), edits }
    }

    /// The same without some records, which must be in ascending order.
    #[must_use]
    pub(crate) fn without(&self, removed: &[u32]) -> Candidate {
        let mut removed = removed.iter().copied().peekable();
        let stays = |part: &u32| {
            while removed.next_if(|next| next < part).is_some() {}
            removed.peek() != Some(part)
        };
        self.keeping(self.kept.iter().copied().filter(stays).collect())
    }

    #[must_use]
    pub(crate) fn edited(&self, edits: Edits) -> Candidate {
        Candidate { kept: Arc::clone(&self.kept), edits: Arc::new(edits) }
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// The event of a record, as edited.
    pub(crate) fn event<'c>(&'c self, part: u32, parts: &'c Parts) -> Option<&'c [u8]> {
        self.edits.get(&part).map(|event| &**event).or_else(|| parts.event(part))
    }

    /// How many records both begin with.
    pub(crate) fn common_beginning(&self, other: &Candidate) -> usize {
        let same = |(one, two): &(&u32, &u32)| {
            one == two && (Arc::ptr_eq(&self.edits, &other.edits) || self.edits.get(one) == other.edits.get(two))
        };
        self.kept.iter().zip(other.kept.iter()).take_while(same).count()
    }

    pub(crate) fn bytes(&self, parts: &Parts) -> u64 {
        let length = |part: &u32| {
            let edited = self.edits.get(part).map(|event| (event.len(), parts.event(*part).map_or(0, <[u8]>::len)));
            let (new, old) = edited.unwrap_or_default();
            (parts.record(*part).len() + new - old) as u64
        };
        self.kept.iter().map(length).sum()
    }
}

/// Hashes candidates by content, so that no content is tested twice. Equal records have the same number.
#[derive(Default)]
pub(crate) struct ContentHasher {
    of_part: FxHashMap<u32, u32>,
    of_record: FxHashMap<[u8; 16], u32>,
}

/// In larger candidates, records count by their number in the log alone: hashing a long log costs as much as testing
/// it, and the same content hardly ever comes again.
const BY_CONTENT: usize = 1024;
/// Marks the number of an edited record; no record of a log has so high a number.
const NO_PLACE: u32 = 1 << 31;

impl ContentHasher {
    pub(crate) fn hash(&mut self, candidate: &Candidate, parts: &Parts) -> ContentHash {
        let is_by_content = candidate.len() <= BY_CONTENT;
        let mut numbers = vec![u8::from(is_by_content)];
        numbers.reserve(4 * candidate.len());
        for part in candidate.kept.iter().copied() {
            let number = match candidate.edits.get(&part) {
                Some(event) => {
                    let number = self.number(&parts.record_with(part, event), parts.whole(part));
                    if is_by_content { number } else { number | NO_PLACE }
                }
                None if is_by_content => self.number_of(part, parts),
                None => part,
            };
            numbers.extend(number.to_le_bytes());
        }
        blake3::hash(&numbers).into()
    }

    fn number_of(&mut self, part: u32, parts: &Parts) -> u32 {
        if let Some(number) = self.of_part.get(&part) {
            return *number;
        }
        let number = self.number(parts.record(part), parts.whole(part));
        self.of_part.insert(part, number);
        number
    }

    fn number(&mut self, record: &[u8], whole: Whole) -> u32 {
        let mut hasher = blake3::Hasher::new();
        // A torn record differs from a whole one with the same bytes.
        hasher.update(&[whole as u8]).update(record);
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        let next = self.of_record.len() as u32;
        *self.of_record.entry(short).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_contents_have_equal_hashes() {
        let parts = Parts::of_lines("a\nb\na\nc");
        let mut hasher = ContentHasher::default();
        let all = Candidate::all(&parts);
        let mut hash = |removed: &[u32]| hasher.hash(&all.without(removed), &parts);
        assert_eq!(*all.without(&[0, 3]).kept, [1, 2]);
        assert_eq!(hash(&[0, 1]), hash(&[1, 2]), "equal records from two places");
        assert_ne!(hash(&[0]), hash(&[2]), "in another order");
        let edited = all.edited(Edits::from([(1, Arc::from(&b"a"[..]))]));
        assert_ne!(hasher.hash(&edited, &parts), hasher.hash(&all, &parts));
        assert_eq!((edited.common_beginning(&all), all.without(&[2]).common_beginning(&all)), (1, 2));
        assert_eq!((all.bytes(&parts), edited.bytes(&parts)), (4, 4));
    }
}
