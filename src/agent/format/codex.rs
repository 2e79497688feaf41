//! Codex rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`.
//!
//! A record is `{timestamp, type, payload}`. Releases before September 2025 wrote the payloads bare. Since August 2026
//! records have an `ordinal`, and the events carry what the texts of results used to say.

mod events;
mod items;
mod outcome;
mod payload;

use super::{Format, Gap, StepsBy, TurnEnds};
use crate::agent::block::{Block, Compaction, Header, Tokens, Usage};
use crate::agent::content::Content;
use crate::agent::decode::not_an_object;
use crate::agent::event::{AgentEvent, FileFacts, Line};
use crate::agent::kind::AgentKind;
use crate::agent::time::microseconds;
use crate::dialect::recognize::{Certainty, Sample};
use crate::json::raw::{RawJson, RawRecord, RawText};
use crate::replay::machine::Malformed;
use payload::Payload;

pub(crate) static FORMAT: Format = Format {
    name: "codex",
    program: "Codex",
    recognize,
    read,
    turn_ends: TurnEnds::Stated,
    steps: StepsBy::Usage,
    gaps: &[
        Gap { field: "queue", reason: "Codex does not write prompts that wait in its queue" },
        Gap { field: "retries", reason: "Codex does not write retries" },
        Gap { field: "approvals", reason: "Codex does not write approvals" },
    ],
    derived: &["step", "prompt_tokens", "output_tokens", "cache_read_tokens", "open_calls", "tools", "background"],
};

/// The types of records with an envelope. Other names are unknown.
const NAMES: [&str; 12] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "token_usage_record",
    "security_risk_score",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "realtime_item",
    "retained_context",
];

fn recognize(sample: &Sample<'_>) -> Option<Certainty> {
    let is_enveloped = || sample.word("type").is_some_and(|name| NAMES[..7].contains(&name));
    if sample.has("payload") && is_enveloped() || sample.has("record_type") {
        return Some(Certainty::Sure);
    }
    // The header of an old release.
    (!sample.has("type") && sample.has("id") && sample.has("timestamp")).then_some(Certainty::Likely)
}

fn read(record: RawRecord<'_>) -> Result<AgentEvent<'_>, Malformed> {
    let mut envelope = Payload::default();
    RawJson::visit_object(record, &mut |key, value| envelope.take(key, value))
        .ok_or_else(|| not_an_object(record.bytes))?;
    let name = envelope.text("type");
    let inside = envelope.get("payload").filter(|payload| payload.is_object());
    let mut line = Line {
        name: name.unwrap_or_default(),
        time: envelope.text("timestamp").and_then(microseconds),
        ordinal: envelope.get("ordinal").and_then(RawJson::number),
        ..Line::default()
    };
    let mut blocks = Vec::new();
    match (name, inside) {
        (Some(name), Some(inside)) => enveloped(name, &Payload::of(inside), &mut line, &mut blocks),
        _ => bare(name, &envelope, &mut line, &mut blocks),
    }
    let kind = AgentKind::of(&blocks);
    Ok(AgentEvent { format: &FORMAT, facts: FileFacts::default(), kind, raw: record.bytes, line, blocks })
}

fn enveloped<'a>(name: RawText<'a>, payload: &Payload<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    line.thread = payload.text("thread_id");
    match &*name.get() {
        "session_meta" => header(payload, line, blocks),
        "turn_context" => turn_context(payload, line, blocks),
        "response_item" => items::read(payload, line, blocks),
        "event_msg" => events::read(payload, line, blocks),
        "compacted" => blocks.push(Block::Compaction(Compaction {
            left: payload.get("replacement_history").filter(|left| left.is_array()),
            summary: Content::new(payload.get("message")),
            ..Compaction::default()
        })),
        "token_usage_record" => blocks.push(Block::Usage(Usage::Record {
            thread: line.thread,
            response: payload.text("response_id").unwrap_or_default().hash(),
            tokens: payload.get("usage").map(tokens).unwrap_or_default(),
        })),
        "world_state" => blocks.push(Block::Metadata),
        name if NAMES.contains(&name) => blocks.push(Block::Metadata),
        name => blocks.push(Block::Unknown(name.into())),
    }
}

/// A record without an envelope is an item, or the header of an old release.
fn bare<'a>(name: Option<RawText<'a>>, record: &Payload<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    if record.get("record_type").is_some() {
        blocks.push(Block::Metadata);
        return;
    }
    match name.map(RawText::get) {
        None if record.get("type").is_none() && record.get("id").is_some() && record.get("timestamp").is_some() => {
            header(record, line, blocks);
        }
        Some(name) if items::is_item(&name) => items::read(record, line, blocks),
        Some(name) => blocks.push(Block::Unknown(name.into())),
        None => blocks.push(Block::Unknown("None".into())),
    }
}

fn header<'a>(payload: &Payload<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let (source, git) = (payload.get("source"), payload.get("git"));
    let is_subagent = source.is_some_and(|source| source.get("subagent").is_some());
    let parent = payload.text("forked_from_id").or_else(|| payload.text("parent_thread_id"));
    line.settings.cwd = payload.text("cwd");
    line.settings.version = payload.text("cli_version");
    line.settings.branch = git.and_then(|git| git.text_of("branch"));
    blocks.push(Block::Header(Box::new(Header {
        thread: payload.text("id"),
        is_descendant: is_subagent || parent.is_some(),
        is_subagent,
        parent,
        base: payload.get("history_base").filter(|base| base.is_object()),
        own_from: payload.get("subagent_history_start_ordinal").and_then(RawJson::number),
    })));
}

fn turn_context<'a>(payload: &Payload<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let within = |name: &str, inner: &str| {
        let value = payload.get(name)?;
        value.text().or_else(|| value.text_of(inner))
    };
    line.settings.cwd = payload.text("cwd");
    line.settings.model = payload.text("model").filter(|model| !model.is_empty());
    line.settings.mode = [
        payload.text("approval_policy"),
        within("sandbox_policy", "type").or_else(|| within("sandbox_policy", "mode")),
        within("collaboration_mode", "mode"),
    ];
    blocks.push(Block::Metadata);
}

/// The numbers of one call to the model. The input includes cached tokens.
fn tokens(usage: RawJson<'_>) -> Tokens {
    let mut tokens = Tokens::default();
    usage.each_member(&mut |key, value| {
        let number = value.number().unwrap_or_default();
        match &*key.name() {
            b"input_tokens" => tokens.prompt = number,
            b"output_tokens" => tokens.output = number,
            b"cached_input_tokens" => tokens.cache_read = number,
            _ => {}
        }
    });
    tokens
}
