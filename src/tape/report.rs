//! The report about an event tape: facts about it and its store, the state at its end, and its annotations.

use serde_json::{Value, json};

use super::annotation::{Annotations, Validation};
use super::facts::Facts;
use super::header::Header;
use super::summary::moment as date;
use super::whole::{Newer, Tape};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::dialect::report::{ReportInput, Reporting, add_moment, write_moment};
use crate::replay::finding::Finding;
use crate::tape::store::{PayloadStore, read_annotations};
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, fit, grouped, pad, wrapped};

const ANNOTATIONS_SHOWN: usize = 20;

pub(crate) static REPORTING: Reporting =
    Reporting { document, text, refuses_strictly: true, has_reference_redaction: false };

/// A tape in memory, read by the rules of the format's own reader.
struct ReportedTape {
    tape: Tape,
    facts: Facts,
    /// The annotations of the tape, and whether they fit it.
    annotations: Option<(Annotations, Validation)>,
}

impl ReportedTape {
    fn of(input: &dyn ReportInput) -> Result<ReportedTape, DialectError> {
        let log = input.log();
        let newer = if input.is_strict() { Newer::Refused } else { Newer::Shown };
        let tape = Tape::read(&log.text()?, log.name(), newer).map_err(|error| {
            DialectError::Refused(format!("{error}; `stepback check` reports everything that is wrong with it"))
        })?;
        let stored = match log.path() {
            Some(path) => PayloadStore::of_tape(path).survey(&tape).map_err(DialectError::read)?,
            None => Default::default(),
        };
        let facts = Facts::of(&tape, &stored).map_err(DialectError::read)?;
        let annotations = match log.path().map(read_annotations) {
            Some(Ok(Some(annotations))) => {
                let validation = annotations.validate(&tape).map_err(DialectError::read)?;
                Some((annotations, validation))
            }
            // The user did not name the annotations, so problems with them are findings, not errors.
            _ => None,
        };
        Ok(ReportedTape { tape, facts, annotations })
    }
}

/// Whether the log is a process tape: an array without header, numbers and clocks.
fn is_process_tape(log: &dyn OpenLog) -> bool {
    log.container() == "array"
}

fn document(input: &dyn ReportInput) -> Result<Value, DialectError> {
    let checked = input.checked()?;
    let mut document = json!({});
    if is_process_tape(input.log()) {
        document["process_count"] = json!(checked.events);
    } else {
        let reported = ReportedTape::of(input)?;
        let header = &reported.tape.header.header;
        document = json!(reported.facts);
        document["header"] = json!(header);
        document["producer"] = json!(header.producer().name());
        if let Some((annotations, validation)) = &reported.annotations {
            document["annotations"] = json!({"list": annotations.list, "validation": validation});
        }
    }
    document["dialect"] = json!(input.dialect().name);
    document["container"] = json!(input.log().container());
    document["findings"] = checked.findings.iter().map(Finding::to_json).collect();
    if let Some(moment) = input.last_moment()? {
        add_moment(&mut document, &moment, input.dialect().vocabulary);
    }
    Ok(document)
}

fn text(input: &dyn ReportInput, columns: usize) -> Result<StyledText, DialectError> {
    let mut out = StyledText::default();
    out.line([Tone::Strong.on(clean(input.log().name()))]);
    if is_process_tape(input.log()) {
        let calls = count(u64::from(input.checked()?.events), "call");
        out.plain(&format!("process tape, {calls} served in this order"));
    } else {
        write_tape(&mut out, &ReportedTape::of(input)?, input.dialect().title, columns);
    }
    if let Some(moment) = input.last_moment()? {
        write_moment(&mut out, &moment, input.dialect().vocabulary, "state at the end", columns);
    }
    Ok(out)
}

fn write_tape(out: &mut StyledText, reported: &ReportedTape, title: &str, columns: usize) {
    let facts = &reported.facts;
    let records = count(facts.record_count as u64, "record");
    out.plain(&format!("{title}, format version {}, {records}", facts.version));
    write_header(out, &reported.tape.header.header, columns);
    for (title, counts) in [("kinds", &facts.kinds), ("phases", &facts.phases)] {
        let words: Vec<String> = counts.iter().map(|(name, number)| format!("{name} {number}")).collect();
        out.section(title);
        out.plain(&wrapped(&words, columns));
    }
    write_payloads(out, facts);
    if let Some((annotations, validation)) = &reported.annotations {
        write_annotations(out, annotations, validation, columns);
    }
}

fn write_header(out: &mut StyledText, header: &Header, columns: usize) {
    let mut parts = vec![format!("recorded by {} ({})", header.harn_version, header.producer().name())];
    if let Some(script) = &header.script_path {
        let words: Vec<&str> = std::iter::once(script).chain(&header.argv).map(String::as_str).collect();
        parts.push(format!("script {}", words.join(" ")));
    }
    let start = header.started_at_unix_ms.map(date);
    parts.push(match (start, header.has_paused_clock()) {
        (Some(start), true) => format!("clock paused at {start}"),
        (Some(start), false) => format!("started at {start}"),
        (None, _) => "real clock".to_owned(),
    });
    out.line([fit(&clean(&parts.join(", ")), columns).into()]);
}

fn write_payloads(out: &mut StyledText, facts: &Facts) {
    out.section("payloads");
    out.plain(&format!(
        "  {} in the records, {} in the payload store, which has {} ({})",
        grouped(facts.inline_payloads as u64),
        grouped(facts.cas_references as u64),
        count(facts.cas_entries as u64, "file"),
        count(facts.cas_orphans.len() as u64, "orphan"),
    ));
    let wrong = facts.missing_cas.len() + facts.hash_mismatches.len() + facts.mcp_digest_mismatches.len();
    if wrong > 0 {
        let payloads = count(wrong as u64, "payload");
        out.line(["  ".into(), Tone::Bad.on("✗"), format!(" {payloads} that do not match the tape").into()]);
    }
    out.line(["  ".into(), Tone::Dim.on(format!("content {}", facts.tape_content_hash))]);
}

fn write_annotations(out: &mut StyledText, annotations: &Annotations, validation: &Validation, columns: usize) {
    out.section("annotations");
    for annotation in annotations.list.iter().take(ANNOTATIONS_SHOWN) {
        let kind = Tone::Name.on(pad(annotation.kind.name(), 16));
        let evidence = annotation.evidence.as_deref().unwrap_or_default();
        let evidence = fit(evidence, columns.saturating_sub(30).max(20));
        out.line([format!("  {:>7}  ", annotation.event_id).into(), kind, format!(" {evidence}").into()]);
    }
    if annotations.list.len() > ANNOTATIONS_SHOWN {
        out.plain(&format!("  … {} more", annotations.list.len() - ANNOTATIONS_SHOWN));
    }
    if !validation.problems.is_empty() {
        let problems = count(validation.problems.len() as u64, "problem");
        out.line(["  ".into(), Tone::Bad.on("✗"), format!(" {problems}; `report --json` lists them").into()]);
    }
}
