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

/// The text of the test. The log is part of it, so that it can be moved about by itself.
pub fn test(form: TestForm, log: &Path, bytes: &[u8], finding: &Finding) -> String {
    match form {
        TestForm::Rust => rust(log, bytes, finding),
        TestForm::Json => json_case(log, bytes, finding),
    }
}

fn json_case(log: &Path, bytes: &[u8], finding: &Finding) -> String {
    let case = json!({
        "schema": "stepback-case/1",
        "name": name_of(log),
        "log": String::from_utf8_lossy(bytes),
        "command": ["stepback", "check", "--json", "--fail-on", "info", "-"],
        "expect": {
            "exit": 1,
            "fingerprint": finding.fingerprint(),
            "severity": finding.severity.name(),
            "at": finding.at.iter().map(|at| at.0).collect::<Vec<_>>(),
        },
    });
    format!("{case:#}\n")
}

/// Texts of a log stand in byte strings, where nothing in them can end the literal or reorder the line.
fn rust(log: &Path, bytes: &[u8], finding: &Finding) -> String {
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
        .args(["check", "--json", "--fail-on", "info", "-"])
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
    )
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
