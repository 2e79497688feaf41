//! Transfer crashpacks: crashpacks that another program wrote, read only. Their journal becomes the events of a log.
//!
//! - Events: [`event`] are the oracles and violations of a journal, and the journal as lines of JSON.
//! - Replay: [`machine`] is what the timeline sees, with its checks from the catalogue in [`checks`].
//! - On disk: [`folder`] reads the files of a pack. It is the only file here that does.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub mod checks;
pub mod dialect;
pub mod event;
pub mod folder;
pub mod machine;
pub mod report;
