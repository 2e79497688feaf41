//! The facts of a session that a report prints and scripts compare: counts by kind, outcomes, tokens.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::block::{Block, Outcome, Usage};
use super::checker::AgentChecker;
use super::event::AgentEvent;
use super::format::StepsBy;
use super::state::AgentState;
use super::state::calls::Calls;
use super::state::happening::Happening;
use super::state::turns::TurnBy;
use crate::json::raw::{RawJson, RawText};
use crate::replay::Seq;

macro_rules! counters {
    ($($field:ident $name:literal)*) => {
        /// How often each thing happened.
        #[derive(Clone, Debug, Default)]
        struct Counters {
            $($field: u64),*
        }

        impl Counters {
            fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$(($name, self.$field)),*].into_iter()
            }
        }
    };
}

counters! {
    turn_started "turn_started"
    turn_woken "turn_woken"
    turn_implied "turn_implied"
    turn_ended "turn_ended"
    calls "tool_call_planned"
    early_results "(result before its call)"
    compactions "compaction_artifact_created"
    retries "model_retry"
    queued "prompt_queued"
    steered "steer_injected"
    copied "(copied from the parent)"
    repeated_counts "(token_count re-emitted)"
    empty_counts "(token_count without info)"
    usage_counted "model_message(usage)"
}

/// What is counted while a log is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct FactCounts {
    counters: Counters,
    turn_outcomes: BTreeMap<String, u64>,
    speakers: BTreeMap<String, u64>,
    models: BTreeSet<String>,
    last_model: Option<u64>,
    has_new_step: bool,
    /// Prompt tokens summed by line, for contrast.
    naive_prompt: u64,
    is_copied: bool,
}

impl FactCounts {
    pub(crate) fn see_event(&mut self, event: &AgentEvent<'_>) {
        self.is_copied = false;
        self.has_new_step = false;
        for block in &event.blocks {
            if let Block::Usage(Usage::Message { model, tokens, .. }) = block {
                self.naive_prompt = self.naive_prompt.saturating_add(tokens.prompt);
                self.see_model(*model);
            }
        }
    }

    fn see_model(&mut self, model: Option<RawText<'_>>) {
        let Some(model) = model.filter(|model| !model.is_empty()) else { return };
        let hash = model.hash();
        if self.last_model.replace(hash) != Some(hash) {
            self.models.insert(model.get().into_owned());
        }
    }

    pub(crate) fn see(&mut self, happening: &Happening<'_>) {
        let counters = &mut self.counters;
        match happening {
            Happening::Copied { .. } => {
                counters.copied += 1;
                self.is_copied = true;
            }
            Happening::TurnBegan { by: TurnBy::Notification } => counters.turn_woken += 1,
            Happening::TurnBegan { by: TurnBy::Implied } => counters.turn_implied += 1,
            Happening::TurnBegan { .. } => counters.turn_started += 1,
            Happening::TurnEnded => counters.turn_ended += 1,
            Happening::TurnClosed { outcome, .. } => {
                *self.turn_outcomes.entry(outcome.name().to_owned()).or_default() += 1;
            }
            Happening::StepBegan { .. } => self.has_new_step = true,
            Happening::CountRepeated => counters.repeated_counts += 1,
            Happening::CountWithoutNumbers => counters.empty_counts += 1,
            Happening::UsageCounted => counters.usage_counted += 1,
            Happening::CallPlanned { had_result, .. } => {
                counters.calls += 1;
                counters.early_results += u64::from(*had_result);
            }
            Happening::Steered => counters.steered += 1,
            Happening::Queued => counters.queued += 1,
            _ => {}
        }
    }

    /// After an event: what only the state knows.
    pub(crate) fn see_state(&mut self, event: &AgentEvent<'_>, state: &AgentState) {
        if self.is_copied {
            return;
        }
        if let Some(speaker) = event.line.speaker {
            *self.speakers.entry(speaker.get().into_owned()).or_default() += 1;
        }
        for block in &event.blocks {
            match block {
                Block::Compaction(_) => self.counters.compactions += 1,
                Block::Retry { .. } => self.counters.retries += 1,
                _ => {}
            }
        }
        let is_metered = state.format.is_some_and(|format| format.steps == StepsBy::Usage);
        if self.has_new_step && is_metered {
            self.see_model(state.settings.model.as_deref().map(RawText::plain));
        }
    }
}

/// The other file in which the history begins, as the header says it.
pub(crate) fn base(event: &AgentEvent<'_>) -> Option<Value> {
    event.blocks.iter().find_map(|block| match block {
        Block::Header(header) => header.base.map(RawJson::to_value),
        _ => None,
    })
}

/// The place of a record in its file, as a report prints it.
pub(crate) trait LineOf {
    fn line(&self, at: Seq) -> u64;
}

