//! The fields of an agent's state, the most useful first: one table of their names, values and texts.

use std::sync::Arc;

use imbl::Vector;
use serde_json::{Value, json};

use super::state::agents::{LaunchedTask, SubagentRow};
use super::state::calls::{OpenCall, ToolTally};
use super::state::plan::Plan;
use super::state::turns::Turns;
use super::state::{AgentState, CompactionRow, QueueEntry, Situation};
use crate::replay::Seq;
use crate::replay::shown_field::{FieldEntry, ShownMember, listed, none, shown_fields};

/// The value of a field that no program records.
static NOT_RECORDED: Option<u64> = None;

shown_fields! {
    AgentState:
    "outcome" state => &state.situation,
    "turn" state => &state.turns,
    "step" state => &state.steps.count,
    "context_tokens" state => &state.steps.context,
    "open_calls" state => &state.calls.open,
    "tools" state => &state.calls.tools,
    "last_error" state => &state.last_error,
    "files_written" state => &state.files_written,
    "files_read" state => &state.files_read,
    "plan" state => &state.plan,
    "subagents" state => &state.agents.rows,
    "background" state => &state.agents.launched,
    "queue" state => &state.queue,
    "compactions" state => &state.compactions,
    "prompt_tokens" state => &state.steps.tokens.prompt,
    "output_tokens" state => &state.steps.tokens.output,
    "cache_read_tokens" state => &state.steps.tokens.cache_read,
    "context_window" state => &state.steps.window,
    "model" state => &state.steps.model,
    "mode" state => &state.settings.mode,
    "retries" state => &state.retries,
    "denials" state => &state.calls.denials,
    "approvals" _state => &NOT_RECORDED,
    "cwd" state => &state.settings.cwd,
    "branch" state => &state.settings.branch,
    "version" state => &state.settings.version,
}

impl ShownMember for Situation {
    fn to_value(&self) -> Value {
        json!(self.name())
    }

    fn is_same(&self, other: &Self) -> bool {
        self.name() == other.name()
    }

    fn brief(&self, _: usize) -> String {
        self.name().to_owned()
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        out.push('→');
        out.push_str(after.name());
    }
}

impl ShownMember for Turns {
    fn to_value(&self) -> Value {
        let Some(turn) = &self.current else {
            return json!({"index": self.count, "open": false});
        };
        json!({
            "index": self.count, "open": true, "id": turn.id.as_deref(), "at": turn.at.0, "by": turn.by.name(),
            "steps": turn.steps,
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        let shown = |turns: &Turns| {
            let turn = turns.current.as_ref().map(|turn| (turn.at, turn.steps));
            (turns.count, turn)
        };
        shown(self) == shown(other)
    }

    fn brief(&self, _: usize) -> String {
        match &self.current {
            Some(turn) => format!("{} by {} at {}, {} steps", self.count, turn.by.name(), turn.at, turn.steps),
            None if self.count == 0 => none(),
            None => format!("{}, over", self.count),
        }
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        out.push('→');
        out.push_str(&after.brief(0));
    }
}

impl ShownMember for Plan {
    fn to_value(&self) -> Value {
        let steps: Vec<Value> = self
            .steps
            .iter()
            .map(|step| json!({"id": step.id.as_deref(), "text": *step.text, "status": *step.status}))
            .collect();
        match &self.text {
            Some(text) => json!({"steps": steps, "text": **text}),
            None => json!({"steps": steps}),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.steps, &other.steps) && self.text == other.text || self == other
    }

    fn brief(&self, most: usize) -> String {
        if self.steps.is_empty() {
            let line = self.text.as_deref().and_then(|text| text.lines().next());
            return line.map_or_else(none, str::to_owned);
        }
        let done = self.steps.iter().filter(|step| &*step.status == "completed").count();
        let steps = self.steps.iter().map(|step| format!("{} {}", step.status, step.text));
        format!("{done} of {} done: {}", self.steps.len(), listed(steps, self.steps.len(), most))
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        out.push('→');
        out.push_str(&after.brief(80));
    }
}

/// An element of a list, as JSON and as text.
trait FieldElement: Clone + PartialEq {
    fn json(&self) -> Value;
    fn text(&self) -> String;
}

impl FieldElement for CompactionRow {
    fn json(&self) -> Value {
        json!({
            "at": self.at.0, "trigger": self.trigger.as_deref(), "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after, "context_before": self.context_before,
            "context_after": self.context_after,
        })
    }

    fn text(&self) -> String {
        let tokens = |recorded: Option<u64>, derived: Option<u64>| {
            recorded.or(derived).map_or_else(|| "?".to_owned(), |tokens| tokens.to_string())
        };
        let before = tokens(self.tokens_before, self.context_before);
        format!("at {}: {before}→{} tokens", self.at, tokens(self.tokens_after, self.context_after))
    }
}

impl FieldElement for QueueEntry {
    fn json(&self) -> Value {
        json!({"at": self.at.0, "is_prompt": self.is_prompt})
    }

    fn text(&self) -> String {
        let what = if self.is_prompt { "prompt" } else { "message" };
        format!("{what} at {}", self.at)
    }
}

impl<E: FieldElement> ShownMember for Vector<E> {
    fn to_value(&self) -> Value {
        self.iter().map(FieldElement::json).collect()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.ptr_eq(other) || self == other
    }

    fn brief(&self, most: usize) -> String {
        listed(self.iter().map(FieldElement::text), self.len(), most)
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        out.push_str(&format!("{}→{}: {}", self.len(), after.len(), after.brief(60)));
    }
}

impl FieldEntry<(u32, u64)> for OpenCall {
    fn json(&self, (at, _): &(u32, u64)) -> Value {
        json!({"at": at, "id": *self.id, "tool": *self.tool})
    }

    fn text(&self, (at, _): &(u32, u64)) -> String {
        format!("{} at {at}", self.tool)
    }
}

impl FieldEntry<Arc<str>> for ToolTally {
    fn json(&self, name: &Arc<str>) -> Value {
        json!({"tool": **name, "calls": self.calls, "failures": self.failures, "blocked": self.blocked})
    }

    fn text(&self, name: &Arc<str>) -> String {
        let mut text = format!("{name} {}", self.calls);
        for (count, word) in [(self.failures, "failed"), (self.blocked, "blocked")] {
            if count > 0 {
                text.push_str(&format!(" ({count} {word})"));
            }
        }
        text
    }
}

impl FieldEntry<Arc<str>> for Seq {
    fn json(&self, path: &Arc<str>) -> Value {
        json!({"path": **path, "at": self.0})
    }

    fn text(&self, path: &Arc<str>) -> String {
        path.to_string()
    }
}

impl FieldEntry<Arc<str>> for SubagentRow {
    fn json(&self, id: &Arc<str>) -> Value {
        json!({"id": **id, "at": self.at.0, "background": self.is_background, "status": self.status.as_deref()})
    }

    fn text(&self, id: &Arc<str>) -> String {
        format!("{id} {}", self.status.as_deref().unwrap_or("running"))
    }
}

impl FieldEntry<u32> for LaunchedTask {
    fn json(&self, at: &u32) -> Value {
        json!({"at": at, "name": *self.name, "is_process": self.is_process})
    }

    fn text(&self, at: &u32) -> String {
        format!("{} since {at}", self.name)
    }
}
