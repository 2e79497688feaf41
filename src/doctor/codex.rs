//! Rollouts of Codex: one record per line, replayed from front to back.

pub(crate) mod base;
mod context;
mod examine;
pub(crate) mod history;
pub(crate) mod item;
pub(crate) mod judge;
pub(crate) mod line;
pub(crate) mod mend;

use std::sync::Arc;

use super::document::{Document, EntryId};
use super::lines::{Content, Damage, LineAt, content};
use super::names::Names;
use base::BaseFailure;
use line::{CodexKind, CodexLine, CodexRecord, Meta};

/// The byte order mark in UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The records of a rollout that matter here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rollout {
    pub document: Document<CodexLine>,
    pub names: Names,
    /// The version that wrote the head.
    pub version: Option<Arc<str>>,
    /// What the first line that is not blank is.
    pub head: Option<RolloutHead>,
    has_meta: bool,
    /// The rollouts that this one continues, oldest first.
    pub bases: Vec<Document<CodexLine>>,
    pub base_failure: Option<BaseFailure>,
    /// Ordinals that do not follow the one before.
    pub jumps: Vec<Jump>,
    pub last: Option<LastRecord>,
}

/// The first line that is not blank.
#[derive(Clone, Debug)]
pub(crate) struct RolloutHead {
    pub number: u32,
    pub entry: EntryId,
    pub kind: HeadKind,
    pub has_bom: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum HeadKind {
    Meta(Box<Meta>),
    /// A record, but of another type.
    Other,
    /// Not a record.
    Undecodable,
}

/// An ordinal that does not follow the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jump {
    pub number: u32,
    pub expected: u64,
    pub found: u64,
}

/// The last record that decodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastRecord {
    pub number: u32,
    pub entry: EntryId,
    pub ordinal: Option<u64>,
    /// The last ordinal of the file, of this record or one before.
    pub greatest: Option<u64>,
}

/// Only so many jumps are kept; one is as bad as a thousand.
const JUMPS_MOST: usize = 10_000;

impl Rollout {
    /// Reads the next line of the file.
    pub(crate) fn read(&mut self, at: LineAt, bytes: &[u8]) {
        self.document.length = at.from + bytes.len() as u64 + u64::from(at.is_terminated);
        let is_first = self.head.is_none();
        let bom = if at.from == 0 && bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let mut line = match content(at, &bytes[bom..]) {
            Content::Blank if bom == 0 => return,
            Content::Blank => CodexLine::damaged(Damage::Malformed, bytes),
            Content::Damaged(damage) => CodexLine::damaged(damage, bytes),
            Content::Object(shape) => line::line(&shape, &mut self.names),
        };
        line.is_utf8 = std::str::from_utf8(bytes).is_ok();
        self.document.total_lines += 1;
        let record = line.record;
        // Whatever comes before the metadata may have to go.
        let is_kept = !self.has_meta || !line.is_utf8 || !matches!(line.kind, CodexKind::Other);
        self.has_meta |= matches!(line.kind, CodexKind::Meta(_));
        let head = is_first.then(|| head_kind(&line));
        if let CodexKind::Damaged { damage, is_item: false } = line.kind
            && line.is_utf8
            && self.may_extend(at, damage)
        {
            self.document.extend_last(at, bytes.len());
            return;
        }
        let entry = if is_kept {
            self.document.push(at, bytes.len(), line)
        } else if record.is_some() {
            // The last record is needed, whatever it is. It takes the place of the one that was last before.
            self.replace_last_other(at, bytes.len(), line)
        } else {
            return;
        };
        if let Some(kind) = head {
            if let HeadKind::Meta(meta) = &kind {
                self.version = meta.version.clone();
            }
            self.head = Some(RolloutHead { number: at.number, entry, kind, has_bom: bom > 0 });
        }
        if let Some(record) = record {
            self.count(at.number, entry, record);
        }
    }

    fn may_extend(&self, at: LineAt, damage: Damage) -> bool {
        let is_alike = |last: &CodexLine| {
            matches!(last.kind, CodexKind::Damaged { damage: other, is_item: false } if other == damage) && last.is_utf8
        };
        self.head.is_some() && self.document.may_extend_last(at, is_alike)
    }

    fn replace_last_other(&mut self, at: LineAt, length: usize, line: CodexLine) -> EntryId {
        let is_head = self.head.as_ref().is_some_and(|head| head.entry + 1 == self.document.entries.len());
        self.document.pop_last_if(|last| matches!(last.kind, CodexKind::Other) && last.is_utf8 && !is_head);
        self.document.push(at, length, line)
    }

    fn count(&mut self, number: u32, entry: EntryId, record: CodexRecord) {
        let before = self.last.and_then(|last| last.greatest);
        if let (Some(before), Some(found)) = (before, record.ordinal)
            && before.checked_add(1) != Some(found)
            && self.jumps.len() < JUMPS_MOST
        {
            self.jumps.push(Jump { number, expected: before.saturating_add(1), found });
        }
        let greatest = record.ordinal.or(before);
        self.last = Some(LastRecord { number, entry, ordinal: record.ordinal, greatest });
    }

    pub(crate) fn meta(&self) -> Option<&Meta> {
        match &self.head.as_ref()?.kind {
            HeadKind::Meta(meta) => Some(meta),
            _ => None,
        }
    }

    /// The metadata of the session, wherever it is.
    pub(crate) fn any_meta(&self) -> Option<&Meta> {
        let later = || {
            self.document.present().find_map(|(_, entry)| match &entry.line.kind {
                CodexKind::Meta(meta) => Some(&**meta),
                _ => None,
            })
        };
        self.meta().or_else(later)
    }

    pub(crate) fn is_paginated(&self) -> bool {
        self.any_meta().is_some_and(Meta::is_paginated)
    }
}

fn head_kind(line: &CodexLine) -> HeadKind {
    match &line.kind {
        CodexKind::Meta(meta) => HeadKind::Meta(meta.clone()),
        _ if line.record.is_some() => HeadKind::Other,
        _ => HeadKind::Undecodable,
    }
}
