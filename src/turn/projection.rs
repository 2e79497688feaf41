//! The projection: the state of the engine after an event, rebuilt from the log alone.

use std::fmt::Write;
use std::sync::Arc;

use imbl::OrdSet;
use imbl::ordset::DiffItem;
use serde_json::{Map, Value, json};

use super::digest::Digest;
use super::event::{CapacityAction, Event, Strategy, ToolOutcome, TurnMode, TurnOutcome};
use super::pending::Pending;
use crate::replay::moment::value_text;
use crate::replay::vocabulary::{FieldId, FieldSet};

#[derive(Clone, Default, PartialEq)]
pub(crate) struct Projection {
    pub turn_id: Arc<str>,
    pub mode: Option<TurnMode>,
    pub step_idx: u32,
    pub max_steps: u32,
    pub model_message_count: u32,
    pub total_usage: TotalUsage,
    pub active_tool_names: OrdSet<Arc<str>>,
    pub pending_call_ids: Pending,
    pub scratchpad_summary_injected: bool,
    pub scratchpad_reminder_count: u32,
    pub compaction_artifact_count: u32,
    pub cycle_briefing_count: u32,
    pub steer_injection_count: u32,
    pub readonly_tool_successes: u32,
    pub scratchpad_writes_this_step: u32,
    pub working_set_path_touch_count: u32,
    pub memory_plane_query_count: u32,
    pub refresh_user_memory_query_step: u32,
    pub memory_plane_queried_keys_this_step: OrdSet<Arc<str>>,
    pub model_request_seen_this_step: bool,
    pub topic_memory_injection_count: u32,
    pub layered_context_seam_count: u32,
    pub step_limit_continuations: u32,
    pub loop_guard_continuations: u32,
    pub loop_guard_triggered_count: u32,
    pub cycle_handoff_attempts: u32,
    pub in_turn_cycle_advances: u32,
    pub last_capacity_action: Option<Arc<CapacityAction>>,
    pub capacity_checkpoint_count: u32,
    pub outcome: Option<Arc<TurnOutcome>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct TotalUsage {
    pub input_tokens: u32,
    pub output_tokens: u32,
}

/// One field of the projection: how to read, show and compare it.
pub(crate) struct ProjectionField {
    pub name: &'static str,
    value: fn(&Projection) -> Value,
    brief: fn(&Projection, usize) -> String,
    write_change: fn(&Projection, &Projection, &mut String),
    same: fn(&Projection, &Projection) -> bool,
}

impl ProjectionField {
    pub(crate) fn value(&self, projection: &Projection) -> Value {
        (self.value)(projection)
    }

    /// The value as text of about `most` characters.
    pub(crate) fn brief(&self, projection: &Projection, most: usize) -> String {
        (self.brief)(projection, most)
    }

    pub(crate) fn same(&self, one: &Projection, two: &Projection) -> bool {
        (self.same)(one, two)
    }

    /// Writes how the field changed, for example `3→4` or `+c-1 −c-2`.
    pub(crate) fn write_change(&self, before: &Projection, after: &Projection, out: &mut String) {
        (self.write_change)(before, after, out);
    }

    pub(crate) fn by_name(name: &str) -> Option<&'static ProjectionField> {
        FIELDS.iter().find(|field| field.name == name)
    }
}

/// Writes the names that only one of two sets has.
fn write_names_change(before: &OrdSet<Arc<str>>, after: &OrdSet<Arc<str>>, out: &mut String) {
    let (mut added, mut removed): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for difference in before.diff(after) {
        match difference {
            DiffItem::Add(name) => added.push(name),
            DiffItem::Remove(name) => removed.push(name),
        }
    }
    write_set_change(&added, &removed, out);
}

/// Writes additions and removals. Of many, only the first are named.
fn write_set_change(added: &[&str], removed: &[&str], out: &mut String) {
    const NAMED: usize = 6;
    if added.is_empty() && removed.is_empty() {
        out.push_str("a duplicate of an existing entry");
    }
    for (sign, ids) in [('+', added), ('−', removed)] {
        for id in ids.iter().take(NAMED) {
            let blank = if out.is_empty() || out.ends_with(' ') { "" } else { " " };
            let _ = write!(out, "{blank}{sign}{id}");
        }
        if ids.len() > NAMED {
            let _ = write!(out, " {sign}{} more", ids.len() - NAMED);
        }
    }
}

