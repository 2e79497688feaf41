//! The report of a minimization, as `minimization.json`.

use serde_json::{Value, json};

use super::candidate::Candidate;
use super::certificate::{CertificateRow, Without};
use super::parts::Parts;
use super::tester::OtherFinding;
use super::{Minimized, PhaseReport};
use crate::replay::finding::Finding;

pub(crate) const SCHEMA: &str = "stepback-minimization/1";

/// What only the edge knows about a minimization.
pub(crate) struct ReportContext<'a> {
    pub tool_version: &'a str,
    /// The finding that was kept; none if a command was the predicate.
    pub finding: Option<&'a Finding>,
    pub command: Option<&'a str>,
    /// BLAKE3 of the two files; none for a log from a pipe.
    pub before: Option<String>,
    pub after: String,
    /// Other findings of the minimized log.
    pub also_reported: Vec<String>,
}

pub(crate) fn report(minimized: &Minimized, parts: &Parts, around: &ReportContext<'_>) -> Value {
    let Minimized { best, complete, phases, tests, cached, certificate, met } = minimized;
    let all = Candidate::all(parts);
    json!({
        "schema": SCHEMA,
        "tool_version": around.tool_version,
        "fingerprint": around.finding.map(Finding::fingerprint),
        "test": around.command,
        "complete": complete,
        "events": {"before": parts.len(), "after": best.len()},
        "bytes": {"before": all.bytes(parts), "after": best.bytes(parts)},
        "tests": {"run": tests, "cached": cached},
        "phases": phases.iter().map(phase).collect::<Vec<_>>(),
        "blake3": {"before": around.before, "after": around.after},
        "kept": best.kept.iter().collect::<Vec<_>>(),
        "payload_edits": best.edits.iter().filter_map(|(part, event)| edit(*part, event, best, parts)).collect::<Vec<_>>(),
        "also_reported": around.also_reported,
        "other_findings_met": met.iter().map(met_on_the_way).collect::<Vec<_>>(),
        "certificate": certificate.iter().map(row).collect::<Vec<_>>(),
    })
}

fn phase(phase: &PhaseReport) -> Value {
    json!({"name": phase.name, "events_removed": phase.events_removed, "bytes_removed": phase.bytes_removed, "tests": phase.tests})
}

/// An edited event, as long as it is still there.
fn edit(part: u32, event: &[u8], best: &Candidate, parts: &Parts) -> Option<Value> {
    let place = best.kept.binary_search(&part).ok()?;
    let before = parts.event(part).map_or(0, <[u8]>::len);
    Some(json!({"event": place, "original": part, "bytes": {"before": before, "after": event.len()}}))
}

fn met_on_the_way(met: &OtherFinding) -> Value {
    json!({
        "fingerprint": met.finding.fingerprint(),
        "severity": met.finding.severity.name(),
        "events": met.candidate.len(),
        "kept": (met.candidate.len() <= KEPT_NAMED).then(|| met.candidate.kept.iter().collect::<Vec<_>>()),
    })
}

/// Up to this many events of a candidate are listed.
const KEPT_NAMED: usize = 64;

fn row(row: &CertificateRow) -> Value {
    let (lost, instead, more) = match &row.without {
        Without::NoLog => (true, Vec::new(), 0),
        Without::Lost { instead, more } => (true, instead.clone(), *more),
        Without::Kept => (false, Vec::new(), 0),
    };
    json!({
        "event": row.event,
        "original": row.original,
        "kind": row.kind,
        "removable": row.without != Without::NoLog,
        "lost_without_it": lost,
        "reported_without_it": instead,
        "more_reported": more,
    })
}
