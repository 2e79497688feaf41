//! The format `jsonl`: one finding per line, for tools that read lines.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Context, FormatWriter};
use crate::cli::check::{CheckOutcome, FileResult};
use crate::cli::print;

#[derive(Default)]
pub(super) struct JsonlWriter;

impl FormatWriter for JsonlWriter {
    fn file(&mut self, result: &FileResult, _context: &Context, out: &mut dyn Write) -> io::Result<()> {
        match &result.outcome {
            CheckOutcome::Trouble { message } => {
                print::line(&json!({"file": result.name, "verdict": "trouble", "error": message}), out)?;
            }
            CheckOutcome::Checked { opened, checked, verdict } => {
                for finding in &checked.findings {
                    let mut line = json!({
                        "file": result.name, "dialect": opened.dialect().name, "verdict": verdict.name(),
                    });
                    if let (Value::Object(line), Value::Object(finding)) = (&mut line, finding.to_json()) {
                        line.extend(finding);
                    }
                    print::line(&line, out)?;
                }
            }
        }
        // The reader of a pipe sees the results of a file as soon as there are any.
        out.flush()
    }

    fn waits_for_a_second_log(&self) -> bool {
        false
    }
}
