//! Transfer crashpacks: crashpacks that another program writes, opened read-only. Their journal becomes a log.
//!
//! - Events: [`event`] has the oracles and violations of a journal, and writes the journal as lines of JSON.
//! - Replay: [`machine`] is what the timeline sees; [`checks`] is the catalogue of its checks.
//! - On disk: [`folder`] reads the files of a pack. It is the only file here that does IO.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod checks;
pub(crate) mod dialect;
pub(crate) mod event;
pub(crate) mod folder;
pub(crate) mod machine;
pub(crate) mod report;
