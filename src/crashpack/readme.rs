//! `README.txt`: a short text for the recipient of a crashpack.

use std::fmt::Write;

use super::escaped;
use super::manifest::Environment;
use crate::replay::finding::Finding;

/// The content of the text.
pub(crate) struct ReadmeFacts<'a> {
    pub dialect: &'a str,
    pub trace: &'a str,
    pub minimized: Option<&'a str>,
    pub events: u64,
    pub finding: &'a Finding,
    /// The line of the finding's first event.
    pub first_bad: &'a str,
    pub is_redacted: bool,
    pub environment: &'a Environment,
}

pub(crate) fn readme(about: &ReadmeFacts<'_>) -> String {
    let finding = about.finding;
    let mut out = String::from("The evidence of one failed turn, packed by stepback.\n\n");
    let mut line = |name: &str, text: &str| {
        let _ = writeln!(out, "{name:<12} {}", escaped(text));
    };
    line("what failed", &finding.message());
    line("severity", finding.severity.name());
    line("expected", &finding.expected);
    line("actual", &finding.actual);
    line("first bad", about.first_bad.trim());
    line("fingerprint", &finding.fingerprint());
    line("trace", &format!("{} ({}, {} events)", about.trace, about.dialect, about.events));
    if let Some(minimized) = about.minimized {
        line("minimized", minimized);
    }
    if about.is_redacted {
        line("redacted", "secrets were masked; redactions.json lists them by place and rule");
    }
    let Environment { tool_version, os, arch } = about.environment;
    line("made by", &format!("stepback {tool_version} on {os} {arch}"));
    out.push_str("\nReplay it (nothing is run, no model is called):\n\n    ./replay.sh\n\n");
    out.push_str("It exits with 0 if the same finding is reproduced, 1 if the log is clean, 2 if it shows\n");
    out.push_str("a different finding, 3 if the pack is damaged. Open it at the finding:\n\n    stepback .\n");
    if about.minimized.is_some() {
        out.push_str("    stepback . --minimized\n");
    }
    out
}
