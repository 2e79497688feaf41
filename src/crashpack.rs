//! The evidence of one failed turn as a folder: what stands in its files, as plain data and bytes.
//!
//! - What the checks said: [`oracle`] results, the [`journal`] of them as text, the [`evidence`] ledger with weights.
//! - For people: [`readme`], the trace by [`concern`]; for machines: the [`manifest`] and the [`script`] that replays it.
//! - What can be wrong with a pack: [`checks`].
//!
//! Pure: who has files brings their bytes (`crashpack_folder`). Every text that comes from a log is escaped here, so
//! that no value can forge a line or drive a terminal.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod checks;
pub(crate) mod concern;
pub(crate) mod evidence;
pub(crate) mod journal;
pub(crate) mod manifest;
pub(crate) mod oracle;
pub(crate) mod readme;
pub(crate) mod script;

use crate::replay::finding::escape_into;

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const JOURNAL: &str = "journal";
pub(crate) const JOURNAL_DIGEST: &str = "journal.digest";
pub(crate) const LEDGER: &str = "evidence-ledger.json";
pub(crate) const ORACLES: &str = "oracles.json";
pub(crate) const BOOKMARKS: &str = "bookmarks.json";
pub(crate) const REDACTIONS: &str = "redactions.json";
pub(crate) const MINIMIZATION: &str = "minimization.json";
pub(crate) const README: &str = "README.txt";
pub(crate) const SCRIPT: &str = "replay.sh";

/// Text that stays on its line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape_into(text, &mut out);
    out
}
