//! Redacted crashpacks: no byte of a secret in any file, and the finding is still reported.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::corpus::{Dice, Planted, SPELLINGS, assert_gone, planted, spelled};
use crate::desk::{Desk, checks_of, ours, read_json};
use crate::files::files;
use crate::templates::{events, filled, hash_of, lines};

const DEMO: &str = "assets/demo.json";

fn name(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

/// No file of the pack contains any of the secrets, and the pack reproduces its finding.
fn assert_clean(desk: &Desk, pack: &Path, all: &[Planted]) {
    let mut whole = Vec::new();
    for (file, bytes) in files(pack) {
        whole.extend_from_slice(file.as_bytes());
        whole.push(b'\n');
        whole.extend_from_slice(&bytes);
        whole.push(b'\n');
    }
    assert_gone(all, &whole);
    let replayed = fs::read_to_string(pack.join("replay.sh")).expect("a script");
    assert!(replayed.contains("--expect"));
    let manifest = read_json(&pack.join("manifest.json"));
    let fingerprint = manifest["finding"]["fingerprint"].as_str().expect("a fingerprint");
    for arguments in
        [&["replay", name(pack), "--expect", fingerprint][..], &["check", name(pack), "--fail-on", "never"]]
    {
        let output = desk.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_gone(all, &output.stdout);
    }
    let damage: Vec<Value> = desk.check(pack)["findings"].as_array().expect("findings").clone();
    assert!(!damage.iter().any(|finding| finding["check"].as_str().is_some_and(|check| check.starts_with("pack/"))));
}

/// The events of the example, followed by every kind of event with every secret in every text.
fn corpus_of_turns(all: &[Planted]) -> Vec<Value> {
    let demo = fs::read(ours(DEMO)).expect("the demo");
    let mut log: Vec<Value> = serde_json::from_slice(&demo).expect("an array");
    log.extend(filled(&events(), all).iter().map(|event| serde_json::from_str(event).expect("JSON")));
    log
}

fn as_lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

#[test]
fn a_pack_of_a_turn_log_has_no_secret_in_any_container() {
    let all = planted(&mut Dice(21));
    let log = corpus_of_turns(&all);
    let desk = Desk::new();
    let enveloped = |event: &Value| json!({"seq": 1, "ts_ms": 2, "kind": "k", "note": all[2].text, "event": event});
    let events: Vec<Value> =
        (0..).zip(&log).map(|(seq, event)| json!({"seq": seq, "ts_ms": 1, "payload": event})).collect();
    let bundle =
        json!({"schema_version": 1, "turn_id": "t", "session_messages": [{"text": all[3].text}], "events": events});
    let written = [
        ("lines.jsonl", as_lines(&log) + "no record: " + &all[4].text + "\n{\"event_type\": \"" + &all[5].text),
        ("array.json", Value::from(log.clone()).to_string()),
        (
            "torn.json",
            format!(
                "[{},{{\"event_type\":\"turn_ended\",\"x\":{}",
                as_lines(&log).trim_end().replace('\n', ","),
                json!(all[6].text)
            ),
        ),
        ("values.json", log.iter().map(|event| format!("{event:#}\n")).collect()),
        ("enveloped.jsonl", as_lines(&log.iter().map(enveloped).collect::<Vec<_>>())),
        ("bundle.json", format!("{bundle:#}")),
    ];
    for (file, text) in written {
        fs::write(desk.path(file), text).expect("written");
        let log = desk.path(file);
        let more = ["--redact", "--minimize", "--finding", "turn/rejected-ran"];
        let meta = [format!("reporter=me {}", all[0].text), format!("db_password={}", all[18].secret)];
        let more = [&more[..], &["--meta", &meta[0], "--meta", &meta[1]]].concat();
        let pack = desk.export(name(&log), &format!("{file}.pack"), &more);
        assert_clean(&desk, &pack, &all);
        let report = read_json(&pack.join("redactions.json"));
        assert!(report["removals"].as_array().is_some_and(|rows| rows.len() > all.len()), "{file}");
        let minimized = read_json(&pack.join("minimization.json"));
        assert_eq!(minimized["fingerprint"], read_json(&pack.join("manifest.json"))["finding"]["fingerprint"]);
    }
}

/// A tape with every kind of record and with secrets in its header, records, payload store and annotations.
fn tape(desk: &Desk, all: &[Planted]) -> PathBuf {
    let path = desk.path("corpus.tape");
    let store = desk.path("corpus.tape.cas");
    fs::create_dir(&store).expect("a folder");
    let mut records: Vec<Value> =
        filled(&lines()[1..], all).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (number, planted) in all.iter().enumerate() {
        let text = format!("{}\n{}", spelled(&planted.text, number % SPELLINGS), "x".repeat(5000));
        let payload = json!({"content_hash": hash_of(text.as_bytes()), "len_bytes": text.len()});
        fs::write(store.join(hash_of(text.as_bytes())), &text).expect("written");
        let kind = json!({"kind": "session_control", "event": payload});
        records.push(json!({"type": "record", "seq": 0, "phase": "user_script", "virtual_time_ms": 1,
            "monotonic_ms": 1, "kind": kind}));
    }
    for (seq, record) in records.iter_mut().enumerate() {
        record["seq"] = json!(seq);
    }
    // The finding of the pack: a record whose time goes back.
    records[5]["monotonic_ms"] = json!(900);
    let mut header: Value = serde_json::from_str(&filled(&lines()[..1], &all[..1])[1]).expect("JSON");
    header["argv"] = json!(["--token", all[1].secret]);
    fs::write(&path, format!("{header}\n{}", as_lines(&records))).expect("written");
    let notes = [
        json!({"type": "header", "schema_version": 1, "tape_path": "corpus.tape", "tape_content_hash": tape_hash(desk, &path)}),
        json!({"type": "annotation", "event_id": 3, "id": "a", "kind": "note", "evidence": all[7].text}),
        json!({"type": "annotation", "event_id": 4, "id": "b", "kind": "marker", "metadata": {"seen": spelled(&all[8].text, 3)}}),
    ];
    fs::write(desk.path("corpus.tape.annotations.jsonl"), as_lines(&notes)).expect("written");
    path
}

fn tape_hash(desk: &Desk, tape: &Path) -> Value {
    desk.json(&["report", name(tape), "--json"])["tape_content_hash"].clone()
}

#[test]
fn a_pack_of_a_tape_has_no_secret_and_valid_hashes() {
    let all = planted(&mut Dice(22));
    let desk = Desk::new();
    let log = tape(&desk, &all);
    let set = desk.run(&["bookmark", name(&log), "add", "3", "--name", "here", "--note", &all[9].text]);
    assert_eq!(set.status.code(), Some(0), "{}", String::from_utf8_lossy(&set.stderr));
    let before = desk.check(&log);
    let pack = desk.export(name(&log), "tape.pack", &["--redact", "--minimize"]);
    assert_clean(&desk, &pack, &all);
    // The masked tape has the same findings as the tape: payloads, hashes and annotations match each other.
    let checks = |file: &Value| {
        let mut checks = checks_of(file);
        checks.sort();
        checks
    };
    assert_eq!(checks(&desk.check(&pack)), checks(&before));
    let stored = files(&pack).into_iter().filter(|(name, _)| name.starts_with("trace.tape.cas/"));
    let mut entries = 0;
    for (name, bytes) in stored {
        assert_eq!(name.strip_prefix("trace.tape.cas/"), Some(hash_of(&bytes).as_str()));
        entries += 1;
    }
    assert_eq!(entries, all.len());
    let notes = fs::read_to_string(pack.join("trace.tape.annotations.jsonl")).expect("annotations");
    let header: Value = serde_json::from_str(notes.lines().next().expect("a header")).expect("JSON");
    assert_eq!(header["tape_content_hash"], tape_hash(&desk, &pack));
    assert!(fs::read_to_string(pack.join("bookmarks.json")).expect("bookmarks").contains("here"));
}

/// An answer with every secret, streamed in pieces of a few characters.
#[test]
fn a_streamed_answer_has_no_secret_in_its_pieces() {
    let all = planted(&mut Dice(23));
    let demo = fs::read(ours(DEMO)).expect("the demo");
    let mut log: Vec<Value> = serde_json::from_slice(&demo).expect("an array");
    let mut dice = Dice(24);
    for (number, planted) in all.iter().enumerate() {
        let mut rest: &str = &format!("{} and so on", spelled(&planted.text, number % 3));
        while let Some((at, _)) =
            rest.char_indices().nth(1 + dice.below(6)).or((!rest.is_empty()).then_some((rest.len(), ' ')))
        {
            log.push(json!({"event_type": "model_delta", "turn_id": "t", "step_idx": number, "kind": "text", "text": &rest[..at]}));
            rest = &rest[at..];
        }
    }
    let desk = Desk::new();
    for (file, text) in [("lines.jsonl", as_lines(&log)), ("array.json", Value::from(log.clone()).to_string())] {
        fs::write(desk.path(file), text).expect("written");
        let log = desk.path(file);
        let pack = desk.export(name(&log), &format!("{file}.pack"), &["--redact", "--finding", "turn/rejected-ran"]);
        let trace = files(&pack).into_iter().find(|(name, _)| name.starts_with("trace.")).expect("a trace").1;
        let records: Vec<Value> = match serde_json::from_slice(&trace) {
            Ok(records) => records,
            Err(_) => {
                String::from_utf8_lossy(&trace).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
            }
        };
        let pieces = records.iter().filter(|record| record["event_type"] == "model_delta");
        let said: String = pieces.filter_map(|piece| piece["text"].as_str()).collect();
        assert_gone(&all, said.as_bytes());
        assert!(said.contains("REDACTED-") && said.contains("and so on"));
        assert_clean(&desk, &pack, &all);
    }
}

fn demo_with(desk: &Desk, file: &str, from: &str, to: &str) -> PathBuf {
    let text = fs::read_to_string(ours(DEMO)).expect("the demo");
    let changed = text.replace(from, to);
    assert_ne!(text, changed);
    let path = desk.path(file);
    fs::write(&path, changed).expect("written");
    path
}

#[test]
fn a_finding_about_a_secret_is_about_its_mask() {
    let desk = Desk::new();
    let log = demo_with(&desk, "about.json", "\"call-4\"", "\"ghp_0123456789abcdefghijABCDEFGHIJ012345\"");
    let pack = desk.export(name(&log), "pack", &["--redact", "--minimize"]);
    let fingerprint = read_json(&pack.join("manifest.json"))["finding"]["fingerprint"].clone();
    assert_eq!(fingerprint, "turn/rejected-ran call_id=REDACTED-github-token-1-32to63ch turn_id=turn-4e1b");
    let output = desk.run(&["replay", name(&pack), "--expect", fingerprint.as_str().expect("a text")]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_mask_that_breaks_a_finding_is_named_and_can_be_spared() {
    let desk = Desk::new();
    let log = demo_with(&desk, "log.json", "git checkout -- .", "git checkout -- . password=hunter2hunter2");
    let target = desk.path("pack");
    let arguments = ["export", name(&log), "-o", name(&target), "--redact", "--redact-pattern", "success"];
    let output = desk.run(&arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(!target.exists());
    desk.leaves_nothing_hidden();
    let mask = errors.split_whitespace().find(|word| word.starts_with("REDACTED-pattern-1-")).expect("a mask");
    assert!(errors.contains("breaks it (trace.json .[5].outcome)"), "{errors}");
    let pack = desk.export(name(&log), "pack", &["--redact", "--redact-pattern", "success", "--spare", mask]);
    let report = read_json(&pack.join("redactions.json"));
    assert_eq!(report["left_on_purpose"][0]["mask"], mask);
    assert!(!String::from_utf8_lossy(&fs::read(pack.join("trace.json")).expect("a trace")).contains("hunter2"));
    let unknown =
        desk.run(&["export", name(&log), "-o", name(&desk.path("other")), "--redact", "--spare", "REDACTED-x"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no secret has the mask"));
}

#[test]
fn a_review_lists_secrets_and_writes_nothing() {
    let desk = Desk::new();
    let log = demo_with(&desk, "log.json", "git checkout -- .", "mail mara@example.org password=hunter2hunter2");
    let before = files(log.parent().expect("a folder"));
    let review = desk.json(&["export", name(&log), "--redact", "--review", "--json", "--redact-emails"]);
    let rules: Vec<&str> =
        review["secrets"].as_array().expect("rows").iter().filter_map(|row| row["rule"].as_str()).collect();
    assert_eq!(rules, ["email", "assignment"]);
    assert_eq!(review["secrets"][1]["mask"], "REDACTED-assignment-1-8to15ch");
    assert!(!review.to_string().contains("hunter2"));
    let plain = desk.run(&["export", name(&log), "--redact", "--review"]);
    let text = String::from_utf8_lossy(&plain.stdout);
    assert!(text.contains("REDACTED-assignment-1-8to15ch") && text.contains("nothing was written"), "{text}");
    assert_eq!(files(log.parent().expect("a folder")), before);
    let bad = desk.run(&["export", name(&log), "--redact", "--review", "--redact-pattern", "a["]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("at character 2"));
}
