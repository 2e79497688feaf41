//! Step checks: each model step is replayed on its own and compared with the log.
//!
//! They follow the reference's rules and fire on healthy logs too, so their findings have severity info. The slice of
//! a step runs from its first request to the next request of another step. Slices never overlap, so replaying all of
//! them costs one pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::replay::Seq;
use crate::replay::check::Check;
use crate::replay::finding::{Finding, Findings};

use super::checks;
use super::digest::Digest;
use super::effect::{EffectKind, TurnEffect};
use super::event::Event;
use super::memory::{self, Sources, UNKNOWN_SOURCE, compiler_source};
use super::projection::Projection;
use super::state::{TurnState, effects};

/// What is kept of a step until the end of the log.
#[derive(Clone, Default)]
struct StepLedger {
    first_at: Seq,
    /// The length of the slice; 0 if the step has no request.
    slice_events: u32,
    slice_messages: u32,
    slice_call_model: u32,
    slice_execute_batch: u32,
    planned_tools: u32,
    queries: u32,
    /// The queries that were due at the step's last request.
    due_queries: u32,
    wrong_source: Option<Box<str>>,
    /// The effects of the first request and those planned for it, if they differ.
    replay_difference: Option<Box<(String, String)>>,
    logged_sources: Sources,
    derived_sources: Option<Sources>,
    /// The kinds of the slice's effects, if a report needs them.
    effects: Vec<EffectKind>,
}

/// The slice that is being replayed. The counts follow from the events alone; only its effects need a state of its own.
#[derive(Clone)]
struct Slice {
    step: u32,
    state: Option<Box<TurnState>>,
}

#[derive(Clone, Default)]
pub(crate) struct StepChecks {
    /// Shared, because minimizing clones this often: a clone costs one reference count per step.
    steps: BTreeMap<u32, Arc<StepLedger>>,
    /// The current step, taken out of the map, because nearly every event belongs to the same step as the previous one.
    hot: Option<(u32, StepLedger)>,
    slice: Option<Slice>,
    first_wrong_source: Option<String>,
    with_effects: bool,
}

/// A rule that a step broke.
#[derive(Clone, Copy, Debug)]
enum Issue {
    NoAnchor,
    EffectParity,
    ModelMessage,
    QueryMemory,
    WrongSource,
    RequestReplay,
}

impl Issue {
    /// The reference's name of the rule.
    const fn key(self) -> &'static str {
        match self {
            Issue::NoAnchor | Issue::EffectParity => "effect_parity",
            Issue::ModelMessage => "model_message",
            Issue::QueryMemory | Issue::WrongSource => "query_memory",
            Issue::RequestReplay => "model_request_replay",
        }
    }

    const fn check(self) -> &'static Check {
        match self {
            Issue::NoAnchor | Issue::EffectParity => &checks::EFFECT_PARITY,
            Issue::ModelMessage => &checks::MODEL_MESSAGE,
            Issue::QueryMemory => &checks::QUERY_MEMORY,
            Issue::WrongSource => &checks::COMPILER_SOURCE,
            Issue::RequestReplay => &checks::MODEL_REQUEST_REPLAY,
        }
    }
}

impl StepChecks {
    /// Also keeps the effect kinds of each step, for the report.
    pub(crate) fn with_effects() -> Self {
        StepChecks { with_effects: true, ..StepChecks::default() }
    }

    /// Sees one event and the state before it.
    pub(crate) fn see(&mut self, at: Seq, event: &Event<'_>, digest: &Digest, before: &TurnState) {
        match event {
            Event::ModelRequestIssued { step_idx, .. } => self.request(at, *step_idx, event, before),
            Event::TurnEnded { .. } => self.slice = None,
            Event::ModelMessage { step_idx, .. } => {
                self.step(at, *step_idx);
            }
            Event::ToolCallPlanned { step_idx, .. } => self.step(at, *step_idx).planned_tools += 1,
            Event::MemoryPlaneQueried { step_idx, query_key, compiler_source, .. } => {
                self.query(at, *step_idx, &query_key.get(), &compiler_source.get());
            }
            Event::CapacityCheckpoint { step_idx, .. }
            | Event::StepLimitContinuation { step_idx, .. }
            | Event::LoopGuardContinuation { step_idx, .. } => {
                self.step(at, *step_idx);
            }
            _ => {}
        }
        self.replay_slice(at, event, digest);
    }

    fn step(&mut self, at: Seq, step: u32) -> &mut StepLedger {
        if self.hot.as_ref().is_none_or(|hot| hot.0 != step) {
            self.cool();
            let taken = self.steps.remove(&step).map(Arc::unwrap_or_clone);
            self.hot = Some((step, taken.unwrap_or_else(|| StepLedger { first_at: at, ..StepLedger::default() })));
        }
        &mut self.hot.get_or_insert_with(|| (step, StepLedger::default())).1
    }

