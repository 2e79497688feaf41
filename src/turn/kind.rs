//! Names and lanes of the event kinds: one table.

use super::event::Event;
use crate::replay::vocabulary::{KindWord, LaneId};

/// Which concern an event belongs to; the lanes of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    Model,
    Tools,
    Memory,
    Guards,
    Context,
    /// Turn boundaries, deltas, harness results: no lane of their own.
    Lifecycle,
}

macro_rules! kinds {
    ($($variant:ident $name:literal $lane:ident),* $(,)?) => {
        /// The tag of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Kind { $($variant),* }

        impl Kind {
            pub const ALL: &'static [Kind] = &[$(Kind::$variant),*];

            /// The same as words of the dialect.
            pub const WORDS: &'static [KindWord] =
                &[$(KindWord { name: $name, lane: LaneId(Lane::$lane as u8) }),*];

            pub const fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name),* }
            }

            pub const fn lane(self) -> Lane {
                match self { $(Kind::$variant => Lane::$lane),* }
            }

            pub fn from_name(name: &str) -> Option<Kind> {
                match name { $($name => Some(Kind::$variant),)* _ => None }
            }
        }

        impl Event<'_> {
            pub const fn kind(&self) -> Kind {
                match self { $(Event::$variant { .. } => Kind::$variant),* }
            }
        }
    };
}

kinds! {
    SchemaVersion "schema_version" Lifecycle,
    TurnStarted "turn_started" Lifecycle,
    TurnEnded "turn_ended" Lifecycle,
    ModelRequestIssued "model_request_issued" Model,
    ModelDelta "model_delta" Lifecycle,
    ModelMessage "model_message" Model,
    ToolCallPlanned "tool_call_planned" Tools,
    ToolCallStarted "tool_call_started" Tools,
    ToolCallFinished "tool_call_finished" Tools,
    ApprovalResolved "approval_resolved" Tools,
    CompactionArtifactCreated "compaction_artifact_created" Context,
    ContextOverflowRecovered "context_overflow_recovered" Context,
    SteerInjected "steer_injected" Guards,
    ScratchpadReminderInjected "scratchpad_reminder_injected" Memory,
    ScratchpadSummaryInjected "scratchpad_summary_injected" Memory,
    CycleBriefingInjected "cycle_briefing_injected" Memory,
    TopicMemoryInjected "topic_memory_injected" Memory,
    MemoryPlaneQueried "memory_plane_queried" Memory,
    LayeredContextSeamInjected "layered_context_seam_injected" Context,
    LoopGuardTriggered "loop_guard_triggered" Guards,
    CapacityCheckpoint "capacity_checkpoint" Guards,
    CycleAdvanced "cycle_advanced" Guards,
    StepLimitContinuation "step_limit_continuation" Guards,
    LoopGuardContinuation "loop_guard_continuation" Guards,
    DeferredToolActivated "deferred_tool_activated" Guards,
    HarnessVerify "harness_verify" Lifecycle,
    StageGateBlocked "stage_gate_blocked" Lifecycle,
}

impl Lane {
    pub const NAMES: &'static [&'static str] = &["model", "tools", "memory", "guards", "context", "lifecycle"];

    pub const fn name(self) -> &'static str {
        Lane::NAMES[self as usize]
    }
}