impl AgentChecker {
    /// The facts, as scripts compare them. The lines and their damage are added by the caller.
    pub(crate) fn facts(&self, lines: &dyn LineOf) -> Map<String, Value> {
        let state = &self.state;
        let mut facts = Map::new();
        let mut put = |name: &str, value: Value| facts.insert(name.to_owned(), value);
        put("format", json!(state.format.map(|format| format.name)));
        put("events", self.events());
        put("outcomes", outcomes(&state.calls));
        put("turn_outcomes", self.turn_outcomes());
        put("prompt_tokens", json!(state.steps.tokens.prompt));
        put("prompt_tokens_by_message", json!(state.steps.tokens.prompt));
        put("output_tokens", json!(state.steps.tokens.output));
        put("cache_read_tokens", json!(state.steps.tokens.cache_read));
        put("models", json!(self.counts.models));
        put("open_calls", open_calls(state, lines));
        put("compactions", compactions(state, lines));
        put("subagents", subagents(state, lines));
        put("files", json!({"read": self.files_read(), "written": state.files_written.len()}));
        put("tool_latency_s", latency(&state.calls));
        let metered = state.format.is_some_and(|format| format.steps == StepsBy::Usage);
        if metered {
            put("final_total_tokens", json!(state.steps.final_total));
        } else {
            put("prompt_tokens_naive", json!(self.counts.naive_prompt));
        }
        facts
    }

    /// Files that tools read. What commands read is only known where the program says it, so it is not counted here.
    fn files_read(&self) -> usize {
        let metered = self.state.format.is_some_and(|format| format.steps == StepsBy::Usage);
        if metered { 0 } else { self.state.files_read.len() }
    }

    fn events(&self) -> Value {
        let calls = &self.state.calls;
        let finished = calls.results.keys().filter(|key| calls.calls.contains_key(*key)).count() as u64;
        let steps = self.state.steps.count;
        let more = [
            ("tool_call_finished", finished),
            ("model_message", steps),
            ("model_request_issued", steps),
            ("(messages split over >1 line)", self.state.steps.split),
        ];
        let all = self.counts.counters.named().chain(more).map(|(name, count)| (name.to_owned(), count));
        let spoken = self.counts.speakers.iter().map(|(role, count)| (format!("message:{role}"), *count));
        let counted = all.chain(spoken).filter(|(_, count)| *count > 0).map(|(name, count)| (name, json!(count)));
        Value::Object(counted.collect())
    }

    /// How the turns ended, including the one that is open at the end.
    fn turn_outcomes(&self) -> Value {
        let mut outcomes = self.counts.turn_outcomes.clone();
        if let Some((_, outcome)) = self.state.turns.at_end(self.state.end_rules()) {
            *outcomes.entry(outcome.name().to_owned()).or_default() += 1;
        }
        json!(outcomes)
    }
}

fn outcomes(calls: &Calls) -> Value {
    let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
    for (key, result) in calls.results.iter().filter(|(key, _)| calls.calls.contains_key(*key)) {
        let outcome: Outcome = calls.outcome(*key, result);
        *outcomes.entry(outcome.name()).or_default() += 1;
    }
    json!(outcomes)
}

fn open_calls(state: &AgentState, lines: &dyn LineOf) -> Value {
    state.calls.open.iter().map(|((at, _), call)| json!([lines.line(Seq(*at)), *call.tool])).collect()
}

fn compactions(state: &AgentState, lines: &dyn LineOf) -> Value {
    let row = |row: &super::state::CompactionRow| {
        json!({
            "line": lines.line(row.at), "trigger": row.trigger.as_deref(), "pre_tokens": row.tokens_before,
            "post_tokens": row.tokens_after,
        })
    };
    state.compactions.iter().map(row).collect()
}

fn subagents(state: &AgentState, lines: &dyn LineOf) -> Value {
    let mut rows: Vec<_> = state.agents.rows.iter().collect();
    rows.sort_by_key(|(_, row)| row.at);
    rows.into_iter()
        .map(|(id, row)| {
            json!({
                "agent": **id, "line": lines.line(row.at), "background": row.is_background,
                "status": row.status.as_deref(),
            })
        })
        .collect()
}

/// The time from a call to its result, in seconds with one decimal. A result that comes first took no time.
fn latency(calls: &Calls) -> Value {
    let (mut most, mut count) = (None::<f64>, 0_u64);
    let seconds = |time: i64| time as f64 / 1e6;
    for (key, result) in &calls.results {
        let Some(call) = calls.calls.get(key) else { continue };
        let (Some(from), Some(to)) = (call.time, result.time) else { continue };
        count += 1;
        let took = if result.at < call.at { 0.0 } else { (seconds(to) - seconds(from)).max(0.0) };
        most = Some(most.unwrap_or(0.0).max(took));
    }
    let rounded = most.and_then(|most| format!("{most:.1}").parse::<f64>().ok());
    json!({"max": rounded, "n": count})
}
