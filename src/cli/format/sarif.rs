//! The format `sarif`: SARIF 2.1.0 with all checks as rules and findings as results with file, line and byte.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Context, place_of, places};
use crate::cli::check::{CheckOutcome, FileResult};
use crate::cli::print;
use crate::registry::catalogue;
use crate::replay::check::Severity;

pub(super) fn write(results: &[FileResult], _context: &Context, out: &mut dyn Write) -> io::Result<()> {
    let rules: Vec<Value> = catalogue()
        .map(|check| {
            json!({
                "id": check.id,
                "shortDescription": {"text": check.says},
                "fullDescription": {"text": check.explains},
                "defaultConfiguration": {"level": level(check.severity)},
            })
        })
        .collect();
    let rule_index = |id: &str| catalogue().position(|check| check.id == id);
    let (mut found, mut notifications) = (Vec::new(), Vec::new());
    for result in results {
        match &result.outcome {
            CheckOutcome::Trouble { message } => notifications.push(json!({
                "level": "error", "message": {"text": message},
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(&result.name)}}}],
            })),
            CheckOutcome::Checked { opened, checked, .. } => {
                if checked.dropped > 0 {
                    let text = format!("{} more findings were counted but not kept", checked.dropped);
                    notifications.push(json!({"level": "note", "message": {"text": text}}));
                }
                let places = places(&opened.log, &checked.findings)?;
                for finding in &checked.findings {
                    let place = place_of(finding, &places);
                    // A database has rows, not lines: its findings are about the file as a whole.
                    let region = match place.line {
                        0 => json!({"startLine": 1}),
                        line => json!({"startLine": line, "byteOffset": place.byte}),
                    };
                    found.push(json!({
                        "ruleId": finding.check.id,
                        "ruleIndex": rule_index(finding.check.id),
                        "level": level(finding.severity),
                        "message": {"text": finding.message()},
                        "locations": [{"physicalLocation": {
                            "artifactLocation": {"uri": uri(&result.name)}, "region": region,
                        }}],
                        "partialFingerprints": {"stepback/v1": finding.fingerprint()},
                        "properties": {
                            "at": finding.at.iter().map(|at| at.0).collect::<Vec<_>>(),
                            "expected": finding.expected, "actual": finding.actual,
                            "severity": finding.severity.name(),
                        },
                    }));
                }
            }
        }
    }
    let successful = !results.iter().any(|result| matches!(result.outcome, CheckOutcome::Trouble { .. }));
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "stepback", "version": env!("CARGO_PKG_VERSION"), "rules": rules,
            }},
            "invocations": [{"executionSuccessful": successful, "toolExecutionNotifications": notifications}],
            "results": found,
        }],
    });
    print::pretty(&document, out)
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