    /// Puts the current step back among the others.
    fn cool(&mut self) {
        if let Some((step, entry)) = self.hot.take() {
            self.steps.insert(step, Arc::new(entry));
        }
    }

    fn request(&mut self, at: Seq, step_idx: u32, event: &Event<'_>, before: &TurnState) {
        if self.slice.as_ref().is_some_and(|slice| slice.step != step_idx) {
            self.slice = None;
        }
        let step = self.step(at, step_idx);
        step.due_queries = memory::due(&before.projection).count() as u32;
        if step.slice_events > 0 {
            return;
        }
        step.first_at = at;
        step.derived_sources = Some(derived_sources(&before.projection));
        step.replay_difference = replay_difference(&before.projection, event);
        let state = self.with_effects.then(|| Box::new(before.without_calls()));
        self.slice = Some(Slice { step: step_idx, state });
    }

    fn query(&mut self, at: Seq, step_idx: u32, key: &str, source: &str) {
        let expected = compiler_source(key);
        let wrong = (source != expected)
            .then(|| format!("step {step_idx} query_key={key} compiler_source={source} expected={expected}"));
        let step = self.step(at, step_idx);
        step.queries += 1;
        step.logged_sources.insert(expected);
        if let Some(text) = wrong {
            step.wrong_source.get_or_insert_with(|| text.as_str().into());
            self.first_wrong_source.get_or_insert(text);
        }
    }

    fn replay_slice(&mut self, at: Seq, event: &Event<'_>, digest: &Digest) {
        let Some(mut slice) = self.slice.take() else { return };
        let step = self.step(at, slice.step);
        step.slice_events += 1;
        match event {
            Event::ModelMessage { step_idx, .. } if *step_idx == slice.step => step.slice_messages += 1,
            Event::ModelRequestIssued { .. } => step.slice_call_model += 1,
            Event::ToolCallPlanned { .. } => step.slice_execute_batch += 1,
            _ => {}
        }
        if let Some(state) = &mut slice.state {
            state.step(event, digest, &mut |effect| step.effects.push(effect.kind()));
        }
        self.slice = Some(slice);
    }

    /// The first query whose source does not belong to its key.
    pub(crate) fn compiler_source_text(&self) -> Option<&str> {
        self.first_wrong_source.as_deref()
    }

    /// The steps whose logged sources differ from those derived from the projection.
    pub(crate) fn compiler_projection_text(&self, last: &Projection) -> Option<String> {
        let texts = self.steps.iter().filter_map(|(step_idx, step)| {
            let (logged, derived) = sources_differ(step, last)?;
            let (logged, derived) = (logged.names(), derived.names());
            Some(format!("step {step_idx} compiler_sources log={logged:?} projection={derived:?}"))
        });
        let texts: Vec<String> = texts.collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }

    pub(crate) fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(|(step_idx, step)| {
            let issues: Map<String, Value> =
                step.issues().map(|issue| (issue.key().to_owned(), json!(step.text(issue, *step_idx)))).collect();
            json!({
                "step_idx": step_idx,
                "slice_events": step.slice_events,
                "planned_tools": step.planned_tools,
                "effects": step.effects.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
                "issues": issues,
            })
        });
        steps.collect()
    }

    /// Ends the log: from here on, every step is in the map.
    pub(crate) fn finish(&mut self, turn_id: &Arc<str>, last: &Projection, findings: &mut Findings) {
        self.cool();
        for (step_idx, step) in &self.steps {
            let found = |check: &'static Check, (expected, actual): (String, String)| {
                Finding::new(check, [step.first_at])
                    .about("step", step_idx.to_string())
                    .about("turn_id", Arc::clone(turn_id))
                    .expected(expected)
                    .actual(actual)
            };
            for issue in step.issues() {
                findings.report(issue.check(), || found(issue.check(), step.sides(issue)));
            }
            if step.queries != step.due_queries && step.wrong_source.is_some() {
                findings.report(&checks::COMPILER_SOURCE, || {
                    found(&checks::COMPILER_SOURCE, step.sides(Issue::WrongSource))
                });
            }
            if let Some((logged, derived)) = sources_differ(step, last) {
                let sides = || (format!("{:?}", derived.names()), format!("{:?}", logged.names()));
                findings.report(&checks::COMPILER_PROJECTION, || found(&checks::COMPILER_PROJECTION, sides()));
            }
        }
    }
}

