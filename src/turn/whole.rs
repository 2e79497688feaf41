//! A turn log in memory, for features that read it more than once: reports, bundles, comparisons.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::dialect::open_log::{DialectError, OpenLog};
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::machine::Malformed;

use super::decode::TurnDecoder;
use super::digest::Digest;
use super::event::Event;

/// The events of a log as bytes, and the damage between its records.
#[derive(Default)]
pub(crate) struct HeldEvents {
    bytes: Vec<u8>,
    events: Vec<Result<Range<usize>, Malformed>>,
    pub damage: Vec<Finding>,
}

impl HeldEvents {
    pub(crate) fn read(log: &dyn OpenLog) -> Result<HeldEvents, DialectError> {
        let mut held = HeldEvents::default();
        held.damage = log.each_record(&mut |read| {
            let event = read.event().map(|event| {
                let from = held.bytes.len();
                held.bytes.extend_from_slice(event);
                from..held.bytes.len()
            });
            held.events.push(event);
        })?;
        Ok(held)
    }

    pub(crate) fn decode(&self) -> Recording<'_> {
        let mut decoder = TurnDecoder::default();
        Recording::collect(self.events.iter().map(|event| match event {
            Ok(range) => decoder.decode(&self.bytes[range.clone()]),
            Err(malformed) => Err(malformed.clone()),
        }))
    }
}

pub(crate) struct Recorded<'a> {
    pub at: Seq,
    pub event: Event<'a>,
    pub digest: Digest,
}

#[derive(Default)]
pub(crate) struct Recording<'a> {
    /// Decoded events, in order.
    pub events: Vec<Recorded<'a>>,
    /// Records that are not events, with their places.
    pub rejected: Vec<(Seq, Malformed)>,
}

/// The events of one turn, which may be anywhere in the log.
pub(crate) struct TurnGroup {
    pub turn_id: Arc<str>,
    /// Indices into the recording.
    pub events: Vec<usize>,
}

impl<'a> Recording<'a> {
    /// Decodes records. Undecodable ones keep their places.
    #[cfg(test)]
    pub(crate) fn decode(records: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut decoder = TurnDecoder::default();
        Self::collect(records.into_iter().map(|record| decoder.decode(record)))
    }

    /// Collects records that the caller has decoded.
    pub(crate) fn collect(events: impl IntoIterator<Item = Result<Event<'a>, Malformed>>) -> Self {
        let mut recording = Recording::default();
        for (at, event) in events.into_iter().enumerate() {
            let at = Seq(at as u32);
            match event {
                Ok(event) => recording.events.push(Recorded { at, digest: Digest::of(&event), event }),
                Err(malformed) => recording.rejected.push((at, malformed)),
            }
        }
        recording
    }

    /// The events by turn, turns in the order of their first event. Schema rows belong to no turn.
    pub(crate) fn turns(&self) -> Vec<TurnGroup> {
        let mut by_turn: FxHashMap<u64, usize> = FxHashMap::default();
        let mut groups: Vec<TurnGroup> = Vec::new();
        for (index, recorded) in self.events.iter().enumerate() {
            let Some(turn_id) = recorded.event.turn_id() else { continue };
            let group = *by_turn.entry(turn_id.hash()).or_insert_with(|| {
                groups.push(TurnGroup { turn_id: Arc::from(&*turn_id.get()), events: Vec::new() });
                groups.len() - 1
            });
            groups[group].events.push(index);
        }
        groups
    }

    /// The events, without their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Event<'a>> + Clone {
        self.events.iter().map(|recorded| &recorded.event)
    }

    /// The events of all turns, turn by turn.
    pub(crate) fn concatenated<'r>(&'r self, turns: &'r [TurnGroup]) -> impl Iterator<Item = &'r Event<'a>> + Clone {
        turns.iter().flat_map(|turn| turn.events.iter()).map(|index| &self.events[*index].event)
    }
}
