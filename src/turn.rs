//! Turn logs: what their events are, what replaying them yields, and what must be true of them. Pure throughout.
//!
//! - Events: [`event`], [`kind`] and [`summary`] say what they are, [`decode`] makes them of bytes, [`digest`],
//!   [`input`], [`path`] and [`tools`] boil them down to what others ask of them, [`identity`] to what two runs have in common, [`mod@unit`] to what goes together, [`whole`] holds a log whole.
//! - Replay: [`machine`] is what the timeline sees, [`state`] steps over events, [`projection`] and [`pending`] are what it knows, [`effect`] and
//!   [`memory`] what it asks for, [`obligation`] what is open at a moment.
//! - Checks of the log alone: [`checks`] is the catalogue, [`checker`] runs all of them in one pass, [`fold`] a turn's
//!   share of it; [`gate`] with its simulated [`guard`], [`stepcheck`] and [`lint`] are the rules.
//! - Checks against what stands beside it: [`live`] is the engine's snapshot, [`coverage`] the saved session and the
//!   stored compactions.
//! - Documents: [`thread`], [`resume`], [`conversation`] with its [`message`]s (and [`utterance`], one event of it), [`trace`] bundles,
//!   and [`report`] of all.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub mod checker;
pub mod checks;
pub mod conversation;
pub mod coverage;
pub mod decode;
pub mod dialect;
pub mod diff;
pub mod digest;
pub mod document;
pub mod effect;
pub mod event;
pub mod fold;
pub mod gate;
pub mod guard;
pub mod held;
pub mod identity;
pub mod input;
pub mod kind;
pub mod lint;
pub mod live;
pub mod machine;
pub mod memory;
pub mod message;
pub mod obligation;
pub mod path;
pub mod pending;
pub mod projection;
pub mod report;
pub mod resume;
pub mod sidecar;
pub mod state;
pub mod stepcheck;
pub mod summary;
pub mod thread;
pub mod tools;
pub mod trace;
pub mod unit;
pub mod utterance;
pub mod whole;
