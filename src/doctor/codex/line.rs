//! The records of a rollout.

use std::sync::Arc;

use memchr::memmem;

use super::item::{Item, item};
use crate::doctor::lines::Damage;
use crate::doctor::names::{Name, Names};
use crate::doctor::shape::{At, Shape};
use crate::json::string::{Escaped, Escapes};

#[derive(Clone, Debug)]
pub(crate) struct CodexLine {
    pub kind: CodexKind,
    pub is_utf8: bool,
    /// `None` if the line does not decode.
    pub record: Option<CodexRecord>,
}

/// What every record has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodexRecord {
    pub ordinal: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) enum CodexKind {
    Damaged {
        damage: Damage,
        /// The bytes look like a part of the conversation.
        is_item: bool,
    },
    /// A part of the conversation that does not decode.
    Skipped,
    Meta(Box<Meta>),
    Item(Box<Item>),
    Compacted(Box<Compacted>),
    TurnStarted(Option<Name>),
    /// A record that names the turn it belongs to: the end of a turn, or its settings.
    TurnNamed(Option<Name>),
    Aborted(Option<Name>),
    /// The event of a prompt.
    UserMessage,
    RolledBack(u32),
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Compacted {
    /// What takes the place of the history; without it, the prompts so far and the summary do.
    pub replacement: Option<Vec<Item>>,
}

/// The metadata of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meta {
    pub id: Arc<str>,
    pub version: Option<Arc<str>>,
    /// As it is written; `None` if it is absent.
    pub history_mode: Option<String>,
    pub base: Option<Position>,
    pub subagent_start: Option<u64>,
}

/// A place in another rollout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub rollout: Arc<str>,
    pub end_ordinal: u64,
    pub end_byte: u64,
}

impl Meta {
    pub(crate) fn is_paginated(&self) -> bool {
        self.history_mode.as_deref() == Some("paginated")
    }

    pub(crate) fn is_known_mode(&self) -> bool {
        self.history_mode.as_deref().is_none_or(|mode| matches!(mode, "legacy" | "paginated"))
    }
}

impl CodexLine {
    pub(crate) fn damaged(damage: Damage, bytes: &[u8]) -> CodexLine {
        // The type comes early in a record, before its payload.
        let start = &bytes[..bytes.len().min(400)];
        let is_item =
            [&b"\"response_item\""[..], b"\"compacted\""].iter().any(|kind| memmem::find(start, kind).is_some());
        CodexLine {
            kind: CodexKind::Damaged { damage, is_item: is_item && damage == Damage::Malformed },
            is_utf8: true,
            record: None,
        }
    }
}

/// The record of a line that is an object.
pub(crate) fn line(shape: &Shape, names: &mut Names) -> CodexLine {
    let root = Shape::ROOT;
    let kind = shape.text_of(root, "type").unwrap_or_default();
    let payload = shape.get(root, "payload").filter(|payload| shape.is_object(*payload));
    let is_record = shape.get(root, "timestamp").is_some_and(|time| shape.is_string(time)) && !has_half_pair(shape);
    let decoded = payload.filter(|_| is_record).and_then(|payload| decoded(shape, &kind, payload, names));
    let is_conversation = matches!(&*kind, "response_item" | "compacted");
    let record = decoded.is_some().then(|| CodexRecord { ordinal: shape.number_of(root, "ordinal") });
    let kind = decoded.unwrap_or(if is_conversation { CodexKind::Skipped } else { CodexKind::Other });
    CodexLine { kind, is_utf8: true, record }
}

/// Codex refuses half a surrogate pair as an escape.
fn has_half_pair(shape: &Shape) -> bool {
    let halves = |at: At| Escapes::new(shape.inside(at)).any(|escape| escape.stands_for == Escaped::HalfPair);
    memmem::find(shape.bytes(), b"\\u").is_some() && shape.strings(Shape::ROOT).any(halves)
}

fn decoded(shape: &Shape, kind: &str, payload: At, names: &mut Names) -> Option<CodexKind> {
    let turn = |names: &mut Names| shape.text_of(payload, "turn_id").map(|id| names.name(&id));
    Some(match kind {
        "session_meta" => CodexKind::Meta(Box::new(meta(shape, payload, names)?)),
        "response_item" => match item(shape, payload, names)? {
            Some(item) => CodexKind::Item(Box::new(item)),
            None => CodexKind::Other,
        },
        "compacted" => CodexKind::Compacted(Box::new(compacted(shape, payload, names)?)),
        "turn_context" => CodexKind::TurnNamed(turn(names)),
        "event_msg" => match shape.text_of(payload, "type").as_deref() {
            Some("task_started" | "turn_started") => CodexKind::TurnStarted(turn(names)),
            Some("task_complete" | "turn_complete") => CodexKind::TurnNamed(turn(names)),
            Some("turn_aborted") => CodexKind::Aborted(turn(names)),
            Some("user_message") => CodexKind::UserMessage,
            Some("thread_rolled_back") => {
                let turns = shape.number_of(payload, "num_turns").unwrap_or(0);
                CodexKind::RolledBack(u32::try_from(turns).unwrap_or(u32::MAX))
            }
            _ => CodexKind::Other,
        },
        _ => CodexKind::Other,
    })
}

fn meta(shape: &Shape, payload: At, names: &mut Names) -> Option<Meta> {
    let mut text = |name: &str| shape.text_of(payload, name).map(|text| names.shared(&text));
    let (id, version) = (text("id")?, text("cli_version")?);
    for name in ["timestamp", "cwd", "originator"] {
        shape.text_of(payload, name)?;
    }
    let mode = shape.get(payload, "history_mode").filter(|mode| shape.raw(*mode) != b"null");
    let base = shape.get(payload, "history_base").and_then(|base| {
        Some(Position {
            rollout: names.shared(&shape.text_of(base, "thread_id")?),
            end_ordinal: shape.number_of(base, "end_ordinal_exclusive")?,
            end_byte: shape.number_of(base, "end_byte_offset")?,
        })
    });
    let mode = mode.map(|mode| shape.text(mode).map_or_else(|| "?".to_owned(), |mode| mode.into_owned()));
    Some(Meta {
        id,
        version: Some(version),
        history_mode: mode,
        base,
        subagent_start: shape.number_of(payload, "subagent_history_start_ordinal"),
    })
}

fn compacted(shape: &Shape, payload: At, names: &mut Names) -> Option<Compacted> {
    shape.text_of(payload, "message")?;
    let list = shape.get(payload, "replacement_history").filter(|list| shape.is_array(*list));
    let mut replacement = list.map(|_| Vec::new());
    for (index, element) in list.into_iter().flat_map(|list| shape.elements(list)).enumerate() {
        if let (Some(mut item), Some(items)) = (item(shape, element, names)?, &mut replacement) {
            item.index = Some(index);
            items.push(item);
        }
    }
    Some(Compacted { replacement })
}
