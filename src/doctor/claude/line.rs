//! The lines of a Claude Code session.

use std::hash::Hasher;

use super::block::{BlockKind, ClaudeBlock, blocks};
use crate::doctor::lines::Damage;
use crate::doctor::names::{Name, Names};
use crate::doctor::shape::{At, Shape};
use crate::doctor::time::milliseconds;

#[derive(Clone, Debug)]
pub(crate) enum ClaudeLine {
    Damaged(Damage),
    ClaudeNode(Box<ClaudeNode>),
    Pointer(Pointer),
}

impl ClaudeLine {
    pub(crate) fn node(&self) -> Option<&ClaudeNode> {
        match self {
            ClaudeLine::ClaudeNode(node) => Some(node),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    User,
    Assistant,
    System,
    Attachment,
    Progress,
}

/// Which conversation of a file a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaudeLane {
    Main,
    /// A subagent or a member of a team, if it is named.
    Side(Option<Name>),
}

/// A line with a uuid: a part of the chain of parents.
#[derive(Clone, Debug)]
pub(crate) struct ClaudeNode {
    pub kind: NodeKind,
    pub uuid: Name,
    pub parent: Option<Name>,
    pub lane: ClaudeLane,
    pub time: Option<i64>,
    /// The id of the provider's message; lines with one id are one message.
    pub message: Option<Name>,
    /// The place of the block in the message, if it is recorded.
    pub block_index: Option<u32>,
    pub is_api_error: bool,
    /// Written by the agent itself, not by the model.
    pub is_synthetic: bool,
    /// The summary that a compaction left.
    pub is_summary: bool,
    /// Shown to the user, but not sent.
    pub is_hidden: bool,
    /// A hash of the content, to tell copies of a line from other lines with its uuid.
    pub content: u64,
    pub blocks: Box<[ClaudeBlock]>,
    pub compaction: Option<Box<ClaudeCompaction>>,
    /// The prompt of the answer, in tokens, if it is recorded.
    pub prompt_tokens: Option<u64>,
}

impl ClaudeNode {
    pub(crate) fn is_message(&self) -> bool {
        matches!(self.kind, NodeKind::User | NodeKind::Assistant)
    }

    /// Whether the model gave it as an answer.
    pub(crate) fn is_answer(&self) -> bool {
        self.kind == NodeKind::Assistant && !self.is_api_error && !self.is_synthetic
    }

    /// Whether the line is part of what is sent.
    pub(crate) fn is_sent(&self) -> bool {
        self.is_message() && !self.is_api_error && !self.is_hidden
    }

    pub(crate) fn has_result(&self) -> bool {
        self.blocks.iter().any(|block| block.kind == BlockKind::ToolResult)
    }
}

/// The boundary that a compaction wrote.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaudeCompaction {
    pub tokens_before: Option<u64>,
    pub logical_parent: Option<Name>,
    /// The line behind which kept lines are put.
    pub anchor: Option<Name>,
    /// The kept lines, one by one.
    pub kept: Option<Vec<Name>>,
    /// The first and the last kept line.
    pub segment: Option<(Name, Name)>,
}

impl ClaudeCompaction {
    pub(crate) fn keeps(&self) -> bool {
        self.kept.is_some() || self.segment.is_some()
    }
}

/// A line that names another one: the marker of the last prompt, or a title.
#[derive(Clone, Debug)]
pub(crate) struct Pointer {
    pub leaf: Option<Name>,
    /// The marker of the last prompt.
    pub is_marker: bool,
    pub is_explicit: bool,
}

/// The line, if it is of interest here.
pub(crate) fn line(shape: &Shape, names: &mut Names) -> Option<ClaudeLine> {
    let root = Shape::ROOT;
    let kind = shape.text_of(root, "type").unwrap_or_default();
    if let Some(kind) = node_kind(&kind) {
        let uuid = shape.text_of(root, "uuid").filter(|uuid| !uuid.is_empty())?;
        let uuid = names.name(&uuid);
        return Some(ClaudeLine::ClaudeNode(Box::new(node(shape, kind, uuid, names))));
    }
    let is_marker = kind == "last-prompt";
    let leaf = shape.text_of(root, "leafUuid").filter(|leaf| !leaf.is_empty());
    let leaf = leaf.map(|leaf| names.name(&leaf));
    // The last marker counts, also if it names nothing.
    let pointer = Pointer { leaf, is_marker, is_explicit: shape.flag_of(root, "explicit") };
    (is_marker || leaf.is_some()).then_some(ClaudeLine::Pointer(pointer))
}