macro_rules! fields {
    ($($name:ident),* $(,)?) => {
        /// Every field, in the order of the format's table.
        pub(crate) const FIELDS: &[ProjectionField] = &[$(ProjectionField {
            name: stringify!($name),
            value: |projection| projection.$name.to_value(),
            brief: |projection, most| projection.$name.brief(most),
            write_change: |before, after, out| before.$name.write_change(&after.$name, out),
            same: |one, two| one.$name.agrees(&two.$name),
        }),*];

        pub(crate) const FIELD_NAMES: &[&str] = &[$(stringify!($name)),*];

        impl Projection {
            /// The fields in which two projections differ.
            pub(crate) fn changed(&self, other: &Projection) -> FieldSet {
                let (mut set, mut field) = (FieldSet::default(), 0);
                $(
                    if !self.$name.agrees(&other.$name) {
                        set.insert(FieldId(field));
                    }
                    field += 1;
                )*
                set
            }
        }
    };
}

fields! {
    turn_id, mode, step_idx, max_steps, model_message_count, total_usage, active_tool_names, pending_call_ids,
    scratchpad_summary_injected, scratchpad_reminder_count, compaction_artifact_count, cycle_briefing_count,
    steer_injection_count, readonly_tool_successes, scratchpad_writes_this_step, working_set_path_touch_count,
    memory_plane_query_count, refresh_user_memory_query_step, memory_plane_queried_keys_this_step,
    model_request_seen_this_step, topic_memory_injection_count, layered_context_seam_count,
    step_limit_continuations, loop_guard_continuations, loop_guard_triggered_count, cycle_handoff_attempts,
    in_turn_cycle_advances, last_capacity_action, capacity_checkpoint_count, outcome,
}

impl Projection {
    /// Applies one event. Only this and the path touches of `TurnState` change a projection.
    pub(crate) fn apply(&mut self, event: &Event<'_>, digest: &Digest) {
        match event {
            Event::TurnStarted { turn_id, mode, max_steps, .. } => {
                self.turn_id = Arc::from(&*turn_id.get());
                self.mode = Some(*mode);
                self.max_steps = *max_steps;
                self.step_idx = 0;
            }
            Event::TurnEnded { outcome, .. } => self.outcome = Some(Arc::new(outcome.clone())),
            Event::ModelRequestIssued { step_idx, .. } => {
                self.step_idx = *step_idx;
                self.readonly_tool_successes = 0;
                self.scratchpad_writes_this_step = 0;
                self.refresh_user_memory_query_step = 0;
                self.pending_call_ids.clear();
                if !self.memory_plane_queried_keys_this_step.is_empty() {
                    self.memory_plane_queried_keys_this_step = OrdSet::new();
                }
                self.model_request_seen_this_step = true;
            }
            Event::ModelMessage { usage, .. } => {
                self.model_message_count += 1;
                let total = &mut self.total_usage;
                total.input_tokens = total.input_tokens.saturating_add(usage.input_tokens);
                total.output_tokens = total.output_tokens.saturating_add(usage.output_tokens);
            }
            Event::ToolCallPlanned { call_id, .. } => self.pending_call_ids.add(digest.call, &call_id.get()),
            Event::ToolCallFinished { tool_name, outcome, wrote_state, .. } => {
                self.pending_call_ids.remove(digest.call);
                if *outcome == ToolOutcome::Success {
                    if !wrote_state {
                        self.readonly_tool_successes += 1;
                    } else if tool_name.get().starts_with("scratchpad_") {
                        self.scratchpad_writes_this_step += 1;
                    }
                }
            }
            Event::DeferredToolActivated { tool_name, .. } => {
                self.active_tool_names.insert(Arc::from(&*tool_name.get()));
            }
            Event::ScratchpadSummaryInjected { .. } => self.scratchpad_summary_injected = true,
            Event::ScratchpadReminderInjected { .. } => self.scratchpad_reminder_count += 1,
            Event::CompactionArtifactCreated { .. } => self.compaction_artifact_count += 1,
            Event::CycleBriefingInjected { .. } => self.cycle_briefing_count += 1,
            Event::TopicMemoryInjected { .. } => self.topic_memory_injection_count += 1,
            Event::LayeredContextSeamInjected { .. } => self.layered_context_seam_count += 1,
            Event::SteerInjected { .. } => self.steer_injection_count += 1,
            Event::LoopGuardTriggered { .. } => self.loop_guard_triggered_count += 1,
            Event::StepLimitContinuation { .. } => self.step_limit_continuations += 1,
            Event::LoopGuardContinuation { .. } => self.loop_guard_continuations += 1,
            Event::MemoryPlaneQueried { step_idx, query_key, .. } => {
                self.memory_plane_query_count += 1;
                let key = query_key.get();
                if key == "user_memory" {
                    self.refresh_user_memory_query_step = *step_idx;
                }
                self.memory_plane_queried_keys_this_step.insert(Arc::from(&*key));
            }
            Event::CapacityCheckpoint { action, .. } => {
                self.last_capacity_action = Some(Arc::new(action.clone()));
                self.capacity_checkpoint_count += 1;
            }
            Event::CycleAdvanced { .. } => self.in_turn_cycle_advances += 1,
            Event::ContextOverflowRecovered { strategy: Strategy::CycleHandoff, .. } => {
                self.cycle_handoff_attempts += 1
            }
            Event::ContextOverflowRecovered { .. }
            | Event::SchemaVersion { .. }
            | Event::ModelDelta { .. }
            | Event::ToolCallStarted { .. }
            | Event::ApprovalResolved { .. }
            | Event::HarnessVerify { .. }
            | Event::StageGateBlocked { .. } => {}
        }
    }

