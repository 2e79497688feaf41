//! The timeline of a log: any moment of it, forwards, backwards or by a jump, for any dialect.
//!
//! [`Replay`] is the interface of a log for the debugger, the panes and the commands. [`Timeline`] is the only
//! implementation: it takes rows from the index and states from the nearest keyframe, and caches the block around the
//! last moment, so that a step back is a lookup.

mod calls;
mod conversation;
mod imprints;
mod lookup;
mod passing;
mod remembered;

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use calls::CallStory;
pub(crate) use imprints::Imprinted;
use passing::{Both, Passing};
use remembered::{Remembered, StateBlock};

use regex::bytes::Regex;
use serde_json::Value;

use super::Seq;
use super::caption::Caption;
use super::direction::Direction;
use super::group::Group;
use super::imprint::Names;
use super::index::{GROUP, Row, Rows};
use super::keyframes::Keyframes;
use super::machine::Machine;
use super::moment::{Moment, Sight};
use super::pass::{Feed, Pass};
use super::postings::Postings;
use super::shared::{FindingList, Frame, PassProgress, Shared, SharedLock};
use super::source::{Gone, Source};
use super::utterance::{Conversation, Utterance};
use super::vocabulary::{FieldId, Vocabulary};

/// A moment lists at most this many open obligations.
const OBLIGATIONS_SHOWN: usize = 1000;

/// A line of the event list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    pub at: Seq,
    pub row: Row,
    /// Text from the log: escape it before printing.
    pub summary: String,
    pub caption: Caption,
}

/// A log with access to every moment that the pass has reached.
pub trait Replay: Send + Sync {
    fn vocabulary(&self) -> &'static Vocabulary;

    fn progress(&self) -> PassProgress;

    /// Calls `visit` with the rows. The pass waits meanwhile, so `visit` must not call the replay.
    fn rows(&self, visit: &mut dyn FnMut(&Rows));

    /// The number of events of each kind, by kind id.
    fn by_kind(&self) -> [u32; 256];

    fn findings(&self) -> Arc<FindingList>;

    /// Calls `visit` with the events that changed a field. The pass waits meanwhile, so `visit` must not call the
    /// replay.
    fn writers(&self, field: FieldId, visit: &mut dyn FnMut(&Postings));

    /// The moment right after an event; `None` if the pass has not reached it.
    fn moment(&self, at: Seq) -> Result<Option<Moment>, Gone>;

    /// Some lines of the list.
    fn lines(&self, wanted: &[Seq]) -> Result<Vec<EventLine>, Gone>;

    /// The calls that these events belong to. The events must ascend.
    fn stories(&self, wanted: &[Seq]) -> Result<Vec<Option<CallStory>>, Gone>;

    /// The conversation around an event: `before` entries up to it and `after` entries after it, fewer if they are very
    /// long.
    fn said(&self, around: Seq, before: usize, after: usize) -> Result<Conversation, Gone>;

    /// What one event says, in more detail than its entry in the conversation, and also if it has none.
    fn reading(&self, at: Seq) -> Result<Option<Utterance>, Gone>;

    /// Steps over a range and calls `visit` at each step.
    fn scan(&self, part: Range<u32>, visit: &mut dyn FnMut(&dyn Sight) -> ControlFlow<()>) -> Result<(), Gone>;

    /// Calls `visit` with the records of a range, without stepping.
    fn records(&self, part: Range<u32>, visit: &mut dyn FnMut(Seq, &[u8]) -> ControlFlow<()>) -> Result<(), Gone>;

    /// Calls `visit` with the events of a range whose records match.
    fn matching(
        &self,
        part: Range<u32>,
        regex: &Regex,
        visit: &mut dyn FnMut(Seq) -> ControlFlow<()>,
    ) -> Result<(), Gone>;

    /// The first event about a call.
    fn find_call(&self, call: &str) -> Result<Option<Seq>, Gone>;

    /// Calls `visit` with the imprints of the events of a range, for comparing two logs.
    fn imprints(
        &self,
        part: Range<u32>,
        names: Names,
        visit: &mut dyn FnMut(Imprinted) -> ControlFlow<()>,
    ) -> Result<(), Gone>;

    /// An event as its dialect decodes it; a record that is not an event as text.
    fn decoded(&self, at: Seq) -> Result<Option<Value>, Gone>;

    /// The event inside a record.
    fn event_of<'r>(&self, record: &'r [u8]) -> &'r [u8];

    /// The source of the records.
    fn source(&self) -> &Arc<dyn Source>;

    /// The approximate memory of the index and the keyframes, in bytes.
    fn index_bytes(&self) -> usize;

    /// The number of events between two keyframes.
    fn stride_events(&self) -> u32;
}

