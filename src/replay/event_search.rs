//! A search for events by a condition that only reads the events, in one pass without a timeline.

use std::any::Any;
use std::sync::mpsc::SyncSender;

use super::chunk::{Chunk, ChunkDecoder, ChunkFeed, ChunkStart, InTurn, Unwrap};
use super::condition::{Answer, Condition};
use super::finding::Finding;
use super::machine::{About, Machine, Malformed};
use super::record_pass::RecordPass;
use super::vocabulary::KindId;
use super::{Place, Seq};
use crate::json::byte_index::IndexedText;

/// What a hit carries besides its number and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Number,
    /// The text of the event.
    Event,
    Summary,
}

/// An event that matches.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub at: Seq,
    pub kind: KindId,
    /// The event or its summary, as wanted. It contains text from the log: escape it before printing.
    pub text: Vec<u8>,
}

/// Where hits are sent to, in the order of the log.
pub(crate) type Hits = SyncSender<Vec<Hit>>;

/// What to look for.
#[derive(Clone)]
pub(crate) struct Sought {
    pub condition: Condition,
    pub wanted: Wanted,
    /// How many hits are wanted. Nothing after the last one counts, not even a failure.
    pub most: u64,
}

pub(crate) struct EventSearch<M: Machine> {
    finder: EventFinder<M>,
    /// How many more hits are wanted.
    left: u64,
    hits: Hits,
}

/// Answers for single records.
struct EventFinder<M: Machine> {
    decoder: M::Decoder,
    condition: Condition,
    wanted: Wanted,
    /// Whether the condition certainly does not hold at records that are not events. Then a text at which it does not hold
    /// need not be decoded.
    rejects_malformed: bool,
}

impl<M: Machine> Clone for EventFinder<M> {
    fn clone(&self) -> Self {
        EventFinder { decoder: self.decoder.clone(), condition: self.condition.clone(), ..*self }
    }
}

impl<M: Machine> EventSearch<M> {
    pub(crate) fn begin(decoder: M::Decoder, sought: Sought, hits: Hits) -> Box<dyn RecordPass> {
        let Sought { condition, wanted, most } = sought;
        let rejects_malformed = condition.answer(KindId::MALFORMED, b"", None) == Answer::HoldsNot;
        let finder = EventFinder { decoder, condition, wanted, rejects_malformed };
        Box::new(EventSearch::<M> { finder, left: most, hits })
    }

    /// Sends the hits found so far. If the receiver is gone, the caller ends the pass.
    fn take(&mut self, found: Vec<FoundEvent>, start: Seq) {
        let mut hits = Vec::new();
        for FoundEvent { position, kind, answer, text } in found {
            if self.left == 0 {
                break;
            }
            let at = Seq(start.0 + position);
            match answer {
                Answer::Holds => {
                    self.left -= 1;
                    hits.push(Hit { at, kind, text });
                }
                Answer::Failed(reason) => self.finder.condition.failed(at, reason),
                Answer::HoldsNot => {}
            }
        }
        if !hits.is_empty() {
            let _ = self.hits.send(hits);
        }
    }
}

/// The answer for a record of a chunk, unless the condition does not hold.
struct FoundEvent {
    position: u32,
    kind: KindId,
    answer: Answer,
    text: Vec<u8>,
}

impl<M: Machine> EventFinder<M> {
    fn find(
        &mut self,
        position: u32,
        event: Result<&[u8], Malformed>,
        indexed: Option<IndexedText<'_>>,
    ) -> Option<FoundEvent> {
        let bytes = event.as_ref().map_or(&b""[..], |event| *event);
        if self.rejects_malformed && event.is_ok() && self.condition.native_answer(bytes, indexed) == Some(false) {
            return None;
        }
        let decoded = event.and_then(|bytes| match indexed {
            Some(text) => M::decode_indexed(&mut self.decoder, text),
            None => M::decode(&mut self.decoder, bytes),
        });
        let kind = decoded.as_ref().map_or(KindId::MALFORMED, |event| M::about(event, |About { kind, .. }| kind));
        let answer = self.condition.answer(kind, bytes, indexed);
        let text = match (&answer, self.wanted) {
            (Answer::HoldsNot, _) => return None,
            (Answer::Failed(_), _) | (_, Wanted::Number) => Vec::new(),
            (_, Wanted::Event) => bytes.to_vec(),
            (_, Wanted::Summary) => {
                decoded.map_or_else(|malformed| malformed.reason, |event| M::summary(&event)).into_bytes()
            }
        };
        Some(FoundEvent { position, kind, answer, text })
    }
}

impl<M: Machine> RecordPass for EventSearch<M> {
    fn event(&mut self, at: Seq, _: Place, _: &[u8], event: Result<&[u8], Malformed>) {
        if let Some(found) = self.finder.find(0, event, None) {
            self.take(vec![found], at);
        }
    }

    fn damage(&mut self, finding: Finding, taken: Option<(Seq, &[u8])>) {
        if let Some((at, bytes)) = taken {
            let decoded = M::decode(&mut self.finder.decoder, bytes).err();
            let whole = || Malformed { reason: finding.message(), byte: 0, unknown_kind: None };
            self.event(at, Place::default(), bytes, Err(decoded.unwrap_or_else(whole)));
        }
    }
}

impl<M: Machine> ChunkFeed for EventSearch<M> {
    fn chunk_decoder(&self) -> Box<dyn ChunkDecoder> {
        Box::new(self.finder.clone())
    }
}

impl<M: Machine> ChunkDecoder for EventFinder<M> {
    fn run(&mut self, chunk: &Chunk, unwrap: &dyn Unwrap, in_turn: &mut InTurn<'_>) {
        let mut found = Vec::new();
        let mut position = 0;
        chunk.each_event(unwrap, &mut |event, indexed| {
            found.extend(self.find(position, event, indexed));
            position += 1;
        });
        in_turn(&mut |pass: &mut dyn Any, start: ChunkStart| {
            if let Some(search) = pass.downcast_mut::<EventSearch<M>>() {
                search.take(std::mem::take(&mut found), start.seq);
            }
        });
    }
}
