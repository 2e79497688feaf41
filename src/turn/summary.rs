//! Summaries of events, one line per kind.

use super::event::{Event, ToolOutcome, TurnOutcome};

/// What an event says, apart from its kind. The texts come from the log: they must be escaped before printing.
pub(crate) fn summary(event: &Event<'_>) -> String {
    use Event::*;
    match event {
        SchemaVersion { version } => format!("version {version}"),
        TurnStarted { turn_id, mode, input_text, max_steps } => {
            format!(
                "{turn_id} {}, up to {max_steps} steps: {}",
                format!("{mode:?}").to_lowercase(),
                cut(&input_text.get())
            )
        }
        TurnEnded { outcome, total_steps, .. } => format!("{} after {total_steps} steps", outcome_text(outcome)),
        ModelRequestIssued { step_idx, token_budget, .. } => format!("step {step_idx}, up to {token_budget} tokens"),
        ModelDelta { step_idx, text, .. } => format!("step {step_idx}: {}", cut(&text.get())),
        ModelMessage { step_idx, usage, block_count, text_preview, .. } => {
            let (input, output) = (usage.input_tokens, usage.output_tokens);
            format!("step {step_idx}, {input} in {output} out, blocks {block_count}: {}", cut(&text_preview.get()))
        }
        ToolCallPlanned { call_id, tool_name, input_json, decision, .. } => {
            let approval = if decision.approval_required { ", needs approval" } else { "" };
            format!("{call_id} {tool_name}{approval} {}", cut(&input_json.get()))
        }
        ToolCallStarted { call_id, wave_idx, .. } => format!("{call_id} wave {wave_idx}"),
        ToolCallFinished { call_id, tool_name, outcome, duration_ms, wrote_state, .. } => {
            let wrote = if *wrote_state { ", wrote state" } else { "" };
            format!("{call_id} {tool_name} {} in {duration_ms} ms{wrote}", tool_outcome_text(outcome))
        }
        ApprovalResolved { call_id, verdict, .. } => {
            format!("{call_id} {}", format!("{verdict:?}").to_lowercase())
        }
        CompactionArtifactCreated { artifact_id, replaced_range, summary_token_count, .. } => {
            let (from, to) = (replaced_range.from, replaced_range.to);
            format!("{artifact_id} replaces {from}..={to} by {summary_token_count} tokens")
        }
        ContextOverflowRecovered { step_idx, strategy, .. } => format!("step {step_idx} by {strategy:?}"),
        SteerInjected { step_idx, text, .. } => format!("step {step_idx}: {}", cut(&text.get())),
        ScratchpadReminderInjected { step_idx, area_path, .. } => format!("step {step_idx}: {area_path}"),
        ScratchpadSummaryInjected { at_step, .. } => format!("step {at_step}"),
        CycleBriefingInjected { cycle, step_idx, .. } => format!("step {step_idx}, cycle {cycle}"),
        TopicMemoryInjected { step_idx, block_token_est, .. } => format!("step {step_idx}, ~{block_token_est} tokens"),
        MemoryPlaneQueried { step_idx, layer, query_key, .. } => format!("step {step_idx}: {layer} {query_key}"),
        LayeredContextSeamInjected { step_idx, level, messages_covered, .. } => {
            format!("step {step_idx}, level {level} over {messages_covered} messages")
        }
        LoopGuardTriggered { call_id, reason, .. } => format!("{call_id}: {reason}"),
        CapacityCheckpoint { step_idx, tokens_used, token_budget, action, cooldown_blocked, .. } => {
            let blocked = if *cooldown_blocked { ", cooldown" } else { "" };
            format!("step {step_idx}, {tokens_used} of {token_budget} tokens: {action:?}{blocked}")
        }
        CycleAdvanced { from_cycle, to_cycle, reason, .. } => format!("{from_cycle} to {to_cycle}: {reason}"),
        StepLimitContinuation { step_idx, .. } | LoopGuardContinuation { step_idx, .. } => format!("step {step_idx}"),
        DeferredToolActivated { step_idx, tool_name, .. } => format!("step {step_idx}: {tool_name}"),
        HarnessVerify { stage, predicate, pass, retry_no, .. } => {
            format!("{stage} {predicate} {} (try {retry_no})", if *pass { "passed" } else { "failed" })
        }
        StageGateBlocked { step_idx, stage, tool_name, code, .. } => {
            format!("step {step_idx}: {tool_name} in {stage}, {code}")
        }
    }
}

pub(crate) fn outcome_text(outcome: &TurnOutcome) -> String {
    match outcome {
        TurnOutcome::Completed => "completed".to_owned(),
        TurnOutcome::Interrupted => "interrupted".to_owned(),
        TurnOutcome::Budget => "out of budget".to_owned(),
        TurnOutcome::MaxSteps => "out of steps".to_owned(),
        TurnOutcome::Failed { message } => format!("failed: {}", cut(message)),
        TurnOutcome::LoopGuard { reason } => format!("stopped by the loop guard: {}", cut(reason)),
        TurnOutcome::CycleHandoff { next_cycle } => format!("handed off to cycle {next_cycle}"),
    }
}

fn tool_outcome_text(outcome: &ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Success | ToolOutcome::Timeout => outcome.name().to_owned(),
        ToolOutcome::Blocked { reason: text }
        | ToolOutcome::GuardHalt { reason: text }
        | ToolOutcome::ToolError { message: text } => format!("{}: {}", outcome.name(), cut(text)),
    }
}

fn cut(text: &str) -> String {
    const SHOWN_CHARS: usize = 120;
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
