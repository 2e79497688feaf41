//! Events of a coding agent's session: one record of the file, with the blocks that it holds.

use serde_json::Value;

use super::block::{Block, PromptBy, Usage};
use super::format::Format;
use super::kind::AgentKind;
use crate::json::raw::{RawJson, RawText};

pub(crate) struct AgentEvent<'a> {
    pub format: &'static Format,
    /// What is known about the whole file.
    pub facts: FileFacts,
    pub kind: AgentKind,
    pub raw: &'a [u8],
    pub line: Line<'a>,
    pub blocks: Vec<Block<'a>>,
}

/// What a record says about itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line<'a> {
    /// The type in the words of the program, such as `assistant` or `event_msg`.
    pub name: RawText<'a>,
    /// The type of its content, such as `token_count`.
    pub part: Option<RawText<'a>>,
    pub id: Option<RawText<'a>>,
    pub parent: Option<RawText<'a>>,
    pub role: LineRole,
    pub is_sidechain: bool,
    /// It summarizes what a compaction dropped.
    pub is_summary: bool,
    pub agent: Option<RawText<'a>>,
    pub time: Option<i64>,
    pub ordinal: Option<u64>,
    /// The session that the record says it belongs to.
    pub thread: Option<RawText<'a>>,
    /// The turn that the record begins.
    pub turn: Option<RawText<'a>>,
    /// The message that the line is a part of.
    pub message: Option<RawText<'a>>,
    /// The line of the call that the line answers.
    pub answers: Option<RawText<'a>>,
    /// Identifies a line that is copied as a whole when a session is forked.
    pub copy_key: Option<u64>,
    /// The role of a message, in formats whose other records repeat messages.
    pub speaker: Option<RawText<'a>>,
    pub settings: Settings<'a>,
}

/// What a line is for the links between lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LineRole {
    User,
    Assistant,
    /// The first line after a compaction.
    Boundary,
    /// Another line that takes part in the links.
    Linked,
    #[default]
    Other,
}

impl LineRole {
    pub(crate) const fn is_message(self) -> bool {
        matches!(self, LineRole::User | LineRole::Assistant)
    }
}

/// Settings in force from this record on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings<'a> {
    pub cwd: Option<RawText<'a>>,
    pub branch: Option<RawText<'a>>,
    pub version: Option<RawText<'a>>,
    pub model: Option<RawText<'a>>,
    /// What the model may do without asking: one or more words.
    pub mode: [Option<RawText<'a>>; 3],
}

impl Line<'_> {
    /// The type and that of the content, such as `event_msg/token_count`.
    pub(crate) fn full_name(&self) -> String {
        match self.part {
            Some(part) => format!("{}/{}", self.name.get(), part.get()),
            None => self.name.get().into_owned(),
        }
    }
}

impl AgentEvent<'_> {
    /// Whether it is a message of a subagent within the file of its parent.
    pub(crate) fn is_aside(&self) -> bool {
        self.line.is_sidechain && self.line.role.is_message() && !self.facts.is_subagent()
    }

    pub(crate) fn to_value(&self) -> Value {
        RawJson::of(self.raw).map_or(Value::Null, RawJson::to_value)
    }

    /// What this record alone proves about its file.
    pub(crate) fn own_facts(&self) -> FileFacts {
        let mut facts = FileFacts {
            has_main_lines: self.line.role.is_message() && !self.line.is_sidechain,
            has_sidechain_lines: self.line.role.is_message() && self.line.is_sidechain,
            ..FileFacts::default()
        };
        for block in &self.blocks {
            match block {
                Block::TurnStart { .. } => facts.logs_turns = true,
                Block::Usage(Usage::Record { .. }) => facts.has_usage_records = true,
                Block::Usage(Usage::Count { .. }) => facts.has_token_counts = true,
                Block::Prompt { by: PromptBy::UserWithTwin, .. } => facts.has_prompt_twins = true,
                Block::Attachment { .. } => facts.has_attachments = true,
                _ => {}
            }
        }
        facts
    }
}

/// What some record of the file proves about all of it. Which records count depends on these, so they are collected
/// when the file is opened, before its first record is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileFacts {
    pub logs_turns: bool,
    pub has_usage_records: bool,
    pub has_token_counts: bool,
    pub has_prompt_twins: bool,
    pub has_attachments: bool,
    pub has_main_lines: bool,
    pub has_sidechain_lines: bool,
}

impl FileFacts {
    #[must_use]
    pub(crate) fn and(self, other: FileFacts) -> FileFacts {
        FileFacts {
            logs_turns: self.logs_turns || other.logs_turns,
            has_usage_records: self.has_usage_records || other.has_usage_records,
            has_token_counts: self.has_token_counts || other.has_token_counts,
            has_prompt_twins: self.has_prompt_twins || other.has_prompt_twins,
            has_attachments: self.has_attachments || other.has_attachments,
            has_main_lines: self.has_main_lines || other.has_main_lines,
            has_sidechain_lines: self.has_sidechain_lines || other.has_sidechain_lines,
        }
    }

    /// Whether the whole file is a subagent's. Then its sidechain is its main chain.
    pub(crate) fn is_subagent(self) -> bool {
        self.has_sidechain_lines && !self.has_main_lines
    }
}
