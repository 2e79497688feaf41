//! Transfer crashpacks: crashpacks that another program wrote, read only. Their journal becomes the events of a log.
//!
//! - Events: [`event`] are the oracles and violations of a journal, and the journal as lines of JSON.
//! - Replay: [`machine`] is what the timeline sees, with its checks from the catalogue in [`checks`].
//! - On disk: [`folder`] reads the files of a pack. It is the only file here that does.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod checks;
pub(crate) mod dialect;
pub(crate) mod event;
pub(crate) mod folder;
pub(crate) mod machine;
pub(crate) mod report;
