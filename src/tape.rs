//! Event tapes: what a run met at its host's boundary, record by record. Pure throughout.
//!
//! - Lines: [`header`], [`kind`] and [`payload`] say what they hold, [`event`] parses and writes one, [`decode`] makes events of them, [`whole`] a tape.
//! - One tape: [`facts`] with its [`chains`] of clock readings; [`checks`] is the catalogue and [`checker`] the pass over
//!   it, with [`integrity`] (and [`mod@canonical`] JSON) and [`files`]; [`stored`] is what the edge tells of the store.
//! - Replay: [`machine`] is what the timeline sees, [`state`] what it knows, [`effect`] what a record did, [`field`] how that is shown, [`summary`] what a person reads, [`resolve`] what a record only names.
//! - Two tapes: [`fidelity`]. Beside a tape: [`annotation`]s and [`process`] tapes. A new one: [`recorder`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub mod annotation;
pub mod canonical;
pub mod chains;
pub mod checker;
pub mod checks;
pub mod decode;
pub mod dialect;
pub mod diff;
pub mod effect;
pub mod event;
pub mod facts;
pub mod fidelity;
pub mod field;
pub mod files;
pub mod header;
pub mod identity;
pub mod integrity;
pub mod kind;
pub mod machine;
pub mod payload;
pub mod process;
pub mod recorder;
pub mod rehash;
pub mod report;
pub mod resolve;
pub mod sidecar;
pub mod state;
pub mod stored;
pub mod summary;
pub mod whole;
