//! The reference's results, case by case, for logs that were generated for this purpose.

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use stepback::replay::Seq;
use stepback::turn::checker::TurnChecker;
use stepback::turn::coverage::CompactionRow;
use stepback::turn::report::report;
use stepback::turn::sidecar::TurnSidecars;
use stepback::turn::state::TurnState;
use stepback::turn::whole::Recording;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/turn")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn records(text: &str) -> Vec<&[u8]> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).expect("a JSON array");
    elements.into_iter().map(|element| element.get().as_bytes()).collect()
}

fn sidecars(stem: &str, folder: &Path) -> TurnSidecars {
    let optional = |suffix: &str| {
        let path = folder.join(format!("{stem}.{suffix}.json"));
        path.exists().then(|| read_json(&path))
    };
    let compactions =
        optional("artifacts").map(|value| serde_json::from_value::<Vec<CompactionRow>>(value).expect("artifacts"));
    TurnSidecars {
        saved_messages: optional("session").map(|value| serde_json::from_value(value).expect("session")),
        live: optional("live").map(|value| serde_json::from_value(value).expect("live")),
        compactions,
        ..TurnSidecars::default()
    }
}

/// The rows of `steps`, as `replay --json` prints them.
fn steps(recording: &Recording<'_>) -> Vec<Value> {
    let mut state = TurnState::default();
    let rows = recording.events.iter().map(|recorded| {
        let mut effects = Vec::new();
        let halt = state.step(&recorded.event, &recorded.digest, &mut |effect| effects.push(effect.to_json()));
        json!({
            "index": recorded.at.0, "kind": recorded.event.kind().name(), "effects": effects, "halt": halt,
            "projection": state.projection.to_sparse_json(),
        })
    });
    rows.collect()
}

fn compare(case: &str, key: &str, expected: &Value, actual: &Value, failures: &mut Vec<String>) {
    if expected != actual {
        failures.push(format!("{case} {key}\n  expected {expected}\n  actual   {actual}"));
    }
}

fn check_case(
    case: &str,
    events: &str,
    expected: &Map<String, Value>,
    sidecars: &TurnSidecars,
    failures: &mut Vec<String>,
) {
    let recording = Recording::decode(records(events));
    let actual = report(&recording, sidecars);
    for (key, expected) in expected {
        match key.as_str() {
            "steps" => {
                let rows = steps(&recording);
                let expected = expected.as_array().expect("steps");
                assert_eq!(rows.len(), expected.len(), "{case}");
                for (row, expected) in rows.iter().zip(expected) {
                    for (key, expected) in expected.as_object().expect("row") {
                        compare(case, &format!("steps[{}].{key}", row["index"]), expected, &row[key], failures);
                    }
                }
            }
            "rejected" => {
                let indices = |value: &Value| -> Vec<Value> {
                    value.as_array().expect("rejected").iter().map(|entry| entry["index"].clone()).collect()
                };
                assert_eq!(indices(expected), indices(&actual[key]), "{case}");
            }
            _ => compare(case, key, expected, &actual[key], failures),
        }
    }
}

fn report_failures(failures: &[String]) {
    let shown: Vec<&str> = failures.iter().take(8).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} differences\n{}", failures.len(), shown.join("\n"));
}

#[test]
fn every_generated_case_matches_the_reference() {
    let manifest = read_json(&folder().join("MANIFEST.json"));
    let mut failures = Vec::new();
    let cases = manifest.as_array().expect("manifest");
    assert!(cases.len() > 100);
    for case in cases {
        let stem = case["case"].as_str().expect("name");
        let events = read(&folder().join(format!("{stem}.events.json")));
        let expected = read_json(&folder().join(format!("{stem}.expect.json")));
        check_case(stem, &events, expected.as_object().expect("object"), &sidecars(stem, &folder()), &mut failures);
    }
    report_failures(&failures);
}

#[test]
fn published_fixtures_are_equal_where_they_are() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let Ok(entries) = std::fs::read_dir(shared.join("conformance/turn-upstream")) else {
        eprintln!("skipped: the published fixtures are not next to this checkout");
        return;
    };
    let mut failures = Vec::new();
    for path in entries.map(|entry| entry.expect("entry").path()) {
        let name = path.file_name().expect("name").to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".expect.json") else { continue };
        let logs = shared.join("fixtures/turn-log");
        let events = read(&logs.join(format!("{stem}.json")));
        let expected = read_json(&path);
        check_case(stem, &events, expected.as_object().expect("object"), &sidecars(stem, &logs), &mut failures);
    }
    report_failures(&failures);
}

#[test]
fn every_lint_is_equal() {
    let mut failures = Vec::new();
    let mut compared = 0;
    for entry in std::fs::read_dir(folder()).expect("folder") {
        let path = entry.expect("entry").path();
        let name = path.file_name().expect("name").to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".lints.json") else { continue };
        let events = read(&folder().join(format!("{stem}.events.json")));
        let mut checker = TurnChecker::new(None);
        for (at, record) in records(&events).into_iter().enumerate() {
            let at = Seq(at as u32);
            match stepback::turn::decode::decode(record) {
                Ok(event) => checker.see(at, &event),
                Err(malformed) => checker.see_malformed(at, Default::default(), &malformed),
            }
        }
        let found = checker.finish().into_sorted();
        let mut actual: Vec<Value> = found
            .iter()
            .filter(|finding| finding.check.id.starts_with("turn/"))
            .map(|finding| {
                let json = finding.to_json();
                json!({"check": json["check"], "severity": json["severity"], "at": json["at"], "subjects": json["subjects"]})
            })
            .collect();
        let mut expected: Vec<Value> = read_json(&path).as_array().expect("lints").clone();
        actual.sort_by_key(Value::to_string);
        expected.sort_by_key(Value::to_string);
        for lint in expected.iter().filter(|lint| !actual.contains(lint)) {
            failures.push(format!("{stem} missing {lint}"));
        }
        for lint in actual.iter().filter(|lint| !expected.contains(lint)) {
            failures.push(format!("{stem} surplus {lint}"));
        }
        if actual.len() != expected.len() {
            failures.push(format!("{stem}: {} lints, expected {}", actual.len(), expected.len()));
        }
        compared += 1;
    }
    assert!(compared > 100);
    report_failures(&failures);
}
