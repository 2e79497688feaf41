//! Regression tests for input that once fooled the gate or lost a file.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use rusqlite::{Connection, params};
use serde_json::{Value, json};

fn stepback(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

fn checked(path: &Path) -> Value {
    let output = stepback(&["check", "--json", shown(path)]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    document["files"][0].clone()
}

fn checks(file: &Value) -> Vec<&str> {
    file["findings"].as_array().expect("findings").iter().filter_map(|finding| finding["check"].as_str()).collect()
}

fn turn(id: &str, outcome: &Value) -> [String; 3] {
    let plan = json!({"event_type": "tool_call_planned", "turn_id": id, "step_idx": 1, "call_id": "c",
        "tool_name": "grep", "input_json": "{}",
        "decision": {"approval_required": false, "parallel_eligible": true, "read_only": true}});
    [
        json!({"event_type": "turn_started", "turn_id": id, "mode": "agent", "input_text": "", "max_steps": 9})
            .to_string(),
        plan.to_string(),
        json!({"event_type": "turn_ended", "turn_id": id, "outcome": outcome, "total_steps": 1}).to_string(),
    ]
}

#[test]
fn a_torn_first_line_does_not_hide_the_log() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("torn.jsonl");
    let lines = turn("t", &json!("completed"));
    std::fs::write(&path, format!("{}\n{}\n{}\n", &lines[0][..40], lines[1], lines[2])).expect("written");
    let file = checked(&path);
    assert_eq!(file["events"], 2);
    assert!(checks(&file).contains(&"log/malformed"), "{file}");
}

#[test]
fn a_log_without_any_event_never_passes() {
    let folder = tempfile::tempdir().expect("folder");
    for (name, text) in [("tags.jsonl", "{\"event_type\":\"nope\"}\n"), ("torn.jsonl", "{\"event_type\":\"x\n")] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        let file = checked(&path);
        assert!(checks(&file).contains(&"log/empty"), "{name}: {file}");
        assert_eq!(file["verdict"], "failed");
    }
}

/// Findings beyond the limit are dropped, but a worse one among them still decides the verdict.
#[test]
fn the_limit_on_kept_findings_does_not_change_the_verdict() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("many.jsonl");
    let mut text = String::new();
    for number in 0..10_050 {
        text.push_str(&turn(&format!("t{number}"), &json!("interrupted")).join("\n"));
        text.push('\n');
    }
    let clean_so_far = text.clone();
    text.push_str(&turn("last", &json!("completed")).join("\n"));
    std::fs::write(&path, clean_so_far).expect("written");
    assert_eq!(checked(&path)["verdict"], "clean");
    std::fs::write(&path, text).expect("written");
    let file = checked(&path);
    assert_eq!(file["verdict"], "failed");
    assert!(file["dropped"].as_u64() > Some(0));
}

#[test]
fn a_pattern_that_matches_no_check_is_rejected() {
    for pattern in ["turn", "TURN/*", "turn/rejected-ran,turn/repeat", ""] {
        for flag in ["--only", "--skip"] {
            let output = stepback(&["check", "assets/demo.json", flag, pattern]);
            assert_eq!(output.status.code(), Some(2), "{flag} {pattern:?}");
        }
    }
}

#[test]
fn logs_in_a_folder_are_recognized_by_content() {
    let folder = tempfile::tempdir().expect("folder");
    let lines = turn("t", &json!("completed")).join("\n");
    for name in ["turn.log", "plain", "old.jsonl.1", "UPPER.JSON"] {
        std::fs::write(folder.path().join(name), &lines).expect("written");
    }
    std::fs::write(folder.path().join("notes.txt"), "nothing").expect("written");
    Connection::open(folder.path().join("other.db"))
        .and_then(|store| store.execute_batch("CREATE TABLE x (y)"))
        .expect("a foreign database");
    let output = stepback(&["check", "--json", shown(folder.path())]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["files"].as_array().expect("files").len(), 4);
    assert!(String::from_utf8_lossy(&output.stderr).contains("skipped 2 files without a log"));
    assert_eq!(stepback(&["check", shown(&folder.path().join("other.db"))]).status.code(), Some(2));
}

