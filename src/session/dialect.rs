//! The row of the session dialect.

use std::path::Path;

use super::kind::SessionKind;
use super::machine::{SessionLog, VOCABULARY};
use super::{checker, checks, sidecar};
use crate::dialect::Dialect;
use crate::dialect::container::{Shape, Wrapping};
use crate::dialect::diff::Diffing;
use crate::dialect::export::ExportColumn;
use crate::dialect::family::FamilyColumn;
use crate::dialect::recognize::{Certainty, Recognized, Sample};
use crate::replay::check_pass::glance;
use crate::replay::damage;

pub(crate) static DIALECT: Dialect = Dialect {
    name: "session",
    title: "session log",
    describes: "session log of an agent kernel: runs, tool calls, processes, memory and signals (JSON lines or array, bare or as {seq, event})",
    looks: "a session log is a JSON array or lines of objects with the key `kind`, bare or under `event`",
    recognize,
    shapes: &[Shape::Lines, Shape::Array, Shape::Values],
    joins_lines: false,
    documents: &[],
    in_sqlite: false,
    checks: checks::CHECKS,
    vocabulary: &VOCABULARY,
    sidecars: sidecar::sidecars,
    glance: glance::<SessionLog>,
    refuses: &[&damage::TOO_LONG, &checks::UNREADABLE_RECORD],
    torn_tail: checker::torn_tail,
    report: &super::report::REPORTING,
    answers: &[],
    context: None,
    files: None,
    diff: Diffing::NONE,
    export: ExportColumn::PLAIN,
    relink: None,
    convert: &[],
    folder: None,
    family: Some(FamilyColumn {
        of_log: |log| sidecar::family_tree(log.parent().unwrap_or(Path::new(""))),
        in_folder: sidecar::family_tree,
        // The contradictions between its logs are findings of each of them.
        checked_with: |_| Vec::new(),
    }),
};

/// A kind of this dialect is certain; any other kind, or a wrapping around something unreadable, only likely.
fn recognize(sample: &Sample<'_>) -> Option<Recognized> {
    let is_wrapping = sample.has("event") && !sample.has("kind");
    let inner = if is_wrapping { sample.inner("event") } else { None };
    let event = inner.as_ref().unwrap_or(sample);
    if event.has("event_type") {
        return None;
    }
    let certainty = match event.word("kind") {
        // Other programs tag their records with a `type`.
        Some(kind) if SessionKind::from_name(kind).is_some() && !sample.has("type") => Certainty::Sure,
        Some(kind) if SessionKind::from_name(kind).is_some() => Certainty::Likely,
        Some(_) if is_wrapping || event.has("turn") => Certainty::Likely,
        _ if is_wrapping && sample.has("seq") => Certainty::Guess,
        _ => return None,
    };
    // Bare and numbered records may be mixed, and the first of the other kind may be anywhere.
    Some(Recognized::event(certainty, Wrapping::Numbered))
}
