//! The checks of a dialect over a log without a timeline, and one-line summaries of events, for `check`.

use super::chunk::{ChunkDecoder, ChunkEvent, ChunkFeed, DecodedFeed, MachineChunkDecoder};
use super::ending::Ending;
use super::finding::{Finding, Findings};
use super::machine::{About, Machine, Malformed};
use super::record_pass::RecordPass;
use super::{Place, Seq, damage};

/// The checks of one log of any dialect.
pub(crate) trait CheckPass: RecordPass {
    /// How many events were seen.
    fn events(&self) -> u32;

    /// The ending if the log ended after the events so far.
    fn ending(&self) -> Option<Ending>;

    /// All findings, including those at the end of the log.
    fn finish(self: Box<Self>) -> Findings;
}

pub(crate) struct MachineCheckPass<M: Machine> {
    decoder: M::Decoder,
    ledger: M::Ledger,
    events: u32,
}

impl<M: Machine> MachineCheckPass<M> {
    pub(crate) fn begin(decoder: M::Decoder, ledger: M::Ledger) -> Box<dyn CheckPass> {
        Box::new(MachineCheckPass::<M> { decoder, ledger, events: 0 })
    }
}

impl<M: Machine> RecordPass for MachineCheckPass<M> {
    fn event(&mut self, at: Seq, place: Place, record: &[u8], event: Result<&[u8], Malformed>) {
        let wrapping = wrapping_around(record, &event);
        let decoded = event.and_then(|event| M::decode(&mut self.decoder, event));
        check_decoded::<M>(&mut self.ledger, at, place, wrapping, &decoded);
        self.events += u32::from(decoded.is_ok());
    }

    fn damage(&mut self, finding: Finding, _: Option<(Seq, &[u8])>) {
        M::findings(&mut self.ledger).push(finding);
    }
}

impl<M: Machine> CheckPass for MachineCheckPass<M> {
    fn events(&self) -> u32 {
        self.events
    }

    fn ending(&self) -> Option<Ending> {
        M::ending_after_checks(&self.ledger).filter(|_| self.events > 0)
    }

    fn finish(mut self: Box<Self>) -> Findings {
        if self.events == 0 {
            M::findings(&mut self.ledger).push(damage::empty());
        }
        let at_end = M::findings_at_end(&mut self.ledger);
        std::mem::take(M::findings(&mut self.ledger)).followed_by(at_end)
    }
}

impl<M: Machine> ChunkFeed for MachineCheckPass<M> {
    fn chunk_decoder(&self) -> Box<dyn ChunkDecoder> {
        MachineChunkDecoder::<M, Self>::boxed(self.decoder.clone())
    }
}

impl<M: Machine> DecodedFeed<M> for MachineCheckPass<M> {
    type Prepared = ();

    fn prepare(_: &[u8]) {}

    fn take(&mut self, ChunkEvent { at, place, wrapping, event, .. }: ChunkEvent<'_, '_, M, ()>) {
        check_decoded::<M>(&mut self.ledger, at, place, wrapping, event);
        self.events += u32::from(event.is_ok());
    }
}

/// The record, if it wraps an event.
pub(crate) fn wrapping_around<'r, E>(record: &'r [u8], event: &Result<&[u8], E>) -> Option<&'r [u8]> {
    event.as_ref().is_ok_and(|event| event.len() < record.len()).then_some(record)
}

/// Runs the checks on a decoded record: on the record if it is a wrapping, then on its event, or on the reason why it
/// has none. `place` is where the event starts.
pub(crate) fn check_decoded<M: Machine>(
    ledger: &mut M::Ledger,
    at: Seq,
    place: Place,
    wrapping: Option<&[u8]>,
    decoded: &Result<M::Event<'_>, Malformed>,
) {
    if let Some(record) = wrapping {
        M::check_wrapping(ledger, at, record, decoded.is_ok());
    }
    match decoded {
        Ok(event) => M::check(ledger, at, event),
        Err(malformed) => {
            let place = Place { byte: place.byte + malformed.byte as u64, ..place };
            M::check_malformed(ledger, at, place, malformed);
        }
    }
}

/// An event on one line.
pub(crate) struct Glance {
    pub kind: &'static str,
    /// Text from the log: escape it before printing.
    pub summary: String,
}

pub(crate) fn glance<M: Machine>(event: &[u8]) -> Result<Glance, Malformed> {
    let event = M::decode(&mut M::Decoder::default(), event)?;
    let kind = M::about(&event, |About { kind, .. }| M::vocabulary().kind_name(kind));
    Ok(Glance { kind, summary: M::summary(&event) })
}
