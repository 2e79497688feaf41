//! `convert --redact` and `report --json --redact` hide what `export --redact` hides, in everything they write.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// Three secrets that are recognized by their shape, and one that is recognized by the name of its field.
const SECRETS: [&str; 4] =
    ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "AKIAQ3EGZ7LPJ2MXKD4T", "q7Rz2vLp9sXw", "Tr0ub4dor-and-3"];
const FORMS: [&str; 5] = ["lines", "array", "envelope", "trace", "pack"];

fn stepback(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stepback")).args(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// A turn whose texts contain every secret; two deltas contain the halves of another one.
fn events() -> Vec<Value> {
    let text = format!("use {} or {}, and https://deploy:{}@db.internal/x", SECRETS[0], SECRETS[1], SECRETS[2]);
    let input = json!({"password": SECRETS[3], "note": text}).to_string();
    let delta = |piece: &str| json!({"event_type": "model_delta", "turn_id": "t", "step_idx": 1, "kind": "text", "text": piece, "call_id": null});
    let (one, two) = SECRETS[0].split_at(20);
    vec![
        json!({"event_type": "turn_started", "turn_id": "t", "mode": "agent", "input_text": text, "max_steps": 3}),
        json!({"event_type": "model_request_issued", "turn_id": "t", "step_idx": 1, "token_budget": 100,
            "request_fp": {"static_prefix_sha256": "ab", "full_prefix_sha256": "cd"}}),
        delta(one),
        delta(two),
        json!({"event_type": "model_message", "turn_id": "t", "step_idx": 1, "block_count": 2,
            "usage": {"input_tokens": 1, "output_tokens": 1}, "text_preview": format!("then {} opened it", SECRETS[3])}),
        json!({"event_type": "tool_call_planned", "turn_id": "t", "step_idx": 1, "call_id": "c1", "tool_name": "exec_shell",
            "input_json": input, "decision": {"approval_required": false, "parallel_eligible": false, "read_only": true}}),
        json!({"event_type": "turn_ended", "turn_id": "t", "total_steps": 1, "outcome": "completed"}),
    ]
}

fn write_lines(folder: &Path, events: &[String]) -> PathBuf {
    let path = folder.join("log.jsonl");
    fs::write(&path, events.iter().map(|event| format!("{event}\n")).collect::<String>()).expect("written");
    path
}

fn assert_masked(text: &str, what: &str) {
    for secret in SECRETS {
        let (one, two) = secret.split_at(secret.len().min(20));
        let is_there = text.contains(secret) || (text.contains(one) && !two.is_empty() && text.contains(two));
        assert!(!is_there, "{what} shows {secret}");
    }
    assert!(text.contains("REDACTED"), "{what} has masks");
}

#[test]
fn convert_masks_what_export_masks_in_every_form() {
    let folder = tempfile::tempdir().expect("folder");
    let log = write_lines(folder.path(), &events().iter().map(Value::to_string).collect::<Vec<_>>());
    let session = folder.path().join("session.json");
    let row = json!({"role": "user", "content": [{"type": "text", "text": format!("mine is {}", SECRETS[1])}]});
    fs::write(&session, json!([row]).to_string()).expect("written");
    for form in FORMS {
        let output =
            stepback(&["convert", shown(&log), "-o", "-", "--to", form, "--redact", "--session", shown(&session)]);
        assert!(output.status.success(), "{form}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert_masked(&text, form);
        let plain = stepback(&["convert", shown(&log), "-o", "-", "--to", form]);
        assert!(String::from_utf8_lossy(&plain.stdout).contains(SECRETS[1]), "{form} without --redact");
    }
}

#[test]
fn nested_and_escaped_values_are_masked() {
    let secret = SECRETS[0];
    let nested = format!("{}\"{secret}\"{}", "[".repeat(200), "]".repeat(200));
    let odd = [
        format!(r#"{{"event_type":"turn_started","turn_id":"t","huge":1e999,"input_text":"{secret}"}}"#),
        format!(r#"{{"event_type":"turn_started","turn_id":"t","half":"\ud800","input_text":"{secret}"}}"#),
        format!(r#"{{"event_type":"turn_started","turn_id":"t","deep":{nested}}}"#),
    ];
    for record in odd {
        let folder = tempfile::tempdir().expect("folder");
        let mut all: Vec<String> = events().iter().map(Value::to_string).collect();
        all.push(record.clone());
        let log = write_lines(folder.path(), &all);
        for form in FORMS {
            let output = stepback(&["convert", shown(&log), "-o", "-", "--to", form, "--redact"]);
            assert_masked(&String::from_utf8_lossy(&output.stdout), &format!("{form} of {record:.80}"));
        }
    }
}

#[test]
fn a_report_is_masked_as_a_whole() {
    let folder = tempfile::tempdir().expect("folder");
    let log = write_lines(folder.path(), &events().iter().map(Value::to_string).collect::<Vec<_>>());
    let session = folder.path().join("session.json");
    let row = |role: &str, text: &str| json!({"role": role, "content": [{"type": "text", "text": text}]});
    let rows = [row("user", SECRETS[1]), row("assistant", SECRETS[2])];
    fs::write(&session, json!(rows).to_string()).expect("written");
    let output = stepback(&["report", "--json", "--redact", shown(&log), "--session", shown(&session)]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_masked(&text, "the report");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["event_count"], 7);
    assert!(document["session"]["transcript_preview_bodies"].is_string(), "the sidecar is compared");
    assert_eq!(document["redacted"]["redaction"]["applied"], true);
}

#[test]
fn the_rules_of_the_reference_warn_about_what_they_miss() {
    let folder = tempfile::tempdir().expect("folder");
    let log = write_lines(folder.path(), &events().iter().map(Value::to_string).collect::<Vec<_>>());
    for arguments in [
        &["convert", shown(&log), "-o", "-", "--redact=reference"][..],
        &["report", "--json", "--redact=reference", shown(&log)],
    ] {
        let output = stepback(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(printed.contains("--redact=reference") && printed.contains("does not hide"), "{printed}");
    }
}
