//! What `export` needs to know about a dialect: the column of its row.

use std::borrow::Cow;
use std::path::Path;

use super::open_log::{DialectError, OpenLog};
use crate::crashpack::evidence::Given;
use crate::crashpack::manifest::FileRow;
use crate::redact::rehash::BeginRehash;
use crate::replay::finding::Finding;

#[derive(Clone, Copy)]
pub(crate) struct ExportColumn {
    /// The file names of a trace with one record per line, and of its minimized form.
    pub lines_name: &'static str,
    pub minimized_lines_name: &'static str,
    /// The roles of sidecars in a pack: a part of the name, and the role.
    pub roles: &'static [(&'static str, &'static str)],
    /// Repairs the hashes in the records after masking.
    pub rehash: Option<BeginRehash>,
    /// A form of crashpack that only this dialect has.
    pub own: Option<&'static OwnPack>,
}

/// A form of crashpack that belongs to a dialect. It opens as a folder of the dialect (`LogFolder`).
pub(crate) struct OwnPack {
    /// The name in texts.
    pub title: &'static str,
    /// The names of its files.
    pub trace: &'static str,
    pub script: &'static str,
    pub manifest: &'static str,
    /// The beginning of the variables for seeds.
    pub seed_prefix: &'static str,
    /// A longer trace would not be opened again.
    pub trace_limit_bytes: u64,
    /// A record as an element of the trace, which is a JSON array.
    pub element: for<'r> fn(&'r [u8]) -> Cow<'r, [u8]>,
    /// The records of a trace, one per line, as they are when the pack is opened.
    pub lines: fn(&[u8]) -> Vec<u8>,
    /// The files that are derived from the trace.
    pub derived: fn(&OwnPackFacts<'_>) -> Result<OwnPackFiles, DialectError>,
    /// Builds the manifest from its beginning and the list of all other files.
    pub sealed: fn(&str, &[FileRow]) -> String,
    /// Whether a folder is such a pack, unchanged, and holds nothing else.
    pub is_whole: fn(&Path) -> bool,
}

/// What the files of a pack are derived from.
pub(crate) struct OwnPackFacts<'f> {
    /// The records in the trace.
    pub log: &'f dyn OpenLog,
    /// Their findings, sorted.
    pub findings: &'f [Finding],
    pub given: &'f Given,
}

/// Derived files by name, and the beginning of the manifest.
pub(crate) struct OwnPackFiles {
    pub files: Vec<(&'static str, String)>,
    /// The records, one per line, that follow those of the trace when the pack is opened.
    pub records: String,
    pub preamble: String,
}

impl ExportColumn {
    /// For a dialect whose records are JSON lines without hashes.
    pub(crate) const PLAIN: ExportColumn = ExportColumn {
        lines_name: "trace.jsonl",
        minimized_lines_name: "trace.min.jsonl",
        roles: &[],
        rehash: None,
        own: None,
    };
}
