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

pub(crate) mod checker;
pub(crate) mod checks;
pub(crate) mod conversation;
pub(crate) mod coverage;
pub(crate) mod decode;
pub(crate) mod dialect;
pub(crate) mod diff;
pub(crate) mod digest;
pub(crate) mod document;
pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod fold;
pub(crate) mod gate;
pub(crate) mod guard;
pub(crate) mod held;
pub(crate) mod identity;
pub(crate) mod input;
pub(crate) mod kind;
pub(crate) mod lint;
pub(crate) mod live;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod message;
pub(crate) mod obligation;
pub(crate) mod path;
pub(crate) mod pending;
pub(crate) mod projection;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod sidecar;
pub(crate) mod state;
pub(crate) mod stepcheck;
pub(crate) mod summary;
pub(crate) mod thread;
pub(crate) mod tools;
pub(crate) mod trace;
pub(crate) mod unit;
pub(crate) mod utterance;
pub(crate) mod whole;
