//! Regression tests for minimized logs: they fail when the log no longer reports its finding.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::args::TestForm;
use crate::replay::finding::Finding;

/// The file of a test beside its log. The name of a Rust test is an identifier, as it becomes the name of a crate.
pub(super) fn path(form: TestForm, log: &Path) -> PathBuf {
    match form {
        TestForm::Rust => log.with_file_name(format!("{}_test.rs", word_of(&name_of(log)))),
        TestForm::Json => log.with_file_name(format!("{}.test.json", name_of(log))),
    }
}

/// A regression test: the log and its finding.
pub(super) struct Case<'c> {
    pub log: &'c Path,
    /// The dialect that the user gave because the log cannot be recognized.
    pub dialect: Option<&'static str>,
    pub bytes: &'c [u8],
    pub finding: &'c Finding,
}

impl Case<'_> {
    /// The text of the test. It contains the log, so the file can be moved.
    pub(super) fn test(&self, form: TestForm) -> String {
        match form {
            TestForm::Rust => self.rust(),
            TestForm::Json => self.json(),
        }
    }

    fn arguments(&self) -> Vec<&'static str> {
        let dialect = self.dialect.into_iter().flat_map(|dialect| ["--dialect", dialect]);
        ["check", "--json", "--fail-on", "info"].into_iter().chain(dialect).chain(["-"]).collect()
    }

    fn json(&self) -> String {
        // JSON cannot hold bytes that are not UTF-8. A log with such bytes is written in hexadecimal.
        let (key, log) = match std::str::from_utf8(self.bytes) {
            Ok(text) => ("log", text.to_owned()),
            Err(_) => ("log_hex", self.bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        };
        let command: Vec<&str> = ["stepback"].into_iter().chain(self.arguments()).collect();
        let case = json!({
            "schema": "stepback-case/1",
            "name": name_of(self.log),
            key: log,
            "command": command,
            "expect": {
                "exit": 1,
                "fingerprint": self.finding.fingerprint(),
                "severity": self.finding.severity.name(),
                "at": self.finding.at.iter().map(|at| at.0).collect::<Vec<_>>(),
            },
        });
        format!("{case:#}\n")
    }

    /// Texts of the log are byte strings, in which nothing can end the literal or reorder the line.
    fn rust(&self) -> String {
        let Case { log, bytes, finding, .. } = self;
        let lines: String =
            bytes.split_inclusive(|byte| *byte == b'\n').map(|line| format!("    {},\n", byte_string(line))).collect();
        let fingerprint = byte_string(finding.fingerprint().as_bytes());
        let at: Vec<String> = finding.at.iter().map(|at| at.0.to_string()).collect();
        format!(
            r#"//! Written by `stepback minimize`. The log below is minimal and reports one finding. The test runs stepback (the program
//! in the environment variable `STEPBACK`, or `stepback` on the path) and expects the same finding.

use std::io::Write;
use std::process::{{Command, Stdio}};

const LOG: &[&[u8]] = &[
{lines}];

/// Reported at the events {at}.
const FINGERPRINT: &[u8] = {fingerprint};

#[test]
fn {name}_reports_the_same_finding() {{
    let program = std::env::var("STEPBACK").unwrap_or_else(|_| "stepback".to_owned());
    let mut check = Command::new(program)
        .args({arguments:?})
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("stepback runs");
    check.stdin.take().expect("a pipe").write_all(&LOG.concat()).expect("the log is read");
    let output = check.wait_with_output().expect("stepback ends");
    assert_eq!(output.status.code(), Some(1), "the log is expected to fail");
    let fingerprint = std::str::from_utf8(FINGERPRINT).expect("UTF-8");
    // Quoted as in the JSON output.
    let quoted = fingerprint.replace('\\', "\\\\").replace('"', "\\\"");
    let reported = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(reported.contains(&format!("\"{{quoted}}\"")), "{{fingerprint}} is not in\n{{reported}}");
}}
"#,
            name = word_of(&name_of(log)),
            at = at.join(", "),
            arguments = self.arguments(),
        )
    }
}

fn byte_string(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().flat_map(|byte| std::ascii::escape_default(*byte)).map(char::from).collect();
    // Single quotes need no escape in a byte string.
    format!("b\"{}\"", escaped.replace("\\'", "'"))
}

fn name_of(log: &Path) -> String {
    log.file_name().map_or_else(|| "log".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A file name as a Rust identifier.
fn word_of(name: &str) -> String {
    let word: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' })
        .collect();
    format!("log_{}", word.trim_matches('_'))
}
