//! The format `json`: one document, written as a stream.

use std::io::{self, Write};

use serde_json::json;

use super::{Context, FormatWriter, Totals};
use crate::cli::check::{CheckOutcome, FileResult};
use crate::cli::print;

#[derive(Default)]
pub(super) struct JsonWriter {
    files: u64,
}

impl FormatWriter for JsonWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"{\"files\":[")
    }

    fn file(&mut self, result: &FileResult, _context: &Context, out: &mut dyn Write) -> io::Result<()> {
        if self.files > 0 {
            out.write_all(b",")?;
        }
        self.files += 1;
        match &result.outcome {
            CheckOutcome::Trouble { message } => {
                let error = json!({"file": result.name, "verdict": "trouble", "error": message});
                write!(out, "\n{}", print::compact(&error)?)
            }
            CheckOutcome::Checked { opened, checked, verdict } => {
                let head = print::compact(&json!({
                    "file": result.name, "dialect": opened.dialect().name, "events": checked.events, "records": checked.records,
                    "verdict": verdict.name(),
                    "ending": checked.ending.as_ref().map(|ending| json!({"kind": ending.outcome.name(), "text": ending.words})),
                    "dropped": checked.dropped,
                }))?;
                // There may be many findings: they are written one by one, not collected in memory.
                write!(out, "\n{},\"findings\":[", &head[..head.len() - 1])?;
                for (index, finding) in checked.findings.iter().enumerate() {
                    write!(out, "{}\n{}", if index > 0 { "," } else { "" }, print::compact(&finding.to_json())?)?;
                }
                out.write_all(b"]}")
            }
        }
    }

    fn end(&mut self, _totals: Totals, _context: &Context, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"]}\n")
    }
}
