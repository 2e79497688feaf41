//! Transfers of data: the states of a transfer over time, and transfer crashpacks, the folders with their evidence.
//!
//! - Events: [`event`] decodes transfer states and the entries of a journal; [`journal`] is a journal as text.
//! - Replay: [`machine`] is what the timeline sees, [`state`] what stepping changes. The [`oracle`]s judge transfer
//!   states; [`checker`] makes their findings; [`checks`] is the catalogue.
//! - Transfer crashpacks: [`pack`] is the content of one, [`manifest`] its list of files, and [`trace`] the states in it.
//! - On disk: [`folder`] reads the files of a pack. It is the only file here that does IO.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod checker;
pub(crate) mod checks;
pub(crate) mod dialect;
pub(crate) mod event;
pub(crate) mod folder;
pub(crate) mod journal;
pub(crate) mod machine;
pub(crate) mod manifest;
pub(crate) mod oracle;
pub(crate) mod pack;
pub(crate) mod report;
pub(crate) mod state;
pub(crate) mod trace;
