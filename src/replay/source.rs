//! The source that records are read from again, as the timeline sees it. Implementations do the IO.

use std::ops::Range;

use super::Place;
use super::machine::Malformed;

/// The location of a record: an offset and a length in bytes, or a row and the length of its payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub offset: u64,
    pub length: u32,
}

impl Span {
    /// From here on, offsets refer to texts in memory that are not in the log. No file is that long.
    pub const MEMORY: u64 = 1 << 62;

    pub fn is_in_memory(self) -> bool {
        self.offset >= Self::MEMORY
    }
}

/// The line before the records of a log, if its dialect has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub place: Place,
    pub bytes: Vec<u8>,
}

/// The log no longer holds what was read from it: it was truncated, rewritten or removed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Gone {
    pub reason: String,
}

pub trait Source: Send + Sync {
    /// Reads records again. `spans` are in the order of the log; `visit` gets each record with its position among them.
    fn read(&self, spans: &[Span], visit: &mut dyn FnMut(usize, &[u8])) -> Result<(), Gone>;

    /// The event inside a record: the whole record, or the content of its envelope.
    fn event<'a>(&self, record: &'a [u8]) -> Result<&'a [u8], Malformed>;

    /// The line before the records, if the dialect has one.
    fn head(&self) -> Option<&Head> {
        None
    }

    /// The place of a record as shown to the user, given an earlier record and its place.
    fn place(&self, known: (Span, Place), wanted: Span) -> Place;
}

/// The range of an event in its record, computed from its address: the event is a slice of the record.
#[inline]
pub(crate) fn range_within(record: &[u8], event: &[u8]) -> Range<usize> {
    let from = (event.as_ptr() as usize).wrapping_sub(record.as_ptr() as usize).min(record.len());
    from..(from + event.len()).min(record.len())
}
