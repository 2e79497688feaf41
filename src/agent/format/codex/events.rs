//! Events that Codex writes besides the items: turns, usage, and what it knows about calls.

use super::payload::Payload;
use super::tokens;
use crate::agent::block::{Block, CallId, Outcome, PromptBy, TurnEnd, Usage, Verdict};
use crate::agent::content::{Content, canonical_hash};
use crate::agent::event::Line;
use crate::json::raw::{RawJson, RawText};

/// Events that are known and repeat items, or say nothing about the conversation.
const TWINS: [&str; 5] =
    ["agent_message", "agent_reasoning", "agent_reasoning_raw_content", "context_compacted", "web_search_end"];
const NOTES: [&str; 10] = [
    "thread_settings_applied",
    "thread_goal_updated",
    "thread_name_updated",
    "image_generation_end",
    "entered_review_mode",
    "exited_review_mode",
    "guardian_assessment",
    "view_image_tool_call",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
];

pub(super) fn read<'a>(event: &Payload<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let kind = event.text("type");
    line.part = kind;
    let name = kind.map_or("None".into(), RawText::get);
    match &*name {
        "task_started" => {
            line.turn = event.text("turn_id");
            let window = event.get("model_context_window").and_then(RawJson::number);
            blocks.push(Block::TurnStart { id: line.turn, window });
        }
        "task_complete" | "turn_aborted" => {
            line.turn = event.text("turn_id");
            turn_end(&name, event, blocks);
        }
        "thread_rolled_back" => blocks.push(Block::TurnEnd(TurnEnd::RolledBack)),
        "token_count" => blocks.push(Block::Usage(count(event))),
        "user_message" => {
            let content = Content::new(event.get("message"));
            blocks.push(Block::Prompt { by: PromptBy::UserWithTwin, content });
        }
        "error" => {
            let error = event.get("error").and_then(|error| error.get("message")).or_else(|| event.get("message"));
            blocks.push(Block::Error { text: Content::new(error), is_own_event: true });
        }
        "sub_agent_activity" => {
            blocks.push(activity(event.get("agent_path"), event.get("agent_thread_id"), event.get("kind")))
        }
        "exec_command_end" => blocks.push(Block::Verdict(command(call(event.text("call_id")), |name| event.get(name)))),
        "patch_apply_end" => blocks.push(patch(event)),
        "mcp_tool_call_end" => blocks.push(mcp(event)),
        "item_completed" => item(event, line, blocks),
        name if TWINS.contains(&name) => blocks.push(Block::Twin),
        name if NOTES.contains(&name) || name.starts_with("collab_") && name.ends_with("_end") => {
            blocks.push(Block::Metadata);
        }
        name => blocks.push(Block::Unknown(format!("event_msg/{name}").into())),
    }
}

fn call(id: Option<RawText<'_>>) -> CallId<'_> {
    CallId::Named(id.unwrap_or_default())
}

fn turn_end<'a>(name: &str, event: &Payload<'a>, blocks: &mut Vec<Block<'a>>) {
    if name == "turn_aborted" {
        let reason = event.text("reason").unwrap_or_default();
        blocks.push(Block::TurnEnd(TurnEnd::Aborted(reason)));
        if reason.is("interrupted") {
            blocks.push(Block::Interrupt);
        }
        return;
    }
    blocks.push(Block::TurnEnd(match event.get("error").filter(|error| !error.is_null()) {
        Some(error) => TurnEnd::Failed(Content::new(error.get("message").or(Some(error)))),
        None => TurnEnd::Completed,
    }));
}

fn count<'a>(event: &Payload<'a>) -> Usage<'a> {
    let info = event.get("info").filter(|info| info.is_object());
    let total = info.and_then(|info| info.get("total_token_usage")).filter(|total| total.is_object());
    let (Some(info), Some(total)) = (info, total) else { return Usage::CountWithoutNumbers };
    let number = |name: &str| total.get(name).and_then(RawJson::number).unwrap_or_default();
    let window = info.get("model_context_window").and_then(RawJson::number);
    let all = number("total_tokens");
    Usage::Count {
        total: all,
        identity: canonical_hash(total),
        last: info.get("last_token_usage").map(tokens).unwrap_or_default(),
        // A full context is reported as a total without parts.
        is_full: window == Some(all) && number("input_tokens") == 0,
        window,
    }
}

