//! The forward pass: reads each record once, in order, and fills the index, keyframes, writers and findings.
//!
//! The caller passes in records and may pause at any time. Results are published group by group, and readers can use
//! everything published while the pass continues.

use std::sync::Arc;

use super::check_pass::check_decoded;
use super::check_pass::wrapping_around;
use super::chunk::{ChunkDecoder, ChunkEvent, ChunkFeed, DecodedFeed, MachineChunkDecoder};
use super::finding::{Finding, Findings};
use super::index::{CallsBegun, GROUP, RecordIdentity, Row};
use super::machine::{Machine, Malformed};
use super::shared::{FindingList, Frame, SharedLock};
use super::source::{Source, Span};
use super::vocabulary::{FieldSet, KindId};
use super::{Place, Seq, damage};

/// Receives the records of a log from its reader.
pub(crate) trait Feed: ChunkFeed {
    fn record(&mut self, span: Span, place: Place, record: &[u8]);

    /// A record that was left out here.
    fn removed(&mut self, record: &[u8]);

    /// Damage between records, or in place of a record, which is then given.
    fn damage(&mut self, finding: Finding, taken: Option<(Span, Place, &[u8])>);

    /// Makes the results so far visible to readers.
    fn publish(&mut self);

    /// The log ends here for now, perhaps inside a record. `beside` contains the findings from sidecars.
    fn end(&mut self, torn: Option<(Finding, Span, Place, &[u8])>, beside: Vec<Finding>);

    /// The log has more records after all: findings that depend on its end are taken back.
    fn resume(&mut self);

    /// How many records have been passed.
    fn passed(&self) -> u32;

    /// Turns the checks off from now on, for callers that do not need findings.
    fn without_checks(&mut self);
}

/// One record that was passed and not yet published.
struct Passed {
    row: Row,
    /// A new turn.
    new_turn: Option<Arc<str>>,
    place: Place,
    identity: RecordIdentity,
    changed: FieldSet,
    /// The level after it, if it is another one than before.
    level: Option<u64>,
}

pub(crate) struct Pass<M: Machine> {
    shared: Arc<SharedLock<M>>,
    source: Arc<dyn Source>,
    decoder: M::Decoder,
    ledger: M::Ledger,
    frame: Frame<M>,
    next: Seq,
    turn: Option<(Arc<str>, u32)>,
    turns: rustc_hash::FxHashMap<Arc<str>, u32>,
    calls: CallsBegun,
    unpublished: Vec<Passed>,
    keyframe: Option<(Seq, Frame<M>)>,
    findings: Vec<Arc<Finding>>,
    findings_published: usize,
    offset: u64,
    /// Records that are events.
    events: u32,
    torn: bool,
    runs_checks: bool,
}

impl<M: Machine> Pass<M> {
    pub(crate) fn new(
        shared: Arc<SharedLock<M>>,
        source: Arc<dyn Source>,
        decoder: M::Decoder,
        ledger: M::Ledger,
    ) -> Self {
        Pass {
            shared,
            source,
            decoder,
            ledger,
            frame: Frame::default(),
            next: Seq(0),
            turn: None,
            turns: Default::default(),
            calls: CallsBegun::default(),
            unpublished: Vec::new(),
            keyframe: None,
            findings: Vec::new(),
            findings_published: 0,
            offset: 0,
            events: 0,
            torn: false,
            runs_checks: true,
        }
    }

    fn take(&mut self, passed: Passed) {
        let span = passed.row.span;
        if !span.is_in_memory() {
            self.offset = span.offset + u64::from(span.length);
        }
        self.unpublished.push(passed);
        self.next.0 += 1;
        // The first record is published at once, because the screen waits for it; then group by group.
        if self.next.0 == 1 || self.next.0.is_multiple_of(GROUP) {
            self.publish();
        }
    }

    fn keep_keyframe(&mut self) {
        if self.next.0.is_multiple_of(GROUP) {
            self.keyframe = Some((self.next, self.frame.clone()));
        }
    }

    fn no_event(&self, span: Span) -> Row {
        let turn = self.turn.as_ref().map(|turn| turn.1);
        Row {
            span,
            kind: KindId::MALFORMED,
            turn,
            step: M::step_in_force(&self.frame.state),
            effects: 0,
            outcome: None,
            continues_call: false,
        }
    }

