//! Families of logs: those that have started each other, such as the logs of sub-agents.

use std::path::{Path, PathBuf};

use super::Seq;

/// Logs that may belong together: each parent before its children, families first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FamilyTree {
    pub rows: Vec<FamilyRow>,
    /// Files that were not looked at, since there are too many.
    pub skipped: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FamilyRow {
    pub path: PathBuf,
    pub name: String,
    /// 0 for a log that no other log has started.
    pub depth: usize,
    /// The outcome of the run, in words.
    pub outcome: String,
    /// What the run used, such as tokens and time.
    pub measure: String,
    pub events: u32,
    /// The events of the parent's log that mention this one, such as the call that started it and its result.
    pub parent_at: Vec<Seq>,
    /// The event of the parent's log at which it begins, if it has no file of its own but is part of that log.
    pub begins_at: Option<Seq>,
}

/// A log that has no place in the tree yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct FamilyNode {
    pub row: FamilyRow,
    /// The number of its parent.
    pub parent: Option<usize>,
}

impl FamilyTree {
    /// Arranges logs by their parents: those with children come first, children in the given order.
    pub(crate) fn of(nodes: Vec<FamilyNode>, skipped: usize) -> FamilyTree {
        let mut children = vec![Vec::new(); nodes.len()];
        for (child, node) in nodes.iter().enumerate().rev() {
            node.parent.into_iter().for_each(|parent| children[parent].push(child));
        }
        let mut order: Vec<usize> = (0..nodes.len()).filter(|at| nodes[*at].parent.is_none()).collect();
        order.sort_by_key(|at| children[*at].is_empty());
        // Logs that start each other in a circle have no root, so the rest follows as it comes.
        order.extend(0..nodes.len());
        let mut unplaced: Vec<Option<FamilyRow>> = nodes.into_iter().map(|node| Some(node.row)).collect();
        let mut rows = Vec::new();
        for root in order {
            let mut open = vec![(root, 0)];
            while let Some((at, depth)) = open.pop() {
                let Some(row) = unplaced[at].take() else { continue };
                rows.push(FamilyRow { depth, ..row });
                open.extend(children[at].iter().map(|child| (*child, depth + 1)));
            }
        }
        FamilyTree { rows, skipped }
    }

    /// The first log that has started others. `None` if no two logs belong together.
    pub(crate) fn root(&self) -> Option<&FamilyRow> {
        let child = self.rows.iter().position(|row| row.depth > 0)?;
        self.rows[..child].iter().rev().find(|row| row.depth == 0)
    }

    /// The number of the row with this path.
    pub(crate) fn position(&self, path: &Path) -> Option<usize> {
        self.rows.iter().position(|row| row.path == path && row.begins_at.is_none())
    }
}
