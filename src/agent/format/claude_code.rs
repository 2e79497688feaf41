//! Claude Code sessions: `~/.claude/projects/<folder>/<session>.jsonl`.
//!
//! One message of the model is spread over several lines, one per content block, and the lines need not be neighbours.

mod assistant;
mod members;
mod outcome;
mod user;

use super::{Format, Gap, StepsBy, TurnEnds};
use crate::agent::block::{Block, Compaction, QueueChange, TurnEnd};
use crate::agent::content::Content;
use crate::agent::decode::not_an_object;
use crate::agent::event::{AgentEvent, FileFacts, Line, LineRole, Settings};
use crate::agent::kind::AgentKind;
use crate::agent::time::microseconds;
use crate::dialect::recognize::{Certainty, Sample};
use crate::json::raw::{RawJson, RawRecord, RawText};
use crate::replay::machine::Malformed;
use members::LineMembers;

pub(crate) static FORMAT: Format = Format {
    name: "claude-code",
    program: "Claude Code",
    recognize,
    read,
    turn_ends: TurnEnds::Derived,
    steps: StepsBy::Message,
    gaps: &[
        Gap { field: "context_window", reason: "Claude Code does not write the size of the context window" },
        Gap { field: "approvals", reason: "Claude Code writes only denials, not what it asked or what was allowed" },
    ],
    derived: &[
        "outcome",
        "step",
        "context_tokens",
        "prompt_tokens",
        "output_tokens",
        "cache_read_tokens",
        "open_calls",
        "tools",
        "plan",
        "background",
        "queue",
        "retries",
        "denials",
    ],
};

/// The types of lines that are a part of the conversation.
const LINKED: [&str; 5] = ["user", "assistant", "system", "attachment", "progress"];

/// The types of lines that are known and say nothing about the conversation.
const METADATA: [&str; 29] = [
    "summary",
    "file-history-snapshot",
    "file-history-delta",
    "queue-operation",
    "last-prompt",
    "ai-title",
    "custom-title",
    "agent-name",
    "agent-setting",
    "agent-color",
    "mode",
    "permission-mode",
    "pr-link",
    "frame-link",
    "bridge-session",
    "atis-latch",
    "relocated",
    "worktree-state",
    "cost-state",
    "continued-in",
    "fork-context-ref",
    "content-replacement",
    "ended-by-model",
    "history-suppression",
    "tag",
    "attribution-snapshot",
    // The journal of a workflow.
    "launched",
    "started",
    "result",
];

fn is_metadata(name: &str) -> bool {
    METADATA.contains(&name) || name.starts_with("artifact-")
}

/// Titles and other metadata decide nothing: other programs could write such lines.
fn recognize(sample: &Sample<'_>) -> Option<Certainty> {
    let name = sample.word("type")?;
    if LINKED.contains(&name) {
        let is_own =
            sample.has("sessionId") || sample.has("parentUuid") || sample.has("uuid") && !sample.has("session_id");
        return is_own.then_some(Certainty::Sure);
    }
    let is_own = sample.has("sessionId") || sample.has("leafUuid") || name.starts_with("file-history-");
    (is_metadata(name) && is_own && !sample.has("data")).then_some(Certainty::Guess)
}

