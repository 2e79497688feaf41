//! Export of a finding as a crashpack: state, update, drawing and the background job.

pub(super) mod job;
pub(crate) mod state;
pub(super) mod update;
pub(super) mod view;
