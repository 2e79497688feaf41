//! Transfer logs: the states of a transfer, judged by five oracles, and packed as a transfer crashpack.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::desk::{Desk, checks_of, ours, read_json};
use crate::files::files;

const LEAKS: &str = "fixtures/transfer/leaks.jsonl";
const CLEAN: &str = "fixtures/transfer/clean.json";
const ONE_STATE: &str = "fixtures/transfer/one-state.json";
const MALFORMED: &str = "fixtures/transfer/malformed.jsonl";
const TOKEN: &str = "ghp_R4nd0mLookingT0kenWithManyChars12345";

/// The findings of each log: the check and the number of the state.
const CASES: &[(&str, &[(&str, u64)])] = &[
    (CLEAN, &[]),
    (
        LEAKS,
        &[
            ("transfer/quiescence", 2),
            ("transfer/obligation_leak", 3),
            ("transfer/path_consistency", 4),
            ("transfer/quiescence", 4),
            ("transfer/journal_consistency", 5),
            ("transfer/manifest_integrity", 5),
            ("transfer/obligation_leak", 6),
        ],
    ),
    (
        MALFORMED,
        &[("log/malformed", 1), ("log/malformed", 2), ("log/malformed", 3), ("transfer/journal_consistency", 4)],
    ),
    (ONE_STATE, &[("transfer/manifest_integrity", 0), ("transfer/quiescence", 0)]),
];

fn clean() -> Value {
    json!({"manifest_hash": "a", "expected_manifest_hash": "a", "journal_gaps": 0, "pending_operations": 0,
        "leaked_obligations": 0, "path_outcomes_consistent": true})
}

fn with(member: &str, value: Value) -> Value {
    let mut state = clean();
    state[member] = value;
    state
}

