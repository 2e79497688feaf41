//! The format `sarif`: SARIF 2.1.0 with all checks as rules and findings as results with file, line and byte.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Context, FormatWriter, Totals, place_of, places};
use crate::cli::check::{CheckOutcome, FileResult};
use crate::cli::print;
use crate::registry::catalogue;
use crate::replay::Place;
use crate::replay::check::Severity;
use crate::replay::finding::Finding;

/// Results are written as they come; notifications are few and follow at the end.
#[derive(Default)]
pub(super) struct SarifWriter {
    results: u64,
    notifications: Vec<Value>,
}

impl FormatWriter for SarifWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rules: Vec<Value> = catalogue()
            .map(|check| {
                json!({
                    "id": check.id,
                    "shortDescription": {"text": check.says},
                    "fullDescription": {"text": check.explains},
                    "defaultConfiguration": {"level": level(check.severity)},
                    "properties": {"tier": check.tier.name()},
                })
            })
            .collect();
        let tool = json!({"driver": {"name": "stepback", "version": env!("CARGO_PKG_VERSION"), "rules": rules}});
        writeln!(out, "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",")?;
        write!(out, "\"runs\":[{{\"tool\":{},\n\"results\":[", print::compact(&tool)?)
    }

    fn file(&mut self, result: &FileResult, _context: &Context, out: &mut dyn Write) -> io::Result<()> {
        let uri = uri(&result.name);
        match &result.outcome {
            CheckOutcome::Trouble { message } => self.notifications.push(json!({
                "level": "error", "message": {"text": message},
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}}}],
            })),
            CheckOutcome::Checked { opened, checked, .. } => {
                if checked.dropped > 0 {
                    let text = format!("{} more findings were counted but not kept", checked.dropped);
                    self.notifications.push(json!({"level": "note", "message": {"text": text}}));
                }
                let places = places(&opened.log, checked)?;
                for finding in &checked.findings {
                    let comma = if self.results > 0 { "," } else { "" };
                    self.results += 1;
                    let found = sarif_result(finding, place_of(finding, &places), &uri);
                    write!(out, "{comma}\n{}", print::compact(&found)?)?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, totals: Totals, _context: &Context, out: &mut dyn Write) -> io::Result<()> {
        let invocation = json!({
            "executionSuccessful": totals.trouble == 0, "toolExecutionNotifications": self.notifications,
        });
        writeln!(out, "],\n\"invocations\":[{}]}}]}}", print::compact(&invocation)?)
    }
}

fn sarif_result(finding: &Finding, place: Place, uri: &str) -> Value {
    // A database has rows, not lines: its findings are about the file as a whole.
    let region = match place.line {
        0 => json!({"startLine": 1}),
        line => json!({"startLine": line, "byteOffset": place.byte}),
    };
    json!({
        "ruleId": finding.check.id,
        "ruleIndex": catalogue().position(|check| check.id == finding.check.id),
        "level": level(finding.severity),
        "message": {"text": finding.message()},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "partialFingerprints": {"stepback/v1": finding.fingerprint()},
        "properties": {
            "at": finding.at.iter().map(|at| at.0).collect::<Vec<_>>(),
            "expected": finding.expected, "actual": finding.actual,
            "severity": finding.severity.name(),
            "tier": finding.check.tier.name(),
        },
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Error | Severity::Critical => "error",
    }
}

/// A relative or absolute path as a URI reference.
fn uri(path: &str) -> String {
    path.bytes().fold(String::new(), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            uri.push(byte as char);
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
        uri
    })
}
