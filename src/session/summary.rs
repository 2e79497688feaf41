//! One-line summaries of session events.

use std::sync::Arc;

use super::conversation::text_of;
use super::event::{Reading, SessionEvent};
use super::kind::{SessionKind, Writer};
use super::members::Members;
use super::state::{RunOutcome, SessionState};
use crate::json::pretty::compact;
use crate::replay::ending::{Ending, EndingKind};
use crate::text::count;

/// Longer texts are cut: a summary is one line of a list.
const TEXT_CHARACTERS: usize = 200;

pub(crate) fn summary(event: &SessionEvent<'_>) -> String {
    let mut text = words(event);
    if matches!(event.kind.writer(), Writer::Os | Writer::Host) && event.reading() == Reading::Sdk {
        text.push_str(" · SDK shape");
    }
    text
}

/// The summary, without a note about the shape of the event.
pub(crate) fn words(event: &SessionEvent<'_>) -> String {
    let of = Words { members: &event.members };
    let text = match event.kind {
        SessionKind::RunStarted => format!("{}: {}", of.text("run_id"), of.text("goal")),
        SessionKind::LlmCompleted => of_answer(event),
        SessionKind::ToolRequested => {
            let calls: Vec<String> = event.calls().iter().map(named_call).collect();
            calls.join(", ")
        }
        SessionKind::ToolCompleted => {
            let results: Vec<String> = event.results().map(|result| of_result(&result)).collect();
            results.join(", ")
        }
        SessionKind::RunTerminal => {
            let turns = of.any("turns_used");
            let noun = if turns == "1" { "turn" } else { "turns" };
            format!("{} after {turns} {noun}, {} tokens", of.text("reason"), of.any("total_tokens"))
        }
        SessionKind::ToolArgumentRepaired => format!("arguments of {}", of.text("tool")),
        SessionKind::PermissionRequested => with_reason(of.text("tool"), &of),
        SessionKind::PermissionResolved => {
            let verdict = if event.members.flag("approved") == Some(true) { "allowed" } else { "refused" };
            format!("{verdict} by {}", of.text("responder"))
        }
        SessionKind::ToolDenied => with_reason(format!("{} {}", of.text("call_id"), of.text("tool_name")), &of),
        SessionKind::CleanupCompleted => format!("freed {}", of.list("freed_resources")),
        _ => of_kernel(event, &of).or_else(|| of_others(event, &of)).unwrap_or_else(|| unfolded(event)),
    };
    match text.char_indices().nth(TEXT_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn of_kernel(event: &SessionEvent<'_>, of: &Words<'_>) -> Option<String> {
    let text = match event.kind {
        SessionKind::Compressed => format!("records {} archived{}", of.any("archived_seq_range"), of.by("action")),
        SessionKind::PageOut => format!("{} messages{}", of.any("message_count"), of.by("action")),
        SessionKind::PageIn => format!("{} entries", of.any("entry_count")),
        SessionKind::LargeResultSpooled => {
            format!(
                "{} {}: {} bytes, {} shown",
                of.text("call_id"),
                of.text("tool"),
                of.any("original_size"),
                of.any("preview_size")
            )
        }
        SessionKind::CapabilityChanged => {
            format!("+{} −{}{}", of.list("added"), of.list("removed"), of.by("mounted_by"))
        }
        SessionKind::ContextRenewed => format!("sprint {}, handoff {}", of.any("sprint"), of.text("handoff_ref")),
        SessionKind::Suspended => format!("{}, waits for {}", of.text("reason"), of.list("pending_calls")),
        SessionKind::Resumed => format!("approved {}, denied {}", of.list("approved"), of.list("denied")),
        SessionKind::ToolGated => with_reason(format!("{} {}", of.text("call_id"), of.text("tool")), of),
        SessionKind::SignalDisposed => {
            format!("{} → {}, queue {}", of.text("signal_id"), of.text("disposition"), of.any("queue_depth"))
        }
        SessionKind::BudgetExceeded => of.text("budget"),
        SessionKind::CheckpointTaken => format!("at {} messages", of.any("history_len")),
        SessionKind::Rollbacked => {
            let cause = event.members.members("reason").and_then(|cause| cause.text("kind"));
            let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
            format!("to {} messages{cause}", of.any("checkpoint_history_len"))
        }
        SessionKind::AgentProcessChanged => {
            let state = event.process_state().map_or_else(|| "running".to_owned(), |state| state.get().into_owned());
            let how = event.members.text("result_termination").map_or_else(String::new, |how| format!(" ({how})"));
            format!("{} {state}{how}, {}, of {}", of.text("agent_id"), of.text("role"), of.text("parent_session_id"))
        }
        SessionKind::MilestoneAdvanced => format!("{} reached", of.text("phase_id")),
        SessionKind::MilestoneBlocked => with_reason(format!("{} blocked", of.text("phase_id")), of),
        SessionKind::MilestoneEvidence => format!("{}: {}", of.text("phase_id"), of.list("evidence")),
        SessionKind::MemoryWritten => {
            format!("{} ({}, {} bytes)", of.text("memory_id"), of.text("memory_kind"), of.any("size_bytes"))
        }
        SessionKind::MemoryQueried => {
            let waits =
                if event.members.flag("requires_async_response") == Some(true) { ", answer to follow" } else { "" };
            format!("{}, best {}{waits}", of.text("query_context"), of.any("requested_k"))
        }
        SessionKind::MemoryValidationFailed => format!("{}: {}", of.text("memory_id"), of.text("error")),
        _ => return None,
    };
    Some(text)
}

fn of_others(event: &SessionEvent<'_>, of: &Words<'_>) -> Option<String> {
    let text = match event.kind {
        SessionKind::MemoryRetrievalResult => {
            let retrieval = event.members.members("retrieval").unwrap_or_else(|| event.members.clone());
            let of = Words { members: &retrieval };
            format!("{}: {}", of.list("selected_memory_ids"), of.text("selection_rationale"))
        }
        SessionKind::WorkflowBatchSpawned => format!("{} nodes: {}", of.any("node_count"), of.list("node_ids")),
        SessionKind::WorkflowCompleted => {
            format!("{} of {} completed, {} failed", of.any("completed"), of.any("total_nodes"), of.any("failed"))
        }
        SessionKind::WorkflowNodeCompleted => format!("{}: {}", of.text("agent_id"), of.text("termination")),
        SessionKind::SummaryUpgraded => format!("of record {}: {}", of.any("compressed_seq"), of.text("summary")),
        SessionKind::GroupMemberJoined => of.text("session_id"),
        SessionKind::GroupBudgetCharged => format!("{} tokens, {} agents", of.any("tokens"), of.any("subagents")),
        _ => return None,
    };
    Some(text)
}

/// An event that is known by name only, or not at all.
fn unfolded(event: &SessionEvent<'_>) -> String {
    let reading = match event.reading() {
        Reading::Core | Reading::Sdk => String::new(),
        reading => format!("{} ({})", event.name, reading.name()),
    };
    let raw = one_line(event.members.raw.trim());
    if reading.is_empty() { raw } else { format!("{reading} {raw}") }
}

/// JSON that may be pretty-printed, on one line. Only as much of it is read as a summary can show.
fn one_line(json: &str) -> String {
    let start = json.char_indices().nth(8 * TEXT_CHARACTERS).map_or(json, |(end, _)| &json[..end]);
    String::from_utf8_lossy(&compact(start.as_bytes())).into_owned()
}

fn of_answer(event: &SessionEvent<'_>) -> String {
    let text = text_of(&event.answer(), "content");
    let line = text.lines().next().unwrap_or_default().to_owned();
    let calls: Vec<String> = event.calls().iter().map(named_call).collect();
    match (line.is_empty(), calls.is_empty()) {
        (_, true) => line,
        (true, false) => format!("calls {}", calls.join(", ")),
        (false, false) => format!("{line} · calls {}", calls.join(", ")),
    }
}

pub(crate) fn named_call(call: &Members<'_>) -> String {
    let of = Words { members: call };
    format!("{} {}", of.text("id"), of.text("name"))
}

fn of_result(result: &Members<'_>) -> String {
    let verdict = if result.flag("is_error") == Some(true) { "failed" } else { "ok" };
    let output = text_of(result, "output");
    let line = output.lines().next().unwrap_or_default();
    format!("{} {verdict}: {line}", Words { members: result }.text("call_id"))
}

fn with_reason(text: String, of: &Words<'_>) -> String {
    let reason = of.text("reason");
    if reason == "?" { text } else { format!("{text}: {reason}") }
}

/// The members of an event as words; an absent one is a question mark.
struct Words<'m> {
    members: &'m Members<'m>,
}

impl Words<'_> {
    fn text(&self, name: &str) -> String {
        self.members.text(name).map_or_else(|| "?".to_owned(), |text| text.get().into_owned())
    }

    /// The value as it is written.
    fn any(&self, name: &str) -> String {
        self.members.get(name).map_or("?", |member| member.raw).to_owned()
    }

    fn list(&self, name: &str) -> String {
        let words: Vec<String> = self.members.strings(name).iter().map(|text| text.get().into_owned()).collect();
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    }

    fn by(&self, name: &str) -> String {
        self.members.text(name).map_or_else(String::new, |text| format!(" by {text}"))
    }
}

