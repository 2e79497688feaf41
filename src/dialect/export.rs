//! What `export` needs to know about a dialect: the column of its row.

use crate::redact::rehash::BeginRehash;

#[derive(Clone, Copy)]
pub(crate) struct ExportColumn {
    /// Why logs of this dialect cannot be packed; `None` if they can.
    pub refusal: Option<&'static str>,
    /// The file names of a trace with one record per line, and of its minimized form.
    pub lines_name: &'static str,
    pub minimized_lines_name: &'static str,
    /// The roles of sidecars in a pack: a part of the name, and the role.
    pub roles: &'static [(&'static str, &'static str)],
    /// Repairs the hashes in the records after masking.
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
