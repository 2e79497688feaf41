//! Sessions of Claude Code: one JSON object per line, chained by parents.

pub(crate) mod block;
pub(crate) mod chain;
mod context;
mod examine;
pub(crate) mod graph;
pub(crate) mod history;
pub(crate) mod judge;
pub(crate) mod line;
pub(crate) mod mend;
pub(crate) mod messages;

use std::sync::Arc;

use super::document::{Document, EntryId};
use super::lines::{Content, LineAt, content};
use super::names::{Name, Names};
use super::shape::Shape;
use line::{ClaudeLine, ClaudeNode};

/// The lines of a session that matter here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transcript {
    pub document: Document<ClaudeLine>,
    pub names: Names,
    /// The version that wrote the last line.
    pub version: Option<Arc<str>>,
}

/// Which part of a session is rebuilt.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClaudeScope {
    /// Only lines before this one.
    pub before: Option<u32>,
    /// The line that the history ends with, instead of the one that the agent would choose. `Some(None)` stands for a
    /// line without a parent: the history is empty.
    pub leaf: Option<Option<Name>>,
}

impl ClaudeScope {
    pub(crate) fn is_before(&self, number: u32) -> bool {
        self.before.is_none_or(|before| number < before)
    }
}

impl Transcript {
    /// Reads the next line of the file.
    pub(crate) fn read(&mut self, at: LineAt, bytes: &[u8]) {
        self.document.length = at.from + bytes.len() as u64 + u64::from(at.is_terminated);
        let found = match content(at, bytes) {
            Content::Blank => return,
            Content::Damaged(damage) => Some(ClaudeLine::Damaged(damage)),
            Content::Object(shape) => {
                if let Some(version) = shape.text_of(Shape::ROOT, "version").filter(|text| !text.is_empty()) {
                    self.version = Some(self.names.shared(&version));
                }
                line::line(&shape, &mut self.names)
            }
        };
        self.document.total_lines += 1;
        match found {
            Some(ClaudeLine::Damaged(damage))
                if self
                    .document
                    .may_extend_last(at, |last| matches!(last, ClaudeLine::Damaged(other) if *other == damage)) =>
            {
                self.document.extend_last(at, bytes.len());
            }
            Some(line) => {
                self.document.push(at, bytes.len(), line);
            }
            None => {}
        }
    }

    pub(crate) fn node(&self, entry: EntryId) -> Option<&ClaudeNode> {
        self.document.entries.get(entry)?.line.node()
    }

    /// The line of the input, for messages.
    pub(crate) fn number(&self, entry: EntryId) -> u32 {
        self.document.entries[entry].number
    }
}
