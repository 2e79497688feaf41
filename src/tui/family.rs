//! The family of the open log: the logs that it has started and that have started it, as a list to visit.

pub(crate) mod list;
pub(crate) mod state;