pub(crate) fn ending(state: &SessionState) -> Option<Ending> {
    let suspended = state.suspended.as_deref().map(|open| (&*open.reason, &open.waits_for[..]));
    let outcome = state.outcome.as_deref().map(|outcome| match outcome {
        RunOutcome::Open { .. } => None,
        RunOutcome::Ended { reason, .. } => Some(&**reason),
    });
    ending_of(suspended, outcome, state.agents.running.len())
}

/// The ending of the run. What the run waits for comes before how it ended, since a run may end inside a suspension.
/// `outcome` is the reason for the end of the last run, or that it has none.
pub(crate) fn ending_of(
    suspended: Option<(&str, &[Arc<str>])>,
    outcome: Option<Option<&str>>,
    agents_running: usize,
) -> Option<Ending> {
    let open = |words: String| Some(Ending::new(EndingKind::Open, words));
    if let Some((reason, waits_for)) = suspended {
        let waits = if waits_for.is_empty() { "" } else { " for " };
        return open(format!("suspended: {reason}{waits}{}", waits_for.join(", ")));
    }
    match outcome? {
        Some("completed") => Some(Ending::new(EndingKind::Done, "completed")),
        Some(reason) => Some(Ending::new(EndingKind::Failed, format!("ended: {reason}"))),
        None if agents_running > 0 => open(format!("still open, {} running", count(agents_running as u64, "agent"))),
        None => open("still open".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::*;

    #[test]
    fn events_are_summarized_in_both_shapes() {
        for (event, expected) in [
            (
                r#"{"kind":"suspended","turn":1,"reason":"ask_user","pending_calls":["a","b"]}"#,
                "ask_user, waits for a, b",
            ),
            (
                r#"{"kind":"llm_completed","content":"hi\nthere","tool_calls":[{"id":"c","name":"ls"}]}"#,
                "hi · calls c ls · SDK shape",
            ),
            (r#"{"kind":"llm_completed","turn":1,"message":{"role":"assistant","content":"hi"}}"#, "hi"),
            (
                r#"{"kind":"tool_completed","results":[{"call_id":"c","output":"x","is_error":true}]}"#,
                "c failed: x · SDK shape",
            ),
            (r#"{"kind":"agent_process_changed","agent_id":"a"}"#, "a running, ?, of ? · SDK shape"),
            ("{\n  \"kind\": \"entropy_sample\"\n}", r#"entropy_sample (later release) {"kind":"entropy_sample"}"#),
            (
                r#"{"kind":"run_terminal","reason":"completed","turns_used":1,"total_tokens":7}"#,
                "completed after 1 turn, 7 tokens",
            ),
        ] {
            assert_eq!(summary(&decode(event.as_bytes()).expect("an event")), expected);
        }
        for kind in SessionKind::ALL {
            // Nothing is required of an event but its kind.
            let event = format!(r#"{{"kind":"{}"}}"#, kind.name());
            assert!(summary(&decode(event.as_bytes()).expect("an event")).len() < 100);
        }
    }
}
