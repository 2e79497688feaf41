//! A replay debugger for agent turns: it steps a recorded log event by event and finds where the log
//! contradicts itself.
//!
//! # The way of the data
//!
//! ```text
//! path ─▶ log ─ record ─▶ turn::decode ─ event ─┬▶ turn::machine: effects, halt, projection ─▶ replay, show, blame
//!         bytes, places   exact, mostly fast    └▶ turn::judge: every check, one pass ─ findings ─▶ check, report
//! ```
//!
//! [`log`] knows containers and not events, [`turn`] knows events and not where they come from; [`cli`] brings
//! them together. Bad data is never an error past [`log`]: a record that is no event keeps its place and
//! becomes a finding.
//!
//! # Who may see whom
//!
//! ```text
//! json ◀ replay ◀ turn ◀ dialect ◀ cli ◀ main        json, replay ◀ log ◀ cli        redact ◀ cli
//! replay ◀ bookmark ◀ cli
//! ```
//!
//! A room sees at most those to its left; [`json`] and [`redact`] see nothing of ours. Files, the clock,
//! the environment, threads and output belong to [`log`], [`bookmark`], [`cli`] and `main`; all else is pure. A test reads
//! the sources and holds them to it.

pub mod bookmark;
pub mod cli;
pub mod dialect;
pub mod json;
pub mod loader;
pub mod log;
pub mod redact;
pub mod replay;
pub mod turn;
