//! Folders that are logs of a dialect: the column of its row.

use std::path::Path;

use crate::replay::finding::Finding;

/// How a dialect reads a folder that is a log. Such a log opens read-only.
#[derive(Clone, Copy)]
pub(crate) struct LogFolder {
    pub is_one: fn(&Path) -> bool,
    pub read: fn(&Path) -> FolderRecords,
    /// Why such a log cannot be packed.
    pub refusal: &'static str,
}

/// The records of a folder, one per line, and what is wrong with its files.
pub(crate) struct FolderRecords {
    pub lines: Vec<u8>,
    pub damage: Vec<Finding>,
}
