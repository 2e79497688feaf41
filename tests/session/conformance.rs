//! The reference's results for session logs, case by case.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::tests::session::commands::json;

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The logs of a folder with the files of their expected results.
fn cases(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let logs = entries.map(|entry| entry.expect("entry").path());
    let mut cases: Vec<(PathBuf, PathBuf)> = logs
        .filter_map(|log| {
            let name = log.file_name()?.to_str()?.to_owned();
            let stem = name.strip_suffix(".events.json").or_else(|| name.strip_suffix(".events.jsonl"))?;
            Some((log.clone(), log.with_file_name(format!("{stem}.expect.json"))))
        })
        .filter(|(_, expected)| expected.is_file())
        .collect();
    cases.sort();
    cases
}

fn differences(log: &Path, expected: &Path) -> Vec<String> {
    let name = log.to_string_lossy();
    let text = fs::read_to_string(expected).expect("a file");
    let expected: Value = serde_json::from_str(&text).expect("JSON");
    let (_, actual) = json(&["report", "--json", "--steps", &name]);
    let keys = expected.as_object().expect("an object").iter();
    keys.filter(|(key, value)| actual[key.as_str()] != **value)
        .map(|(key, value)| format!("{name} {key}\n  expected {value}\n  actual   {}", actual[key.as_str()]))
        .collect()
}

fn assert_equal(cases: &[(PathBuf, PathBuf)]) {
    let failures: Vec<String> = cases.iter().flat_map(|(log, expected)| differences(log, expected)).collect();
    let shown: Vec<String> = failures.iter().take(8).map(|text| text.chars().take(2000).collect()).collect();
    assert!(failures.is_empty(), "{} differences\n{}", failures.len(), shown.join("\n"));
}

#[test]
fn every_generated_case_matches_the_reference() {
    let cases = cases(&folder("tests/conformance/session"));
    assert!(cases.len() >= 60, "{}", cases.len());
    assert_equal(&cases);
}

#[test]
fn published_cases_are_equal_where_they_are() {
    let cases = cases(&folder("../shared/conformance/session"));
    if cases.is_empty() {
        eprintln!("skipped: the published cases are not next to this checkout");
    }
    assert_equal(&cases);
}
