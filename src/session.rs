//! Session logs: the events of an agent kernel, read as an operating system's log. Pure. The sessions of Claude Code and
//! Codex are in [`agent`](crate::agent).
//!
//! - Events: [`kind`] lists the kinds with their categories and primitives, [`members`] finds the members of an object
//!   in its text, [`decode`] makes an [`event`] of it, [`schema`] decides whether the core format decodes it,
//!   [`summary`] describes it, [`identity`] says what two runs have in common.
//! - Replay: [`machine`] is what the timeline sees, [`state`] the state with its [`agent`]s and the [`call_path`] of each
//!   call, [`snapshot`] the reference's own fold, [`field`] how the state is shown, [`effect`] the kernel's decisions.
//! - Audit: [`checks`] is the catalogue, [`checker`] the pass, [`audit`] its parts.
//! - Documents: [`whole`] holds a log in memory, [`conversation`] rebuilds its messages ([`utterance`] one event of them),
//!   [`report`] contains all of it.
//! - Families: [`family`] links the logs of a folder, [`sidecar`] reads them.
//!
//! The log is evidence of a run, not the state of its kernel: everything here is "according to the log".

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod agent;
pub(crate) mod audit;
pub(crate) mod call_path;
pub(crate) mod caption;
pub(crate) mod checker;
pub(crate) mod checks;
pub(crate) mod conversation;
pub(crate) mod decode;
pub(crate) mod dialect;
pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod family;
pub(crate) mod field;
pub(crate) mod identity;
pub(crate) mod kind;
pub(crate) mod machine;
pub(crate) mod members;
pub(crate) mod report;
pub(crate) mod schema;
pub(crate) mod sidecar;
pub(crate) mod snapshot;
pub(crate) mod state;
pub(crate) mod summary;
pub(crate) mod utterance;
pub(crate) mod whole;
