//! The records of a variant: unedited ones are read from the original, edited ones are in memory.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::{Variant, VariantPiece};
use crate::replay::index::{GROUP, Row};
use crate::replay::machine::Malformed;
use crate::replay::source::{Gone, Head, Source, Span, range_within};
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::KindId;
use crate::replay::{Place, Seq};

/// How many records of the original are read at once. More than a group, so that reading all of them does not evict the
/// original's cache.
const CHUNK: u32 = 16 * GROUP;

/// A record of a variant.
pub(crate) struct OverlayRecord<'r> {
    /// Its number in the original.
    pub original: u32,
    pub span: Span,
    /// Given for records that a finding may need it for.
    pub place: Place,
    pub bytes: &'r [u8],
}

/// Receives the records in order.
pub(crate) type VisitOverlay<'v> = dyn FnMut(OverlayRecord<'_>) -> ControlFlow<()> + 'v;

/// A variant as a source of records. It holds the edited ones and the spans of the others.
pub(crate) struct Overlay {
    original: Arc<dyn Replay>,
    source: Arc<dyn Source>,
    parts: Vec<OverlayPart>,
    /// How many records the original had when the variant was made.
    original_len: u32,
    /// The edited records, concatenated.
    texts: Vec<u8>,
    /// The offset of each edited record, and the span of its original.
    edited: Vec<(usize, Place)>,
}

/// Consecutive records.
enum OverlayPart {
    Originals(Range<u32>),
    Edited(u32, Span, Place),
}

impl Overlay {
    /// Lays a variant over its original, whose pass may still be running behind the events of the variant.
    pub(crate) fn new(original: Arc<dyn Replay>, variant: &Variant) -> Result<Overlay, Gone> {
        let (known, there) = (variant.original_len(), original.len());
        if known > there {
            let reason = format!("the variant was made from {known} events, but the log now has {there}");
            return Err(Gone { reason });
        }
        let source = Arc::clone(original.source());
        let (parts, texts, edited) = (Vec::with_capacity(variant.pieces().len()), Vec::new(), Vec::new());
        let mut overlay = Overlay { original, source, parts, original_len: known, texts, edited };
        for piece in variant.pieces() {
            let part = match piece.event() {
                None => OverlayPart::Originals(piece.originals()),
                Some(event) => overlay.edit(piece, event)?,
            };
            overlay.parts.push(part);
        }
        Ok(overlay)
    }

    /// Replaces the event in its record. A record without an event is replaced as a whole, since that is what the user
    /// sees when editing it.
    fn edit(&mut self, piece: &VariantPiece, event: &[u8]) -> Result<OverlayPart, Gone> {
        let at = Seq(piece.originals().start);
        let found = self.original.record(at)?.zip(self.original.row(at));
        let (record, row) = found.ok_or_else(|| missing(at))?;
        let inside = self.source.event(&record).map_or(0..record.len(), |event| range_within(&record, event));
        let from = self.texts.len();
        self.texts.extend([&record[..inside.start], event, &record[inside.end..]].concat());
        let length = u32::try_from(self.texts.len() - from).unwrap_or(u32::MAX);
        let place = self.place_of_original(row.span);
        self.edited.push((from, place));
        Ok(OverlayPart::Edited(at.0, Span { offset: Span::MEMORY + from as u64, length }, place))
    }

    /// The length of the longest edited record.
    pub(crate) fn longest_edited(&self) -> u32 {
        let lengths = self.parts.iter().map(|part| match part {
            OverlayPart::Originals(_) => 0,
            OverlayPart::Edited(_, span, _) => span.length,
        });
        lengths.max().unwrap_or(0)
    }

