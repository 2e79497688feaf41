//! A replay debugger for agent turns: it steps a recorded log event by event and finds where the log
//! contradicts itself.
//!
//! # Use it as a library
//!
//! Check a log:
//!
//! ```
//! use stepback::{Log, Options, check};
//!
//! let log = Log::open("fixtures/turn/approval-ignored.json".as_ref(), &Options::default())?;
//! let results = check(&log)?;
//! assert!(results.events > 0);
//! for finding in &results.findings {
//!     println!("{}: {}", finding.check.id, finding.message());
//! }
//! # Ok::<(), stepback::LogError>(())
//! ```
//!
//! Walk it, forwards and backwards:
//!
//! ```
//! use stepback::{Loaded, Log, Options, Seq};
//!
//! let log = Log::open("fixtures/turn/approval-ignored.json".as_ref(), &Options::default())?;
//! let loaded = Loaded::begin_log_only(log, false)?;
//! loaded.wait_to_end(|_| {})?;
//! let replay = loaded.replay();
//! for at in (0..replay.len()).rev() {
//!     let moment = replay.moment(Seq(at))?.ok_or("an event that the pass has reached")?;
//!     println!("{at}: {} findings", moment.findings.len());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Record a tape with [`Recorder`] and [`TapeFile`]. The program is [`run`].
//!
//! # Data flow
//!
//! ```text
//! path ─▶ log ─ record ─▶ turn::decode ─ event ─┬▶ turn::machine: effects, halt, projection ─┐
//!         bytes, places   exact, mostly fast    └▶ turn::checker: every check, one pass ───────┤
//!                                                                                            ▼
//!                     show, blame, query, replay, bookmark ◀─ debugger ◀─ replay::timeline: any moment, at once
//! ```
//!
//! `log` knows containers but not events, `turn` knows events but not where they come from; `loader` connects
//! them, and `replay` works on the result without knowing the dialect. After `log`, bad data is never an error: a
//! record that is not an event keeps its number and becomes a finding.
//!
//! # Which module may use which
//!
//! ```text
//! json ◀ replay ◀ minimize ◀ dialect ◀ log ◀ turn, tape, transfer, session, agent ◀ registry ◀ cli ◀ api ◀ main
//! log ◀ loader ◀ minimize_io ◀ exporter ◀ tui ◀ cli        json ◀ redact ◀ dialect, exporter, cli
//! json, replay ◀ doctor ◀ registry, cli        log, agent ◀ picker ◀ tui, cli
//! replay ◀ compare, bookmark, text ◀ tui, cli        replay ◀ crashpack ◀ crashpack_folder ◀ transfer, exporter
//! ```
//!
//! A module uses at most those to its left; `json` and `wholefile` use no other module of the crate. Files, the clock,
//! the environment, threads and output belong to `log`, `wholefile`, `loader`, `bookmark`, `minimize_io`, `exporter`,
//! `crashpack_folder`, `picker`, `tui`, `cli` and `main`; everything else is pure, except for the files of a dialect that read its
//! sidecars. `tests/tidy.rs` enforces this.

mod agent;
mod api;
mod bookmark;
mod cli;
mod compare;
mod crashpack;
mod crashpack_folder;
mod dialect;
mod doctor;
mod exporter;
mod json;
mod loader;
mod log;
mod minimize;
mod minimize_io;
mod picker;
mod redact;
mod registry;
mod replay;
mod session;
mod tape;
mod text;
mod transfer;
mod tui;
mod turn;
mod wholefile;

pub use api::*;

/// The tests in `tests/` that are compiled into the library; they refer to it as `stepback`, as other crates do.
#[cfg(test)]
extern crate self as stepback;
#[cfg(any(test, feature = "fuzzing"))]
#[path = "../tests/inside.rs"]
mod tests;
/// The fuzz targets, for the driver in `tests/fuzz/driver`.
#[cfg(feature = "fuzzing")]
pub use tests::fuzz;