impl dyn Replay + '_ {
    pub fn len(&self) -> u32 {
        self.progress().events
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many events cannot change, whatever is appended; with `torn`, the record that the log ends in counts, too.
    pub fn settled_len(&self, torn: bool) -> u32 {
        let progress = self.progress();
        progress.events - u32::from(progress.torn && !torn)
    }

    pub fn row(&self, at: Seq) -> Option<Row> {
        let mut row = None;
        self.rows(&mut |rows| row = rows.get(at));
        row
    }

    /// The next event in a direction for whose row `test` holds.
    pub fn find_row(&self, from: Seq, direction: Direction, test: impl Fn(&Rows, Seq) -> bool) -> Option<Seq> {
        let mut found = None;
        self.rows(&mut |rows| found = rows.find(from, direction, &test));
        found
    }

    pub fn turn_name(&self, turn: u32) -> Option<Arc<str>> {
        let mut name = None;
        self.rows(&mut |rows| name = rows.turn_name(turn).cloned());
        name
    }
}

/// An empty replay, and the pass that fills it.
pub(crate) type Begun = (Arc<dyn Replay>, Box<dyn Feed>);

pub(crate) struct Timeline<M: Machine> {
    shared: Arc<SharedLock<M>>,
    source: Arc<dyn Source>,
    /// The decoder at the beginning of each walk.
    decoder: M::Decoder,
    remembered: Mutex<Remembered<M>>,
}

impl<M: Machine> Timeline<M> {
    /// An empty timeline, and the pass that fills it.
    #[cfg(test)]
    pub(crate) fn begin(source: Arc<dyn Source>, ledger: M::Ledger) -> (Arc<Self>, Pass<M>) {
        Self::begin_keeping(source, M::Decoder::default(), ledger, Keyframes::default())
    }

    /// Like [`Timeline::begin`], with other limits for keyframes.
    pub(crate) fn begin_keeping(
        source: Arc<dyn Source>,
        decoder: M::Decoder,
        ledger: M::Ledger,
        keyframes: Keyframes<Frame<M>>,
    ) -> (Arc<Self>, Pass<M>) {
        let shared = Arc::new(SharedLock::new(Shared { keyframes, ..Shared::default() }));
        let pass = Pass::new(Arc::clone(&shared), Arc::clone(&source), decoder.clone(), ledger);
        (Arc::new(Timeline { shared, source, decoder, remembered: Mutex::default() }), pass)
    }

    /// Like [`Timeline::begin`], for callers that do not know the dialect.
    pub(crate) fn begin_dyn(source: Arc<dyn Source>, decoder: M::Decoder, ledger: M::Ledger) -> Begun {
        let (timeline, pass) = Self::begin_keeping(source, decoder, ledger, Keyframes::default());
        (timeline, Box::new(pass))
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered<M>> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_group(&self, group: u32) -> Result<Option<Group>, Gone> {
        let found = self.shared.look(|shared| shared.rows.group(group));
        found.map(|(spans, checksum)| Group::read(&*self.source, spans, checksum)).transpose()
    }

    /// The records of a group, from the cache if it was read recently. `None` past the end of the pass.
    fn group(&self, group: u32) -> Result<Option<Arc<Group>>, Gone> {
        let (generation, length) = self.shared.look(|shared| {
            let rest = shared.rows.len().saturating_sub(group.saturating_mul(GROUP));
            (shared.generation, rest.min(GROUP) as usize)
        });
        if let Some(known) = self.remembered().group(generation, group, length) {
            return Ok(Some(known));
        }
        let Some(read) = self.read_group(group)?.map(Arc::new) else { return Ok(None) };
        self.remembered().keep_group(generation, group, Arc::clone(&read));
        Ok(Some(read))
    }

    /// Steps `frame` over one record.
    fn step(&self, decoder: &mut M::Decoder, frame: &mut Frame<M>, at: Seq, record: &[u8]) {
        if let Ok(event) = self.source.event(record).and_then(|event| M::decode(decoder, event)) {
            frame.step(at, &event);
        }
    }

    /// The state before the first event of a group: from the cache, or else from the nearest keyframe.
    fn frame_before_group(&self, group: u32) -> Result<Option<Frame<M>>, Gone> {
        let wanted = Seq(group * GROUP);
        let (generation, keyframe) = self.shared.look(|shared| {
            let keyframe = shared.keyframes.before(wanted).map(|(at, frame)| (at, frame.clone()));
            (shared.generation, keyframe)
        });
        let Some((mut at, mut frame)) = keyframe else { return Ok(None) };
        if let Some((nearer, known)) = self.remembered().nearest(generation, at.0 / GROUP, group) {
            (at, frame) = (Seq(nearer * GROUP), known);
        }
        let mut decoder = self.decoder.clone();
        while at < wanted {
            let Some(records) = self.read_group(at.0 / GROUP)? else { return Ok(None) };
            for position in 0..records.len() {
                let record = records.record(position, &*self.source)?;
                self.step(&mut decoder, &mut frame, at, &record);
                at.0 += 1;
            }
            if records.len() < GROUP as usize {
                return Ok(None);
            }
            self.remembered().keep_frame(generation, at.0 / GROUP, &frame);
        }
        Ok(Some(frame))
    }

    /// The states around an event.
    fn block(&self, at: Seq) -> Result<Option<Arc<StateBlock<M>>>, Gone> {
        let number = at.0 / GROUP;
        let generation = self.shared.look(|shared| shared.generation);
        let position = (at.0 % GROUP) as usize;
        if let Some(known) = self.remembered().block(generation, number, position) {
            return Ok(Some(known));
        }
        let Some(records) = self.group(number)? else { return Ok(None) };
        if position >= records.len() {
            return Ok(None);
        }
        let Some(mut frame) = self.frame_before_group(number)? else { return Ok(None) };
        let mut decoder = self.decoder.clone();
        let mut frames = Vec::with_capacity(records.len() + 1);
        for position in 0..records.len() {
            frames.push(frame.clone());
            let record = records.record(position, &*self.source)?;
            self.step(&mut decoder, &mut frame, Seq(number * GROUP + position as u32), &record);
        }
        frames.push(frame);
        let block = Arc::new(StateBlock { records, frames });
        self.remembered().keep_block(generation, number, Arc::clone(&block));
        Ok(Some(block))
    }
}

impl<M: Machine> Replay for Timeline<M> {
    fn vocabulary(&self) -> &'static Vocabulary {
        M::vocabulary()
    }

