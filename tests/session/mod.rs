//! Session logs: conformance, stories, laws, and the features that every dialect shares.

pub(super) mod commands;
mod conformance;
mod features;
mod laws;
mod random;
mod stories;
