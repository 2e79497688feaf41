//! Chunks of a log: runs of whole lines that are decoded on any thread and then passed on in order.
//!
//! Decoding a record depends on no other record, so several threads decode different chunks at the same time. Stepping
//! and checking depend on everything before, so a decoded chunk waits for its turn. The events borrow from the chunk and
//! never leave the thread that decoded them. The threads themselves belong to the caller.

use std::any::Any;
use std::marker::PhantomData;

use super::machine::{Machine, Malformed};
use super::{Place, Seq};
use crate::json::byte_index::{ByteIndex, IndexedText};
use crate::replay::source::range_within;

/// Whole lines of a log, and the records in them.
#[derive(Default)]
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    index: ByteIndex,
    records: Vec<ChunkRecord>,
    /// The number of lines.
    lines: u64,
}

/// The place of a record within its chunk.
#[derive(Clone, Copy)]
struct ChunkRecord {
    from: u32,
    to: u32,
    line: u32,
}

/// Where a chunk begins in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkStart {
    pub seq: Seq,
    pub place: Place,
}

impl Chunk {
    /// The buffer for the next lines. Its content must be whole lines when [`Chunk::split`] is called.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Finds the records in the lines. Blank lines hold none.
    pub(crate) fn split(&mut self) {
        self.index.scan(&self.bytes);
        self.records.clear();
        self.lines = 0;
        let mut from = 0;
        while let Some(end) = self.index.line_break(from) {
            let line = &self.bytes[from..end];
            let record = line.trim_ascii();
            if !record.is_empty() {
                let range = range_within(&self.bytes, record);
                let (from, to) = (range.start as u32, range.end as u32);
                self.records.push(ChunkRecord { from, to, line: self.lines as u32 });
            }
            self.lines += 1;
            from = end + 1;
        }
    }

    /// Where the chunk after this one begins.
    pub(crate) fn end(&self, start: ChunkStart) -> ChunkStart {
        let place = Place { line: start.place.line + self.lines, byte: start.place.byte + self.bytes.len() as u64 };
        ChunkStart { seq: Seq(start.seq.0 + self.records.len() as u32), place }
    }

    pub(crate) fn len_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    #[inline]
    fn bytes_of(&self, record: ChunkRecord) -> &[u8] {
        &self.bytes[record.from as usize..record.to as usize]
    }

    /// Calls `see` with the event in each record, or the reason why it has none, and with its place in the index if the
    /// chunk is valid UTF-8.
    pub(crate) fn each_event<'c>(
        &'c self,
        unwrap: &dyn Unwrap,
        see: &mut dyn FnMut(Result<&'c [u8], Malformed>, Option<IndexedText<'c>>),
    ) {
        let text = simdutf8::basic::from_utf8(&self.bytes).ok();
        for record in &self.records {
            let event = unwrap.event_in(self.bytes_of(*record));
            let indexed = event.as_ref().ok().and_then(|event| self.indexed(text, event));
            see(event, indexed);
        }
    }

    /// A part of the chunk's text with its place in the index.
    #[inline]
    fn indexed<'c>(&'c self, text: Option<&'c str>, part: &[u8]) -> Option<IndexedText<'c>> {
        let range = range_within(&self.bytes, part);
        let from = range.start;
        Some(IndexedText { text: text?.get(range)?, index: &self.index, from })
    }

    /// Decodes every record. The flags say whether it wraps its event.
    fn decode<M: Machine>(&self, decoder: &mut M::Decoder, unwrap: &dyn Unwrap) -> Vec<(DecodedEvent<'_, M>, bool)> {
        let text = simdutf8::basic::from_utf8(&self.bytes).ok();
        let mut decode = |event| match self.indexed(text, event) {
            Some(text) => M::decode_indexed(decoder, text),
            None => M::decode(decoder, event),
        };
        let both = |record: &ChunkRecord| {
            let record = self.bytes_of(*record);
            if let Some(Ok(event)) = unwrap.presumed_event_in(record).map(&mut decode) {
                return (Ok(event), true);
            }
            let event = unwrap.event_in(record);
            let is_wrapped = event.as_ref().is_ok_and(|event| event.len() < record.len());
            (event.and_then(&mut decode), is_wrapped)
        };
        self.records.iter().map(both).collect()
    }
}