    fn progress(&self) -> PassProgress {
        self.shared.look(|shared| shared.progress)
    }

    fn rows(&self, visit: &mut dyn FnMut(&Rows)) {
        self.shared.look(|shared| visit(&shared.rows));
    }

    fn by_kind(&self) -> [u32; 256] {
        self.shared.look(|shared| *shared.by_kind)
    }

    fn findings(&self) -> Arc<FindingList> {
        self.shared.look(|shared| Arc::clone(&shared.findings))
    }

    fn writers(&self, field: FieldId, visit: &mut dyn FnMut(&Postings)) {
        self.shared.look(|shared| {
            if let Some(writers) = shared.writers.get(field.0 as usize) {
                visit(writers);
            }
        });
    }

    fn moment(&self, at: Seq) -> Result<Option<Moment>, Gone> {
        let Some(block) = self.block(at)? else { return Ok(None) };
        let position = (at.0 % GROUP) as usize;
        let record = block.records.record(position, &*self.source)?;
        let found = self.shared.look(|shared| {
            let row = shared.rows.get(at)?;
            let turn = row.turn.and_then(|turn| shared.rows.turn_name(turn).cloned());
            let findings = shared.findings.at(at).map(|(number, finding)| (number, Arc::clone(finding))).collect();
            Some((row, turn, shared.rows.group_place(at), findings))
        });
        let Some((row, turn, known, findings)) = found else { return Ok(None) };
        let place = known.map(|known| self.source.place(known, row.span)).unwrap_or_default();
        let frame = block.frames[position].clone();
        let mut both = Both::<M> { before: frame.clone(), after: frame };
        let passing = Passing::new(at, row.kind, &record, &*self.source, &mut self.decoder.clone(), &mut both);
        let (effects, halt) = (&passing as &dyn Sight).effects();
        let (inside, summary) = (passing.range(), passing.summary());
        let malformed = passing.malformed().map(str::to_owned);
        drop(passing);
        let (obligations, obligation_count) = M::obligations(&both.after.state, OBLIGATIONS_SHOWN);
        Ok(Some(Moment {
            at,
            kind: row.kind,
            inside,
            malformed,
            summary,
            effects,
            halt,
            turn,
            step: row.step,
            place,
            tally: both.after.tally,
            findings,
            obligations,
            obligation_count,
            ending: M::ending(&both.after.state),
            recap: M::recap(&both.after.state),
            in_full: M::in_full(&self.decoder, &record),
            sides: Box::new(both),
            record: record.to_vec(),
        }))
    }

