//! Crashpacks: the content of a folder with the evidence of one finding, as plain data and bytes.
//!
//! - Results of the checks: [`oracle`] results, their [`journal`] as text, and the [`evidence`] ledger with weights.
//! - For people: the [`readme`], and the trace by [`concern`]. For programs: the [`manifest`] and the replay
//!   [`script`].
//! - Damage of a crashpack: [`checks`].
//!
//! Pure: `crashpack_folder` reads and writes the files. Every text from a log is escaped here, so that no value can
//! forge a line or control a terminal.

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

/// Escapes a text so that it stays on its line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape_into(text, &mut out);
    out
}
