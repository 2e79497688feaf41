//! The walk over a range of events that finds the hits of a condition: the index first, the filter where the index is
//! unsure.

use std::cell::Cell;
use std::ops::{ControlFlow, Range};

use super::input::FilterInputs;
use super::meter::used_steps;
use super::parts::{RecordParts, StepParts};
use super::verdicts::{Asking, Bits, CHUNK, Verdicts};
use super::{Condition, Inner};
use crate::replay::Seq;
use crate::replay::index::GROUP;
use crate::replay::moment::Sight;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::KindId;

/// After this many steps of filters the caller is asked whether to give up. They take some milliseconds.
const ASKING_STEPS: u64 = 100_000;

/// Receives the hits in order.
pub(super) type VisitHit<'v> = dyn FnMut(Seq) -> ControlFlow<()> + 'v;

pub(super) struct Sweep<'s> {
    condition: &'s Inner,
    asking: Asking<'s>,
    inputs: FilterInputs,
    give_up: &'s dyn Fn() -> bool,
    /// The steps of all filters when `give_up` was last called.
    asked_steps: Cell<u64>,
    verdicts: Verdicts,
    base: u32,
}

impl<'s> Sweep<'s> {
    pub(super) fn new(condition: &'s Condition, replay: &'s dyn Replay, give_up: &'s dyn Fn() -> bool) -> Self {
        let condition = &*condition.inner;
        Sweep {
            condition,
            asking: Asking::new(replay, condition.slots),
            inputs: FilterInputs::new(condition.needs, replay.vocabulary()),
            give_up,
            asked_steps: Cell::new(used_steps()),
            verdicts: Verdicts { must: Bits::NONE, can: Bits::NONE },
            base: 0,
        }
    }

