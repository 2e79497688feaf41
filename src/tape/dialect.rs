//! The row of the tape dialect.

use super::machine::{EventTape, VOCABULARY};
use super::{checker, checks, sidecar};
use crate::dialect::Dialect;
use crate::dialect::container::{Shape, Wrapping};
use crate::dialect::export::ExportColumn;
use crate::dialect::recognize::{Certainty, Recognized, Sample};
use crate::replay::check_pass::glance;
use crate::replay::damage;

pub(crate) static DIALECT: Dialect = Dialect {
    name: "tape",
    title: "event tape",
    describes: "event tape of the Harn runtime: what a run read from and sent to the outside (NAME.tape and its payload store NAME.tape.cas, versions 1 to 5)",
    looks: "a tape is lines of JSON that begin with a header",
    recognize,
    shapes: &[Shape::Lines, Shape::Array],
    joins_lines: false,
    documents: &[],
    in_sqlite: false,
    checks: checks::CHECKS,
    vocabulary: &VOCABULARY,
    sidecars: sidecar::load,
    glance: glance::<EventTape>,
    // The format's own reader drops an incomplete last line silently.
    refuses: &[
        &damage::MALFORMED,
        &damage::TOO_LONG,
        &checks::NEWER_VERSION,
        &checks::NO_HEADER,
        &checks::HEADER_LATE,
        &checks::SECOND_HEADER,
    ],
    torn_tail: checker::torn_tail,
    report: &super::report::REPORTING,
    answers: &[],
    context: None,
    files: None,
    diff: super::diff::DIFFING,
    export: ExportColumn {
        lines_name: "trace.tape",
        minimized_lines_name: "trace.min.tape",
        roles: &[(".cas/", "payload"), (".annotations.jsonl", "annotations")],
        rehash: Some(super::rehash::rehash),
        ..ExportColumn::PLAIN
    },
    relink: None,
    convert: &[],
    folder: None,
    family: None,
};

fn recognize(sample: &Sample<'_>) -> Option<Recognized> {
    let is_own = match sample.shape() {
        // A process tape is an array of entries.
        Shape::Array => {
            let members = ["args", "stdout", "stderr", "exit_code", "duration_ms"];
            sample.has("program") && members.into_iter().any(|key| sample.has(key))
        }
        Shape::Lines | Shape::Values if sample.has("type") && sample.has("harn_version") => {
            return Some(Recognized::HEAD);
        }
        Shape::Lines | Shape::Values => {
            let has_time = sample.has("virtual_time_ms") || sample.has("monotonic_ms");
            sample.has("type") && sample.has("seq") && has_time
        }
    };
    is_own.then_some(Recognized::event(Certainty::Sure, Wrapping::Bare))
}
