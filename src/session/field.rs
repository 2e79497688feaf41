//! The fields of a session's state, the most useful first: one table of their names, values and texts.
//!
//! The first fields say where the run stopped and what it waited for. The last ones are the snapshot as the core folds
//! it, and the snapshot of the SDKs, for comparison.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::{Value, json};

use super::agent::AgentRow;
use super::call_path::{EndedCall, OpenCall, OpenPermission};
use super::snapshot::{COUNTERS, OsSnapshot, SnapshotRules};
use super::state::{Hold, OpenSuspension, RunOutcome, SessionState};
use crate::replay::shown_field::{FieldEntry, ShownMember, listed, none, shown_fields, simple_values};

shown_fields! {
    SessionState:
    "outcome" state => &state.outcome,
    "suspended" state => &state.suspended,
    "waiting_calls" state => &state.calls.waiting,
    "permissions" state => &state.calls.permissions,
    "processes" state => &state.agents.rows,
    "budgets" state => &state.sdk.budgets,
    "last_error" state => &state.last_error,
    "memory_queries" state => &state.memory_queries,
    "calls" state => &state.calls.open,
    "last_calls" state => state.last_calls(),
    "held_calls" state => &state.held,
    "turn" state => &state.turn,
    "queue_depth" state => &state.queue_depth,
    "messages" state => &state.messages,
    "milestone" state => &state.milestone,
    "checkpoint" state => &state.checkpoint,
    "rollbacks" state => &state.rollbacks,
    "compressions" state => &state.compressions,
    "renewals" state => &state.renewals,
    "spooled_bytes" state => &state.spooled_bytes,
    "last_suspend" state => &state.core.last_suspend,
    "last_resumed_turn" state => &state.core.last_resumed_turn,
    "process_by_agent" state => &state.core.processes,
    "budget_exceeded" state => &state.core.budgets,
    "signals" state => &state.core.signals,
    "page_out_count" state => &state.core.counters[0],
    "page_in_count" state => &state.core.counters[1],
    "tool_gated_count" state => &state.core.counters[2],
    "memory_written_count" state => &state.core.counters[3],
    "memory_queried_count" state => &state.core.counters[4],
    "memory_validation_failed_count" state => &state.core.counters[5],
    "memory_retrieval_result_count" state => &state.core.counters[6],
    "sdk_snapshot" state => &state.sdk,
}

simple_values! {
    Option<Arc<Value>>: value => value.as_deref(), value.as_deref().map_or_else(none, Value::to_string);
    Option<Arc<RunOutcome>>: outcome => outcome.as_deref().map(outcome_value), outcome.as_deref().map_or_else(none, outcome_text);
    Option<Arc<OpenSuspension>>: open => open.as_deref().map(suspension_value), open.as_deref().map_or_else(none, suspension_text);
}

fn outcome_value(outcome: &RunOutcome) -> Value {
    match outcome {
        RunOutcome::Open { run } => json!({"run_id": run.as_deref(), "state": "open"}),
        RunOutcome::Ended { reason, turns, tokens } => {
            json!({"state": "ended", "reason": **reason, "turns_used": turns, "total_tokens": tokens})
        }
    }
}

fn outcome_text(outcome: &RunOutcome) -> String {
    match outcome {
        RunOutcome::Open { run: Some(run) } => format!("open ({run})"),
        RunOutcome::Open { run: None } => "open".to_owned(),
        RunOutcome::Ended { reason, turns, tokens } => {
            let mut text = reason.to_string();
            if let Some(turns) = turns {
                let _ = write!(text, ", {turns} turns");
            }
            if let Some(tokens) = tokens {
                let _ = write!(text, ", {tokens} tokens");
            }
            text
        }
    }
}

fn suspension_value(open: &OpenSuspension) -> Value {
    let ids: Vec<&str> = open.waits_for.iter().map(|id| &**id).collect();
    json!({"at": open.at.0, "reason": *open.reason, "waits_for": ids})
}

fn suspension_text(open: &OpenSuspension) -> String {
    match open.waits_for.as_slice() {
        [] => open.reason.to_string(),
        ids => format!("{} for {}", open.reason, ids.join(", ")),
    }
}