    /// Calls `visit` with every hit in a range. Breaks if `visit` did, or if the search was given up.
    pub(super) fn each(&mut self, part: Range<u32>, visit: &mut VisitHit<'_>) -> Result<ControlFlow<()>, Gone> {
        let part = part.start..part.end.min(self.asking.replay.len());
        let mut at = part.start;
        while at < part.end {
            if (self.give_up)() {
                return Ok(ControlFlow::Break(()));
            }
            self.enter(at)?;
            let rest = at..part.end.min(self.base.saturating_add(CHUNK));
            let is_sure = self.unsure(&rest).is_empty();
            if !is_sure && self.condition.needs.steps() {
                match self.step_over(at..part.end, visit)? {
                    Some(stopped) => at = stopped,
                    None => return Ok(ControlFlow::Break(())),
                }
                continue;
            }
            let hits = match is_sure {
                true => self.verdicts.must,
                false => match self.read(&rest)? {
                    Some(read) => self.verdicts.must.or(read),
                    None => return Ok(ControlFlow::Break(())),
                },
            };
            for position in hits.within(self.positions(&rest)).iter() {
                if visit(Seq(self.base + position)).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            at = rest.end;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether the search is given up. The caller is asked once per group of events, and after expensive filters.
    fn gives_up(&self, at: Seq) -> bool {
        let used = used_steps();
        if !at.0.is_multiple_of(GROUP) && used.wrapping_sub(self.asked_steps.get()) < ASKING_STEPS {
            return false;
        }
        self.asked_steps.set(used);
        (self.give_up)()
    }

    /// Asks the index about the chunk of an event.
    fn enter(&mut self, at: u32) -> Result<(), Gone> {
        self.base = at - at % CHUNK;
        self.verdicts = self.asking.chunk(&self.condition.plan, self.base)?;
        Ok(())
    }

    fn positions(&self, part: &Range<u32>) -> Range<u32> {
        part.start - self.base..part.end - self.base
    }

    fn unsure(&self, part: &Range<u32>) -> Bits {
        self.verdicts.unsure().within(self.positions(part))
    }

    /// The hits among the unsure events of a chunk, for a filter that needs no states. `None` if the search was given
    /// up, since the hits would be incomplete.
    fn read(&mut self, part: &Range<u32>) -> Result<Option<Bits>, Gone> {
        let (replay, base, condition) = (self.asking.replay, self.base, self.condition);
        let (unsure, mut hits) = (self.unsure(part), Bits::NONE);
        let mut kinds = Vec::new();
        replay.rows(&mut |rows| {
            kinds =
                (base..base.saturating_add(CHUNK)).map(|at| rows.kind(Seq(at)).unwrap_or(KindId::MALFORMED)).collect();
        });
        let mut look = |at: Seq, record: &[u8]| {
            let kind = kinds[(at.0 - base) as usize];
            let (event, findings) = (replay.event_of(record), &*self.asking.findings);
            let parts = RecordParts { at, kind, event, indexed: None, findings: Some(findings) };
            let holds = condition
                .native_answer(&parts)
                .unwrap_or_else(|| condition.run(at, self.inputs.of_event(at, kind, event, findings)));
            if holds {
                hits.set(at.0 - base);
            }
        };
        if !condition.needs.event {
            for position in unsure.iter() {
                look(Seq(base + position), &[]);
                if self.gives_up(Seq(base + position)) {
                    return Ok(None);
                }
            }
            return Ok(Some(hits));
        }
        let (Some(first), Some(last)) = (unsure.iter().next(), unsure.iter().next_back()) else {
            return Ok(Some(hits));
        };
        let mut given_up = false;
        replay.records(base + first..base + last + 1, &mut |at, record| {
            if unsure.get(at.0 - base) {
                look(at, record);
            }
            given_up = self.gives_up(at);
            if given_up { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok((!given_up).then_some(hits))
    }

    /// Whether the condition holds at a step.
    fn run(&mut self, sight: &dyn Sight) -> bool {
        let (before, after) = self.inputs.states(sight);
        let findings = &*self.asking.findings;
        let record = RecordParts {
            at: sight.at(),
            kind: sight.kind(),
            event: sight.event(),
            indexed: None,
            findings: Some(findings),
        };
        let parts = StepParts { record, sight, before: &before, after: &after };
        if let Some(holds) = self.condition.native_answer(&parts) {
            return holds;
        }
        self.condition.run(sight.at(), self.inputs.of_step(sight, (before, after), findings))
    }

    /// Steps over the log and runs the filter where needed. Returns where it stopped because no event needs the filter
    /// for a while; `None` if `visit` broke or the search was given up.
    fn step_over(&mut self, part: Range<u32>, visit: &mut VisitHit<'_>) -> Result<Option<u32>, Gone> {
        let replay = self.asking.replay;
        // Starting again costs about a stride of steps.
        let patience_events = replay.stride_events().max(CHUNK);
        let (mut idle_events, mut stopped, mut gone) = (0, Some(part.end), None);
        replay.scan(part.clone(), &mut |sight| {
            let at = sight.at();
            if at.0 - self.base >= CHUNK {
                if let Err(lost) = self.enter(at.0) {
                    gone = Some(lost);
                    return ControlFlow::Break(());
                }
                let is_idle = self.unsure(&(at.0..at.0.saturating_add(CHUNK).min(part.end))).is_empty();
                idle_events = if is_idle { idle_events + CHUNK } else { 0 };
                if idle_events > patience_events {
                    stopped = Some(at.0);
                    return ControlFlow::Break(());
                }
            }
            if self.gives_up(at) {
                stopped = None;
                return ControlFlow::Break(());
            }
            let position = at.0 - self.base;
            let is_hit = if self.verdicts.must.get(position) || !self.verdicts.can.get(position) {
                self.inputs.pass(sight);
                self.verdicts.must.get(position)
            } else {
                self.run(sight)
            };
            if is_hit && visit(at).is_break() {
                stopped = None;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        // The kept states are those before the event after the last one passed.
        self.inputs = FilterInputs::new(self.condition.needs, replay.vocabulary());
        gone.map_or(Ok(stopped), Err)
    }
}
