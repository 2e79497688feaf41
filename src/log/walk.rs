//! A walk over everything that a log holds, which numbers the records.

use super::error::LogError;
use super::open::Log;
use super::records::{Item, RECORD_LIMIT_BYTES};
use super::stream::Stream;
use crate::replay::finding::Finding;
use crate::replay::{Place, Seq, damage};

/// What the walk finds next.
pub(crate) enum Met<'a> {
    Record(Place, &'a [u8]),
    /// The log ends inside this record; if there are no bytes, it ends between two records.
    Torn(Finding, Place, &'a [u8]),
    /// Damage. It has a place if it takes the number of a record, such as one that is too long to be read.
    Damage(Finding, Option<Place>),
}

impl<'a> Met<'a> {
    /// The record that takes this number. Torn and too long records count; the latter have no bytes.
    pub(crate) fn record(self) -> Option<(Place, &'a [u8])> {
        match self {
            Met::Torn(_, _, b"") => None,
            Met::Record(place, bytes) | Met::Torn(_, place, bytes) => Some((place, bytes)),
            Met::Damage(_, place) => place.map(|place| (place, &b""[..])),
        }
    }

    pub(crate) fn takes_a_number(&self) -> bool {
        match self {
            Met::Record(..) => true,
            Met::Torn(_, _, bytes) => !bytes.is_empty(),
            Met::Damage(_, place) => place.is_some(),
        }
    }
}

/// Walks over a log. Records get their numbers only here: everything in the place of a record gets a number; damage
/// between two records belongs to the one before it.
pub(crate) struct Walk {
    stream: Stream,
    next: Seq,
    name: String,
}

impl Walk {
    pub(crate) fn new(log: &Log) -> Result<Walk, LogError> {
        Ok(Walk::from(log.records()?, Seq(0), log.name.clone()))
    }

    /// Continues with a stream that begins at the given number.
    pub(crate) fn from(stream: Stream, next: Seq, name: String) -> Walk {
        Walk { stream, next, name }
    }

    /// The number of the next record.
    pub(crate) fn next(&self) -> Seq {
        self.next
    }

    /// Where a reader of whole lines can take over, if the walk is between two lines and far enough from its start.
    pub(crate) fn place_to_go_on(&self) -> Option<Place> {
        self.stream.place_to_go_on()
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn step(&mut self) -> Result<Option<(Seq, Met<'_>)>, LogError> {
        let (at, name) = (self.next, &self.name);
        let Some(item) = self.stream.next_item().map_err(|error| LogError::io(name, error))? else {
            return Ok(None);
        };
        if at.0 == u32::MAX {
            let reason = "the log has more records than can be numbered; split it".to_owned();
            return Err(LogError::Refused { path: name.clone(), reason });
        }
        let before = Seq(at.0.saturating_sub(1));
        let met = match item {
            Item::Record { place, bytes } => Met::Record(place, bytes),
            Item::Torn { place, bytes: b"" } => Met::Torn(damage::torn_tail(before, place), place, b""),
            Item::Torn { place, bytes } => Met::Torn(damage::torn_tail(at, place), place, bytes),
            Item::TooLong { place, length_bytes } => {
                Met::Damage(damage::too_long(at, place, length_bytes, RECORD_LIMIT_BYTES), Some(place))
            }
            Item::Irregular { place, reason } => Met::Damage(damage::malformed(before, place, reason), None),
            Item::Joined { place } => Met::Damage(damage::joined(before, place), None),
        };
        self.next.0 += u32::from(met.takes_a_number());
        Ok(Some((at, met)))
    }
}

/// Visits every record, until the visitor returns an error.
pub(crate) fn each_record<E>(
    log: &Log,
    mut visit: impl FnMut(Seq, (Place, &[u8])) -> Result<(), E>,
) -> Result<Result<(), E>, LogError> {
    let mut walk = Walk::new(log)?;
    while let Some((at, met)) = walk.step()? {
        if let Some(record) = met.record()
            && let Err(error) = visit(at, record)
        {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}