impl ShownMember for OsSnapshot {
    fn to_value(&self) -> Value {
        self.to_json(SnapshotRules::Sdk)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.last_suspend == other.last_suspend
            && self.last_resumed_turn == other.last_resumed_turn
            && self.counters == other.counters
            && self.processes.is_same(&other.processes)
            && self.budgets.is_same(&other.budgets)
            && self.signals.is_same(&other.signals)
    }

    fn brief(&self, _: usize) -> String {
        let counted = COUNTERS.iter().zip(self.counters).filter(|(_, count)| *count > 0);
        let words: Vec<String> = counted.map(|((name, _), count)| format!("{name} {count}")).collect();
        if words.is_empty() { none() } else { words.join(", ") }
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        let changed = COUNTERS.iter().zip(self.counters).zip(after.counters).filter(|((_, one), two)| one != two);
        let words: Vec<String> = changed.map(|(((name, _), one), two)| format!("{name} {one}→{two}")).collect();
        out.push_str(&if words.is_empty() { "changed".to_owned() } else { words.join(" ") });
    }
}

impl ShownMember for [EndedCall] {
    fn to_value(&self) -> Value {
        self.iter().map(|call| json!({"id": *call.id, "tool": *call.tool, "path": call.path})).collect()
    }

    fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self == other
    }

    fn brief(&self, most: usize) -> String {
        listed(self.iter().map(|call| format!("{}: {}", call.id, call.path)), self.len(), most)
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        out.push_str(&after.brief(80));
    }
}

impl<K> FieldEntry<K> for Arc<OpenCall> {
    fn json(&self, _: &K) -> Value {
        json!({"id": *self.id, "tool": *self.tool, "path": self.path})
    }

    fn text(&self, _: &K) -> String {
        format!("{} ({})", self.named(), self.path)
    }
}

impl FieldEntry<u32> for Arc<OpenPermission> {
    fn json(&self, at: &u32) -> Value {
        json!({"at": at, "tool": *self.tool})
    }

    fn text(&self, _: &u32) -> String {
        self.tool.to_string()
    }
}

impl FieldEntry<u32> for Arc<AgentRow> {
    fn json(&self, _: &u32) -> Value {
        json!({
            "agent_id": *self.id, "state": *self.state, "parent": self.parent.as_deref(), "role": self.role.as_deref(),
            "isolation": self.isolation.as_deref(), "termination": self.termination.as_deref(), "at": self.at.0,
        })
    }

    fn text(&self, _: &u32) -> String {
        let mut text = format!("{} {}", self.id, self.state);
        let about: Vec<&str> =
            [&self.termination, &self.role, &self.isolation].into_iter().flatten().map(|word| &**word).collect();
        if !about.is_empty() {
            let _ = write!(text, " ({})", about.join(", "));
        }
        if let Some(parent) = &self.parent {
            let _ = write!(text, " of {parent}");
        }
        text
    }
}

impl FieldEntry<u32> for Arc<str> {
    fn json(&self, at: &u32) -> Value {
        json!({"at": at, "query": **self})
    }

    fn text(&self, _: &u32) -> String {
        self.to_string()
    }
}

impl FieldEntry<u32> for Arc<Value> {
    fn json(&self, _: &u32) -> Value {
        (**self).clone()
    }

    /// The values that are not the turn, which comes last.
    fn text(&self, _: &u32) -> String {
        let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let Some(members) = self.as_object() else { return word(self) };
        let words: Vec<String> =
            members.iter().filter(|(name, _)| *name != "turn").map(|(_, value)| word(value)).collect();
        match members.get("turn").filter(|turn| !turn.is_null()) {
            Some(turn) => format!("{} (turn {turn})", words.join(" ")),
            None => words.join(" "),
        }
    }
}

impl FieldEntry<Arc<str>> for Hold {
    fn json(&self, id: &Arc<str>) -> Value {
        json!({"id": **id, "hold": self.name()})
    }

    fn text(&self, id: &Arc<str>) -> String {
        format!("{id} {}", self.name())
    }
}

impl Hold {
    fn name(self) -> &'static str {
        match self {
            Hold::Gated => "gated",
            Hold::Denied => "denied",
        }
    }
}
