//! Tests of the built program: the output that scripts rely on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rusqlite::{Connection, params};
use serde_json::{Value, json};

fn stepback(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stepback"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn document(arguments: &[&str]) -> Value {
    let output = stepback(arguments);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("file")).expect("JSON")
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/turn")
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Runs every case through the commands that a script would use.
#[test]
fn commands_print_the_results_of_the_reference() {
    let manifest = read(&cases().join("MANIFEST.json"));
    for case in manifest.as_array().expect("cases") {
        let stem = case["case"].as_str().expect("name");
        let log = cases().join(format!("{stem}.events.json"));
        let expected = read(&cases().join(format!("{stem}.expect.json")));
        let sidecars = ["session", "live", "artifacts"]
            .map(|name| (format!("--{name}"), cases().join(format!("{stem}.{name}.json"))));
        let mut arguments = vec!["report", "--json", shown(&log)];
        for (flag, path) in sidecars.iter().filter(|(_, path)| path.exists()) {
            arguments.extend([flag.as_str(), shown(path)]);
        }
        let report = document(&arguments);
        for (key, value) in expected.as_object().expect("object") {
            match key.as_str() {
                "steps" => {}
                "rejected" => {
                    let indices = |list: &Value| -> Vec<Value> {
                        list.as_array().expect("list").iter().map(|entry| entry["index"].clone()).collect()
                    };
                    assert_eq!(indices(&report[key]), indices(value), "{stem} {key}");
                }
                _ => assert_eq!(&report[key], value, "{stem} {key}"),
            }
        }
        let replay = text(&stepback(&["replay", "--json", shown(&log)]));
        let rows: Vec<Value> = replay.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
        let steps = expected["steps"].as_array().expect("steps");
        assert_eq!(rows.len(), steps.len(), "{stem}");
        for (row, step) in rows.iter().zip(steps) {
            for (key, value) in step.as_object().expect("row") {
                assert_eq!(&row[key], value, "{stem} {key}");
            }
            assert!(row["changed"].is_array());
        }
    }
}

#[test]
fn comparisons_equal_the_reference() {
    let mut compared = 0;
    for number in 0.. {
        let golden = cases().join(format!("compare-{number:03}.expect.json"));
        if !golden.exists() {
            break;
        }
        let golden = read(&golden);
        let side = |name: &str| cases().join(golden[name].as_str().expect("name"));
        let document = document(&["diff", "--json", shown(&side("left")), shown(&side("right"))]);
        assert_eq!(document["document_kind"], "compare");
        assert_eq!(document["diff"], golden["diff"], "compare-{number:03}");
        compared += 1;
    }
    assert_eq!(compared, 10);
}

#[test]
fn redaction_equals_the_reference_and_ours_goes_further() {
    for number in 0..3 {
        let log = cases().join(format!("redact-{number:03}.events.json"));
        let golden = read(&cases().join(format!("redact-{number:03}.expect.json")));
        let report = document(&["report", "--json", "--redact=reference", shown(&log)]);
        assert_eq!(report["redacted"], golden, "redact-{number:03}");
    }
    let thorough =
        document(&["report", "--json", "--redact=reference", shown(&cases().join("redact-000.events.json"))]);
    let text = thorough["redacted_thorough"].to_string();
    for secret in ["zzz", "abc123", "hunter2", "sk-abcdef"] {
        assert!(!text.contains(secret), "{secret} is not hidden");
    }
}

#[test]
fn conversions_keep_every_event() {
    let folder = tempfile::tempdir().expect("folder");
    let original = Path::new("fixtures/turn/clean.json");
    let events = |path: &Path| {
        let out = folder.path().join("events.json");
        let output = stepback(&["convert", shown(path), "-o", shown(&out), "--to", "array", "--force"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        read(&out)
    };
    let expected = events(original);
    for form in ["array", "lines", "envelope", "trace", "pack"] {
        let out = folder.path().join(format!("{form}.json"));
        assert!(stepback(&["convert", shown(original), "-o", shown(&out), "--to", form]).status.success());
        assert_eq!(events(&out), expected, "{form}");
        let again = stepback(&["convert", shown(original), "-o", shown(&out), "--to", form]);
        assert_eq!(again.status.code(), Some(2), "an existing file is not replaced");
    }
    let left = std::fs::read_dir(folder.path())
        .expect("folder")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().contains("partial")));
    assert_eq!(left.count(), 0);
}

