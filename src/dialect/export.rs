//! What `export` must know of a dialect: the column of its row.

use crate::redact::rehash::BeginRehash;

#[derive(Clone, Copy)]
pub(crate) struct ExportColumn {
    /// Why no log of the dialect can be packed, where that is so.
    pub refusal: Option<&'static str>,
    /// The name of a trace that has one record per line, and of its minimized form.
    pub lines_name: &'static str,
    pub minimized_lines_name: &'static str,
    /// What sidecars in a pack are for: a part of their name, and the role.
    pub roles: &'static [(&'static str, &'static str)],
    /// Repairs the hashes in its records after those were masked.
    pub rehash: Option<BeginRehash>,
}

impl ExportColumn {
    /// For a dialect whose records are JSON lines without hashes.
    pub(crate) const PLAIN: ExportColumn = ExportColumn {
        refusal: None,
        lines_name: "trace.jsonl",
        minimized_lines_name: "trace.min.jsonl",
        roles: &[],
        rehash: None,
    };
}
