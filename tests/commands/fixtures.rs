//! The logs in `fixtures/turn` and the built-in example report the failure in their name, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// File, exit code of `check`, ids of findings of severity warning or higher.
type Case = (&'static str, i32, &'static [&'static str]);

const CASES: &[Case] = &[
    ("approval-ignored.json", 1, &["turn/rejected-ran"]),
    ("call-id-reused.pack.json", 1, &["turn/duplicate-call"]),
    ("checkpoint-impossible.json", 1, &["gate/capacity-fields"]),
    ("clean-again.json", 0, &[]),
    ("clean-failed.json", 0, &[]),
    ("clean-otherwise.json", 0, &[]),
    ("clean.json", 0, &[]),
    ("compaction-lost-range.json", 1, &["gate/archival-fields"]),
    ("continuations-over-cap.json", 1, &["gate/outer-boundary-caps"]),
    ("crash-mid-tool.jsonl", 1, &["gate/missing-turn-ended", "turn/never-finished"]),
    ("event-after-end.json", 1, &["turn/event-after-end"]),
    ("finished-twice.ndjson", 1, &["turn/finish-twice"]),
    ("late-result.json", 1, &["turn/orphan-finish"]),
    ("live-snapshot-differs.json", 1, &["gate/live-projection"]),
    ("loop-guard-missed.json", 1, &["gate/loop-guard-identical"]),
    ("loop-nobody-stopped.jsonl", 1, &["turn/repeat"]),
    ("plan-mode-grants.json", 1, &["gate/outer-boundary-caps"]),
    ("read-only-wrote.json", 1, &["turn/read-only-wrote"]),
    ("refresh-half-done.json", 1, &["gate/prompt-refresh"]),
    ("resumed-in-the-middle.json", 1, &["turn/no-start"]),
    // The previews differ in number and in content: two findings of one check.
    (
        "session-lost-rows.json",
        1,
        &["cover/plane-depth", "cover/preview", "cover/preview", "cover/roles", "cover/structure"],
    ),
    ("steps-go-backwards.trace.json", 1, &["turn/step-backwards"]),
    ("tool-keeps-failing.json", 1, &["turn/failing-tool"]),
    ("two-turns-mixed.jsonl", 1, &["turn/event-after-end", "turn/foreign-id", "turn/started-inside"]),
];

const SIDECARS: [&str; 2] = [".session.json", ".live.json"];
const FOLDER: &str = "fixtures/turn";
const DEMO: &str = "assets/demo.json";
/// The story of the example: the rejected command, then the edits that fail because of it.
const DEMO_FINDINGS: [&str; 2] = ["turn/failing-tool", "turn/rejected-ran"];

fn stepback(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stepback"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts")
}

fn in_repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The exit code of `check --json` and its document.
fn check(path: &str) -> (i32, Value) {
    let live = path.strip_suffix(".json").map(|stem| format!("{stem}.live.json"));
    let mut arguments = vec!["check", "--json", path];
    // Saved messages are found by name; a snapshot must be given.
    if let Some(live) = live.as_deref().filter(|live| in_repository(live).exists()) {
        arguments.extend(["--live", live]);
    }
    let output = stepback(&arguments);
    let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{path}: {error}"));
    (output.status.code().expect("an exit code"), document)
}

fn from_warning_up(document: &Value) -> Vec<&str> {
    let findings = document["files"][0]["findings"].as_array().expect("findings");
    let weighty = findings.iter().filter(|finding| finding["severity"] != "info");
    let mut ids: Vec<&str> = weighty.map(|finding| finding["check"].as_str().expect("a check id")).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn every_log_reports_its_failure_and_no_other() {
    for (file, exit, checks) in CASES {
        let (code, document) = check(&format!("{FOLDER}/{file}"));
        assert_eq!(from_warning_up(&document), *checks, "{file}");
        assert_eq!(code, *exit, "{file}");
        assert_eq!(document["files"][0]["dropped"], 0, "{file}: every record is an event");
    }
}

#[test]
fn every_log_has_a_case_and_a_row_in_the_readme() {
    let readme = fs::read_to_string(in_repository("fixtures/README.md")).expect("the README");
    let named: BTreeSet<String> = CASES.iter().map(|(file, ..)| (*file).to_owned()).collect();
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(in_repository(FOLDER)).expect("the folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a plain name");
        if !SIDECARS.iter().any(|sidecar| name.ends_with(sidecar)) {
            found.insert(name);
        }
    }
    assert_eq!(found, named);
    for (file, _, checks) in CASES {
        let row = readme.lines().find(|line| line.starts_with(&format!("| `{file}`")));
        let row = row.unwrap_or_else(|| panic!("{file} has no row"));
        for check in *checks {
            assert!(row.contains(&format!("`{check}`")), "{file}: its row does not name {check}");
        }
    }
}

/// A snapshot is compared only if it is given; the log alone has no failure.
#[test]
fn a_folder_is_searched_without_its_sidecars() {
    let output = stepback(&["check", "--json", FOLDER]);
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let files = document["files"].as_array().expect("files");
    let names: Vec<&str> = files.iter().map(|file| file["file"].as_str().expect("a name")).collect();
    let expected: Vec<String> = CASES.iter().map(|(file, ..)| format!("{FOLDER}/{file}")).collect();
    assert_eq!(names, expected);
    let clean = files.iter().filter(|file| file["verdict"] == "clean").map(|file| &file["file"]);
    let expected =
        ["clean-again.json", "clean-failed.json", "clean-otherwise.json", "clean.json", "live-snapshot-differs.json"]
            .map(|file| format!("{FOLDER}/{file}"));
    assert!(clean.eq(expected.iter()), "only these are clean: {expected:?}");
}

/// Every command accepts every log, including the bundle, the pack and the envelopes.
#[test]
fn every_command_accepts_every_log() {
    for (file, ..) in CASES {
        let path = format!("{FOLDER}/{file}");
        for arguments in [
            &["report", &path][..],
            &["report", "--json", &path],
            &["replay", &path],
            &["replay", "--json", &path],
            &["show", &path, "--at", "0"],
            &["show", &path, "--at", "100%"],
            &["blame", &path, "step_idx"],
        ] {
            let output = stepback(arguments);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
            assert_eq!(errors, "", "{arguments:?}");
            assert!(!output.stdout.is_empty(), "{arguments:?}");
        }
    }
}

#[test]
fn the_example_has_one_cause_and_its_consequences() {
    let (code, document) = check(DEMO);
    assert_eq!(code, 1);
    assert_eq!(from_warning_up(&document), DEMO_FINDINGS);
    let findings = document["files"][0]["findings"].as_array().expect("findings");
    let at = |check: &str| {
        let finding = findings.iter().find(|finding| finding["check"] == check).expect("the finding");
        finding["at"][0].as_u64().expect("an index")
    };
    assert!(at("turn/rejected-ran") < at("turn/failing-tool"), "the cause comes first");
}

#[test]
fn without_a_file_the_example_is_reported() {
    let output = stepback(&[]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    for expected in DEMO_FINDINGS.iter().chain(&["turn-4e1b", "call-4 rejected"]) {
        assert!(text.contains(expected), "{expected} is missing in:\n{text}");
    }
}

#[test]
fn a_failed_run_is_told_beside_the_verdict_about_its_log() {
    let clean_failed = in_repository("fixtures/turn/clean-failed.json");
    let output = stepback(&["check", clean_failed.to_str().expect("a path")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let last = text.lines().last().expect("a line");
    assert!(last.contains("; failed: the importer does not know --version; ") && !last.contains('✓'), "{text}");
    let (_, document) = check("fixtures/turn/clean-failed.json");
    let file = &document["files"][0];
    assert_eq!((&file["verdict"], &file["ending"]["kind"]), (&"clean".into(), &"failed".into()));
    let (_, document) = check("fixtures/turn/clean.json");
    assert_eq!(document["files"][0]["ending"]["kind"], "done");
    let (_, document) = check("fixtures/tape/every-kind.tape");
    assert!(document["files"][0]["ending"].is_null());
}
