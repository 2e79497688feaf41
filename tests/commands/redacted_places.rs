//! Secrets in realistic places, in every container and in records that no parser reads: nothing of them is in anything that a
//! command with `--redact` writes.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::corpus::Dice;
use crate::desk::{Desk, ours};
use crate::files::files;
use crate::secrets::{ORDINARY, SECRETS, secrets};
use crate::templates::{hash_of, lines};

/// A text with a secret, and the parts of it that must not be left.
type Planted = (String, Vec<String>);

/// The forms of which something is left; never the secrets.
fn assert_gone(planted: &[Planted], output: &[u8], what: &str) {
    let text = String::from_utf8_lossy(output);
    let is_left = |(_, parts): &Planted| parts.iter().any(|part| text.contains(part.as_str()));
    let forms = SECRETS.iter().cycle().map(|(form, _)| *form);
    let left: Vec<&str> = forms.zip(planted).filter(|(_, planted)| is_left(planted)).map(|(form, _)| form).collect();
    assert!(left.is_empty(), "{what} shows {} of {}: {left:#?}", left.len(), planted.len());
}

fn name(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

/// Runs a command and looks for the secrets in everything that it printed.
fn run_clean(desk: &Desk, arguments: &[&str], planted: &[Planted]) -> Vec<u8> {
    let output = desk.run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors:.2000}");
    assert_gone(planted, &output.stdout, &format!("the output of {arguments:?}"));
    assert_gone(planted, &output.stderr, &format!("the messages of {arguments:?}"));
    output.stdout
}

/// Every command that takes `--redact`, on one log.
fn assert_all_commands_mask(desk: &Desk, log: &Path, converts: bool, planted: &[Planted]) -> PathBuf {
    let pack = desk.path(&format!("{}.pack", log.file_name().expect("a name").to_string_lossy()));
    run_clean(desk, &["export", name(log), "--redact", "-o", name(&pack)], planted);
    for (file, bytes) in files(&pack) {
        assert_gone(planted, &bytes, &format!("{file} of {}", pack.display()));
    }
    run_clean(desk, &["export", name(log), "--redact", "--review"], planted);
    run_clean(desk, &["export", name(log), "--redact", "--review", "--json"], planted);
    run_clean(desk, &["report", name(log), "--json", "--redact"], planted);
    let forms: &[&str] = if converts { &["lines", "array", "envelope", "trace", "pack"] } else { &[] };
    for form in forms {
        run_clean(desk, &["convert", name(log), "-o", "-", "--to", form, "--redact"], planted);
    }
    pack
}

fn steer(text: &str) -> Value {
    json!({"event_type": "steer_injected", "turn_id": "turn-4e1b", "step_idx": 1, "text": text})
}

/// The events of the demo, which has findings, and an event for each text.
fn turn(planted: &[Planted]) -> Vec<Value> {
    let demo = fs::read(ours("assets/demo.json")).expect("the demo");
    let mut log: Vec<Value> = serde_json::from_slice(&demo).expect("an array");
    log.extend(planted.iter().map(|(text, _)| steer(text)));
    log.extend(ORDINARY.iter().map(|text| steer(text)));
    log
}