impl StepLedger {
    fn issues(&self) -> impl Iterator<Item = Issue> + use<> {
        let has_slice = self.slice_events > 0;
        let parity = self.slice_call_model == 1 && self.slice_execute_batch == self.planned_tools;
        let agrees = self.queries == self.due_queries;
        [
            (!has_slice && self.planned_tools > 0).then_some(Issue::NoAnchor),
            (has_slice && !parity).then_some(Issue::EffectParity),
            (has_slice && self.slice_messages != 1).then_some(Issue::ModelMessage),
            (!agrees).then_some(Issue::QueryMemory),
            (agrees && self.wrong_source.is_some()).then_some(Issue::WrongSource),
            self.replay_difference.is_some().then_some(Issue::RequestReplay),
        ]
        .into_iter()
        .flatten()
    }

    /// The reference's text.
    fn text(&self, issue: Issue, step: u32) -> String {
        let (calls, batches, planned) = (self.slice_call_model, self.slice_execute_batch, self.planned_tools);
        match issue {
            Issue::NoAnchor => {
                format!("step {step} has no ModelRequestIssued anchor but {planned} ToolCallPlanned event(s)")
            }
            Issue::EffectParity => {
                let calls = (calls != 1).then(|| format!("step {step} CallModel replay count {calls} != 1"));
                let batches = (batches != planned)
                    .then(|| format!("step {step} ExecuteBatch replay count {batches} != executed {planned}"));
                calls.into_iter().chain(batches).collect::<Vec<_>>().join("; ")
            }
            Issue::ModelMessage => match self.slice_messages {
                0 => format!("step {step} has ModelRequestIssued but no ModelMessage"),
                count => format!("step {step} has {count} ModelMessage events (expected 1)"),
            },
            Issue::QueryMemory => {
                let (logged, due) = (self.queries, self.due_queries);
                format!("step {step} MemoryPlaneQueried log={logged} replay_query_memory={due}")
            }
            Issue::WrongSource => format!("step {step} {}", self.wrong_source.as_deref().unwrap_or_default()),
            Issue::RequestReplay => {
                let (planned, replayed) = self.sides(issue);
                format!("step {step} ModelRequestIssued replay mismatch log_effects={replayed} planned={planned}")
            }
        }
    }

    /// The expected and the actual value.
    fn sides(&self, issue: Issue) -> (String, String) {
        let (calls, batches, planned) = (self.slice_call_model, self.slice_execute_batch, self.planned_tools);
        match issue {
            Issue::NoAnchor => ("a request".to_owned(), format!("{planned} planned calls")),
            Issue::EffectParity => {
                let actual = format!("{calls} and {batches} in the step's slice");
                (format!("1 model call and {planned} tool calls"), actual)
            }
            Issue::ModelMessage => ("1 message".to_owned(), self.slice_messages.to_string()),
            Issue::QueryMemory => (format!("{} due", self.due_queries), format!("{} logged", self.queries)),
            Issue::WrongSource => {
                let wrong = self.wrong_source.as_deref().unwrap_or_default().to_owned();
                ("the source that its key compiles from".to_owned(), wrong)
            }
            Issue::RequestReplay => {
                let difference = self.replay_difference.as_deref().cloned().unwrap_or_default();
                (difference.1, difference.0)
            }
        }
    }
}

fn sources_differ(step: &StepLedger, last: &Projection) -> Option<(Sources, Sources)> {
    if step.queries == 0 {
        return None;
    }
    let derived = step.derived_sources.unwrap_or_else(|| derived_sources(last));
    (step.logged_sources != derived).then_some((step.logged_sources, derived))
}

fn derived_sources(projection: &Projection) -> Sources {
    let mut sources = Sources::default();
    let keys = projection.memory_plane_queried_keys_this_step.iter();
    keys.map(|key| compiler_source(key))
        .filter(|source| *source != UNKNOWN_SOURCE)
        .for_each(|source| sources.insert(source));
    sources
}

/// The effects of a request against all due queries and the model call: they differ if a query was logged before.
fn replay_difference(before: &Projection, event: &Event<'_>) -> Option<Box<(String, String)>> {
    let Event::ModelRequestIssued { token_budget, .. } = event else { return None };
    let keys = &before.memory_plane_queried_keys_this_step;
    if keys.is_empty() || !memory::due(before).any(|query| keys.contains(query.key)) {
        return None;
    }
    let mut replayed = Vec::new();
    effects(before, event, &mut |effect| replayed.push(effect));
    let mut planned: Vec<TurnEffect<'_>> = memory::due(before)
        .map(|query| TurnEffect::QueryMemory { layer: query.layer, query_key: query.key.into() })
        .collect();
    planned.push(TurnEffect::CallModel { token_budget: *token_budget });
    Some(Box::new((format!("{replayed:?}"), format!("{planned:?}"))))
}