fn store(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("a store");
    connection
        .execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
             CREATE TABLE kernel_events (id INTEGER PRIMARY KEY AUTOINCREMENT, seq INTEGER NOT NULL,
                 ts_ms INTEGER NOT NULL, kind TEXT NOT NULL, turn_id TEXT, payload TEXT NOT NULL);
             CREATE TABLE compaction_artifacts (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
                 created_at_ms INTEGER NOT NULL, replaced_start INTEGER NOT NULL, replaced_end INTEGER NOT NULL,
                 replaced_messages_json TEXT NOT NULL DEFAULT '[]', summary TEXT NOT NULL DEFAULT '',
                 original_tokens INTEGER NOT NULL DEFAULT 0, summary_tokens INTEGER NOT NULL DEFAULT 0);",
        )
        .expect("tables");
    connection
}

fn insert(connection: &Connection, seq: u32, event: &Value) {
    connection
        .execute(
            "INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                seq,
                1_700_000_000_000_i64 + i64::from(seq),
                event["event_type"].as_str(),
                event["turn_id"].as_str(),
                event.to_string()
            ],
        )
        .expect("a row");
}

fn turn(id: &str) -> [Value; 3] {
    [
        json!({"event_type": "turn_started", "turn_id": id, "mode": "agent", "input_text": "hello", "max_steps": 5}),
        json!({"event_type": "steer_injected", "turn_id": id, "step_idx": 1, "text": "go on"}),
        json!({"event_type": "turn_ended", "turn_id": id, "outcome": "completed", "total_steps": 1}),
    ]
}

/// A database with interleaved turns, read while its writer has it open in WAL mode.
#[test]
fn a_database_is_read_turn_by_turn_while_it_is_written() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sessions.db");
    let writer = store(&path);
    insert(&writer, 0, &json!({"event_type": "schema_version", "version": 1}));
    let (one, two) = (turn("turn-one"), turn("turn-two"));
    for (seq, event) in [&one[0], &two[0], &one[1], &two[1], &two[2], &one[2]].into_iter().enumerate() {
        insert(&writer, seq as u32 + 1, event);
    }
    // An uncommitted change must not be visible, and must not block reading.
    writer.execute_batch("BEGIN IMMEDIATE").expect("transaction");
    insert(&writer, 99, &turn("turn-three")[0]);

    let checked = document(&["check", "--json", shown(&path)]);
    assert_eq!(checked["files"][0]["events"], 7);
    assert_eq!(checked["files"][0]["verdict"], "clean", "{checked}");
    let rows = text(&stepback(&["replay", "--json", shown(&path)]));
    let kinds: Vec<String> = rows
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).expect("row")["kind"].as_str().expect("kind").to_owned())
        .collect();
    let turn_kinds = ["turn_started", "steer_injected", "turn_ended"];
    assert_eq!(kinds, [&["schema_version"][..], &turn_kinds, &turn_kinds].concat());

    let one_turn = document(&["report", "--json", shown(&path), "--turn", "turn-t"]);
    assert_eq!(one_turn["projection"]["turn_id"], "turn-two");
    assert_eq!(one_turn["event_count"], 3);
    let unknown = stepback(&["report", shown(&path), "--turn", "unknown"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("turn-one (3 events)"));

    let envelope = folder.path().join("envelope.jsonl");
    assert!(stepback(&["convert", shown(&path), "-o", shown(&envelope), "--to", "envelope"]).status.success());
    let first = std::fs::read_to_string(&envelope).expect("file");
    let first: Value = serde_json::from_str(first.lines().nth(1).expect("a second row")).expect("JSON");
    assert_eq!((first["seq"].as_u64(), first["ts_ms"].as_u64()), (Some(1), Some(1_700_000_000_001)));
}

#[test]
fn stored_compactions_are_compared_with_the_log() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sessions.db");
    let writer = store(&path);
    let [start, _, end] = turn("t");
    let artifact = json!({"event_type": "compaction_artifact_created", "turn_id": "t", "artifact_id": "a",
        "replaced_range": {"from": 0, "to": 9}, "summary_token_count": 5});
    for (seq, event) in [&start, &artifact, &end].into_iter().enumerate() {
        insert(&writer, seq as u32, event);
    }
    let add = "INSERT INTO compaction_artifacts (id, session_id, created_at_ms, replaced_start, replaced_end, summary_tokens) VALUES ('a', 's', 1, 0, ?1, 5)";
    writer.execute(add, [10]).expect("a row");
    assert!(stepback(&["check", shown(&path)]).status.success());
    writer.execute("UPDATE compaction_artifacts SET replaced_end = 7", []).expect("a row");
    let checked = document(&["check", "--json", shown(&path)]);
    assert_eq!(checked["files"][0]["findings"][0]["check"], "cover/compaction-rows");
}