    /// The number of entries in the sets that can grow.
    pub(crate) fn entries(&self) -> usize {
        self.pending_call_ids.len() + self.active_tool_names.len() + self.memory_plane_queried_keys_this_step.len()
    }

    /// All fields, including those with their initial value.
    pub(crate) fn to_json(&self) -> Value {
        Value::Object(FIELDS.iter().map(|field| (field.name.to_owned(), field.value(self))).collect())
    }

    /// Only the fields that differ from their initial value.
    pub(crate) fn to_sparse_json(&self) -> Value {
        let initial = Projection::default();
        let differing = FIELDS.iter().filter(|field| !field.same(self, &initial));
        Value::Object(differing.map(|field| (field.name.to_owned(), field.value(self))).collect::<Map<_, _>>())
    }
}

/// The beginning of a list, and the number of omitted items. Only the items that are shown are visited.
fn brief_list<'l>(items: impl Iterator<Item = &'l str>, length: usize, most: usize) -> String {
    let (mut text, mut shown) = (String::new(), 0);
    for item in items {
        if shown > 0 && text.len() + item.len() > most {
            return format!("{text} and {} more", length - shown);
        }
        if shown > 0 {
            text.push_str(", ");
        }
        text.push_str(item);
        shown += 1;
    }
    if shown == 0 { "none".to_owned() } else { text }
}

/// How one type of field is shown and compared.
trait FieldValue: PartialEq {
    fn to_value(&self) -> Value;

    /// The value in about `most` characters, with a mark if it was cut.
    fn brief(&self, most: usize) -> String {
        let text = value_text(&self.to_value());
        match text.char_indices().nth(most) {
            Some((end, _)) => format!("{}… {} more characters", &text[..end], text[end..].chars().count()),
            None => text,
        }
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        const SHOWN_CHARS: usize = 2000;
        let _ = write!(out, "{}→{}", self.brief(SHOWN_CHARS), after.brief(SHOWN_CHARS));
    }

    fn agrees(&self, other: &Self) -> bool {
        self == other
    }
}

impl FieldValue for u32 {
    fn to_value(&self) -> Value {
        json!(self)
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        let _ = write!(out, "{self}→{after}");
    }
}

impl FieldValue for bool {
    fn to_value(&self) -> Value {
        json!(self)
    }
}

impl FieldValue for Arc<str> {
    fn to_value(&self) -> Value {
        json!(**self)
    }
}

impl FieldValue for Option<TurnMode> {
    fn to_value(&self) -> Value {
        json!(self)
    }
}

impl FieldValue for TotalUsage {
    fn to_value(&self) -> Value {
        json!({"input_tokens": self.input_tokens, "output_tokens": self.output_tokens})
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        let in_words = |usage: &Self| (usage.input_tokens, usage.output_tokens);
        let ((input, output), (input_after, output_after)) = (in_words(self), in_words(after));
        let _ = write!(out, "{input} in {output} out→{input_after} in {output_after} out");
    }

    fn brief(&self, _: usize) -> String {
        format!("{} in {} out", self.input_tokens, self.output_tokens)
    }
}

impl FieldValue for OrdSet<Arc<str>> {
    fn to_value(&self) -> Value {
        self.iter().map(|name| Value::from(&**name)).collect()
    }

    fn brief(&self, most: usize) -> String {
        brief_list(self.iter().map(|name| &**name), self.len(), most)
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        write_names_change(self, after, out);
    }

    fn agrees(&self, other: &Self) -> bool {
        // Untouched sets share their root, so the common case costs a pointer comparison.
        self.ptr_eq(other) || self == other
    }
}

impl FieldValue for Pending {
    fn to_value(&self) -> Value {
        self.iter().map(Value::from).collect()
    }

    fn brief(&self, most: usize) -> String {
        brief_list(self.iter(), self.len(), most)
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        let (added, removed) = self.changes(after);
        write_set_change(&added, &removed, out);
    }
}

impl FieldValue for Option<Arc<CapacityAction>> {
    fn to_value(&self) -> Value {
        json!(self.as_deref())
    }
}

impl FieldValue for Option<Arc<TurnOutcome>> {
    fn to_value(&self) -> Value {
        json!(self.as_deref())
    }
}
