//! A replay debugger for agent turns: it steps a recorded log event by event and finds where the log
//! contradicts itself.
//!
//! # The way of the data
//!
//! ```text
//! path ─▶ log ─ record ─▶ turn::decode ─ event ─┬▶ turn::machine: effects, halt, projection ─┐
//!         bytes, places   exact, mostly fast    └▶ turn::checker: every check, one pass ───────┤
//!                                                                                            ▼
//!                     show, blame, query, replay, bookmark ◀─ debugger ◀─ replay::timeline: any moment, at once
//! ```
//!
//! [`log`] knows containers and not events, [`turn`] knows events and not where they come from; [`loader`] brings
//! them together, and [`replay`] looks at the result without knowing the dialect. Bad data is never an error past
//! [`log`]: a record that is no event keeps its place and becomes a finding.
//!
//! # Who may see whom
//!
//! ```text
//! json ◀ replay ◀ minimize ◀ dialect ◀ log ◀ turn, tape, transfer ◀ registry ◀ cli ◀ main
//! log ◀ loader ◀ minimize_io ◀ exporter ◀ tui ◀ cli        json ◀ redact ◀ dialect, exporter, cli
//! replay ◀ compare, bookmark, text ◀ tui, cli        replay ◀ crashpack ◀ crashpack_folder ◀ transfer, exporter
//! ```
//!
//! A room sees at most those to its left; [`json`] and [`wholefile`] see nothing of ours. Files,
//! the clock, the environment, threads and output belong to [`log`], [`wholefile`], [`loader`], [`bookmark`],
//! [`minimize_io`], [`exporter`], [`tape_store`], [`crashpack_folder`], `tui`, [`cli`] and `main`; all else is pure. A test reads the sources and holds them to it.

pub mod bookmark;
pub mod cli;
pub mod compare;
pub mod crashpack;
pub mod crashpack_folder;
pub mod dialect;
pub mod exporter;
pub mod json;
pub mod loader;
pub mod log;
pub mod minimize;
pub mod minimize_io;
pub mod redact;
pub mod registry;
pub mod replay;
pub mod tape;
pub mod tape_store;
pub mod text;
pub mod transfer;
pub(crate) mod tui;
pub mod turn;
pub mod wholefile;

/// The tests in `tests/` that are compiled into the library; they name it as everybody else does.
#[cfg(test)]
extern crate self as stepback;
#[cfg(test)]
#[path = "../tests/inside.rs"]
mod tests;