    fn lines(&self, wanted: &[Seq]) -> Result<Vec<EventLine>, Gone> {
        let mut decoder = self.decoder.clone();
        let mut lines = Vec::with_capacity(wanted.len());
        for at in wanted.iter().copied() {
            let Some(row) = self.shared.look(|shared| shared.rows.get(at)) else { break };
            let Some(records) = self.group(at.0 / GROUP)? else { break };
            let record = records.record((at.0 % GROUP) as usize, &*self.source)?;
            let event = self.source.event(&record).and_then(|event| M::decode(&mut decoder, event));
            let (summary, caption) = match event {
                Ok(event) => (M::summary(&event), M::caption(&event)),
                Err(malformed) => (malformed.reason.clone(), Caption::new("", malformed.reason)),
            };
            lines.push(EventLine { at, row, summary, caption });
        }
        Ok(lines)
    }

    fn stories(&self, wanted: &[Seq]) -> Result<Vec<Option<CallStory>>, Gone> {
        self.stories_of(wanted)
    }

    fn said(&self, around: Seq, before: usize, after: usize) -> Result<Conversation, Gone> {
        self.conversation(around, before, after)
    }

    fn reading(&self, at: Seq) -> Result<Option<Utterance>, Gone> {
        self.reading(at)
    }

    fn scan(&self, part: Range<u32>, visit: &mut dyn FnMut(&dyn Sight) -> ControlFlow<()>) -> Result<(), Gone> {
        let mut decoder = self.decoder.clone();
        let first = part.start / GROUP;
        let Some(frame) = self.frame_before_group(first)? else { return Ok(()) };
        // One pair of states for the whole scan: they are large, and moving them costs as much as stepping.
        let mut both = Both { before: frame.clone(), after: frame };
        for group in first..=part.end.saturating_sub(1) / GROUP {
            let Some(records) = self.read_group(group)? else { break };
            let kinds: Vec<_> = self.shared.look(|shared| {
                (0..records.len() as u32).map(|position| shared.rows.kind(Seq(group * GROUP + position))).collect()
            });
            for (position, kind) in kinds.into_iter().enumerate() {
                let at = Seq(group * GROUP + position as u32);
                if at.0 >= part.end {
                    return Ok(());
                }
                let record = records.record(position, &*self.source)?;
                if at.0 < part.start {
                    self.step(&mut decoder, &mut both.after, at, &record);
                    continue;
                }
                let Some(kind) = kind else { return Ok(()) };
                if visit(&Passing::new(at, kind, &record, &*self.source, &mut decoder, &mut both)).is_break() {
                    return Ok(());
                }
            }
            if records.len() < GROUP as usize {
                break;
            }
        }
        Ok(())
    }

    fn records(&self, part: Range<u32>, visit: &mut dyn FnMut(Seq, &[u8]) -> ControlFlow<()>) -> Result<(), Gone> {
        if part.is_empty() {
            return Ok(());
        }
        // A few records are read through the cache; a long walk would only evict its entries.
        let is_look = part.len() <= GROUP as usize;
        for group in part.start / GROUP..=(part.end - 1) / GROUP {
            let records = if is_look { self.group(group)? } else { self.read_group(group)?.map(Arc::new) };
            let Some(records) = records else { break };
            for position in 0..records.len() {
                let at = group * GROUP + position as u32;
                if part.contains(&at) && visit(Seq(at), &records.record(position, &*self.source)?).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn matching(
        &self,
        part: Range<u32>,
        regex: &Regex,
        visit: &mut dyn FnMut(Seq) -> ControlFlow<()>,
    ) -> Result<(), Gone> {
        if part.is_empty() {
            return Ok(());
        }
        for group in part.start / GROUP..=(part.end - 1) / GROUP {
            let Some(records) = self.read_group(group)? else { break };
            let first = group * GROUP;
            let wanted = part.start.saturating_sub(first) as usize..(part.end - first).min(GROUP) as usize;
            let flow =
                records.matching(wanted, regex, &*self.source, &mut |position| visit(Seq(first + position as u32)))?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn find_call(&self, call: &str) -> Result<Option<Seq>, Gone> {
        self.first_about(call)
    }

    fn imprints(
        &self,
        part: Range<u32>,
        names: Names,
        visit: &mut dyn FnMut(Imprinted) -> ControlFlow<()>,
    ) -> Result<(), Gone> {
        self.imprinted(part, names, visit)
    }

    fn decoded(&self, at: Seq) -> Result<Option<Value>, Gone> {
        self.decoded_event(at)
    }

    fn event_of<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        self.source.event(record).unwrap_or(record)
    }

    fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    fn index_bytes(&self) -> usize {
        self.shared.look(Shared::bytes)
    }

    fn stride_events(&self) -> u32 {
        self.shared.look(|shared| shared.keyframes.stride())
    }
}
