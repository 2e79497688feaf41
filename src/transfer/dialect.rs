//! The row of the transfer dialect.

use super::machine::{Transfer, VOCABULARY};
use super::{checks, folder};
use crate::dialect::Dialect;
use crate::dialect::container::{Shape, Wrapping};
use crate::dialect::diff::Diffing;
use crate::dialect::export::ExportColumn;
use crate::dialect::folder::LogFolder;
use crate::dialect::recognize::{Certainty, Recognized};
use crate::dialect::sidecar::no_sidecars;
use crate::replay::check_pass::glance;
use crate::replay::damage;

pub(crate) static DIALECT: Dialect = Dialect {
    name: "transfer",
    title: "transfer crashpack",
    describes: "transfer crashpack: the checks of a failed data transfer and their violations (a folder with manifest, journal and journal.digest)",
    looks: "",
    recognize: |sample| {
        let is_own = sample.has("transfer") && sample.has("oracle");
        is_own.then_some(Recognized::event(Certainty::Sure, Wrapping::Bare))
    },
    shapes: &[Shape::Lines],
    documents: &[],
    in_sqlite: false,
    checks: checks::CHECKS,
    vocabulary: &VOCABULARY,
    sidecars: no_sidecars::<Transfer>,
    glance: glance::<Transfer>,
    refuses: &[&damage::MALFORMED, &damage::TORN_TAIL, &damage::TOO_LONG],
    torn_tail: |at, place, _| damage::torn_tail(at, place),
    report: &super::report::REPORTING,
    diff: Diffing::NONE,
    export: ExportColumn {
        refusal: Some("this is a transfer crashpack already; it opens read-only"),
        ..ExportColumn::PLAIN
    },
    converts: false,
    folder: Some(LogFolder { is_one: folder::is_transfer, read: folder::open }),
};
