//! What the screen knows about the family of its log, and the log to show next.

use std::path::PathBuf;

use crate::replay::family::FamilyTree;

/// Finds the family of the open log.
pub(crate) type FindFamily = Box<dyn Fn() -> FamilyTree>;

/// What the screen knows about the family of its log.
#[derive(Default)]
pub(crate) struct FamilyView {
    /// The path of the open log.
    pub own: Option<PathBuf>,
    pub tree: FamilyTree,
    /// The log to show next.
    pub visit: Option<Visit>,
}

/// Which log to show next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    Log(PathBuf),
    /// The log from which this one was entered.
    Back,
}