    fn pass_malformed(&mut self, span: Span, place: Place, identity: RecordIdentity) {
        let row = self.no_event(span);
        self.take(Passed { row, new_turn: None, place, identity, changed: FieldSet::default(), level: None });
    }

    /// The number of a turn, and its name if it is new.
    fn turn_number(&mut self, name: &str) -> (u32, Option<Arc<str>>) {
        if let Some((known, number)) = &self.turn
            && **known == *name
        {
            return (*number, None);
        }
        let known = self.turns.get_key_value(name).map(|(name, number)| (Arc::clone(name), *number));
        let is_new = known.is_none();
        let (name, number) = known.unwrap_or_else(|| {
            let entry = (Arc::<str>::from(name), self.turns.len() as u32);
            self.turns.insert(Arc::clone(&entry.0), entry.1);
            entry
        });
        self.turn = Some((Arc::clone(&name), number));
        (number, is_new.then_some(name))
    }

    fn pass_event(&mut self, span: Span, place: Place, identity: RecordIdentity, event: &M::Event<'_>) {
        self.events += 1;
        let tally = &mut self.frame.tally;
        let mut effects = 0_u16;
        M::effects(&self.frame.state, event, &mut |effect, _| {
            effects |= 1 << effect.0;
            tally.add(effect);
        });
        let level = M::level(&self.frame.state);
        let changed = M::apply_with_changes(&mut self.frame.state, self.next, event);
        let level = M::level(&self.frame.state).filter(|after| Some(*after) != level);
        let in_force = M::step_in_force(&self.frame.state);
        let (kind, step, turn, continues_call) = M::about(event, |about| {
            let turn = about.turn.map(|turn| self.turn_number(turn));
            let continues = about.call.is_some_and(|call| self.calls.see(M::vocabulary(), about.kind, call, self.next));
            (about.kind, about.step.unwrap_or(in_force), turn, continues)
        });
        let (turn, new_turn) = turn.map_or((None, None), |(number, new)| (Some(number), new));
        let turn = turn.or(self.turn.as_ref().map(|turn| turn.1));
        let row = Row { span, kind, turn, step, effects, outcome: M::outcome(event), continues_call };
        self.take(Passed { row, new_turn, place, identity, changed, level });
    }

    /// Checks a record, steps over its event, and adds it to the index.
    fn pass_decoded(
        &mut self,
        span: Span,
        place: Place,
        identity: RecordIdentity,
        wrapping: Option<&[u8]>,
        decoded: &Result<M::Event<'_>, Malformed>,
    ) {
        self.keep_keyframe();
        if self.runs_checks || decoded.is_err() {
            check_decoded::<M>(&mut self.ledger, self.next, place, wrapping, decoded);
        }
        match decoded {
            Ok(event) => self.pass_event(span, place, identity, event),
            Err(_) => self.pass_malformed(span, place, identity),
        }
    }

    /// Findings are sorted again only when enough of them are new, so that the cost stays proportional.
    fn publish_findings(&mut self, at_end: Option<Findings>) {
        let found = M::findings(&mut self.ledger);
        let dropped = at_end.as_ref().map_or(found.dropped(), Findings::dropped);
        self.findings.extend(found.since(self.findings.len()).iter().cloned().map(Arc::new));
        let unpublished = self.findings.len() - self.findings_published;
        if at_end.is_none() && unpublished <= self.findings_published / 8 {
            return;
        }
        self.findings_published = self.findings.len();
        let mut all = self.findings.clone();
        all.extend(at_end.into_iter().flat_map(Findings::into_sorted).map(Arc::new));
        let list = Arc::new(FindingList::of(all, dropped));
        self.shared.change(|shared| shared.findings = list);
    }
}

impl<M: Machine> ChunkFeed for Pass<M> {
    fn chunk_decoder(&self) -> Box<dyn ChunkDecoder> {
        MachineChunkDecoder::<M, Self>::boxed(self.decoder.clone())
    }
}

impl<M: Machine> DecodedFeed<M> for Pass<M> {
    type Prepared = RecordIdentity;

