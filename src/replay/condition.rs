//! Conditions on events, and the query planner that answers them, for breakpoints and `query`.
//!
//! A condition is a jq filter over `{seq, event, before, after, effects, findings}`, or a shorthand. It holds at an
//! event if any of its outputs is neither false nor null. Simple tests are answered from the index; the filter runs
//! where the index is unsure, with the same result. A filter that fails at an event does not hold there.
//!
//! The stages, in order: `shorthand` turns short forms into a plan; `filter` parses and compiles jq, within `limits`;
//! `plain` finds the tests in a filter that the index can answer, `needs` the parts of the input that it reads, both
//! over `terms`; `verdicts` answers the plan for a chunk of events at a time; `sweep` walks over a range of events and
//! asks a `native` test over the `parts` of the input where the plan is unsure, and runs the filter over the whole `input`
//! where that is unsure, too. `bad` reports a text that is not a condition.
//! A run computes with values (`value`, `operations`, `functions`) that draw from a budget (`meter`).

pub(crate) mod bad;
mod cost;
mod filter;
mod functions;
mod input;
mod limits;
mod meter;
mod native;
mod needs;
mod operations;
mod parts;
mod plain;
mod regexes;
mod shorthand;
mod sweep;
mod terms;
mod value;
mod verdicts;

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, PoisonError};

use jaq_json::{Map, Val};

pub(crate) use bad::BadCondition;
use filter::{CompiledFilter, RunError};
use input::{InputError, event_input};
pub(crate) use meter::used_steps;
use native::{InputParts, Native};
use needs::Needs;
use parts::RecordParts;
use plain::{Plan, Planner};
use sweep::Sweep;
use verdicts::CHUNK;

use super::Seq;
use super::direction::Direction;
use super::source::Gone;
use super::timeline::Replay;
use super::vocabulary::{KindId, Vocabulary};
use crate::json::byte_index::IndexedText;

/// A test of events. Cheap to clone; clones share their record of failures.
#[derive(Clone)]
pub(crate) struct Condition {
    inner: Arc<Inner>,
}

struct Inner {
    plan: Plan,
    /// How many of the plan's tests compare values.
    slots: usize,
    needs: Needs,
    /// Answers most events without running the filter.
    native: Option<Native>,
    /// `None` for a shorthand: its plan is never unsure.
    filter: Option<CompiledFilter>,
    failures: Mutex<Failures>,
}

/// The answer for one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Holds,
    HoldsNot,
    /// The filter failed, and this is why.
    Failed(String),
}

/// Where running a filter failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Failures {
    /// How many runs failed.
    pub count: u64,
    /// The first failure. The message may contain text from the log: escape it before printing.
    pub first: Option<(Seq, String)>,
}

impl Condition {
    pub(crate) fn parse(text: &str, vocabulary: &'static Vocabulary) -> Result<Condition, BadCondition> {
        if let Some(plan) = shorthand::parse(text, vocabulary) {
            return Ok(Self::new(plan?, 0, Needs::default(), None, None));
        }
        let of_facet = shorthand::of_facet(text, vocabulary);
        let text = of_facet.as_deref().unwrap_or(text);
        let mut planner = Planner { vocabulary, slots: 0 };
        let (plan, needs, native) =
            filter::parse(text, |term| (planner.plan(term), Needs::of(term, vocabulary), Native::compile(term)))?;
        let filter = CompiledFilter::compile(text).map_err(|mut bad| {
            if let Some(hint) = shorthand::hint(text[bad.at.clone()].trim(), vocabulary) {
                bad.reason = format!("{}; {hint}", bad.reason);
            }
            bad
        })?;
        Ok(Self::new(plan, planner.slots, needs, native, Some(filter)))
    }

    fn new(plan: Plan, slots: usize, needs: Needs, native: Option<Native>, filter: Option<CompiledFilter>) -> Self {
        let inner = Inner { plan, slots, needs, native, filter, failures: Mutex::default() };
        Condition { inner: Arc::new(inner) }
    }

    /// Whether it reads the event and nothing else, so that each event can be answered alone.
    pub(crate) fn reads_only_the_event(&self) -> bool {
        let Needs { seq, event: _, before, after, effects, findings } = self.inner.needs;
        let reads_more = seq || effects || findings || !before.is_empty() || !after.is_empty();
        self.inner.filter.is_some() && !reads_more
    }

