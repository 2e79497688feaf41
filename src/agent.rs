//! Sessions of coding agents such as Claude Code and Codex: one machine for the files of all of them. Pure.
//!
//! - Formats: [`format`] lists the programs. The reader of each decodes one record into an [`event`] with [`block`]s,
//!   whose texts are [`content`]; [`decode`] chooses the reader, [`kind`] lists the kinds of events, [`time`] reads times.
//! - Replay: [`machine`] is what the timeline sees, [`state`] merges what records say, [`field`] shows it; [`effect`]s are
//!   what the model asked of its host, [`obligation`]s what is open. [`summary`], [`caption`], [`utterance`] and [`identity`] describe
//!   one event; a [`poll`] is a call that only asks how something stands.
//! - Checks: [`checks`] is the catalogue, [`checker`] the pass, [`audit`] its parts.
//! - Documents: [`facts`] are what scripts compare, [`report`] prints them.
//! - Answers: [`answer`] holds what people ask of a whole session, [`files`] the files of the project as far as it proves
//!   them, [`context`] what the model saw at an event, from the session as it is [`rebuilt`] for a resume.
//! - [`outline`]: what a list shows of a session.
//! - Changes: [`relink`] closes the gaps that removed records leave, a [`skeleton`] is what shortening must preserve.
//! - Families: [`family`] arranges a session and those of its subagents, [`folder`] finds their files.
//! - [`sidecar`] reads what must be known about a file before its first record.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod answer;
pub(crate) mod audit;
pub(crate) mod block;
pub(crate) mod caption;
pub(crate) mod checker;
pub(crate) mod checks;
pub(crate) mod content;
mod context;
mod convert;
pub(crate) mod decode;
pub(crate) mod dialect;
pub(crate) mod effect;
pub(crate) mod ending;
pub(crate) mod event;
pub(crate) mod facts;
pub(crate) mod family;
pub(crate) mod field;
pub(crate) mod files;
mod folder;
pub(crate) mod format;
pub(crate) mod identity;
pub(crate) mod kind;
pub(crate) mod machine;
pub(crate) mod obligation;
pub(crate) mod outline;
pub(crate) mod poll;
mod rebuilt;
pub(crate) mod relink;
pub(crate) mod report;
pub(crate) mod sidecar;
pub(crate) mod skeleton;
pub(crate) mod state;
pub(crate) mod summary;
pub(crate) mod time;
pub(crate) mod utterance;
