//! Stepping over a turn log: from an event to its effects and the projection after it.
//!
//! Pure, total and deterministic. Contradictions are not checked here, but in the gate and the lints.

use std::borrow::Cow;

use super::digest::Digest;
use super::effect::{Layer, TurnEffect};
use super::event::{CapacityAction, Event, ToolOutcome, TurnOutcome};
use super::memory::{self, TOPIC_EPISODIC};
use super::projection::Projection;
use super::tools;
use crate::replay::shared_map::SharedMap;

/// Everything that stepping needs and keyframes store. The cost of cloning does not depend on the length of the log.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct TurnState {
    pub projection: Projection,
    /// Open calls whose planned input names a path; if one succeeds, the path is added to the working set.
    path_calls: SharedMap<u64, ()>,
}

impl TurnState {
    /// The same projection without open calls, to replay a step on its own.
    pub(crate) fn without_calls(&self) -> TurnState {
        TurnState { projection: self.projection.clone(), path_calls: SharedMap::default() }
    }

    /// The number of entries in the sets that can grow.
    pub(crate) fn entries(&self) -> usize {
        self.path_calls.len() + self.projection.entries()
    }

    /// Steps over one event. Returns the outcome if the event halts the turn.
    ///
    /// The format's own loop counts path touches before it computes effects. The result is the same, because only the
    /// end of a call touches a path and its effects do not depend on the count.
    pub(crate) fn step<'e>(
        &mut self,
        event: &'e Event<'_>,
        digest: &Digest,
        emit: &mut dyn FnMut(TurnEffect<'e>),
    ) -> Option<&'e TurnOutcome> {
        let halt = effects(&self.projection, event, emit);
        self.apply(event, digest);
        halt
    }

    /// The state after an event.
    pub(crate) fn apply(&mut self, event: &Event<'_>, digest: &Digest) {
        self.touch_paths(event, digest);
        self.projection.apply(event, digest);
    }

    fn touch_paths(&mut self, event: &Event<'_>, digest: &Digest) {
        match event {
            Event::ToolCallPlanned { .. } => {
                if digest.input.is_some_and(|input| input.touches_path) {
                    self.path_calls.insert(digest.call, ());
                } else {
                    self.path_calls.remove(&digest.call);
                }
            }
            Event::ToolCallFinished { outcome, .. } => {
                let touched = self.path_calls.remove(&digest.call);
                if touched && *outcome == ToolOutcome::Success {
                    self.projection.working_set_path_touch_count += 1;
                }
            }
            _ => {}
        }
    }
}

/// The effects and the halt of `event`, given the projection before it.
pub(crate) fn effects<'e>(
    before: &Projection,
    event: &'e Event<'_>,
    emit: &mut dyn FnMut(TurnEffect<'e>),
) -> Option<&'e TurnOutcome> {
    match event {
        Event::TurnEnded { outcome, .. } => return Some(outcome),
        Event::ModelRequestIssued { token_budget, .. } => {
            for query in memory::due(before) {
                if !before.memory_plane_queried_keys_this_step.contains(query.key) {
                    emit(TurnEffect::QueryMemory { layer: query.layer, query_key: Cow::Borrowed(query.key) });
                }
            }
            emit(TurnEffect::CallModel { token_budget: *token_budget });
        }
        Event::SteerInjected { text, .. } => emit(TurnEffect::InjectSteer { text: text.get() }),
        Event::ScratchpadReminderInjected { area_path, .. } => {
            emit(TurnEffect::EmitArtifact { artifact: "scratchpad_reminder", area_hint: Some(area_path.get()) });
        }
        Event::ScratchpadSummaryInjected { .. } => {
            emit(TurnEffect::EmitArtifact { artifact: "scratchpad_snapshot", area_hint: None });
        }
        Event::CycleBriefingInjected { .. }
        | Event::StepLimitContinuation { .. }
        | Event::LoopGuardContinuation { .. } => emit(TurnEffect::InjectSteer { text: Cow::Borrowed("") }),
        Event::ToolCallPlanned { call_id, tool_name, decision, .. } => {
            if decision.approval_required {
                emit(TurnEffect::RequestApproval { call_id: call_id.get(), description: tool_name.get() });
            }
            emit(TurnEffect::ExecuteBatch { call_id: call_id.get() });
        }
        Event::ToolCallFinished { tool_name, wrote_state: true, .. } if tools::is_edit(&tool_name.get()) => {
            emit(TurnEffect::NotifyLsp { tool_name: tool_name.get() });
        }
        Event::CapacityCheckpoint { action, cooldown_blocked, .. } => match action {
            CapacityAction::Continue if *cooldown_blocked => emit(TurnEffect::Sleep { millis: 100 }),
            CapacityAction::Trim | CapacityAction::Handoff => emit(TurnEffect::RunCompaction),
            CapacityAction::Continue | CapacityAction::Abort { .. } => {}
        },
        Event::CompactionArtifactCreated { .. } => emit(TurnEffect::RunCompaction),
        Event::LayeredContextSeamInjected { .. } => emit(TurnEffect::RunLayeredContextCheckpoint),
        Event::MemoryPlaneQueried { step_idx, layer, query_key, .. }
            if (*step_idx > before.step_idx || !before.model_request_seen_this_step) =>
        {
            let query_key = query_key.get();
            let refresh_step = before.refresh_user_memory_query_step;
            let refreshes = query_key == TOPIC_EPISODIC && refresh_step != 0 && refresh_step == *step_idx;
            emit(TurnEffect::QueryMemory { layer: Layer::from_text(&layer.get()), query_key });
            if refreshes {
                emit(TurnEffect::RefreshSystemPrompt);
            }
        }
        _ => {}
    }
    None
}