fn as_lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// Ways to write a record that is not an event for a parser. The text is the inside of a JSON string.
const ODD_RECORDS: [fn(&str) -> Vec<u8>; 8] = [
    |text| format!(r#"{{"event_type":"steer_injected","huge":1e999,"text":"{text}"}}"#).into_bytes(),
    |text| format!(r#"{{"event_type":"steer_injected","half":"\ud800","text":"{text}"}}"#).into_bytes(),
    |text| format!(r#"{{"event_type":"x","deep":{}"{text}"{}}}"#, "[".repeat(200), "]".repeat(200)).into_bytes(),
    |text| format!(r#"{{"event_type":"steer_injected","text":"{text}"#).into_bytes(),
    |text| [br#"{"event_type":"x","bad":""#, &b"\xff\xfe"[..], br#"","text":""#, text.as_bytes(), br#""}"#].concat(),
    |text| [br#"{"event_type":"x","bad":""#, &b"\0"[..], br#"","text":""#, text.as_bytes(), br#""}"#].concat(),
    |text| format!("not a record: {text}").into_bytes(),
    |text| format!(r#"{{"event_type":"{text}","turn_id":1}}"#).into_bytes(),
];

#[test]
fn records_that_no_parser_reads_are_masked() {
    let desk = Desk::new();
    let (mut log, mut all) = (as_lines(&turn(&[])).into_bytes(), Vec::new());
    for (number, odd) in ODD_RECORDS.iter().enumerate() {
        // Other secrets for each, so that none is known from elsewhere.
        let planted = secrets(&mut Dice(60 + number as u64));
        for (text, _) in &planted {
            let quoted = json!(text).to_string();
            log.extend(odd(&quoted[1..quoted.len() - 1]));
            log.push(b'\n');
        }
        all.extend(planted);
    }
    let path = desk.path("odd.jsonl");
    fs::write(&path, log).expect("written");
    assert_all_commands_mask(&desk, &path, true, &all);
}

#[test]
fn every_container_of_a_turn_log_is_masked() {
    let planted = secrets(&mut Dice(71));
    let log = turn(&planted);
    let desk = Desk::new();
    let envelope = |event: &Value| json!({"seq": 1, "ts_ms": 2, "kind": "k", "note": planted[0].0, "event": event});
    let rows: Vec<Value> =
        (0..).zip(&log).map(|(seq, event)| json!({"seq": seq, "ts_ms": 1, "payload": event})).collect();
    let bundle = json!({"schema_version": 1, "turn_id": "turn-4e1b", "note": planted[1].0, "events": rows});
    for (file, text) in [
        ("lines.jsonl", as_lines(&log)),
        ("array.json", Value::from(log.clone()).to_string()),
        ("values.json", log.iter().map(|event| format!("{event:#}\n")).collect()),
        ("envelopes.jsonl", as_lines(&log.iter().map(envelope).collect::<Vec<_>>())),
        ("bundle.json", format!("{bundle:#}")),
    ] {
        let path = desk.path(file);
        fs::write(&path, text).expect("written");
        let pack = assert_all_commands_mask(&desk, &path, true, &planted);
        let trace = files(&pack).into_iter().find(|(name, _)| name.starts_with("trace.")).expect("a trace").1;
        let trace = String::from_utf8_lossy(&trace).into_owned();
        for text in ORDINARY {
            assert!(trace.contains(&json!(text).to_string()), "{file} has lost {text:?}");
        }
    }
}

#[test]
fn a_database_and_saved_messages_are_masked() {
    let planted = secrets(&mut Dice(72));
    let desk = Desk::new();
    let path = desk.path("sessions.db");
    let store = Connection::open(&path).expect("a store");
    store
        .execute_batch(
            "CREATE TABLE kernel_events (id INTEGER PRIMARY KEY AUTOINCREMENT, seq INTEGER NOT NULL,
                 ts_ms INTEGER NOT NULL, kind TEXT NOT NULL, turn_id TEXT, payload TEXT NOT NULL);",
        )
        .expect("a table");
    for (seq, event) in turn(&planted).iter().enumerate() {
        let row =
            params![seq as i64, 1_700_000_000_000_i64, event["event_type"].as_str(), "turn-4e1b", event.to_string()];
        let insert = "INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (?1, ?2, ?3, ?4, ?5)";
        store.execute(insert, row).expect("a row");
    }
    drop(store);
    assert_all_commands_mask(&desk, &path, true, &planted);

    let log = desk.path("log.jsonl");
    fs::write(&log, as_lines(&turn(&[]))).expect("written");
    let saved: Vec<Value> =
        planted.iter().map(|(text, _)| json!({"role": "user", "content": [{"type": "text", "text": text}]})).collect();
    let session = desk.path("saved.json");
    fs::write(&session, json!(saved).to_string()).expect("written");
    let more = ["--redact", "--session", name(&session)];
    run_clean(&desk, &[&["convert", name(&log), "-o", "-", "--to", "pack"][..], &more].concat(), &planted);
    run_clean(&desk, &[&["report", name(&log), "--json"][..], &more].concat(), &planted);
}

#[test]
fn a_tape_its_store_and_its_annotations_are_masked() {
    let (inline, stored, noted) = (secrets(&mut Dice(73)), secrets(&mut Dice(74)), secrets(&mut Dice(75)));
    let desk = Desk::new();
    let (path, store) = (desk.path("run.tape"), desk.path("run.tape.cas"));
    fs::create_dir(&store).expect("a folder");
    let header = lines()[0].to_string().replace('@', "x");
    let mut records: Vec<Value> = vec![serde_json::from_str(&header).expect("JSON")];
    let mut push = |payload: Value| {
        let seq = records.len() - 1;
        // One number is left out, which is a finding to export.
        let seq = seq + usize::from(seq > 5);
        records.push(json!({"type": "record", "seq": seq, "phase": "user_script", "virtual_time_ms": 1,
            "monotonic_ms": 1, "kind": {"kind": "session_control", "event": payload}}));
    };
    for (text, _) in &inline {
        push(json!({"content_hash": hash_of(text.as_bytes()), "len_bytes": text.len(), "text": text}));
    }
    for (text, _) in &stored {
        fs::write(store.join(hash_of(text.as_bytes())), text).expect("written");
        push(json!({"content_hash": hash_of(text.as_bytes()), "len_bytes": text.len()}));
    }
    fs::write(&path, as_lines(&records)).expect("written");
    let hash = desk.json(&["report", name(&path), "--json"])["tape_content_hash"].clone();
    let mut notes =
        vec![json!({"type": "header", "schema_version": 1, "tape_path": "run.tape", "tape_content_hash": hash})];
    notes.extend(noted.iter().enumerate().map(|(number, (text, _))| {
        json!({"type": "annotation", "event_id": 3, "id": number.to_string(), "kind": "note", "evidence": text})
    }));
    fs::write(desk.path("run.tape.annotations.jsonl"), as_lines(&notes)).expect("written");
    let all = [inline, stored, noted].concat();
    assert_all_commands_mask(&desk, &path, false, &all);
}

#[test]
fn the_report_of_a_transfer_crashpack_is_masked() {
    let planted: Vec<Planted> =
        secrets(&mut Dice(76)).into_iter().map(|(text, parts)| (text.replace('\n', " "), parts)).collect();
    let forms: Vec<Planted> = planted
        .into_iter()
        .zip(SECRETS)
        .filter(|(_, (form, _))| !form.contains('\n'))
        .map(|(planted, _)| planted)
        .collect();
    let desk = Desk::new();
    let pack = desk.path("transfer");
    fs::create_dir(&pack).expect("a folder");
    fs::write(pack.join("manifest"), "# ATP Crashpack Manifest\ntrace: trace.json\n").expect("written");
    let violations: String = forms
        .iter()
        .map(|(text, _)| {
            format!("    - type: leak\n      severity: high\n      description: {text}\n      evidence: x\n")
        })
        .collect();
    let journal = format!(
        "# ATP Oracle Journal\noracle: leak\n  events_recorded: 1\n  entities_tracked: 1\n  passed: false\n  violations:\n{violations}"
    );
    fs::write(pack.join("journal"), journal).expect("written");
    let output = run_clean(&desk, &["report", name(&pack), "--json", "--redact"], &forms);
    assert!(String::from_utf8_lossy(&output).contains("REDACTED-"));
}
