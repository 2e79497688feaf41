//! Families of logs: those of a folder that have started each other, such as the logs of sub-agents.

use std::path::{Path, PathBuf};

use super::Seq;

/// The logs of a folder: each parent before its children, families first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FamilyTree {
    pub rows: Vec<FamilyRow>,
    /// Files that were not looked at, since there are too many.
    pub skipped: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FamilyRow {
    pub path: PathBuf,
    pub name: String,
    /// 0 for a log that no other log of the folder has started.
    pub depth: usize,
    /// The outcome of the run, in words.
    pub outcome: String,
    pub events: u32,
    /// The event of the parent's log that mentions this one first.
    pub parent_at: Option<Seq>,
}

impl FamilyTree {
    /// The first log that has started others. `None` if no two logs belong together.
    pub(crate) fn root(&self) -> Option<&FamilyRow> {
        let child = self.rows.iter().position(|row| row.depth > 0)?;
        self.rows[..child].iter().rev().find(|row| row.depth == 0)
    }

    /// The number of the row with this path.
    pub(crate) fn position(&self, path: &Path) -> Option<usize> {
        self.rows.iter().position(|row| row.path == path)
    }
}
