//! Which lines refer to a uuid.

use rustc_hash::FxHashMap;

use crate::doctor::claude::Transcript;
use crate::doctor::claude::line::ClaudeLine;
use crate::doctor::document::EntryId;
use crate::doctor::names::Name;

/// The lines that have or name a uuid, kept up to date during a round.
#[derive(Default)]
pub(super) struct Index {
    /// The lines with this uuid: usually one, but lines may be written again.
    copies: FxHashMap<Name, Vec<EntryId>>,
    children: FxHashMap<Name, Vec<EntryId>>,
    pointers: FxHashMap<Name, Vec<EntryId>>,
    /// The compactions that keep lines.
    pub(super) boundaries: Vec<EntryId>,
}

impl Index {
    pub(super) fn new(transcript: &Transcript) -> Index {
        let mut index = Index::default();
        for (entry, found) in transcript.document.present() {
            index.add(entry, &found.line);
        }
        index
    }

    pub(super) fn add(&mut self, entry: EntryId, line: &ClaudeLine) {
        match line {
            ClaudeLine::Damaged(_) => {}
            ClaudeLine::Pointer(pointer) => {
                if let Some(leaf) = pointer.leaf {
                    self.pointers.entry(leaf).or_default().push(entry);
                }
            }
            ClaudeLine::ClaudeNode(node) => {
                self.copies.entry(node.uuid).or_default().push(entry);
                if let Some(parent) = node.parent {
                    self.children.entry(parent).or_default().push(entry);
                }
                if node.compaction.as_ref().is_some_and(|compaction| compaction.keeps()) {
                    self.boundaries.push(entry);
                }
            }
        }
    }

    pub(super) fn remove(&mut self, entry: EntryId, line: &ClaudeLine) {
        let forget =
            |list: Option<&mut Vec<EntryId>>| list.into_iter().for_each(|list| list.retain(|other| *other != entry));
        match line {
            ClaudeLine::Damaged(_) => {}
            ClaudeLine::Pointer(pointer) => forget(pointer.leaf.and_then(|leaf| self.pointers.get_mut(&leaf))),
            ClaudeLine::ClaudeNode(node) => {
                forget(self.copies.get_mut(&node.uuid));
                forget(node.parent.and_then(|parent| self.children.get_mut(&parent)));
                forget(Some(&mut self.boundaries));
            }
        }
    }

    pub(super) fn copies(&self, uuid: Name) -> Vec<EntryId> {
        self.copies.get(&uuid).cloned().unwrap_or_default()
    }

    pub(super) fn children(&self, uuid: Name) -> Vec<EntryId> {
        self.children.get(&uuid).cloned().unwrap_or_default()
    }

    pub(super) fn pointers(&self, uuid: Name) -> Vec<EntryId> {
        self.pointers.get(&uuid).cloned().unwrap_or_default()
    }

    pub(super) fn is_known(&self, uuid: Name) -> bool {
        self.copies.get(&uuid).is_some_and(|copies| !copies.is_empty())
    }
}
