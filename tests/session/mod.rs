//! Session logs: conformance, stories, laws, and the features that every dialect shares.

mod commands;
mod conformance;
mod features;
mod laws;
mod random;
mod stories;
