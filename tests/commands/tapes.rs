//! The tapes in `fixtures/tape` in every command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::files::files;
use serde_json::Value;

const FOLDER: &str = "fixtures/tape";

/// File, exit code of `check`, ids of its findings.
const CASES: &[(&str, i32, &[&str])] = &[
    ("binary.tape", 0, &[]),
    ("children.process.json", 0, &[]),
    (
        "damaged-store.tape",
        1,
        &["tape/bad-reference", "tape/cas-hash", "tape/cas-missing", "tape/inline-hash", "tape/orphan"],
    ),
    ("every-kind.tape", 0, &["tape/redacted", "tape/unknown-kind"]),
    ("long-output.tape", 0, &[]),
    ("notes-bad.tape", 0, &[]),
    ("notes-good.tape", 0, &[]),
];

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn stepback(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command.args(arguments).current_dir(in_repository("")).output().expect("the program starts")
}

fn json(arguments: &[&str]) -> Value {
    let output = stepback(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {errors}"))
}

#[test]
fn every_tape_has_its_findings() {
    for (file, exit, checks) in CASES {
        let path = format!("{FOLDER}/{file}");
        let output = stepback(&["check", "--json", &path]);
        assert_eq!(output.status.code(), Some(*exit), "{file}: {}", String::from_utf8_lossy(&output.stderr));
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let found = document["files"][0]["findings"].as_array().expect("findings");
        let mut ids: Vec<&str> = found.iter().map(|finding| finding["check"].as_str().expect("an id")).collect();
        ids.sort_unstable();
        assert_eq!(ids, *checks, "{file}");
        assert_eq!(document["files"][0]["dialect"], "tape", "{file}");
    }
    let readme = fs::read_to_string(in_repository("fixtures/README.md")).expect("the README");
    let logs =
        files(&in_repository(FOLDER)).into_keys().filter(|name| !name.contains('/') && !name.contains(".annotations"));
    assert!(logs.eq(CASES.iter().map(|(file, ..)| (*file).to_owned())));
    for (file, _, checks) in CASES {
        let row = readme.lines().find(|line| line.starts_with(&format!("| `{file}`")));
        let row = row.unwrap_or_else(|| panic!("{file} has no row"));
        assert!(checks.iter().all(|check| row.contains(&format!("`{check}`"))), "{file}: {row}");
    }
}

#[test]
fn every_command_accepts_every_tape() {
    for (file, ..) in CASES {
        let path = format!("{FOLDER}/{file}");
        for arguments in [
            &["report", &path][..],
            &["report", "--json", &path],
            &["replay", &path],
            &["replay", "--json", &path],
            &["show", &path, "--at", "0"],
            &["show", "--json", &path, "--at", "100%"],
            &["blame", &path, "processes"],
            &["query", &path, "process_spawn"],
            &["query", &path, ".event.kind.kind? == \"process_spawn\"", "--count"],
            &["diff", &path, &path],
            &["diff", "--json", &path, &path],
        ] {
            let output = stepback(arguments);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
            assert_eq!(errors, "", "{arguments:?}");
        }
        assert_eq!(stepback(&["convert", &path, "-o", "-"]).status.code(), Some(2), "{file}");
    }
}

#[test]
fn an_unknown_kind_is_queried_by_its_own_name() {
    let path = format!("{FOLDER}/every-kind.tape");
    let count = |filter: &str| String::from_utf8(stepback(&["query", &path, filter, "--count"]).stdout).expect("text");
    assert_eq!(count("unknown"), "1\n");
    assert_eq!(count(".event.kind.kind == \"net_fetch\""), "1\n");
    assert_eq!(count(".event.kind.kind == \"unknown\""), "0\n");
    assert_eq!(count(".event.kind.kind != \"file_read\""), count(".event.kind | .kind != \"file_read\""));
}

#[test]
fn two_runs_diverge_where_the_answers_of_the_model_differ() {
    let (good, bad) = (format!("{FOLDER}/notes-good.tape"), format!("{FOLDER}/notes-bad.tape"));
    let output = stepback(&["diff", "--json", &good, &bad]);
    assert_eq!(output.status.code(), Some(1));
    let aligned = &json(&["diff", "--json", &good, &bad])["aligned"];
    let first = &aligned["first_divergence"];
    assert_eq!(
        (&first["how"], &first["left"], &first["right"]),
        (&"changed".into(), &3.into(), &3.into()),
        "{aligned}"
    );
    let positional = json(&["diff", "--json", "--mode", "semantic", &good, &bad]);
    assert_eq!(positional["first_divergence"]["category"], "llm_response_hash");
    assert_eq!(positional["root_cause"]["seq"], 3);
    let compat = json(&["diff", "--json", "--compat", "--mode", "outcome", &good, &bad]);
    assert_eq!(compat["divergences"][0]["category"], "outcome_fs_diff");
    assert!(compat.get("root_cause").is_none(), "only the reference's keys");
    assert_eq!(stepback(&["diff", "--compat", "--mode", "aligned", &good, &bad]).status.code(), Some(2));
    assert_eq!(stepback(&["diff", "--mode", "kinds", &good, &bad]).status.code(), Some(2));
    assert_eq!(stepback(&["diff", &good, "fixtures/turn/clean.json"]).status.code(), Some(2));
}

#[test]
fn annotations_are_shown_at_their_events() {
    let path = format!("{FOLDER}/notes-good.tape");
    let notes = |at: &str| json(&["show", "--json", &path, "--at", at])["notes"].clone();
    assert_eq!(notes("3")[0]["kind"], "correct");
    let kinds =
        |at: &str| notes(at).as_array().expect("notes").iter().map(|note| note["kind"].clone()).collect::<Vec<_>>();
    assert_eq!(kinds("4"), ["marker", "note"]);
    assert_eq!(kinds("5"), ["note", "mute"], "a span is about all of its events");
    assert_eq!(notes("0"), Value::Array(vec![]));
    let marked = json(&["show", "--json", &path, "--at", "bookmark:written"]);
    assert_eq!(marked["kind"], "file_write");
    let state = tempfile::tempdir().expect("a folder");
    let mut list = Command::new(env!("CARGO_BIN_EXE_stepback"));
    list.args(["bookmark", &path, "--json"]).current_dir(in_repository("")).env("XDG_STATE_HOME", state.path());
    let list: Value = serde_json::from_slice(&list.output().expect("a list").stdout).expect("JSON");
    assert_eq!(list["markers"][0]["id"], "written");
    let report = json(&["report", "--json", &path]);
    assert_eq!(report["annotations"]["validation"]["problems"], Value::Array(vec![]));
}

#[test]
fn strict_rejects_what_the_reference_rejects() {
    let temp = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(in_repository(FOLDER).join("notes-bad.tape")).expect("a tape");
    let newer = text.replacen("\"version\":5", "\"version\":99", 1);
    let twice = text.replacen('\n', &format!("\n{}\n", text.lines().next().expect("a header")), 1);
    let beheaded = text.split_once('\n').expect("lines").1.to_owned();
    let late = format!("\n{text}");
    let torn = text[..text.len() - 20].to_owned();
    for (name, text, refused) in [
        ("newer", newer, true),
        ("twice", twice, true),
        ("beheaded", beheaded, true),
        ("late", late, true),
        ("torn", torn, false),
    ] {
        let path = temp.path().join(format!("{name}.tape"));
        fs::write(&path, text).expect("a tape");
        let path = path.to_str().expect("a name");
        assert_eq!(stepback(&["check", path]).status.code(), Some(1), "{name}");
        let verdict = &json(&["check", "--strict", "--json", path])["files"][0]["verdict"];
        assert_eq!(verdict == "rejected", refused, "{name}: {verdict}");
        assert_eq!(stepback(&["replay", "--strict", path]).status.code(), Some(if refused { 2 } else { 0 }), "{name}");
        assert_eq!(stepback(&["replay", path]).status.code(), Some(0), "{name}: it can still be shown");
    }
}
