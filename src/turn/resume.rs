//! Hints for a host that resumes a thread from its log.

use serde_json::{Value, json};

use super::thread::Thread;

pub(crate) fn hints(thread: &Thread) -> Value {
    let latest = thread.latest();
    let projection = latest.map(|turn| turn.fold.state.projection.clone()).unwrap_or_default();
    let turn_ids: Vec<&str> = thread.turns.iter().map(|turn| &*turn.fold.turn_id).collect();
    json!({
        "latest_turn_id": (!projection.turn_id.is_empty()).then_some(&*projection.turn_id),
        "step_idx": projection.step_idx,
        "max_steps": projection.max_steps,
        "scratchpad_summary_injected": projection.scratchpad_summary_injected,
        "active_tool_count": projection.active_tool_names.len(),
        "step_limit_continuations": projection.step_limit_continuations,
        "loop_guard_continuations": projection.loop_guard_continuations,
        "cycle_handoff_attempts": projection.cycle_handoff_attempts,
        "in_turn_cycle_advances": projection.in_turn_cycle_advances,
        "kernel_model_message_count": thread.stats.model_messages,
        "kernel_model_request_count": thread.stats.model_requests,
        "kernel_estimated_min_session_messages": thread.estimated_min_session_messages(),
        "thread_turn_ids_with_events": turn_ids,
        "expected_anchor_effect_count": thread.effects.anchor_total(),
        "kernel_transcript_preview_row_count": thread.previews.len(),
        "kernel_transcript_preview_body_count": thread.preview_bodies,
        "runtime_thread_id": null,
    })
}

/// Whether a host may resume from the log and the saved messages: every turn is coherent and the messages are covered.
/// `coverage` is the summary of the coverage report, `Some(None)` if it failed without one.
pub(crate) fn session_parity(thread: &Thread, coverage: Option<Option<String>>) -> Option<String> {
    if !thread.all_coherent() {
        let (coherent, turns) = (thread.coherent_turns(), thread.turns.len());
        return Some(format!("thread replay incoherent: {coherent}/{turns} turns coherent"));
    }
    let fallback = || "resume log/session parity: message timeline coverage failed".to_owned();
    coverage.map(|summary| summary.unwrap_or_else(fallback))
}
