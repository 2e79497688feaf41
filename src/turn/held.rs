//! The records of a turn log in memory, with their places and times, for conversions.

use super::decode::TurnDecoder;
use super::event::Event;
use super::whole::Recording;
use crate::dialect::container::Unwrapped;
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::replay::finding::Finding;
use crate::replay::machine::Malformed;
use crate::replay::{Place, Seq};

/// Decodes one of many records: the decoder remembers earlier layouts.
fn decode_next<'a>(log: &dyn OpenLog, record: &'a [u8], decoder: &mut TurnDecoder) -> Result<Event<'a>, Malformed> {
    decoder.decode(log.wrapping().event_in(record)?)
}

pub(crate) fn unwrap<'a>(log: &dyn OpenLog, record: &'a [u8]) -> Result<Unwrapped<'a>, Malformed> {
    let reason = |error: serde_json::Error| Malformed { reason: error.to_string(), byte: 0, unknown_kind: None };
    log.wrapping().unwrap(record).map_err(reason)
}

/// A log in memory: its records in one buffer, and the damage between them.
#[derive(Default)]
pub(crate) struct Held {
    bytes: Vec<u8>,
    spans: Vec<(usize, usize)>,
    pub places: Vec<Place>,
    pub damage: Vec<Finding>,
}

impl Held {
    pub(crate) fn read(log: &dyn OpenLog) -> Result<Held, DialectError> {
        let mut held = Held::default();
        let damage = log.each_record(&mut |read| held.push(read.place, read.record))?;
        Ok(Held { damage, ..held })
    }

    pub(crate) fn push(&mut self, place: Place, bytes: &[u8]) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.spans.push((from, self.bytes.len()));
        self.places.push(place);
    }

    /// A record, byte for byte.
    pub(crate) fn record(&self, at: Seq) -> &[u8] {
        self.spans.get(at.0 as usize).map_or(&[][..], |(from, to)| &self.bytes[*from..*to])
    }

    pub(crate) fn decode(&self, log: &dyn OpenLog) -> Recording<'_> {
        let mut decoder = TurnDecoder::default();
        let records = self.spans.iter().map(|(from, to)| &self.bytes[*from..*to]);
        Recording::collect(records.map(|record| decode_next(log, record, &mut decoder)))
    }

    /// Sequence number and milliseconds of each decoded event, if its wrapping has them.
    pub(crate) fn times(&self, log: &dyn OpenLog) -> Vec<Option<(u64, u64)>> {
        let mut decoder = TurnDecoder::default();
        let mut times = Vec::new();
        for (from, to) in &self.spans {
            let record = &self.bytes[*from..*to];
            if decode_next(log, record, &mut decoder).is_ok() {
                times.push(unwrap(log, record).ok().and_then(|unwrapped| unwrapped.seq.zip(unwrapped.ts_ms)));
            }
        }
        times
    }
}
