//! Sessions of coding agents: whether they can be resumed, which line prevents it, and the smallest repair.
//!
//! - [`lines`], [`shape`] and [`document`] read a file loosely and remember where its lines are; [`splice`] edits a line
//!   without touching its other bytes.
//! - [`claude`] and [`codex`] rebuild the history that the agent would send, judge it and mend the lines.
//! - [`context`] asks the same rebuild for the history at a step, what a compaction dropped and how far a resume reaches.
//! - [`session`] is the same for both, for callers that do not care which agent it was.
//!
//! The rules follow the agents' own code, their changelogs and reports of users; [`checks`] is the table of them.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod checks;
pub(crate) mod claude;
pub(crate) mod client;
pub(crate) mod codex;
pub(crate) mod context;
pub(crate) mod detect;
pub(crate) mod document;
pub(crate) mod image;
pub(crate) mod lines;
mod names;
pub(crate) mod problem;
pub(crate) mod session;
mod shape;
mod splice;
mod time;
