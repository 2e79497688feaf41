//! A regression test of a minimized log: it goes on failing in the same way, or somebody hears of it.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::args::TestForm;
use crate::replay::finding::Finding;

/// The file of a test beside its log. That of a Rust test is a word, as the names of crates are.
pub fn path(form: TestForm, log: &Path) -> PathBuf {
    match form {
        TestForm::Rust => log.with_file_name(format!("{}_test.rs", word_of(&name_of(log)))),
        TestForm::Json => log.with_file_name(format!("{}.test.json", name_of(log))),
    }
}

/// What is tested.
pub struct Case<'c> {
    pub log: &'c Path,
    /// The dialect that a person named, because the log does not tell it by itself.
    pub dialect: Option<&'static str>,
    pub bytes: &'c [u8],
    pub finding: &'c Finding,
}

impl Case<'_> {
    /// The text of the test. The log is part of it, so that it can be moved about by itself.
    pub fn test(&self, form: TestForm) -> String {
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
        // JSON holds no other bytes than UTF-8. A log that does is there byte by byte.
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

    /// Texts of a log stand in byte strings, where nothing in them can end the literal or reorder the line.
    fn rust(&self) -> String {
        let Case { log, bytes, finding, .. } = self;
        let lines: String =
            bytes.split_inclusive(|byte| *byte == b'\n').map(|line| format!("    {},\n", byte_string(line))).collect();
        let fingerprint = byte_string(finding.fingerprint().as_bytes());
        let at: Vec<String> = finding.at.iter().map(|at| at.0.to_string()).collect();
        format!(
            r#"//! Written by `stepback minimize`. The log below is as small as it can be and still reports one finding; the test
//! asks the program (`STEPBACK` in the environment, else `stepback` on the path) whether it still does.

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
    // Quoted as the program quotes it in JSON: a quote and a backslash get one before them.
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
    // Single quotes need no escape in there.
    format!("b\"{}\"", escaped.replace("\\'", "'"))
}

fn name_of(log: &Path) -> String {
    log.file_name().map_or_else(|| "log".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A file's name as a word of Rust.
fn word_of(name: &str) -> String {
    let word: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' })
        .collect();
    format!("log_{}", word.trim_matches('_'))
}
