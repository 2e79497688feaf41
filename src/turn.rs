//! Turn logs: events, the state that replaying them yields, and checks. Pure, except for `sidecar`.
//!
//! - Events: [`event`], [`kind`] and [`summary`] define and describe them, [`decode`] makes them from bytes.
//!   [`digest`], [`input`], [`path`] and [`tools`] derive what checks need, [`identity`] what two runs have in common, [`mod@unit`]
//!   what is minimized together; [`whole`] holds a log in memory.
//! - Replay: [`machine`] is what the timeline sees, [`state`] steps over events, [`projection`] and [`pending`] are the
//!   state, [`effect`] and [`memory`] the effects, [`obligation`] what is open at a moment.
//! - Checks of the log alone: [`checks`] is the catalogue, [`checker`] runs them in one pass, [`fold`] is one turn's
//!   part; [`gate`] with its simulated [`guard`], [`stepcheck`] and [`lint`] are the rules.
//! - Checks against sidecars: [`live`] uses the engine's snapshot, [`coverage`] the saved messages and the
//!   stored compactions.
//! - Documents: [`thread`], [`resume`], [`conversation`] with its [`message`]s (and [`utterance`], one event of it),
//!   [`trace`] bundles, and the [`report`] that contains all of them.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod caption;
pub(crate) mod checker;
pub(crate) mod checks;
pub(crate) mod conversation;
pub(crate) mod convert;
pub(crate) mod coverage;
pub(crate) mod decode;
pub(crate) mod dialect;
pub(crate) mod diff;
pub(crate) mod digest;
pub(crate) mod document;
pub(crate) mod effect;
pub(crate) mod ending;
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
