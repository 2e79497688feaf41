//! The format `junit`: one test suite per file, one test case per check with findings.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{Context, FormatWriter, Totals, place_of, places};
use crate::cli::check::{CheckOutcome, FileResult, FileVerdict};
use crate::replay::check::Severity;
use crate::replay::finding::Finding;

#[derive(Default)]
pub(super) struct JunitWriter;

impl FormatWriter for JunitWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites name=\"stepback\">")
    }

    fn file(&mut self, result: &FileResult, _context: &Context, out: &mut dyn Write) -> io::Result<()> {
        let name = escape(&result.name);
        match &result.outcome {
            CheckOutcome::Trouble { message } => {
                writeln!(out, "  <testsuite name=\"{name}\" tests=\"1\" failures=\"0\" errors=\"1\">")?;
                writeln!(out, "    <testcase name=\"open\" classname=\"{name}\">")?;
                writeln!(out, "      <error message=\"{}\"/>", escape(message))?;
                writeln!(out, "    </testcase>")?;
            }
            CheckOutcome::Checked { opened, checked, verdict } => {
                let places = places(&opened.log, checked)?;
                let mut by_check: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
                for finding in &checked.findings {
                    by_check.entry(finding.check.id).or_default().push(finding);
                }
                let failing = |findings: &[&Finding]| {
                    *verdict != FileVerdict::Clean && findings.iter().any(|finding| finding.severity > Severity::Info)
                };
                let failures = by_check.values().filter(|findings| failing(findings)).count();
                let tests = by_check.len().max(1);
                writeln!(out, "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">")?;
                if checked.dropped > 0 {
                    writeln!(
                        out,
                        "    <properties><property name=\"dropped\" value=\"{}\"/></properties>",
                        checked.dropped
                    )?;
                }
                if by_check.is_empty() {
                    writeln!(out, "    <testcase name=\"coherent\" classname=\"{name}\"/>")?;
                }
                for (check, findings) in &by_check {
                    let lines = findings.iter().map(|finding| {
                        let place = place_of(finding, &places);
                        let at: Vec<String> = finding.at.iter().map(ToString::to_string).collect();
                        format!(
                            "{} (event {}, {place})\n  expected: {}\n  actual: {}",
                            finding.message(),
                            at.join(", "),
                            finding.expected,
                            finding.actual
                        )
                    });
                    let body = escape(&lines.collect::<Vec<_>>().join("\n"));
                    writeln!(out, "    <testcase name=\"{check}\" classname=\"{name}\">")?;
                    if failing(findings) {
                        let message = escape(&findings[0].message());
                        let severity = findings.iter().map(|finding| finding.severity).max().unwrap_or(Severity::Info);
                        writeln!(
                            out,
                            "      <failure type=\"{}\" message=\"{message}\">{body}</failure>",
                            severity.name()
                        )?;
                    } else {
                        writeln!(out, "      <system-out>{body}</system-out>")?;
                    }
                    writeln!(out, "    </testcase>")?;
                }
            }
        }
        writeln!(out, "  </testsuite>")?;
        Ok(())
    }

    fn end(&mut self, _totals: Totals, _context: &Context, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</testsuites>")
    }
}

/// XML text: markup escaped, and characters that XML cannot hold spelled out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            character
                if crate::replay::finding::is_hostile(character) || matches!(character, '\u{fffe}' | '\u{ffff}') =>
            {
                out.push_str(&format!("\\u{{{:x}}}", character as u32));
            }
            character => out.push(character),
        }
    }
    out
}