pub(crate) fn node_kind(name: &str) -> Option<NodeKind> {
    match name {
        "user" => Some(NodeKind::User),
        "assistant" => Some(NodeKind::Assistant),
        "system" => Some(NodeKind::System),
        "attachment" => Some(NodeKind::Attachment),
        "progress" => Some(NodeKind::Progress),
        _ => None,
    }
}

fn node(shape: &Shape, kind: NodeKind, uuid: Name, names: &mut Names) -> ClaudeNode {
    let root = Shape::ROOT;
    let named = |name: &str, names: &mut Names| {
        shape.text_of(root, name).filter(|text| !text.is_empty()).map(|text| names.name(&text))
    };
    let message = shape.get(root, "message");
    let content = message.and_then(|message| shape.get(message, "content"));
    let is_message = matches!(kind, NodeKind::User | NodeKind::Assistant);
    let is_summary = shape.flag_of(root, "isCompactSummary");
    let message_id = message.and_then(|message| shape.text_of(message, "id")).filter(|id| !id.is_empty());
    let is_boundary = kind == NodeKind::System && shape.text_of(root, "subtype").as_deref() == Some("compact_boundary");
    ClaudeNode {
        kind,
        uuid,
        parent: named("parentUuid", names),
        lane: lane(shape, names),
        time: shape.text_of(root, "timestamp").and_then(|text| milliseconds(&text)),
        message: message_id.filter(|_| kind == NodeKind::Assistant).map(|id| names.name(&id)),
        block_index: shape.number_of(root, "apiBlockIndex").and_then(|index| u32::try_from(index).ok()),
        is_api_error: shape.flag_of(root, "isApiErrorMessage"),
        is_synthetic: message.and_then(|message| shape.text_of(message, "model")).as_deref() == Some("<synthetic>"),
        is_summary,
        is_hidden: kind == NodeKind::User && !is_summary && shape.flag_of(root, "isVisibleInTranscriptOnly"),
        content: content_hash(shape, content),
        blocks: if is_message { blocks(shape, content, names) } else { Box::default() },
        compaction: is_boundary.then(|| Box::new(compaction(shape, names))),
        prompt_tokens: message.and_then(|message| prompt_tokens(shape, message)),
    }
}

fn lane(shape: &Shape, names: &mut Names) -> ClaudeLane {
    let root = Shape::ROOT;
    let team = shape.text_of(root, "teamName").filter(|team| !team.is_empty());
    if !shape.flag_of(root, "isSidechain") && team.is_none() {
        return ClaudeLane::Main;
    }
    ClaudeLane::Side(shape.text_of(root, "agentId").or(team).map(|agent| names.name(&agent)))
}

/// Equal for copies of a line. What a message says counts, not what is known about its request.
fn content_hash(shape: &Shape, content: Option<At>) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    let at = content.or_else(|| ["content", "attachment", "data"].iter().find_map(|name| shape.get(Shape::ROOT, name)));
    for scalar in at.into_iter().flat_map(|at| shape.scalars(at)) {
        hasher.write(scalar);
        hasher.write_u8(b',');
    }
    hasher.finish()
}

fn prompt_tokens(shape: &Shape, message: At) -> Option<u64> {
    let usage = shape.get(message, "usage")?;
    let parts = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let sum = parts.iter().filter_map(|name| shape.number_of(usage, name)).fold(0_u64, u64::saturating_add);
    (sum > 0).then_some(sum)
}

fn compaction(shape: &Shape, names: &mut Names) -> ClaudeCompaction {
    let root = Shape::ROOT;
    let mut found = ClaudeCompaction {
        logical_parent: shape.text_of(root, "logicalParentUuid").map(|uuid| names.name(&uuid)),
        ..ClaudeCompaction::default()
    };
    let Some(metadata) = shape.get(root, "compactMetadata") else { return found };
    found.tokens_before = shape.number_of(metadata, "preTokens");
    let text = |at: At, name: &str, names: &mut Names| shape.text_of(at, name).map(|uuid| names.name(&uuid));
    if let Some(messages) = shape.get(metadata, "preservedMessages")
        && let Some(uuids) = shape.get(messages, "uuids").filter(|uuids| shape.is_array(*uuids))
    {
        found.anchor = text(messages, "anchorUuid", names);
        let uuids = shape.elements(uuids).filter_map(|uuid| shape.text(uuid));
        found.kept = Some(uuids.map(|uuid| names.name(&uuid)).collect());
    }
    if let Some(segment) = shape.get(metadata, "preservedSegment") {
        found.anchor = found.anchor.or_else(|| text(segment, "anchorUuid", names));
        let head = text(segment, "headUuid", names);
        found.segment = head.zip(text(segment, "tailUuid", names));
    }
    found
}