    /// Calls `visit` with every record, in the order of the variant. Fails if the original has changed.
    pub(crate) fn each_record(&self, visit: &mut VisitOverlay<'_>) -> Result<ControlFlow<()>, Gone> {
        for part in &self.parts {
            let flow = match part {
                OverlayPart::Originals(originals) => self.each_original(originals.clone(), visit)?,
                OverlayPart::Edited(original, span, place) => {
                    let (original, span, place) = (*original, *span, *place);
                    visit(OverlayRecord { original, span, place, bytes: self.text(span)? })
                }
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The numbers of the original's records that the variant leaves out, in order.
    pub(crate) fn removed(&self) -> Vec<u32> {
        let mut there: Vec<Range<u32>> = self
            .parts
            .iter()
            .map(|part| match part {
                OverlayPart::Originals(originals) => originals.clone(),
                OverlayPart::Edited(original, ..) => *original..original + 1,
            })
            .collect();
        there.sort_by_key(|range| range.start);
        let (mut removed, mut next) = (Vec::new(), 0);
        for range in there {
            removed.extend(next..range.start.max(next));
            next = next.max(range.end);
        }
        removed.extend(next..self.original_len.max(next));
        removed
    }

    /// A record of the original.
    pub(crate) fn original_record(&self, at: u32) -> Result<Vec<u8>, Gone> {
        self.original.record(Seq(at))?.ok_or_else(|| missing(Seq(at)))
    }

    fn each_original(&self, originals: Range<u32>, visit: &mut VisitOverlay<'_>) -> Result<ControlFlow<()>, Gone> {
        let mut next = originals.start;
        while next < originals.end {
            let end = ((next / CHUNK + 1).saturating_mul(CHUNK)).min(originals.end);
            let mut rows: Vec<Row> = Vec::with_capacity((end - next) as usize);
            self.original.rows(&mut |known| rows.extend((next..end).map_while(|at| known.get(Seq(at)))));
            let (mut rows, mut flow) = (rows.into_iter(), ControlFlow::Continue(()));
            self.original.records(next..end, &mut |_, record| {
                let Some(row) = rows.next() else { return ControlFlow::Break(()) };
                let is_told = row.kind == KindId::MALFORMED;
                let place = if is_told { self.place_of_original(row.span) } else { Place::default() };
                flow = visit(OverlayRecord { original: next, span: row.span, place, bytes: record });
                next += 1;
                flow
            })?;
            if flow.is_break() {
                return Ok(flow);
            }
            if next < end {
                return Err(missing(Seq(next)));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn text(&self, span: Span) -> Result<&[u8], Gone> {
        let from = span.offset.checked_sub(Span::MEMORY).and_then(|from| usize::try_from(from).ok());
        let found = from.and_then(|from| self.texts.get(from..from.checked_add(span.length as usize)?));
        found.ok_or_else(|| Gone { reason: "this edited record does not belong to the variant".to_owned() })
    }

    fn place_of_original(&self, span: Span) -> Place {
        let mut known = None;
        self.original.rows(&mut |rows| known = rows.place_before(span));
        known.map(|known| self.source.place(known, span)).unwrap_or_default()
    }
}

fn missing(at: Seq) -> Gone {
    Gone { reason: format!("the log no longer holds event {at}; open it again") }
}

impl Source for Overlay {
    fn head(&self) -> Option<&Head> {
        self.source.head()
    }

    fn read(&self, spans: &[Span], visit: &mut dyn FnMut(usize, &[u8])) -> Result<(), Gone> {
        let mut next = 0;
        // The original reads records in its own order, but here they may be in any order.
        for run in spans.chunk_by(|one, two| !two.is_in_memory() && one.offset < two.offset) {
            let first = next;
            next += run.len();
            match run {
                [span] if span.is_in_memory() => visit(first, self.text(*span)?),
                run => self.source.read(run, &mut |position, record| visit(first + position, record))?,
            }
        }
        Ok(())
    }

    fn event<'a>(&self, record: &'a [u8]) -> Result<&'a [u8], Malformed> {
        self.source.event(record)
    }

    /// The place in the file of the original; an edited record has the place of its original.
    fn place(&self, _: (Span, Place), wanted: Span) -> Place {
        if !wanted.is_in_memory() {
            return self.place_of_original(wanted);
        }
        let behind = self.edited.partition_point(|(from, _)| Span::MEMORY + *from as u64 <= wanted.offset);
        behind.checked_sub(1).map(|number| self.edited[number].1).unwrap_or_default()
    }
}
