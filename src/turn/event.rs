//! The twenty-seven events of a turn log, as they are on the wire.
//!
//! `Deserialize` is derived, so the exact path of [`super::decode`] follows serde's rules for missing, repeated and
//! ill-typed fields; `Serialize` writes the form in which logs are passed on.

use serde::{Deserialize, Serialize};

use crate::json::text::Text;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event_type", rename_all = "snake_case", bound(deserialize = ""))]
pub(crate) enum Event<'a> {
    SchemaVersion {
        version: u32,
    },
    TurnStarted {
        turn_id: Text<'a>,
        mode: TurnMode,
        input_text: Text<'a>,
        max_steps: u32,
    },
    TurnEnded {
        turn_id: Text<'a>,
        outcome: TurnOutcome,
        total_steps: u32,
    },
    ModelRequestIssued {
        turn_id: Text<'a>,
        step_idx: u32,
        request_fp: Fingerprint<'a>,
        token_budget: u32,
    },
    ModelDelta {
        turn_id: Text<'a>,
        step_idx: u32,
        kind: DeltaKind,
        #[serde(default)]
        call_id: Option<Text<'a>>,
        text: Text<'a>,
    },
    ModelMessage {
        turn_id: Text<'a>,
        step_idx: u32,
        usage: Usage,
        block_count: u32,
        #[serde(default, skip_serializing_if = "Text::is_empty")]
        text_preview: Text<'a>,
        #[serde(default, skip_serializing_if = "Text::is_empty")]
        assistant_text: Text<'a>,
    },
    ToolCallPlanned {
        turn_id: Text<'a>,
        step_idx: u32,
        call_id: Text<'a>,
        tool_name: Text<'a>,
        input_json: Text<'a>,
        decision: Decision,
    },
    ToolCallStarted {
        turn_id: Text<'a>,
        call_id: Text<'a>,
        wave_idx: u32,
    },
    ToolCallFinished {
        turn_id: Text<'a>,
        call_id: Text<'a>,
        tool_name: Text<'a>,
        outcome: ToolOutcome,
        duration_ms: u32,
        wrote_state: bool,
        #[serde(default, skip_serializing_if = "Text::is_empty")]
        result_preview: Text<'a>,
        #[serde(default, skip_serializing_if = "Text::is_empty")]
        session_content: Text<'a>,
    },
    ApprovalResolved {
        turn_id: Text<'a>,
        call_id: Text<'a>,
        verdict: ApprovalVerdict,
    },
    CompactionArtifactCreated {
        turn_id: Text<'a>,
        artifact_id: Text<'a>,
        replaced_range: Range,
        summary_token_count: u32,
    },
    ContextOverflowRecovered {
        turn_id: Text<'a>,
        step_idx: u32,
        strategy: Strategy,
        #[serde(default)]
        source_budget_cap: Option<u32>,
    },
    SteerInjected {
        turn_id: Text<'a>,
        step_idx: u32,
        text: Text<'a>,
    },
    ScratchpadReminderInjected {
        turn_id: Text<'a>,
        step_idx: u32,
        area_path: Text<'a>,
    },
    ScratchpadSummaryInjected {
        turn_id: Text<'a>,
        at_step: u32,
    },
    CycleBriefingInjected {
        turn_id: Text<'a>,
        cycle: u32,
        step_idx: u32,
    },
    TopicMemoryInjected {
        turn_id: Text<'a>,
        step_idx: u32,
        #[serde(default)]
        block_token_est: u32,
    },
    MemoryPlaneQueried {
        turn_id: Text<'a>,
        step_idx: u32,
        layer: Text<'a>,
        query_key: Text<'a>,
        #[serde(default)]
        compiler_source: Text<'a>,
    },
    LayeredContextSeamInjected {
        turn_id: Text<'a>,
        step_idx: u32,
        level: u32,
        messages_covered: u32,
        text_preview: Text<'a>,
    },
    LoopGuardTriggered {
        turn_id: Text<'a>,
        call_id: Text<'a>,
        reason: Text<'a>,
    },
    CapacityCheckpoint {
        turn_id: Text<'a>,
        step_idx: u32,
        kind: CheckpointKind,
        tokens_used: u32,
        token_budget: u32,
        action: CapacityAction,
        #[serde(default)]
        cooldown_blocked: bool,
    },
    CycleAdvanced {
        turn_id: Text<'a>,
        from_cycle: u32,
        to_cycle: u32,
        reason: Text<'a>,
    },
    StepLimitContinuation {
        turn_id: Text<'a>,
        step_idx: u32,
        lht_objective_injected: bool,
    },
    LoopGuardContinuation {
        turn_id: Text<'a>,
        step_idx: u32,
    },
    DeferredToolActivated {
        turn_id: Text<'a>,
        step_idx: u32,
        tool_name: Text<'a>,
    },
    HarnessVerify {
        turn_id: Text<'a>,
        stage: Text<'a>,
        predicate: Text<'a>,
        pass: bool,
        retry_no: u32,
        rollback_triggered: bool,
        duration_ms: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Text<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suggestion: Option<Text<'a>>,
    },
    StageGateBlocked {
        turn_id: Text<'a>,
        step_idx: u32,
        skill: Text<'a>,
        stage: Text<'a>,
        tool_name: Text<'a>,
        code: Text<'a>,
        suggestion: Text<'a>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TurnMode {
    Agent,
    Yolo,
    Plan,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TurnOutcome {
    Completed,
    Interrupted,
    Budget,
    MaxSteps,
    Failed { message: String },
    LoopGuard { reason: String },
    CycleHandoff { next_cycle: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolOutcome {
    Success,
    Timeout,
    Blocked { reason: String },
    GuardHalt { reason: String },
    ToolError { message: String },
}

impl ToolOutcome {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            ToolOutcome::Success => "success",
            ToolOutcome::Timeout => "timeout",
            ToolOutcome::Blocked { .. } => "blocked",
            ToolOutcome::GuardHalt { .. } => "guard_halt",
            ToolOutcome::ToolError { .. } => "tool_error",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeltaKind {
    Text,
    ThinkingText,
    ToolCallArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ApprovalVerdict {
    Approved,
    Rejected,
    Retried,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Strategy {
    BudgetRecompile,
    LlmCompaction,
    CycleHandoff,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckpointKind {
    PreRequest,
    PostTool,
    ErrorEscalation,
}

impl CheckpointKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            CheckpointKind::PreRequest => "pre_request",
            CheckpointKind::PostTool => "post_tool",
            CheckpointKind::ErrorEscalation => "error_escalation",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CapacityAction {
    Continue,
    Trim,
    Handoff,
    Abort { reason: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Decision {
    pub approval_required: bool,
    pub parallel_eligible: bool,
    pub read_only: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Range {
    pub from: u32,
    pub to: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = ""))]
pub(crate) struct Fingerprint<'a> {
    pub static_prefix_sha256: Text<'a>,
    pub full_prefix_sha256: Text<'a>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Usage {
    pub input_tokens: u32,
    pub output_tokens: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_hit_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_miss_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_replay_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_tool_use: Option<ServerToolUse>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServerToolUse {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_execution_requests: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_search_requests: Option<u32>,
}

impl<'a> Event<'a> {
    /// The turn that this event names; only `schema_version` names none.
    pub(crate) fn turn_id(&self) -> Option<&Text<'a>> {
        use Event::*;
        match self {
            SchemaVersion { .. } => None,
            TurnStarted { turn_id, .. }
            | TurnEnded { turn_id, .. }
            | ModelRequestIssued { turn_id, .. }
            | ModelDelta { turn_id, .. }
            | ModelMessage { turn_id, .. }
            | ToolCallPlanned { turn_id, .. }
            | ToolCallStarted { turn_id, .. }
            | ToolCallFinished { turn_id, .. }
            | ApprovalResolved { turn_id, .. }
            | CompactionArtifactCreated { turn_id, .. }
            | ContextOverflowRecovered { turn_id, .. }
            | SteerInjected { turn_id, .. }
            | ScratchpadReminderInjected { turn_id, .. }
            | ScratchpadSummaryInjected { turn_id, .. }
            | CycleBriefingInjected { turn_id, .. }
            | TopicMemoryInjected { turn_id, .. }
            | MemoryPlaneQueried { turn_id, .. }
            | LayeredContextSeamInjected { turn_id, .. }
            | LoopGuardTriggered { turn_id, .. }
            | CapacityCheckpoint { turn_id, .. }
            | CycleAdvanced { turn_id, .. }
            | StepLimitContinuation { turn_id, .. }
            | LoopGuardContinuation { turn_id, .. }
            | DeferredToolActivated { turn_id, .. }
            | HarnessVerify { turn_id, .. }
            | StageGateBlocked { turn_id, .. } => Some(turn_id),
        }
    }

    /// The call that this event is about, if there is one.
    pub(crate) fn call_id(&self) -> Option<&Text<'a>> {
        match self {
            Event::ToolCallPlanned { call_id, .. }
            | Event::ToolCallStarted { call_id, .. }
            | Event::ToolCallFinished { call_id, .. }
            | Event::ApprovalResolved { call_id, .. }
            | Event::LoopGuardTriggered { call_id, .. } => Some(call_id),
            Event::ModelDelta { call_id, .. } => call_id.as_ref(),
            _ => None,
        }
    }

    /// The model step that this event names, if there is one.
    pub(crate) fn step(&self) -> Option<u32> {
        use Event::*;
        match self {
            ModelRequestIssued { step_idx, .. }
            | ModelDelta { step_idx, .. }
            | ModelMessage { step_idx, .. }
            | ToolCallPlanned { step_idx, .. }
            | ContextOverflowRecovered { step_idx, .. }
            | SteerInjected { step_idx, .. }
            | ScratchpadReminderInjected { step_idx, .. }
            | ScratchpadSummaryInjected { at_step: step_idx, .. }
            | CycleBriefingInjected { step_idx, .. }
            | TopicMemoryInjected { step_idx, .. }
            | MemoryPlaneQueried { step_idx, .. }
            | LayeredContextSeamInjected { step_idx, .. }
            | CapacityCheckpoint { step_idx, .. }
            | StepLimitContinuation { step_idx, .. }
            | LoopGuardContinuation { step_idx, .. }
            | DeferredToolActivated { step_idx, .. }
            | StageGateBlocked { step_idx, .. } => Some(*step_idx),
            _ => None,
        }
    }
}