    /// The answer for an event alone, if the condition reads nothing else. The caller reports failures in order.
    pub(crate) fn answer(&self, kind: KindId, event: &[u8], indexed: Option<IndexedText<'_>>) -> Answer {
        let parts = RecordParts { at: Seq::default(), kind, event, indexed, findings: None };
        let holds = match self.inner.native_answer(&parts) {
            Some(holds) => Ok(holds),
            None if self.inner.needs.event => self.inner.try_run(event_input(kind, event)),
            None => self.inner.try_run(Ok(Val::obj(Map::default()))),
        };
        match holds {
            Ok(true) => Answer::Holds,
            Ok(false) => Answer::HoldsNot,
            Err(error) => Answer::Failed(error.to_string()),
        }
    }

    /// The answer for a text that is an event, if it does not take a run of the filter.
    pub(crate) fn native_answer(&self, event: &[u8], indexed: Option<IndexedText<'_>>) -> Option<bool> {
        let parts = RecordParts { at: Seq::default(), kind: KindId(0), event, indexed, findings: None };
        self.inner.native_answer(&parts)
    }

    /// Records that the filter failed at an event.
    pub(crate) fn failed(&self, at: Seq, reason: String) {
        self.inner.failed(at, reason);
    }

    /// Whether most events are answered without running the filter.
    #[cfg(test)]
    pub(crate) fn is_native(&self) -> bool {
        self.inner.native.is_some()
    }

    /// Whether the index alone can answer it.
    #[cfg(test)]
    pub(crate) fn is_plain(&self) -> bool {
        self.inner.plan.is_sure()
    }

    /// The first event of a range at which it holds, or the last one. `None` also if `give_up` returns true, which is
    /// called now and then; once it has returned true, it must keep doing so.
    pub(crate) fn find(
        &self,
        replay: &dyn Replay,
        part: Range<u32>,
        direction: Direction,
        give_up: &dyn Fn() -> bool,
    ) -> Result<Option<Seq>, Gone> {
        let mut sweep = Sweep::new(self, replay, give_up);
        let mut found = None;
        if direction.is_forward() {
            let _ = sweep.each(part, &mut |at| {
                found = Some(at);
                ControlFlow::Break(())
            })?;
            return Ok(found);
        }
        let mut end = part.end.min(replay.len());
        while end > part.start && found.is_none() {
            let from = ((end - 1) / CHUNK * CHUNK).max(part.start);
            let flow = sweep.each(from..end, &mut |at| {
                found = Some(at);
                ControlFlow::Continue(())
            })?;
            if flow.is_break() {
                return Ok(None);
            }
            end = from;
        }
        Ok(found)
    }

    /// Calls `visit` with every event of a range at which it holds, in order, until `visit` breaks.
    pub(crate) fn each(
        &self,
        replay: &dyn Replay,
        part: Range<u32>,
        visit: &mut dyn FnMut(Seq) -> ControlFlow<()>,
    ) -> Result<(), Gone> {
        Sweep::new(self, replay, &|| false).each(part, visit).map(|_| ())
    }

    #[cfg(test)]
    pub(crate) fn holds(&self, replay: &dyn Replay, at: Seq) -> Result<bool, Gone> {
        let one = at.0..at.0.saturating_add(1);
        self.find(replay, one, Direction::Forward, &|| false).map(|found| found.is_some())
    }

    /// The failures of the filter so far.
    pub(crate) fn errors(&self) -> Failures {
        self.inner.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Inner {
    /// The answer of the native test. `None` if the filter must be run.
    fn native_answer(&self, parts: &dyn InputParts) -> Option<bool> {
        self.native.as_ref()?.holds(parts)
    }

    /// Runs the filter at an event.
    fn run(&self, at: Seq, input: Result<Val, InputError>) -> bool {
        self.try_run(input).unwrap_or_else(|error| {
            self.failed(at, error.to_string());
            false
        })
    }

    fn try_run(&self, input: Result<Val, InputError>) -> Result<bool, RunError> {
        let Some(filter) = &self.filter else { return Ok(false) };
        input.map_err(RunError::from).and_then(|input| filter.holds(input))
    }

    fn failed(&self, at: Seq, reason: String) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.count += 1;
        failures.first.get_or_insert((at, reason));
    }
}
