//! The identity of an agent event within its run, its unit when a log is minimized, and the values that differ in every
//! run.

use std::hash::{Hash, Hasher};

use super::block::{Block, CallId};
use super::event::AgentEvent;
use crate::json::raw::RawText;
use crate::replay::imprint::{Drifting, Names};
use crate::replay::machine::Unit;

/// Ids are made up in every run; times and token counts depend on circumstances.
pub(crate) const DRIFTING: Drifting = Drifting {
    names: &[
        "uuid",
        "parentUuid",
        "logicalParentUuid",
        "leafUuid",
        "sourceToolAssistantUUID",
        "sessionId",
        "session_id",
        "messageId",
        "promptId",
        "requestId",
        "agentId",
        "id",
        "tool_use_id",
        "toolUseID",
        "parentToolUseID",
        "call_id",
        "thread_id",
        "turn_id",
        "root_turn_id",
        "response_id",
        "event_id",
        "agent_thread_id",
    ],
    drift: &[
        "timestamp",
        "ordinal",
        "version",
        "cli_version",
        "usage",
        "turn_token_usage",
        "thread_token_usage",
        "info",
        "rate_limits",
        "durationMs",
        "duration",
        "duration_ms",
        "durationSeconds",
        "totalDurationMs",
        "totalTokens",
        "started_at",
        "completed_at",
        "started_at_ms",
        "completed_at_ms",
        "time_to_first_token_ms",
        "signature",
        "encrypted_content",
        "internal_chat_message_metadata_passthrough",
    ],
};

/// The id of the only call that an event is about.
pub(crate) fn single_call<'a>(event: &AgentEvent<'a>) -> Option<RawText<'a>> {
    let mut ids = call_ids(event);
    let first = ids.next()?;
    ids.all(|id| id.hash() == first.hash()).then_some(first)
}

fn call_ids<'e, 'a>(event: &'e AgentEvent<'a>) -> impl Iterator<Item = RawText<'a>> + use<'e, 'a> {
    event.blocks.iter().filter_map(|block| {
        let id = match block {
            Block::ToolCall(call) => call.id,
            Block::ToolResult(result) => result.id,
            Block::Verdict(verdict) => verdict.id,
            _ => return None,
        };
        if let CallId::Named(id) = id { Some(id).filter(|id| !id.is_empty()) } else { None }
    })
}

/// Kind, type and tools; and the names of the line and its calls if names are exact.
pub(crate) fn identity(event: &AgentEvent<'_>, names: Names) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    (event.kind, event.line.name.hash(), event.line.part.map(RawText::hash)).hash(&mut hasher);
    if names == Names::Exact {
        event.line.id.map(RawText::hash).hash(&mut hasher);
        call_ids(event).for_each(|id| id.hash().hash(&mut hasher));
    }
    for block in &event.blocks {
        if let Block::ToolCall(call) = block {
            call.name.hash().hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// A call goes with its result and the program's report about it, the beginning of a turn with its end. The header of a
/// file stays.
pub(crate) fn unit(event: &AgentEvent<'_>) -> Unit {
    let number = |what: &str, id: RawText<'_>| {
        let mut hasher = std::hash::DefaultHasher::new();
        (what, id.hash()).hash(&mut hasher);
        hasher.finish()
    };
    if event.blocks.iter().any(|block| matches!(block, Block::Header(_))) {
        return Unit::Fixed;
    }
    if let Some(call) = call_ids(event).next() {
        return Unit::Whole(number("call", call));
    }
    let is_frame = event.blocks.iter().any(|block| matches!(block, Block::TurnStart { .. } | Block::TurnEnd(_)));
    match event.line.turn.filter(|_| is_frame) {
        Some(turn) => Unit::Frame(number("turn", turn)),
        None => Unit::Alone,
    }
}