fn write(desk: &Desk, name: &str, text: &str) -> PathBuf {
    let path = desk.path(name);
    fs::write(&path, text).expect("written");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

/// The findings without their places in the file.
fn findings(desk: &Desk, path: &Path) -> Vec<Value> {
    let mut findings = desk.check(path)["findings"].as_array().expect("findings").clone();
    for members in findings.iter_mut().filter_map(Value::as_object_mut) {
        members.remove("line");
        members.remove("byte");
    }
    findings
}

fn replay_script(pack: &Path) -> Option<i32> {
    let program = Path::new(env!("CARGO_BIN_EXE_stepback")).parent().expect("a folder");
    let path = format!("{}:/usr/bin:/bin", program.display());
    Command::new("sh").arg(pack.join("replay_command.sh")).env("PATH", path).output().expect("a shell").status.code()
}

#[test]
fn every_log_has_its_findings_and_a_row_in_the_readme() {
    let (desk, readme) = (Desk::new(), fs::read_to_string(ours("fixtures/README.md")).expect("the README"));
    for (log, expected) in CASES {
        let file = desk.check(Path::new(log));
        assert_eq!(file["dialect"], "transfer", "{log}");
        let found: Vec<(String, u64)> = checks_of(&file)
            .into_iter()
            .zip(file["findings"].as_array().expect("findings"))
            .map(|(check, finding)| (check, finding["at"][0].as_u64().expect("a number")))
            .collect();
        let expected: Vec<(String, u64)> = expected.iter().map(|(check, at)| ((*check).to_owned(), *at)).collect();
        assert_eq!(found, expected, "{log}");
        let name = log.rsplit('/').next().expect("a name");
        let row = readme.lines().find(|line| line.starts_with(&format!("| `{name}`"))).expect("a row");
        assert!(expected.iter().all(|(check, _)| row.contains(&format!("`{check}`"))), "{row}");
    }
    let logs = fs::read_dir(ours("fixtures/transfer")).expect("a folder").count();
    assert_eq!(logs, CASES.len());
}

#[test]
fn each_oracle_has_its_severity_and_its_evidence() {
    let desk = Desk::new();
    for (member, value, check, severity, expected, actual) in [
        ("manifest_hash", json!("b"), "transfer/manifest_integrity", "error", "a", "b"),
        ("journal_gaps", json!(2), "transfer/journal_consistency", "error", "gap_count 0", "gap_count 2"),
        ("pending_operations", json!(3), "transfer/quiescence", "warning", "pending_count 0", "pending_count 3"),
        ("leaked_obligations", json!(4), "transfer/obligation_leak", "error", "leak_count 0", "leak_count 4"),
        (
            "path_outcomes_consistent",
            json!(false),
            "transfer/path_consistency",
            "error",
            "consistent outcomes",
            "inconsistent outcomes",
        ),
    ] {
        let log = write(&desk, "state.json", &with(member, value).to_string());
        let file = desk.check(&log);
        let [finding] = &file["findings"].as_array().expect("findings")[..] else { panic!("{file}") };
        let of = |key: &str| finding[key].as_str().expect("a text").to_owned();
        assert_eq!([of("check"), of("severity"), of("expected"), of("actual")], [check, severity, expected, actual]);
        assert_eq!(of("fingerprint"), check, "no count is part of it");
        // Each oracle can be switched off, or be the only one.
        assert_eq!(desk.run(&["check", text(&log)]).status.code(), Some(1));
        assert_eq!(desk.run(&["check", text(&log), "--skip", check]).status.code(), Some(0), "{check}");
        assert_eq!(desk.run(&["check", text(&log), "--only", check]).status.code(), Some(1), "{check}");
        let other = if check.ends_with("quiescence") { "transfer/obligation_leak" } else { "transfer/quiescence" };
        assert_eq!(desk.run(&["check", text(&log), "--only", other]).status.code(), Some(0), "{check}");
    }
}

#[test]
fn states_are_recognized_in_every_arrangement() {
    let desk = Desk::new();
    let (one, two) = (clean(), with("journal_gaps", json!(1)));
    let mut short = clean();
    short.as_object_mut().expect("an object").remove("path_outcomes_consistent");
    for (name, log, events, findings) in [
        ("one", one.to_string(), 1, 0),
        ("pretty", format!("{one:#}\n"), 1, 0),
        ("lines", format!("{one}\n{two}\n"), 2, 1),
        ("array", json!([one, two]).to_string(), 2, 1),
        ("pretty array", format!("{:#}", json!([one, two])), 2, 1),
        ("values", format!("{one:#}\n{two:#}\n"), 2, 1),
        ("first malformed", format!("{short}\n{two}\n"), 1, 2),
        ("only malformed", format!("{short:#}"), 0, 2),
        ("torn", format!("{one}\n{}", &two.to_string()[..40]), 1, 1),
    ] {
        let file = desk.check(&write(&desk, "log", &log));
        let found = file["findings"].as_array().expect("findings").len();
        assert_eq!(
            (&file["dialect"], &file["events"], found),
            (&json!("transfer"), &json!(events), findings),
            "{name}: {file}"
        );
    }
    // Another JSON document is not a transfer.
    let other = write(&desk, "other.json", r#"{"manifest_hash":"a","version":1}"#);
    assert_eq!(desk.run(&["check", text(&other)]).status.code(), Some(2));
}

#[test]
fn a_malformed_state_keeps_its_place_and_its_text() {
    let desk = Desk::new();
    let shown = desk.json(&["show", "--json", MALFORMED, "--at", "2"]);
    assert_eq!(shown["kind"], "malformed");
    assert!(shown.to_string().contains("three"), "{shown}");
    let shown = desk.json(&["show", "--json", MALFORMED, "--at", "4"]);
    assert_eq!(shown["kind"], "state");
    assert_eq!(shown["projection"]["journal_gaps"], 2, "{shown}");
}

#[test]
fn every_command_works_on_a_transfer_log() {
    let desk = Desk::new();
    for arguments in [
        &["report", LEAKS][..],
        &["report", "--json", LEAKS],
        &["replay", LEAKS],
        &["show", LEAKS, "--at", "finding:2"],
        &["blame", LEAKS, "leaked_obligations"],
        &["diff", LEAKS, LEAKS],
        &[LEAKS],
    ] {
        let output = desk.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let grows = "(.before | .leaked_obligations) as $before | $before != null and .after.leaked_obligations > $before";
    let count = desk.run(&["query", LEAKS, grows, "--count"]);
    assert_eq!(String::from_utf8_lossy(&count.stdout).trim(), "2");
    let blame = desk.json(&["blame", "--json", LEAKS, "violated"]);
    assert!(blame.to_string().contains('6'), "{blame}");
    assert_eq!(desk.run(&["diff", LEAKS, CLEAN]).status.code(), Some(1));
    let sarif = desk.json(&["check", LEAKS, "--format", "sarif"]);
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(7));
    let small = desk.path("small.jsonl");
    let finding = "transfer/manifest_integrity";
    assert_eq!(desk.run(&["minimize", LEAKS, "--finding", finding, "-o", text(&small)]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(&small).expect("a log").lines().count(), 1);
    assert!(checks_of(&desk.check(&small)).contains(&finding.to_owned()));
    let pack = desk.export(LEAKS, "ours", &["--minimize"]);
    assert_eq!(desk.run(&["replay", text(&pack), "--expect"]).status.code(), Some(0));
}

#[test]
fn a_report_has_the_verdict_of_every_oracle() {
    let report = Desk::new().json(&["report", "--json", LEAKS]);
    let oracles = report["oracles"].as_array().expect("oracles");
    let violating: Vec<&Value> = oracles.iter().map(|oracle| &oracle["states_violating"]).collect();
    assert_eq!(violating, [1, 1, 3, 5, 2]);
    assert_eq!((&report["projection"]["leaked_obligations"], &oracles[3]["violations"]), (&json!(3), &json!(2)));
}

#[test]
fn a_transfer_crashpack_has_its_files_and_opens_with_the_same_findings() {
    let desk = Desk::new();
    for (log, _) in CASES {
        let pack = desk.export(log, log, &["--transfer", "--seed", "lab-seed.v1=42", "--meta", "ticket=T 1"]);
        let names: BTreeSet<String> = files(&pack).into_keys().collect();
        let expected = [
            "evidence-ledger.json",
            "journal",
            "journal.digest",
            "manifest",
            "pathlog",
            "quiclog",
            "repairlog",
            "replay_command.sh",
            "transfer.atp-trace",
        ];
        assert_eq!(names, expected.map(str::to_owned).into(), "{log}");
        assert_eq!(findings(&desk, Path::new(log)), findings(&desk, &pack), "{log}");
        let script = fs::read_to_string(pack.join("replay_command.sh")).expect("a script");
        assert!(script.contains("\nexport ATP_SEED_LAB_SEED_V1=42\n"), "{script}");
        let manifest = fs::read_to_string(pack.join("manifest")).expect("a manifest");
        assert!(manifest.starts_with("# ATP Crashpack Manifest\n") && manifest.contains("\nmetadata.ticket: T 1\n"));
        assert!(read_json(&pack.join("transfer.atp-trace")).is_array(), "{log}");
        assert_eq!(replay_script(&pack), Some(0), "{log}: reproduced, or still clean");
        desk.leaves_nothing_hidden();
    }
}

#[test]
fn the_ledger_weighs_each_oracle_by_its_worst_violation() {
    let desk = Desk::new();
    let pack = desk.export(ONE_STATE, "pack", &["--transfer"]);
    let ledger = read_json(&pack.join("evidence-ledger.json"));
    let entries = ledger["entries"].as_array().expect("entries");
    let weights: Vec<(&str, f64)> = entries
        .iter()
        .map(|entry| (entry["oracle"].as_str().expect("a name"), entry["weight_log10"].as_f64().expect("a weight")))
        .collect();
    let expected = [
        ("manifest_integrity", 1.6),
        ("journal_consistency", -1.0),
        ("quiescence", 1.0),
        ("obligation_leak", -1.0),
        ("path_consistency", -1.0),
    ];
    assert_eq!(weights, expected);
    let journal = fs::read_to_string(pack.join("journal")).expect("a journal");
    assert!(journal.contains("\n      severity: Medium\n") && journal.contains("\n        pending_count: 2\n"));
    assert!(journal.contains("\n        actual_hash: sha256:c9f0f895fb98ab9159f51fd0297e236d\n"), "{journal}");
}

#[test]
fn the_script_reports_what_it_finds() {
    let desk = Desk::new();
    let leaks = ["--transfer", "--finding", "transfer/obligation_leak"];
    let pack = desk.export(LEAKS, "a pack with 'quotes'", &leaks);
    assert_eq!(replay_script(&pack), Some(0));
    let script = pack.join("replay_command.sh");
    let original = fs::read_to_string(&script).expect("a script");
    fs::write(&script, original.replace("obligation_leak", "other")).expect("written");
    assert_eq!(replay_script(&pack), Some(3), "the pack was changed");
    fs::write(&script, original).expect("written");
    assert_eq!(replay_script(&pack), Some(0));
    let expect = |fingerprint: &str| desk.run(&["replay", text(&pack), "--expect", fingerprint]).status.code();
    assert_eq!(expect("transfer/obligation_leak"), Some(0));
    assert_eq!(expect("transfer/other"), Some(2));
    let clean = desk.export(CLEAN, "clean", &["--transfer"]);
    assert_eq!(desk.run(&["replay", text(&clean), "--expect", "transfer/quiescence"]).status.code(), Some(1));
}

#[test]
fn damage_of_any_file_is_a_finding_and_force_replaces_only_what_is_unchanged() {
    let desk = Desk::new();
    let pack = desk.export(LEAKS, "pack", &["--transfer"]);
    let force = || desk.run(&["export", LEAKS, "--transfer", "-o", text(&pack), "--force"]).status.code();
    assert_eq!(desk.run(&["export", LEAKS, "--transfer", "-o", text(&pack)]).status.code(), Some(2));
    for (name, bytes) in files(&pack) {
        let path = pack.join(&name);
        fs::write(&path, [&bytes[..], b"\nmine"].concat()).expect("written");
        let found = checks_of(&desk.check(&pack));
        assert_eq!(found.iter().filter(|check| *check == "pack/damaged").count(), 1, "{name}: {found:?}");
        assert_eq!(force(), Some(2), "{name}");
        fs::write(&path, bytes).expect("written");
    }
    fs::write(pack.join("notes.txt"), "mine").expect("written");
    assert!(checks_of(&desk.check(&pack)).contains(&"pack/unlisted".to_owned()));
    assert_eq!(force(), Some(2));
    fs::remove_file(pack.join("notes.txt")).expect("removed");
    fs::remove_file(pack.join("quiclog")).expect("removed");
    assert!(checks_of(&desk.check(&pack)).contains(&"pack/missing".to_owned()));
    assert_eq!(force(), Some(2));
    fs::remove_dir_all(&pack).expect("removed");
    desk.export(LEAKS, "pack", &["--transfer"]);
    assert_eq!(force(), Some(0));
    desk.leaves_nothing_hidden();
}

#[test]
fn secrets_are_masked_in_every_file() {
    let desk = Desk::new();
    let mut state = with("leaked_obligations", json!(1));
    state["note"] = json!(format!("token {TOKEN}"));
    let log = write(&desk, "log.jsonl", &format!("{state}\n{}\n", with("manifest_hash", json!(TOKEN))));
    let meta = format!("key={TOKEN}");
    let pack = desk.export(text(&log), "pack", &["--transfer", "--redact", "--meta", &meta]);
    for (name, bytes) in files(&pack) {
        assert!(!String::from_utf8_lossy(&bytes).contains(TOKEN), "{name}");
    }
    assert!(pack.join("redactions.json").exists());
    let checks = checks_of(&desk.check(&pack));
    assert_eq!(checks, ["transfer/obligation_leak", "transfer/manifest_integrity"]);
    assert_eq!(replay_script(&pack), Some(0));
}

#[test]
fn what_cannot_be_a_transfer_crashpack_is_refused() {
    let desk = Desk::new();
    let refused = |arguments: &[&str], reason: &str| {
        let output = desk.run(&[arguments, &["-o", text(&desk.path("out"))]].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors.contains(reason), "{arguments:?}: {errors}");
        assert!(!desk.path("out").exists());
    };
    refused(&["export", "assets/demo.json", "--transfer"], "a turn log cannot be written as a transfer crashpack");
    refused(&["export", LEAKS, "--transfer", "--minimize"], "--minimize");
    refused(&["export", LEAKS, "--transfer", "--seed", "a.b=1", "--seed", "a-b=2"], "ATP_SEED_A_B");
    refused(&["export", LEAKS, "--transfer", "--finding", "transfer/none"], "transfer/none");
    refused(&["export", CLEAN], "no finding");
    let pack = desk.export(LEAKS, "pack", &["--transfer"]);
    refused(&["export", text(&pack)], "read-only");
    refused(&["export", text(&pack), "--transfer"], "read-only");
    desk.leaves_nothing_hidden();
}

#[test]
fn a_torn_state_is_left_out_with_a_note() {
    let desk = Desk::new();
    let log = write(&desk, "log.jsonl", &format!("{}\n{{\"manifest_hash\": \"a", with("journal_gaps", json!(1))));
    let target = desk.path("pack");
    let output = desk.run(&["export", text(&log), "--transfer", "-o", text(&target)]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("log/torn-tail"), "{output:?}");
    assert_eq!(checks_of(&desk.check(&target)), ["transfer/journal_consistency"]);
}

/// Exports a log. Returns the notes and the last line of the script, which exits with 0.
fn packed(desk: &Desk, log: &Path, name: &str, more: &[&str]) -> (String, String) {
    let target = desk.path(name);
    let output = desk.run(&[&["export", text(log), "--transfer", "-o", text(&target)], more].concat());
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{notes}");
    assert_eq!(replay_script(&target), Some(0), "{name}");
    let script = fs::read_to_string(target.join("replay_command.sh")).expect("a script");
    (notes, script.lines().last().expect("a line").to_owned())
}

#[test]
fn the_finding_of_a_pack_is_one_that_the_pack_reports() {
    let desk = Desk::new();
    let log = write(&desk, "short.json", r#"{"manifest_hash": "a", "expected_manifest_hash": "b"}"#);
    assert_eq!(checks_of(&desk.check(&log)), ["log/empty", "log/malformed"]);
    let (notes, script) = packed(&desk, &log, "pack", &[]);
    assert!(script.contains("--expect 'log/malformed "), "{script}");
    assert!(notes.contains("not packed: 1 finding of log/empty"), "{notes}");
    let target = desk.path("empty");
    for more in [&[][..], &["--redact"]] {
        let arguments = [&["export", text(&log), "--transfer", "--finding", "log/empty", "-o", text(&target)], more];
        let output = desk.run(&arguments.concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), target.exists()), (Some(2), false), "{errors}");
        assert!(errors.contains("would not report log/empty; choose another finding"), "{errors}");
        assert!(!errors.contains("--spare"), "nothing was masked: {errors}");
    }
}

#[test]
fn a_log_whose_only_finding_is_its_torn_state_becomes_a_clean_pack() {
    let desk = Desk::new();
    let log = write(&desk, "log.jsonl", &format!("{}\n{{\"manifest_hash\": \"a", clean()));
    let (notes, script) = packed(&desk, &log, "pack", &[]);
    assert_eq!(script, "exec stepback check .");
    assert!(notes.contains("the last record, which is incomplete") && notes.contains("log/torn-tail"), "{notes}");
}

#[test]
fn a_state_that_is_not_utf_8_stays_malformed_and_keeps_the_findings_of_the_others() {
    let desk = Desk::new();
    let log = desk.path("log.jsonl");
    let damaged = with("manifest_hash", json!("?")).to_string().into_bytes();
    let damaged: Vec<u8> = damaged.into_iter().map(|byte| if byte == b'?' { 0xe9 } else { byte }).collect();
    let leak = with("leaked_obligations", json!(1)).to_string();
    fs::write(&log, [clean().to_string().as_bytes(), &damaged, leak.as_bytes()].join(&b'\n')).expect("written");
    for (name, more) in [("pack", &[][..]), ("second", &["--finding", "2"])] {
        let (_, script) = packed(&desk, &log, name, more);
        assert!(script.ends_with("--expect transfer/obligation_leak"), "{script}");
        assert_eq!(checks_of(&desk.check(&desk.path(name))), ["log/malformed", "transfer/obligation_leak"]);
    }
    // Alone, it is malformed in the pack for another reason.
    fs::write(&log, [clean().to_string().as_bytes(), &damaged].join(&b'\n')).expect("written");
    assert!(packed(&desk, &log, "alone", &[]).1.contains("log/malformed"));
}