fn read(record: RawRecord<'_>) -> Result<AgentEvent<'_>, Malformed> {
    let mut members = LineMembers::default();
    RawJson::visit_object(record, &mut |key, value| members.take(&key.name(), value))
        .ok_or_else(|| not_an_object(record.bytes))?;
    let name = members.name.and_then(RawJson::text);
    let known = name.map(RawText::get);
    let mut line = line(&members, name.unwrap_or_default());
    let mut blocks = Vec::new();
    match known.as_deref() {
        Some("assistant") => assistant::read(&members, &mut line, &mut blocks),
        Some("user") => user::read(&members, &mut line, &mut blocks),
        Some("system") => system(&members, &mut line, &mut blocks),
        Some("attachment") => attachment(&members, &mut line, &mut blocks),
        Some("progress") => progress(&members, &mut line, &mut blocks),
        Some("queue-operation") => queue(&members, &mut blocks),
        Some(name) if is_metadata(name) => blocks.push(Block::Metadata),
        Some(name) => blocks.push(Block::Unknown(name.into())),
        None => {
            // What is not a name is shown as it is written; the facts of a report call a missing one `None`.
            let shown = members.name.map_or("None".into(), |value| String::from_utf8_lossy(value.bytes()));
            blocks.push(Block::Unknown(shown.into()));
        }
    }
    let kind = if line.is_summary { AgentKind::Summary } else { AgentKind::of(&blocks) };
    Ok(AgentEvent { format: &FORMAT, facts: FileFacts::default(), kind, raw: record.bytes, line, blocks })
}

fn line<'a>(members: &LineMembers<'a>, name: RawText<'a>) -> Line<'a> {
    let text = |value: Option<RawJson<'a>>| value.and_then(RawJson::text);
    let is_linked = LINKED.iter().any(|linked| name.is(linked));
    let role = match () {
        () if name.is("user") => LineRole::User,
        () if name.is("assistant") => LineRole::Assistant,
        () if is_linked => LineRole::Linked,
        () => LineRole::Other,
    };
    Line {
        name,
        id: text(members.uuid).filter(|id| is_linked && !id.is_empty()),
        parent: text(members.parent).filter(|id| is_linked && !id.is_empty()),
        role,
        is_sidechain: members.is_sidechain.and_then(RawJson::flag) == Some(true),
        agent: text(members.agent),
        time: text(members.timestamp).and_then(microseconds),
        settings: Settings {
            cwd: text(members.cwd),
            branch: text(members.branch),
            version: text(members.version),
            model: None,
            mode: [text(members.permission_mode), None, None],
        },
        ..Line::default()
    }
}

fn system<'a>(members: &LineMembers<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let subtype = members.subtype.and_then(RawJson::text);
    line.part = subtype;
    let is = |name: &str| subtype.is_some_and(|subtype| subtype.is(name));
    if is("turn_duration") {
        blocks.push(Block::TurnEnd(TurnEnd::Unstated));
    } else if is("compact_boundary") {
        line.role = LineRole::Boundary;
        let metadata = members.compaction;
        let number = |name: &str| metadata?.get(name)?.number();
        blocks.push(Block::Compaction(Compaction {
            trigger: metadata.and_then(|metadata| metadata.text_of("trigger")),
            tokens_before: number("preTokens"),
            tokens_after: number("postTokens"),
            kept: metadata.and_then(|metadata| metadata.get("preservedMessages")),
            ..Compaction::default()
        }));
    } else if is("api_error") {
        let attempt = members.retry_attempt.and_then(RawJson::integer);
        let is_last = attempt.is_some() && attempt == members.most_retries.and_then(RawJson::integer);
        let error = members.error.and_then(|error| error.text().or_else(|| error.text_of("message")));
        blocks.push(Block::Retry { is_last, error });
    } else if is("local_command") {
        blocks.push(Block::Note { is_local: true, content: Content::new(members.content) });
    } else {
        blocks.push(Block::Metadata);
    }
}

fn attachment<'a>(members: &LineMembers<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let name = members.attachment.and_then(|attachment| attachment.text_of("type"));
    line.part = name;
    blocks.push(Block::Attachment { name });
    if name.is_some_and(|name| name.is("queued_command")) {
        let content = Content::new(members.attachment.and_then(|attachment| attachment.get("prompt")));
        blocks.extend(user::task_ends(content));
        if !content.beginning(1).starts_with(['<', '/']) {
            blocks.push(Block::Steer { content });
        }
    }
}

/// The first line that names a subagent may report its progress.
fn progress<'a>(members: &LineMembers<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let part = members.data.and_then(|data| data.text_of("type"));
    line.part = part;
    let agent = members.data.and_then(|data| data.text_of("agentId"));
    match agent.filter(|_| part.is_some_and(|part| part.is("agent_progress"))) {
        Some(id) => blocks.push(Block::Subagent { id, is_background: false, status: None, is_new: true, thread: None }),
        None => blocks.push(Block::Metadata),
    }
}

fn queue<'a>(members: &LineMembers<'a>, blocks: &mut Vec<Block<'a>>) {
    let operation = members.operation.and_then(RawJson::text);
    let is = |name: &str| operation.is_some_and(|operation| operation.is(name));
    let content = Content::new(members.content);
    if is("enqueue") {
        blocks.push(Block::Queue(QueueChange::Added { is_prompt: !content.beginning(1).starts_with('<') }));
        blocks.extend(user::task_ends(content));
    } else if is("dequeue") {
        blocks.push(Block::Queue(QueueChange::Taken));
    } else if is("remove") {
        blocks.push(Block::Queue(QueueChange::Delivered));
    } else if is("popAll") {
        blocks.push(Block::Queue(QueueChange::Emptied));
    } else {
        blocks.push(Block::Metadata);
    }
}