    fn prepare(record: &[u8]) -> RecordIdentity {
        RecordIdentity::of(record)
    }

    fn take(&mut self, chunk: ChunkEvent<'_, '_, M, RecordIdentity>) {
        let ChunkEvent { place, record, wrapping, event, prepared, .. } = chunk;
        // The limit on records keeps them far below this length.
        let span = Span { offset: place.byte, length: u32::try_from(record.len()).unwrap_or(u32::MAX) };
        self.pass_decoded(span, place, prepared, wrapping, event);
    }
}

impl<M: Machine> Feed for Pass<M> {
    fn record(&mut self, span: Span, place: Place, record: &[u8]) {
        let source = Arc::clone(&self.source);
        let mut decoder = std::mem::take(&mut self.decoder);
        let event = source.event(record);
        let wrapping = wrapping_around(record, &event);
        let decoded = event.and_then(|event| M::decode(&mut decoder, event));
        self.pass_decoded(span, place, RecordIdentity::of(record), wrapping, &decoded);
        self.decoder = decoder;
    }

    fn removed(&mut self, record: &[u8]) {
        let event = self.source.event(record).and_then(|event| M::decode(&mut self.decoder.clone(), event));
        if let Ok(event) = event {
            M::check_removed(&mut self.ledger, &event);
        }
    }

    fn damage(&mut self, finding: Finding, taken: Option<(Span, Place, &[u8])>) {
        M::findings(&mut self.ledger).push(finding);
        if let Some((span, place, record)) = taken {
            self.keep_keyframe();
            self.pass_malformed(span, place, RecordIdentity::of(record));
        }
    }

    fn publish(&mut self) {
        let (unpublished, keyframe) = (std::mem::take(&mut self.unpublished), self.keyframe.take());
        let offset = self.offset;
        self.shared.change(|shared| {
            if let Some((at, frame)) = keyframe {
                shared.keyframes.offer(at, &frame, M::entries(&frame.state));
            }
            for passed in &unpublished {
                let at = Seq(shared.rows.len());
                if let Some(turn) = &passed.new_turn {
                    shared.rows.turn_number(turn);
                }
                for field in passed.changed.iter() {
                    shared.writers[field.0 as usize].push(at);
                }
                shared.by_kind[passed.row.kind.0 as usize] += 1;
                passed.level.into_iter().for_each(|level| shared.rows.push_level(level));
                shared.rows.push(passed.row, passed.place, passed.identity);
            }
            shared.progress.events = shared.rows.len();
            shared.progress.passed = offset;
        });
        self.unpublished = unpublished;
        self.unpublished.clear();
        self.publish_findings(None);
    }

    fn end(&mut self, torn: Option<(Finding, Span, Place, &[u8])>, mut beside: Vec<Finding>) {
        if let Some((finding, span, place, record)) = torn {
            self.keep_keyframe();
            self.pass_malformed(span, place, RecordIdentity::of(record));
            self.torn = true;
            beside.push(finding);
        }
        self.publish();
        let mut found = match self.runs_checks {
            true => M::findings_at_end(&mut self.ledger),
            false => M::findings(&mut self.ledger).continued(),
        };
        if self.events == 0 {
            found.push(damage::empty());
        }
        found.extend(beside);
        self.publish_findings(Some(found));
        let torn = self.torn;
        self.shared.change(|shared| {
            shared.progress.at_end = true;
            shared.progress.torn = torn;
        });
    }

    fn resume(&mut self) {
        let torn = std::mem::take(&mut self.torn);
        if torn {
            self.next.0 -= 1;
        }
        self.shared.change(|shared| {
            if torn {
                shared.rows.pop();
                shared.by_kind[KindId::MALFORMED.0 as usize] -= 1;
                shared.generation += 1;
                shared.progress.events = shared.rows.len();
            }
            shared.progress.at_end = false;
            shared.progress.torn = false;
        });
        let none = M::findings(&mut self.ledger).continued();
        self.publish_findings(Some(none));
    }

    fn passed(&self) -> u32 {
        self.next.0
    }

    fn without_checks(&mut self) {
        self.runs_checks = false;
    }
}
