//! The report about a transfer crashpack: its journal, event by event.

use serde_json::{Value, json};

use crate::dialect::open_log::DialectError;
use crate::dialect::report::{ReportInput, Reporting};
use crate::replay::finding::Finding;
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, fit, pad};

const KIND_COLUMNS: usize = 9;

pub(crate) static REPORTING: Reporting =
    Reporting { document, text, refuses_strictly: false, has_reference_redaction: false };

fn document(input: &dyn ReportInput) -> Result<Value, DialectError> {
    let mut journal: Vec<Value> = Vec::new();
    input.log().each_record(&mut |read| journal.extend(serde_json::from_slice(read.record)))?;
    let findings: Vec<Value> = input.checked()?.findings.iter().map(Finding::to_json).collect();
    Ok(json!({"dialect": input.dialect().name, "journal": journal, "findings": findings}))
}

fn text(input: &dyn ReportInput, columns: usize) -> Result<StyledText, DialectError> {
    let mut out = StyledText::default();
    let (log, dialect) = (input.log(), input.dialect());
    out.line([Tone::Strong.on(clean(log.name()))]);
    out.line([format!("{}, {}", dialect.title, count(u64::from(input.checked()?.events), "event")).into()]);
    out.section("journal");
    log.each_record(&mut |read| {
        let number = Tone::Dim.on(format!("{:>7}", read.at.0));
        let line = match read.event.and_then(dialect.glance) {
            Ok(glance) => {
                let room = columns.saturating_sub(KIND_COLUMNS + 14).max(20);
                [
                    number,
                    "  ".into(),
                    Tone::Name.on(pad(glance.kind, KIND_COLUMNS)),
                    " ".into(),
                    fit(&glance.summary, room).into(),
                ]
            }
            Err(malformed) => {
                let kind = Tone::Bad.on(pad("malformed", KIND_COLUMNS));
                [number, "  ".into(), kind, " ".into(), fit(&malformed.reason, 60).into()]
            }
        };
        out.line(line);
    })?;
    Ok(out)
}
