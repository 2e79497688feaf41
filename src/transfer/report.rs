//! The report about a transfer: the verdict of each oracle over its states, the last state, and the journal.

use serde_json::{Value, json};

use super::event::TransferEvent;
use super::pack::{OracleTally, tally};
use crate::dialect::open_log::DialectError;
use crate::dialect::report::{ReportInput, Reporting, add_moment, write_moment};
use crate::replay::finding::Finding;
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, fit, pad};

const KIND_COLUMNS: usize = 9;
const ORACLE_COLUMNS: usize = 20;

pub(crate) static REPORTING: Reporting =
    Reporting { document, text, refuses_strictly: false, has_reference_redaction: false };

fn document(input: &dyn ReportInput) -> Result<Value, DialectError> {
    let mut journal: Vec<Value> = Vec::new();
    input.log().each_record(&mut |read| match read.event().and_then(TransferEvent::decode) {
        Ok(TransferEvent::State(_)) => {}
        _ => journal.extend(serde_json::from_slice(read.record)),
    })?;
    let checked = input.checked()?;
    let (tallies, _) = tally(input.log(), checked.findings, &mut |_, _| {})?;
    let findings: Vec<Value> = checked.findings.iter().map(Finding::to_json).collect();
    let mut document = json!({
        "dialect": input.dialect().name,
        "event_count": checked.events,
        "oracles": tallies.iter().filter(|tally| tally.judged > 0).map(verdict).collect::<Vec<_>>(),
        "journal": journal,
        "findings": findings,
    });
    if let Some(moment) = input.last_moment()? {
        add_moment(&mut document, &moment, input.dialect().vocabulary);
    }
    Ok(document)
}

fn verdict(tally: &OracleTally) -> Value {
    json!({
        "oracle": tally.oracle.name,
        "passed": tally.violating == 0,
        "severity": tally.oracle.check.severity.name(),
        "states_judged": tally.judged,
        "states_violating": tally.violating,
        "violations": tally.violations.len(),
    })
}

fn text(input: &dyn ReportInput, columns: usize) -> Result<StyledText, DialectError> {
    let mut out = StyledText::default();
    let (log, dialect) = (input.log(), input.dialect());
    let checked = input.checked()?;
    out.line([Tone::Strong.on(clean(log.name()))]);
    out.line([format!("{}, {}", dialect.title, count(u64::from(checked.events), "event")).into()]);
    let (tallies, _) = tally(log, checked.findings, &mut |_, _| {})?;
    if tallies.iter().any(|tally| tally.judged > 0) {
        out.section("oracles");
        tallies.iter().for_each(|tally| write_verdict(&mut out, tally));
        if let Some(moment) = input.last_moment()? {
            write_moment(&mut out, &moment, dialect.vocabulary, "state at the end", columns);
        }
    }
    write_journal(&mut out, input, columns)?;
    Ok(out)
}

fn write_verdict(out: &mut StyledText, tally: &OracleTally) {
    let name = Tone::Name.on(pad(tally.oracle.name, ORACLE_COLUMNS));
    let judged = count(tally.judged, "state");
    let verdict = match tally.violating {
        0 => Tone::Good.on(format!("passed, {judged}")),
        violating => Tone::Of(tally.oracle.check.severity).on(format!("violated by {violating} of {judged}")),
    };
    out.line(["  ".into(), name, " ".into(), verdict]);
}

/// Lists the entries of the journal, and records that are neither an entry nor a state.
fn write_journal(out: &mut StyledText, input: &dyn ReportInput, columns: usize) -> Result<(), DialectError> {
    let mut is_begun = false;
    input.log().each_record(&mut |read| {
        let glance = read.event().and_then(input.dialect().glance);
        if matches!(&glance, Ok(glance) if glance.kind == "state") {
            return;
        }
        if !std::mem::replace(&mut is_begun, true) {
            out.section("journal");
        }
        let room = columns.saturating_sub(KIND_COLUMNS + 14).max(20);
        let (kind, text) = match glance {
            Ok(glance) => (Tone::Name.on(pad(glance.kind, KIND_COLUMNS)), fit(&glance.summary, room)),
            Err(malformed) => (Tone::Bad.on(pad("malformed", KIND_COLUMNS)), fit(&malformed.reason, room)),
        };
        out.line([Tone::Dim.on(format!("{:>7}", read.at.0)), "  ".into(), kind, " ".into(), text.into()]);
    })?;
    Ok(())
}
