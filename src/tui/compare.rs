//! Comparing the open log with another one: state, update, drawing and the background job.

pub(super) mod events;
pub(super) mod job;
pub(super) mod panes;
pub(crate) mod state;
pub(super) mod update;
