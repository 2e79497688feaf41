//! The format `github`: annotations of a GitHub workflow, one per finding.

use std::io::{self, Write};

use super::{Context, FormatWriter, place_of, places};
use crate::cli::check::{CheckOutcome, FileResult};
use crate::cli::paint::clean;
use crate::replay::check::Severity;
use crate::replay::finding::Finding;

#[derive(Default)]
pub(super) struct GithubWriter;

impl FormatWriter for GithubWriter {
    fn file(&mut self, result: &FileResult, context: &Context, out: &mut dyn Write) -> io::Result<()> {
        let file = property(&result.name);
        match &result.outcome {
            CheckOutcome::Trouble { message } => writeln!(out, "::error file={file}::{}", data(message))?,
            CheckOutcome::Checked { opened, checked, .. } => {
                let places = places(&opened.log, checked)?;
                // Findings of severity info would hide the others, so they are only printed if they fail.
                let is_printed = |finding: &&Finding| finding.severity > Severity::Info || context.fails.fail(finding);
                for finding in checked.findings.iter().filter(is_printed) {
                    let command = match finding.severity {
                        Severity::Info => "notice",
                        Severity::Warning => "warning",
                        Severity::Error | Severity::Critical => "error",
                    };
                    let line = place_of(finding, &places).line.max(1);
                    let title = property(finding.check.id);
                    let text = format!("{} (event {})", finding.message(), finding.at[0]);
                    writeln!(out, "::{command} file={file},line={line},title={title}::{}", data(&text))?;
                }
            }
        }
        Ok(())
    }
}

/// Escapes a message: one line, safe on a terminal, and `%` as workflow commands require it.
fn data(text: &str) -> String {
    clean(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
