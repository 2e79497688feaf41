//! Event tapes: what a run exchanged with the outside, record by record. Pure, except for `sidecar`.
//!
//! - Lines: [`header`], [`kind`] and [`payload`] define their content, [`event`] parses and writes one, [`decode`]
//!   makes events from them, [`whole`] a tape.
//! - One tape: [`facts`] with its [`chains`] of clock readings; [`checks`] is the catalogue and [`checker`] the pass,
//!   with [`integrity`] (and [`mod@canonical`] JSON) and [`files`]; [`stored`] describes the payload store.
//! - Replay: [`machine`] is what the timeline sees, [`state`] the state, [`effect`] what a record did, [`field`] how
//!   the state is shown, [`summary`] a record on one line, [`resolve`] a record with its stored payloads.
//! - Two tapes: [`fidelity`]. Other files: [`annotation`]s and [`process`] tapes. Writing a tape: [`recorder`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod annotation;
pub(crate) mod canonical;
pub(crate) mod caption;
pub(crate) mod chains;
pub(crate) mod checker;
pub(crate) mod checks;
pub(crate) mod decode;
pub(crate) mod dialect;
pub(crate) mod diff;
mod direct;
pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod facts;
pub(crate) mod fidelity;
pub(crate) mod field;
pub(crate) mod files;
pub(crate) mod header;
pub(crate) mod identity;
pub(crate) mod integrity;
pub(crate) mod kind;
pub(crate) mod machine;
mod new_store;
pub(crate) mod payload;
pub(crate) mod process;
pub(crate) mod recorder;
pub(crate) mod rehash;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod sidecar;
pub(crate) mod state;
pub(crate) mod store;
pub(crate) mod stored;
pub(crate) mod summary;
pub(crate) mod whole;
