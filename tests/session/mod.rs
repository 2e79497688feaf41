//! Session logs: conformance, stories, laws, and the features that every dialect shares.

mod commands;
mod conformance;
mod stories;
