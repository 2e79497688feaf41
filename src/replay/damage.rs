//! Checks for damage that a log of any dialect can have: the `log/` family.

use super::finding::Finding;
use super::{Place, Seq};

crate::replay::check::checks! {
    MALFORMED "log/malformed" Error
        "this record is not an event: {reason}"
        "The record could not be decoded, so it keeps its number but is not replayed. A writer that was killed, an editor, or a merge of two logs usually causes it. Look at the raw record; `--strict` rejects such a log."
    TORN_TAIL "log/torn-tail" Info
        "the log ends inside a record"
        "The last record is incomplete: the writer was killed, or is still writing. Everything before it is intact. If the turn should have ended, look at what was running then."
    JOINED "log/joined-lines" Info
        "this line holds more than one record"
        "The program wrote two records without a line break between them, usually because two of its processes appended at the same time. stepback splits the line into its records, so nothing is lost."
    EMPTY "log/empty" Error
        "the log holds no event"
        "There is nothing to replay. Either nothing was recorded, or this is the wrong file."
    TOO_LONG "log/too-long-line" Error
        "this record is {actual} long and was not read"
        "Records above the size limit are skipped so that memory stays bounded. A very large tool result in one event usually causes it. Shorten the record, or look at it with a pager."
}

pub(crate) fn malformed(at: Seq, place: Place, reason: &str) -> Finding {
    Finding::new(&MALFORMED, [at])
        .about("reason", reason)
        .expected("an event of this dialect")
        .actual(reason.to_owned())
        .placed(place)
}

pub(crate) fn torn_tail(at: Seq, place: Place) -> Finding {
    Finding::new(&TORN_TAIL, [at]).expected("a whole record").actual("the end of the log").placed(place)
}

/// `at` is the record before the seam.
pub(crate) fn joined(at: Seq, place: Place) -> Finding {
    Finding::new(&JOINED, [at]).expected("one record per line").actual("several records").placed(place)
}

pub(crate) fn empty() -> Finding {
    Finding::new(&EMPTY, [Seq(0)]).expected("at least one event").actual("none")
}

pub(crate) fn too_long(at: Seq, place: Place, length_bytes: u64, limit_bytes: usize) -> Finding {
    Finding::new(&TOO_LONG, [at])
        .expected(format!("at most {limit_bytes} bytes"))
        .actual(format!("{length_bytes} bytes"))
        .placed(place)
}