/// Any text encoding and rows of any type: a row that is not an event is a finding and does not end the log.
#[test]
fn an_unusual_database_is_read_row_by_row() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sessions.db");
    let store = Connection::open(&path).expect("a store");
    store
        .execute_batch(
            "PRAGMA encoding = 'UTF-16le';
             CREATE TABLE kernel_events (id INTEGER PRIMARY KEY, seq, ts_ms, kind, turn_id, payload);",
        )
        .expect("a table");
    let insert = "INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (?1, 'x', 'k', 't', ?2)";
    let [start, plan, end] = turn("t", &json!("interrupted"));
    for (seq, payload) in [&start, &plan].into_iter().enumerate() {
        store.execute(insert, params![seq as i64, payload]).expect("a row");
    }
    store.execute(insert, params![2, None::<String>]).expect("a row");
    store.execute(insert, params![3, 17]).expect("a row");
    store.execute(insert, params![4, end.as_bytes()]).expect("a row");
    let file = checked(&path);
    assert_eq!((file["events"].as_u64(), file["records"].as_u64()), (Some(3), Some(5)));
    let malformed: Vec<&Value> = file["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|finding| finding["check"] == "log/malformed")
        .collect();
    assert_eq!(malformed.len(), 2);
    assert_eq!(malformed[0]["row"], 3);
}

/// A database can hold expressions that make gigabytes out of a few bytes while its rows are read.
#[test]
fn a_database_whose_rows_are_computed_is_rejected() {
    let columns = "id INTEGER PRIMARY KEY, seq INTEGER, ts_ms INTEGER, kind TEXT, turn_id TEXT";
    let bomb = "(replace(hex(zeroblob(30000000)), '00', 'AAAAAAAAAAAAAAAAAAAA'))";
    for (schema, reason) in [
        (
            format!("CREATE TABLE kernel_events ({columns}, payload TEXT AS {bomb} VIRTUAL)"),
            "`payload` of table `kernel_events` is generated",
        ),
        (
            format!("CREATE TABLE kernel_events ({columns}, payload TEXT, more AS {bomb})"),
            "`more` of table `kernel_events` is generated",
        ),
        (
            format!(
                "CREATE TABLE rows ({columns}); CREATE VIEW kernel_events AS SELECT *, {bomb} AS payload FROM rows"
            ),
            "`kernel_events` is a view",
        ),
        ("CREATE VIRTUAL TABLE kernel_events USING fts5(id, seq, ts_ms, kind, turn_id, payload)".to_owned(), "virtual"),
        (format!("CREATE TABLE kernel_events ({columns}, payload TEXT, _ROWID_)"), "hides its row numbers"),
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("sessions.db");
        let store = Connection::open(&path).expect("a store");
        store.execute_batch(&schema).expect("a schema");
        let _ = store.execute("INSERT INTO kernel_events (seq, ts_ms, kind, turn_id) VALUES (1, 1, 'k', 't')", []);
        for command in ["check", "report", "query"] {
            let more = if command == "query" { &["true"][..] } else { &[] };
            let output = stepback(&[&[command, shown(&path)], more].concat());
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{schema}: {errors}");
            assert!(errors.contains(reason), "{schema}: {errors}");
        }
    }
}

/// The compaction rows are a sidecar: without them the log is still checked.
#[test]
fn computed_compaction_rows_are_not_read() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sessions.db");
    let store = Connection::open(&path).expect("a store");
    store
        .execute_batch(
            "CREATE TABLE kernel_events (id INTEGER PRIMARY KEY, seq, ts_ms, kind, turn_id, payload);
             INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (1, 1, 'k', 't', '{}');
             CREATE TABLE compaction_artifacts (id AS (hex(zeroblob(30000000))), replaced_start, replaced_end,
                summary_tokens, created_at_ms);
             INSERT INTO compaction_artifacts (created_at_ms) VALUES (1);",
        )
        .expect("rows");
    let output = stepback(&["check", shown(&path)]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("column `id` of table `compaction_artifacts` is generated"), "{errors}");
}

/// A payload that is too long is a finding of its row, however long it is: it is not read.
#[test]
fn a_payload_of_any_length_is_not_read_into_memory() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sessions.db");
    let store = Connection::open(&path).expect("a store");
    store
        .execute_batch("CREATE TABLE kernel_events (id INTEGER PRIMARY KEY, seq, ts_ms, kind, turn_id, payload)")
        .expect("a table");
    let insert = "INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (?1, 1, 'k', 't', ?2)";
    let [start, _, end] = turn("t", &json!("completed"));
    store.execute(insert, params![0, start]).expect("a row");
    let long = "INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (1, 1, 'k', 't', CAST(zeroblob(50000000) AS TEXT))";
    store.execute(long, []).expect("a row");
    store.execute(insert, params![2, end]).expect("a row");
    let file = checked(&path);
    assert_eq!((file["events"].as_u64(), file["records"].as_u64()), (Some(2), Some(3)), "{file}");
}

