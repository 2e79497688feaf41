//! What-if variants of the open log: state, update and drawing.

pub(crate) mod state;
pub(super) mod update;
