//! Names and lanes of the event kinds: one table.

use super::event::Event;
use crate::replay::vocabulary::{Concern, KindWord, LaneId, LaneWord};

/// The concern that an event belongs to: a lane of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Model,
    Tools,
    Memory,
    Guards,
    Context,
    /// Turn boundaries, deltas and harness results, which have no lane of their own.
    Lifecycle,
}

macro_rules! kinds {
    ($($variant:ident $name:literal $short:literal $lane:ident $($routine:literal)?),* $(,)?) => {
        /// The tag of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum EventKind { $($variant),* }

        impl EventKind {
            #[cfg(test)]
            pub(crate) const ALL: &'static [EventKind] = &[$(EventKind::$variant),*];

            /// The kinds as words of the vocabulary.
            pub(crate) const WORDS: &'static [KindWord] =
                &[$(KindWord::new($name, $short, LaneId(Lane::$lane as u8))$(.routine($routine))?),*];

            pub(crate) const fn name(self) -> &'static str {
                match self { $(EventKind::$variant => $name),* }
            }

            pub(crate) fn from_name(name: &str) -> Option<EventKind> {
                match name { $($name => Some(EventKind::$variant),)* _ => None }
            }
        }

        impl Event<'_> {
            pub(crate) const fn kind(&self) -> EventKind {
                match self { $(Event::$variant { .. } => EventKind::$variant),* }
            }
        }
    };
}

kinds! {
    SchemaVersion "schema_version" "schema" Lifecycle,
    TurnStarted "turn_started" "turn start" Lifecycle,
    TurnEnded "turn_ended" "turn end" Lifecycle,
    ModelRequestIssued "model_request_issued" "request" Model,
    ModelDelta "model_delta" "delta" Lifecycle "delta",
    ModelMessage "model_message" "message" Model,
    ToolCallPlanned "tool_call_planned" "plan" Tools,
    ToolCallStarted "tool_call_started" "start" Tools,
    ToolCallFinished "tool_call_finished" "finish" Tools,
    ApprovalResolved "approval_resolved" "approval" Tools,
    CompactionArtifactCreated "compaction_artifact_created" "compaction" Context,
    ContextOverflowRecovered "context_overflow_recovered" "overflow" Context,
    SteerInjected "steer_injected" "steer" Guards,
    ScratchpadReminderInjected "scratchpad_reminder_injected" "reminder" Memory,
    ScratchpadSummaryInjected "scratchpad_summary_injected" "summary" Memory,
    CycleBriefingInjected "cycle_briefing_injected" "briefing" Memory,
    TopicMemoryInjected "topic_memory_injected" "topic" Memory,
    MemoryPlaneQueried "memory_plane_queried" "memory" Memory,
    LayeredContextSeamInjected "layered_context_seam_injected" "seam" Context,
    LoopGuardTriggered "loop_guard_triggered" "loop guard" Guards,
    CapacityCheckpoint "capacity_checkpoint" "capacity" Guards,
    CycleAdvanced "cycle_advanced" "cycle" Guards,
    StepLimitContinuation "step_limit_continuation" "more steps" Guards,
    LoopGuardContinuation "loop_guard_continuation" "go on" Guards,
    DeferredToolActivated "deferred_tool_activated" "new tool" Guards,
    HarnessVerify "harness_verify" "verify" Lifecycle,
    StageGateBlocked "stage_gate_blocked" "stage gate" Lifecycle,
}

impl Lane {
    /// The lanes as words of the vocabulary.
    pub(crate) const WORDS: &'static [LaneWord] = &[
        LaneWord::new("model", Concern::Model),
        LaneWord::new("tools", Concern::Tool),
        LaneWord::new("memory", Concern::Memory),
        LaneWord::new("guards", Concern::Rule),
        LaneWord::new("context", Concern::Context),
        LaneWord::new("lifecycle", Concern::Run),
    ];
}