type DecodedEvent<'c, M> = Result<<M as Machine>::Event<'c>, Malformed>;

/// Finds the event in a record.
pub(crate) trait Unwrap: Sync {
    fn event_in<'r>(&self, record: &'r [u8]) -> Result<&'r [u8], Malformed>;

    /// The event, if the record is laid out like nearly all that wrap one. It may be more than one value, but if it can be
    /// decoded, it is what [`Unwrap::event_in`] returns.
    fn presumed_event_in<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]>;
}

/// Calls its argument with the pass, when all chunks before this one have been passed on.
pub(crate) type InTurn<'t> = dyn FnMut(&mut dyn FnMut(&mut dyn Any, ChunkStart)) + 't;

/// Decodes chunks on one thread.
pub(crate) trait ChunkDecoder: Send {
    /// Decodes a chunk, waits for its turn, and passes its records on.
    fn run(&mut self, chunk: &Chunk, unwrap: &dyn Unwrap, in_turn: &mut InTurn<'_>);
}

/// A pass that takes records in order after they were decoded elsewhere.
pub(crate) trait ChunkFeed: Any + Send {
    /// A decoder of chunks for this pass.
    fn chunk_decoder(&self) -> Box<dyn ChunkDecoder>;
}

/// A record of a chunk when its turn has come.
pub(crate) struct ChunkEvent<'c, 'e, M: Machine, P> {
    pub at: Seq,
    pub place: Place,
    pub record: &'c [u8],
    /// The record, if it wraps the event.
    pub wrapping: Option<&'c [u8]>,
    pub event: &'e DecodedEvent<'c, M>,
    pub prepared: P,
}

/// What a pass over one dialect does with decoded records.
pub(crate) trait DecodedFeed<M: Machine>: Any {
    /// What is computed from a record before its turn.
    type Prepared;

    fn prepare(record: &[u8]) -> Self::Prepared;

    fn take(&mut self, event: ChunkEvent<'_, '_, M, Self::Prepared>);
}

/// The decoder of chunks for a pass.
pub(crate) struct MachineChunkDecoder<M: Machine, F> {
    decoder: M::Decoder,
    feed: PhantomData<fn() -> F>,
}

impl<M: Machine, F: DecodedFeed<M>> MachineChunkDecoder<M, F> {
    pub(crate) fn boxed(decoder: M::Decoder) -> Box<dyn ChunkDecoder> {
        Box::new(MachineChunkDecoder::<M, F> { decoder, feed: PhantomData })
    }
}

impl<M: Machine, F: DecodedFeed<M>> ChunkDecoder for MachineChunkDecoder<M, F> {
    fn run(&mut self, chunk: &Chunk, unwrap: &dyn Unwrap, in_turn: &mut InTurn<'_>) {
        let events = chunk.decode::<M>(&mut self.decoder, unwrap);
        let mut prepared: Vec<Option<F::Prepared>> =
            chunk.records.iter().map(|record| Some(F::prepare(chunk.bytes_of(*record)))).collect();
        in_turn(&mut |pass, start| {
            let Some(pass) = pass.downcast_mut::<F>() else { return };
            for (number, ((record, (event, is_wrapped)), prepared)) in
                (start.seq.0..).zip(chunk.records.iter().zip(&events).zip(&mut prepared))
            {
                let Some(prepared) = prepared.take() else { continue };
                let bytes = chunk.bytes_of(*record);
                let wrapping = is_wrapped.then_some(bytes);
                let place = Place {
                    line: start.place.line + u64::from(record.line),
                    byte: start.place.byte + u64::from(record.from),
                };
                pass.take(ChunkEvent { at: Seq(number), place, record: bytes, wrapping, event, prepared });
            }
        });
    }
}
