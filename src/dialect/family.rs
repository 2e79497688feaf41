//! Families of logs: the column of a dialect whose logs start other logs, such as those of sub-agents.

use std::path::{Path, PathBuf};

use crate::replay::family::FamilyTree;

/// How a dialect finds the logs that belong together.
#[derive(Clone, Copy)]
pub(crate) struct FamilyColumn {
    /// The families in the folder of a log, or the family of the log if its members are in several folders.
    pub of_log: fn(&Path) -> FamilyTree,
    /// The families in a folder.
    pub in_folder: fn(&Path) -> FamilyTree,
    /// The logs that are checked along with a log, because they belong to its run.
    pub checked_with: fn(&Path) -> Vec<PathBuf>,
}
