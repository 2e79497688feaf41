//! Edits of single lines: read, change the bytes, read again what they say.

use super::ClaudeMender;
use crate::doctor::claude::line::{ClaudeLine, ClaudeNode, Pointer, line};
use crate::doctor::document::EntryId;
use crate::doctor::names::Name;
use crate::doctor::shape::{At, Shape};
use crate::doctor::splice::{literal, replaced, with_member};

impl ClaudeMender<'_> {
    pub(super) fn node(&self, entry: EntryId) -> Option<&ClaudeNode> {
        self.transcript.node(entry)
    }

    pub(super) fn bytes(&self, entry: EntryId) -> Option<Vec<u8>> {
        self.transcript.document.bytes(entry, self.lines)
    }

    /// Changes a line. The edit gets the line and returns its new bytes.
    pub(super) fn edit(&mut self, entry: EntryId, edit: impl FnOnce(&Shape) -> Option<Vec<u8>>) -> Option<()> {
        let bytes = self.bytes(entry)?;
        let shape = Shape::object(&bytes)?;
        let changed = edit(&shape)?;
        self.put(entry, changed)
    }

    fn put(&mut self, entry: EntryId, bytes: Vec<u8>) -> Option<()> {
        let changed = line(&Shape::object(&bytes)?, &mut self.transcript.names);
        // A title that names nothing is no longer of interest, but it is still a line.
        let nothing = ClaudeLine::Pointer(Pointer { leaf: None, is_marker: false, is_explicit: false });
        let line = changed.unwrap_or(nothing);
        let old = &self.transcript.document.entries[entry].line;
        self.index.remove(entry, old);
        self.index.add(entry, &line);
        self.transcript.document.change(entry, bytes, line);
        Some(())
    }

    /// Changes a line and its copies, which are written again with the same uuid and content.
    pub(super) fn edit_copies(&mut self, entry: EntryId, edit: impl Fn(&Shape) -> Option<Vec<u8>>) -> Option<()> {
        let node = self.node(entry)?;
        let (uuid, content) = (node.uuid, node.content);
        for copy in self.index.copies(uuid) {
            if copy == entry || self.node(copy).is_some_and(|node| node.content == content) {
                self.edit(copy, &edit)?;
            }
        }
        Some(())
    }

    pub(super) fn insert_after(&mut self, after: EntryId, bytes: Vec<u8>) -> Option<EntryId> {
        let line = line(&Shape::object(&bytes)?, &mut self.transcript.names)?;
        let entry = self.transcript.document.insert_after(after, bytes, line);
        self.index.add(entry, &self.transcript.document.entries[entry].line);
        Some(entry)
    }

    /// Moves a line, and returns its new number.
    pub(super) fn move_after(&mut self, entry: EntryId, after: EntryId) -> EntryId {
        let moved = self.transcript.document.move_after(entry, after);
        self.index.remove(entry, &self.transcript.document.entries[entry].line);
        self.index.add(moved, &self.transcript.document.entries[moved].line);
        self.touched.insert(entry);
        moved
    }

    pub(super) fn drop_entry(&mut self, entry: EntryId) {
        self.index.remove(entry, &self.transcript.document.entries[entry].line);
        self.transcript.document.drop_line(entry);
        self.touched.insert(entry);
    }

    /// A uuid as JSON; `null` for none.
    pub(super) fn uuid_literal(&self, uuid: Option<Name>) -> Vec<u8> {
        uuid.map_or_else(|| b"null".to_vec(), |uuid| literal(&self.transcript.names.text(uuid)))
    }

    /// Changes a member of a line, or adds it.
    pub(super) fn set(&mut self, entry: EntryId, member: &str, value: &[u8]) -> Option<()> {
        self.edit(entry, |shape| Some(with_member(shape, Shape::ROOT, member, value)))
    }
}

/// The content of a line's message.
pub(super) fn content(shape: &Shape) -> Option<At> {
    shape.get(shape.get(Shape::ROOT, "message")?, "content")
}

/// A block of a line, if its content is a list.
pub(super) fn block(shape: &Shape, index: usize) -> Option<At> {
    shape.elements(content(shape)?).nth(index)
}

/// Replaces a value of a line.
pub(super) fn with(shape: &Shape, at: At, value: &[u8]) -> Vec<u8> {
    replaced(shape.bytes(), shape.span(at), value)
}
