//! The row of the transfer dialect.

use super::machine::{Transfer, VOCABULARY};
use super::{checks, folder, pack, trace};
use crate::dialect::Dialect;
use crate::dialect::container::{Shape, Wrapping};
use crate::dialect::diff::Diffing;
use crate::dialect::export::ExportColumn;
use crate::dialect::folder::LogFolder;
use crate::dialect::recognize::{Certainty, Recognized, Sample};
use crate::dialect::sidecar::no_sidecars;
use crate::replay::check_pass::glance;
use crate::replay::damage;

pub(crate) static DIALECT: Dialect = Dialect {
    name: "transfer",
    title: "transfer log",
    describes: "transfer log: states of a data transfer, judged by five oracles (JSON object, array or lines), or a transfer crashpack (a folder with manifest, journal and journal.digest)",
    looks: "a transfer log is one or more objects with the keys `manifest_hash` and `expected_manifest_hash`",
    recognize,
    shapes: &[Shape::Lines, Shape::Array, Shape::Values],
    joins_lines: false,
    documents: &[],
    in_sqlite: false,
    checks: checks::CHECKS,
    vocabulary: &VOCABULARY,
    sidecars: no_sidecars::<Transfer>,
    glance: glance::<Transfer>,
    refuses: &[&damage::MALFORMED, &damage::TORN_TAIL, &damage::TOO_LONG],
    torn_tail: |at, place, _| damage::torn_tail(at, place),
    report: &super::report::REPORTING,
    answers: &[],
    context: None,
    files: None,
    diff: Diffing::NONE,
    export: ExportColumn { own: Some(&pack::OWN_PACK), ..ExportColumn::PLAIN },
    relink: None,
    convert: &[],
    folder: Some(LogFolder {
        is_one: folder::is_transfer,
        read: folder::open,
        refusal: "this is a transfer crashpack already; it opens read-only",
    }),
    family: None,
};

/// A state is recognized even if it lost some of its members, and with only two of them unless another dialect is sure.
fn recognize(sample: &Sample<'_>) -> Option<Recognized> {
    let is_entry = sample.has("transfer") && sample.has("oracle");
    if is_entry || trace::is_like_a_state(|name| sample.has(name)) {
        return Some(Recognized::event(Certainty::Sure, Wrapping::Bare));
    }
    let has_hashes = sample.has("manifest_hash") && sample.has("expected_manifest_hash");
    has_hashes.then_some(Recognized::event(Certainty::Likely, Wrapping::Bare))
}