/// Looking for each row among all of them would take forever.
#[test]
fn a_table_without_an_index_is_read_in_linear_time() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sessions.db");
    let store = Connection::open(&path).expect("a store");
    store
        .execute_batch(
            "CREATE TABLE kernel_events (id, seq, ts_ms, kind, turn_id, payload);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
             INSERT INTO kernel_events SELECT 1, i, i, 'k', 't', '{}' FROM n;",
        )
        .expect("rows");
    let file = checked(&path);
    assert_eq!((file["events"].as_u64(), file["records"].as_u64()), (Some(0), Some(60_000)));
}

#[test]
fn a_conversion_loses_nothing_and_overwrites_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let log = folder.path().join("log.json");
    let text = r#"[ {"zz" : [1.50, "a b"], "event_type":"turn_started","turn_id":"t","mode":"agent","input_text":"","max_steps":1},
        {"event_type":"quantum_leap"}, {"event_type":"turn_ended","turn_id":"t","outcome":"completed","total_steps":1} ]"#;
    std::fs::write(&log, text).expect("written");
    let out = folder.path().join("out.jsonl");
    assert!(stepback(&["convert", shown(&log), "-o", shown(&out)]).status.success());
    let lines = std::fs::read_to_string(&out).expect("file");
    assert!(lines.starts_with(r#"{"zz":[1.50,"a b"],"event_type":"turn_started""#), "{lines}");
    assert_eq!(lines.lines().count(), 3);
    let same = stepback(&["convert", shown(&log), "-o", shown(&log), "--force"]);
    assert_eq!(same.status.code(), Some(2), "the log itself is never replaced");
    assert_eq!(std::fs::read_to_string(&log).expect("file"), text);
}

/// Ctrl-C while a file is written leaves neither the file nor a part of it.
#[cfg(unix)]
#[test]
fn an_interrupted_conversion_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("folder");
    let log = folder.path().join("log.jsonl");
    let lines = turn("t", &json!("completed")).join("\n");
    std::fs::write(&log, format!("{lines}\n").repeat(40_000)).expect("written");
    let out = folder.path().join("out.json");
    let mut child = Command::new(env!("CARGO_BIN_EXE_stepback"))
        .args(["convert", shown(&log), "-o", shown(&out), "--to", "trace"])
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let partial = |folder: &Path| {
        std::fs::read_dir(folder)
            .expect("folder")
            .any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".partial")))
    };
    while !partial(folder.path()) && child.try_wait().expect("a child").is_none() {
        std::thread::yield_now();
    }
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let status = child.wait().expect("an end");
    assert!(!partial(folder.path()), "{status}");
    // If it was faster than the signal, the file is complete.
    assert!(status.success() == out.exists());
    assert!(status.success() || status.code() == Some(130), "{status}");
}

#[test]
fn a_mistyped_command_is_reported() {
    let output = stepback(&["chekc", "assets/demo.json"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.starts_with("error: there is no command or file \"chekc\""), "{error}");
}

/// Everything that a text of a log, a file name or an argument could smuggle into a terminal.
const TRICKS: &str = "a\u{1b}]0;title\u{7}b\u{9b}c\u{202e}d\u{ad}e\u{e0041}f\u{3164}g\u{115f}h\u{200b}i";

#[test]
fn arguments_and_names_are_repeated_without_control_characters() {
    for arguments in [
        &[&format!("--{TRICKS}")[..]][..],
        &["check", &format!("--{TRICKS}")],
        &["check", "x", "--format", TRICKS],
        &["check", "x", "--fail-on", TRICKS],
        &["check", TRICKS],
        &["check", "assets/demo.json", "--only", TRICKS],
        &["show", "assets/demo.json", "--at", TRICKS],
        &["query", "assets/demo.json", TRICKS],
        &["diff", TRICKS, "assets/demo.json"],
        &["export", "assets/demo.json", "-o", "/nonexistent/x", "--finding", TRICKS],
        &["bookmark", "assets/demo.json", "add", "0", "--name", TRICKS],
        &[TRICKS, "y"],
    ] {
        let output = stepback(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
        let raw: Vec<char> = text
            .chars()
            .filter(|character| "\u{1b}\u{7}\u{9b}\u{202e}\u{ad}\u{e0041}\u{3164}\u{115f}\u{200b}".contains(*character))
            .collect();
        assert!(raw.is_empty(), "{arguments:?}: {raw:?} in {text:?}");
    }
}

#[test]
fn marks_without_width_are_spelled_out_after_a_few() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("marks.jsonl");
    let event = json!({"event_type": "turn_started", "turn_id": format!("t{}", "\u{301}".repeat(200)), "mode": "agent",
        "input_text": "", "max_steps": 9});
    std::fs::write(&path, format!("{event}\n")).expect("written");
    let output = stepback(&["report", shown(&path)]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let longest = text.split(|character| character != '\u{301}').map(|run| run.chars().count()).max();
    assert!(longest.is_some_and(|longest| longest <= 4), "{text}");
}