#[test]
fn standard_input_can_be_a_log() {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_stepback"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let lines: String = turn("t").iter().map(|event| format!("{event}\n")).collect();
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("3 events"));
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let script =
        format!("'{}' replay tests/conformance/turn/case-001.events.json | true", env!("CARGO_BIN_EXE_stepback"));
    let command = format!("{script}; exit ${{PIPESTATUS[0]}}");
    let output = Command::new("bash").args(["-c", &command]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let Ok(output) = output else { return };
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn options_decide_which_findings_fail() {
    let log = "fixtures/turn/approval-ignored.json";
    assert_eq!(stepback(&["check", log]).status.code(), Some(1));
    assert_eq!(stepback(&["check", log, "--skip", "turn/*"]).status.code(), Some(0));
    assert_eq!(stepback(&["check", log, "--only", "gate/*"]).status.code(), Some(0));
    assert_eq!(stepback(&["check", log, "--fail-on", "never"]).status.code(), Some(0));
    assert_eq!(stepback(&["check", "fixtures/broken/unknown-kind.json", "--fail-on", "error"]).status.code(), Some(0));
    assert_eq!(stepback(&["check", "fixtures/broken/unknown-kind.json", "--strict"]).status.code(), Some(1));
    assert_eq!(stepback(&["check", log, "--only", "["]).status.code(), Some(2));
}

#[test]
fn sarif_and_junit_output_is_valid() {
    let log = "fixtures/turn/approval-ignored.json";
    let sarif = document(&["check", log, "--format", "sarif"]);
    assert_eq!(sarif["version"], "2.1.0");
    let result = &sarif["runs"][0]["results"][0];
    let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
    assert!(result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64() > Some(0));
    let junit = text(&stepback(&["check", log, "--format", "junit"]));
    assert!(junit.contains("<failure type=\"critical\""), "{junit}");
    let github = text(&stepback(&["check", log, "--format", "github"]));
    assert!(github.lines().all(|line| line.starts_with("::")), "{github}");
}

#[test]
fn blame_names_the_last_writer() {
    let log = "assets/demo.json";
    let last = document(&["blame", log, "step_idx", "--json"]);
    let all = document(&["blame", log, "step_idx", "--all", "--json"]);
    let writers = all["writers"].as_array().expect("writers");
    assert!(writers.len() > 1);
    assert_eq!(last["writers"][0], writers[writers.len() - 1]);
    let before = writers[writers.len() - 1]["at"].as_u64().expect("a place") - 1;
    let earlier = document(&["blame", log, "step_idx", "--json", "--at", &before.to_string()]);
    assert_eq!(earlier["writers"][0], writers[writers.len() - 2]);
    let wrong = stepback(&["blame", log, "step"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean step_idx"));
}

#[test]
fn a_moment_shows_what_changed_and_what_is_open() {
    let moment = document(&["show", "assets/demo.json", "--at", "call:call-4", "--json"]);
    assert_eq!(moment["kind"], "tool_call_planned");
    assert_eq!(moment["changed"], json!(["pending_call_ids"]));
    let open: Vec<&Value> = moment["obligations"].as_array().expect("list").iter().map(|open| &open["what"]).collect();
    assert_eq!(open, ["call not finished", "approval not resolved"]);
    for place in ["0", "100%", "step:2", "finding:1"] {
        assert!(stepback(&["show", "assets/demo.json", "--at", place]).status.success(), "{place}");
    }
    for place in ["9999", "step:77", "call:unknown", "finding:99", "nonsense"] {
        assert_eq!(stepback(&["show", "assets/demo.json", "--at", place]).status.code(), Some(2), "{place}");
    }
}

#[test]
fn completions_and_manual_page_are_printed() {
    assert!(text(&stepback(&["completions", "bash"])).contains("stepback"));
    assert!(text(&stepback(&["man"])).contains(".TH stepback"));
    assert!(text(&stepback(&["checks", "--explain", "turn/repeat"])).contains("loop"));
    assert_eq!(stepback(&["checks", "--explain", "unknown"]).status.code(), Some(2));
}

fn fixture(name: &str) -> String {
    format!("fixtures/turn/{name}")
}

#[test]
fn a_comparison_shows_where_two_runs_diverge() {
    let (clean, otherwise) = (fixture("clean.json"), fixture("clean-otherwise.json"));
    let output = stepback(&["diff", &clean, &otherwise]);
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output);
    for part in [
        "✗ event 9 (steer_injected) of the right log is missing on the left, before its event 9",
        "left  fixtures/turn/clean.json · 26 events",
        "first difference",
        "2 differences · 1 changed, 1 only on the right",
        ".result_preview",
    ] {
        assert!(printed.contains(part), "{part:?} is not in\n{printed}");
    }
    // The events before and after it, with the numbers of both sides.
    assert!(printed.contains("\n        8       8 ") && printed.contains("\n        9      10 "), "{printed}");

    let document = document(&["diff", "--json", &clean, &otherwise]);
    let aligned = &document["aligned"];
    assert_eq!(aligned["verdict"], "extra");
    assert_eq!(aligned["first_divergence"]["right"], 9);
    assert_eq!(aligned["first_divergence"]["left"], Value::Null);
    assert_eq!(aligned["divergences"][1]["left"], 22);
    let member = &aligned["divergences"][1]["members"][0];
    assert_eq!((&member["path"], &member["actual"]), (&json!(".result_preview"), &json!("importer 1.7.3")));
    // Durations are not part of the difference.
    assert_eq!(aligned["divergences"][1]["drift"][0]["path"], ".duration_ms");
    assert_eq!(aligned["drift"]["events"], 0);

    let short = text(&stepback(&["diff", "--limit", "1", &clean, &otherwise]));
    assert!(short.contains("… and 1 more"), "{short}");
    let kinds = stepback(&["diff", "--mode", "kinds", &clean, &otherwise]);
    assert!(text(&kinds).contains("first difference at decoded event 9"), "{}", text(&kinds));
}

#[test]
fn drift_fails_only_with_strict_drift() {
    let (clean, again) = (fixture("clean.json"), fixture("clean-again.json"));
    let same = stepback(&["diff", &clean, &clean, "--strict-drift"]);
    assert_eq!((same.status.code(), text(&same).lines().next()), (Some(0), Some("✓ both logs have the same content")));
    let output = stepback(&["diff", &clean, &again]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let printed = text(&output);
    for part in [
        "✓ both logs have the same content",
        "have no turn in common",
        "drift · in 26 events",
        ".duration_ms",
        ".call_id",
    ] {
        assert!(printed.contains(part), "{part:?} is not in\n{printed}");
    }
    assert_eq!(stepback(&["diff", "--strict-drift", &clean, &again]).status.code(), Some(1));
    assert_eq!(document(&["diff", "--json", &clean, &again])["aligned"]["names"], "fresh");
}

#[test]
fn compare_without_a_terminal_prints_what_diff_prints() {
    let (clean, failed, again) = (fixture("clean.json"), fixture("clean-failed.json"), fixture("clean-again.json"));
    for (other, code) in [(&failed, 1), (&again, 0)] {
        let (diff, compared) = (stepback(&["diff", &clean, other]), stepback(&[&clean, "--compare", other]));
        assert_eq!((text(&diff), diff.status.code()), (text(&compared), compared.status.code()));
        assert_eq!(compared.status.code(), Some(code));
    }
    assert_eq!(stepback(&["--compare", &failed]).status.code(), Some(2), "there must be a log to compare it with");
    assert_eq!(stepback(&[&clean, "--compare", "nowhere.json"]).status.code(), Some(2));
}

#[test]
fn a_saved_screen_shows_both_logs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("both.txt").to_string_lossy().into_owned();
    let (clean, failed) = (fixture("clean.json"), fixture("clean-failed.json"));
    let saved = stepback(&[&clean, "--compare", &failed, "--screenshot", &path]);
    assert_eq!(saved.status.code(), Some(0), "{}", String::from_utf8_lossy(&saved.stderr));
    let printed = std::fs::read_to_string(&path).expect("a picture");
    for part in ["Actual: clean-failed.json", "Event 13 │ 13", "difference 1 of 14", "differs: .outcome"] {
        assert!(printed.contains(part), "{part:?} is not in\n{printed}");
    }
    let at = stepback(&[&clean, "--compare", &failed, "--at", "16", "--force", "--screenshot", &path]);
    assert_eq!(at.status.code(), Some(0));
    assert!(std::fs::read_to_string(&path).expect("a picture").contains("Event 16 │ —"));
    let other = folder.path().join("none.txt").to_string_lossy().into_owned();
    let refused = stepback(&[&clean, "--compare", "nowhere.json", "--screenshot", &other]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no such file"));
    assert!(!std::path::Path::new(&other).exists());
}
