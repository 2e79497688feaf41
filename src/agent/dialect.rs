//! The row of the agent dialect.

use super::machine::{AgentLog, VOCABULARY};
use super::{answer, checks, context, convert, files, folder, format, relink, report, sidecar};
use crate::dialect::Dialect;
use crate::dialect::container::{Shape, Wrapping};
use crate::dialect::diff::Diffing;
use crate::dialect::export::ExportColumn;
use crate::dialect::family::FamilyColumn;
use crate::dialect::recognize::{Recognized, Sample};
use crate::replay::check_pass::glance;
use crate::replay::damage;

pub(crate) static DIALECT: Dialect = Dialect {
    name: "agent",
    title: "agent session",
    describes: "session of a coding agent: Claude Code sessions and Codex rollouts (JSON lines)",
    looks: "a session of Claude Code or Codex is lines of objects with a `type`, and a `sessionId` or a `payload`",
    recognize,
    shapes: &[Shape::Lines],
    joins_lines: true,
    documents: &[],
    in_sqlite: false,
    checks: checks::CHECKS,
    vocabulary: &VOCABULARY,
    sidecars: sidecar::sidecars,
    glance: glance::<AgentLog>,
    refuses: &[&damage::MALFORMED, &damage::TOO_LONG],
    torn_tail: |at, place, _| damage::torn_tail(at, place),
    report: &report::REPORTING,
    answers: answer::ANSWERS,
    context: Some(context::contexts),
    files: Some(files::files_at),
    diff: Diffing::NONE,
    export: ExportColumn::PLAIN,
    relink: Some(relink::begin),
    convert: convert::FORMS,
    folder: None,
    family: Some(FamilyColumn {
        of_log: folder::of_log,
        in_folder: folder::in_folder,
        checked_with: folder::checked_with,
    }),
};

fn recognize(sample: &Sample<'_>) -> Option<Recognized> {
    format::recognize(sample).map(|(_, certainty)| Recognized::event(certainty, Wrapping::Bare))
}