fn status(status: Option<RawText<'_>>) -> Option<Outcome> {
    match &*status?.get() {
        "completed" => Some(Outcome::Success),
        "failed" => Some(Outcome::ToolError),
        "declined" => Some(Outcome::Blocked),
        _ => None,
    }
}

fn command<'a>(id: CallId<'a>, get: impl Fn(&str) -> Option<RawJson<'a>>) -> Verdict<'a> {
    Verdict {
        id,
        outcome: status(get("status").and_then(RawJson::text)),
        exit_code: get("exit_code").and_then(RawJson::integer),
        changes: None,
        commands: get("parsed_cmd"),
    }
}

fn patch<'a>(event: &Payload<'a>) -> Block<'a> {
    let is_success = event.get("success").and_then(RawJson::flag) == Some(true);
    let plain = if is_success { Outcome::Success } else { Outcome::ToolError };
    Block::Verdict(Verdict {
        id: call(event.text("call_id")),
        outcome: status(event.text("status")).or(Some(plain)),
        exit_code: None,
        changes: event.get("changes").filter(|_| is_success),
        commands: None,
    })
}

fn mcp<'a>(event: &Payload<'a>) -> Block<'a> {
    let ok = event.get("result").and_then(|result| result.get("Ok")).filter(|ok| ok.is_object());
    let is_success = ok.is_some_and(|ok| ok.get("isError").and_then(RawJson::flag) != Some(true));
    Block::Verdict(Verdict {
        id: call(event.text("call_id")),
        outcome: Some(if is_success { Outcome::Success } else { Outcome::ToolError }),
        exit_code: None,
        changes: None,
        commands: None,
    })
}

fn activity<'a>(path: Option<RawJson<'a>>, thread: Option<RawJson<'a>>, kind: Option<RawJson<'a>>) -> Block<'a> {
    let text = |value: Option<RawJson<'a>>| value.and_then(RawJson::text).filter(|text| !text.is_empty());
    let id = text(path).or_else(|| text(thread)).unwrap_or_default();
    Block::Subagent { id, is_background: true, status: text(kind), is_new: true, thread: text(thread) }
}

/// Items of the paginated mode: what the legacy events said, with a status.
fn item<'a>(event: &Payload<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let Some(item) = event.get("item").filter(|item| item.is_object()) else {
        blocks.push(Block::Metadata);
        return;
    };
    let item = Payload::of(item);
    let kind = item.text("type");
    line.part = kind.or(line.part);
    let id = || call(item.text("id"));
    match kind.map(RawText::get).as_deref() {
        Some("UserMessage") => {
            let content = Content::new(item.get("content"));
            blocks.push(Block::Prompt { by: PromptBy::UserWithTwin, content });
        }
        Some("CommandExecution") => blocks.push(Block::Verdict(command(id(), |name| item.get(name)))),
        Some("FileChange") => {
            let outcome = status(item.text("status"));
            blocks.push(Block::Verdict(Verdict {
                id: id(),
                outcome,
                exit_code: None,
                changes: item.get("changes").filter(|_| outcome == Some(Outcome::Success)),
                commands: None,
            }));
        }
        Some("McpToolCall" | "DynamicToolCall" | "CollabAgentToolCall") => {
            let outcome = status(item.text("status"));
            blocks.push(Block::Verdict(Verdict { id: id(), outcome, exit_code: None, changes: None, commands: None }));
        }
        Some("SubAgentActivity") => {
            blocks.push(activity(item.get("agent_path"), item.get("agent_thread_id"), item.get("kind")));
        }
        Some("Plan") => match item.text("text") {
            Some(text) => blocks.push(Block::Plan { text }),
            None => blocks.push(Block::Metadata),
        },
        Some("AgentMessage" | "Reasoning" | "ContextCompaction" | "WebSearch") => blocks.push(Block::Twin),
        _ => blocks.push(Block::Metadata),
    }
}
