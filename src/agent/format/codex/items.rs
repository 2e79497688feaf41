//! Items of the conversation with the model: messages, reasoning, calls and their outputs.

use super::outcome;
use super::payload::Payload;
use crate::agent::block::{Block, CallId, Outcome, PromptBy, ToolCall, ToolResult};
use crate::agent::content::Content;
use crate::agent::event::Line;
use crate::json::raw::{RawJson, RawText};

const ITEMS: [&str; 16] = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "web_search_call",
    "image_generation_call",
    "tool_search_call",
    "tool_search_output",
    "agent_message",
    "compaction",
    "context_compaction",
    "configuration_update",
    "ghost_snapshot",
];

/// Texts that the program puts in under the role of the user.
const HARNESS: [&str; 16] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<user_shell_command>",
    "<codex_internal_context",
    "<goal_context>",
    "<recommended_plugins>",
    "<skill",
    "<subagent_notification>",
    "<external_",
    "<hook_prompt",
    "<permissions",
    "<apps_",
    "Warning: apply_patch was",
    "Warning: The maximum number of unified",
];

pub(super) fn is_item(name: &str) -> bool {
    ITEMS.contains(&name)
}

pub(super) fn read<'a>(item: &Payload<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let kind = item.text("type");
    line.part = kind;
    let Some(name) = kind.map(RawText::get).filter(|name| is_item(name)) else {
        let name = kind.map_or("None".into(), RawText::get);
        blocks.push(Block::Unknown(format!("response_item/{name}").into()));
        return;
    };
    match &*name {
        "message" => message(item, line, blocks),
        "reasoning" => blocks.push(Block::Thinking(Content::new(item.get("summary")))),
        "function_call" => blocks.push(call(item, "arguments", "function_call")),
        "custom_tool_call" => blocks.push(call(item, "input", "custom_tool_call")),
        "local_shell_call" => blocks.push(call(item, "action", "local_shell_call")),
        "tool_search_call" => blocks.push(call(item, "arguments", "tool_search_call")),
        "web_search_call" => hosted(item, "web_search_call", blocks),
        "image_generation_call" => hosted(item, "image_generation_call", blocks),
        "function_call_output" | "custom_tool_call_output" => blocks.push(output(item)),
        "tool_search_output" => blocks.push(result(item, Outcome::Success, Content::new(item.get("tools")))),
        "agent_message" => agent_message(item, blocks),
        _ => blocks.push(Block::Metadata),
    }
}

fn message<'a>(item: &Payload<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let role = item.text("role");
    line.speaker = Some(role.unwrap_or(RawText::plain("None")));
    let content = Content::new(item.get("content"));
    let is = |name: &str| role.is_some_and(|role| role.is(name));
    if is("assistant") {
        blocks.push(Block::Text(content));
    } else if is("user") && is_by_user(item) {
        blocks.push(Block::Prompt { by: PromptBy::User, content });
    } else {
        blocks.push(Block::Note { is_local: false, content });
    }
}

/// Whether any part of a message was written by the user.
fn is_by_user(item: &Payload<'_>) -> bool {
    let kinds = item.get("internal_chat_message_metadata_passthrough");
    let mut kinds =
        kinds.and_then(|metadata| metadata.get("content_item_kinds")).into_iter().flat_map(RawJson::elements);
    let Some(content) = item.get("content") else { return false };
    if content.text().is_some() {
        return is_not_harness(Content::new(Some(content)));
    }
    content.elements().any(|part| {
        let kind = kinds.next().and_then(RawJson::text).filter(|kind| !kind.is_empty());
        match kind.map(RawText::get) {
            Some(kind) => kind.starts_with("user") || kind.starts_with("unknown"),
            None => part.is_object() && is_not_harness(Content::new(part.get("text"))),
        }
    })
}

fn is_not_harness(content: Content<'_>) -> bool {
    let beginning = content.beginning(48);
    !HARNESS.iter().any(|harness| beginning.starts_with(harness))
}

fn call<'a>(item: &Payload<'a>, input: &str, fallback: &'static str) -> Block<'a> {
    Block::ToolCall(ToolCall {
        id: CallId::Named(item.text("call_id").or_else(|| item.text("id")).unwrap_or_default()),
        name: item.text("name").filter(|name| !name.is_empty()).unwrap_or(RawText::plain(fallback)),
        input: item.get(input),
    })
}

/// Calls that the service runs itself answer themselves.
fn hosted<'a>(item: &Payload<'a>, name: &'static str, blocks: &mut Vec<Block<'a>>) {
    let id = item.text("call_id").or_else(|| item.text("id")).map_or(CallId::Unnamed, CallId::Named);
    let input = item.get("action");
    blocks.push(Block::ToolCall(ToolCall { id, name: RawText::plain(name), input }));
    blocks.push(Block::ToolResult(ToolResult {
        id,
        outcome: Outcome::Success,
        exit_code: None,
        content: Content::new(item.get("result").or(input)),
        written: None,
        task: None,
        process: None,
        details: None,
    }));
}

fn output<'a>(item: &Payload<'a>) -> Block<'a> {
    let content = Content::new(item.get("output"));
    let read = outcome::of(&content.text());
    let Block::ToolResult(result) = result(item, read.outcome, content) else { return Block::Metadata };
    Block::ToolResult(ToolResult { exit_code: read.exit_code, process: read.process, ..result })
}

fn result<'a>(item: &Payload<'a>, outcome: Outcome, content: Content<'a>) -> Block<'a> {
    Block::ToolResult(ToolResult {
        id: CallId::Named(item.text("call_id").unwrap_or_default()),
        outcome,
        exit_code: None,
        content,
        written: None,
        task: None,
        process: None,
        details: None,
    })
}

/// A message between agents. The last one of a subagent is its answer.
fn agent_message<'a>(item: &Payload<'a>, blocks: &mut Vec<Block<'a>>) {
    let content = Content::new(item.get("content"));
    let is_final = content.text().contains("Message Type: FINAL_ANSWER");
    match item.text("author").filter(|_| is_final) {
        Some(id) => blocks.push(Block::Subagent {
            id,
            is_background: true,
            status: Some(RawText::plain("completed")),
            is_new: false,
            thread: None,
        }),
        None => blocks.push(Block::Note { is_local: false, content }),
    }
}
