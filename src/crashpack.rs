//! The evidence of one failed turn as a folder: what stands in its files, as plain data and bytes.
//!
//! - What the checks said: [`oracle`] results, the [`journal`] of them as text, the [`evidence`] ledger with weights.
//! - For people: [`readme`], the trace by [`concern`]; for machines: the [`manifest`] and the [`script`] that replays it.
//! - What can be wrong with a pack: [`checks`].
//!
//! Pure: who has files brings their bytes (`crashpack_folder`). Every text that comes from a log is escaped here, so
//! that no value can forge a line or drive a terminal.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub mod checks;
pub mod concern;
pub mod evidence;
pub mod journal;
pub mod manifest;
pub mod oracle;
pub mod readme;
pub mod script;

use crate::replay::finding::escape_into;

pub const MANIFEST: &str = "manifest.json";
pub const JOURNAL: &str = "journal";
pub const JOURNAL_DIGEST: &str = "journal.digest";
pub const LEDGER: &str = "evidence-ledger.json";
pub const ORACLES: &str = "oracles.json";
pub const BOOKMARKS: &str = "bookmarks.json";
pub const REDACTIONS: &str = "redactions.json";
pub const MINIMIZATION: &str = "minimization.json";
pub const README: &str = "README.txt";
pub const SCRIPT: &str = "replay.sh";

/// Text that stays on its line.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape_into(text, &mut out);
    out
}
