//! Sessions of coding agents: recorded results, laws over damaged sessions, and the command.

mod build;
mod conformance;
pub(crate) mod generate;
pub(crate) mod laws;
mod rules;
mod samples;
mod views;
