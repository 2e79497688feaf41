//! Families of logs: the column of a dialect whose logs start other logs, such as those of sub-agents.

use std::path::Path;

use crate::replay::family::FamilyTree;

/// How a dialect finds the families in a folder.
#[derive(Clone, Copy)]
pub(crate) struct FamilyColumn {
    pub tree: fn(&Path) -> FamilyTree,
}
