//! Sessions as turn logs and as masked sessions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use stepback::cli::Exit;

use super::facts::{expected, samples};
use super::stories::fixture;
use crate::tests::session::commands::{json, run};

/// The kinds of events that a report counts in the same way.
const COUNTED: [&str; 4] = ["model_message", "model_request_issued", "tool_call_planned", "tool_call_finished"];

fn converted(path: &Path, to: &str) -> (Vec<Value>, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("turns.json");
    let target = target.to_string_lossy();
    let (exit, _) = run(&["convert", &path.to_string_lossy(), "--to", to, "-o", &target]);
    assert_eq!(exit, Exit::Clean);
    let events = serde_json::from_slice(&fs::read(&*target).expect("a file")).expect("an array");
    (events, json(&["check", "--json", &target]).1["files"][0].clone())
}

fn counts(events: &[Value]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for event in events {
        *counts.entry(event["event_type"].as_str().expect("a type")).or_default() += 1;
    }
    counts
}

#[test]
fn a_turn_log_says_the_same_and_names_the_lines() {
    for name in [
        "claude-code/finished.jsonl",
        "claude-code/compacted.jsonl",
        "claude-code/steered.jsonl",
        "codex/rollout-finished.jsonl",
        "codex/rollout-paginated.jsonl",
    ] {
        let path = fixture(name);
        let (events, checked) = converted(&path, "turn");
        assert_eq!(checked["dialect"], "turn", "{name}");
        let grave: Vec<&Value> = checked["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .filter(|finding| finding["severity"] != "info" && finding["severity"] != "warning")
            .collect();
        assert!(grave.is_empty(), "{name}: {grave:?}");
        let (_, report) = json(&["report", "--json", &path.to_string_lossy()]);
        let counts = counts(&events);
        for kind in COUNTED.into_iter().chain(["compaction_artifact_created", "steer_injected"]) {
            let written = counts.get(kind).copied().unwrap_or(0);
            assert_eq!(written, report["events"][kind].as_u64().unwrap_or(0), "{name} {kind}");
        }
        let prompt: u64 = events.iter().filter_map(|event| event["usage"]["input_tokens"].as_u64()).sum();
        assert_eq!(prompt, report["prompt_tokens"].as_u64().expect("a number"), "{name}");
        let text = fs::read_to_string(&path).expect("a file");
        for event in &events[1..] {
            let line = event["source"]["line"].as_u64().expect("a line");
            let line = text.lines().nth(line as usize - 1).expect("that line");
            if let Some(call) = event["call_id"].as_str() {
                assert!(line.contains(call), "{name}: {event} is not from {line}");
            }
        }
    }
}

#[test]
fn what_a_session_does_not_record_is_named_in_the_turn_log() {
    let (events, _) = converted(&fixture("claude-code/finished.jsonl"), "turn");
    let of = |kind: &str| events.iter().find(|event| event["event_type"] == kind).expect("an event");
    assert_eq!(of("schema_version")["source"]["format"], "claude-code");
    assert_eq!(of("turn_started")["input_text"], "Make `cargo test` pass.");
    assert_eq!(of("turn_started")["source"]["not_recorded"][0], "max_steps");
    assert_eq!(of("tool_call_planned")["source"]["not_recorded"][0], "decision");
    assert_eq!(of("model_request_issued")["source"]["not_recorded"][1], "token_budget");
    for invented in ["model_delta", "approval_resolved", "tool_call_started", "capacity_checkpoint"] {
        assert!(events.iter().all(|event| event["event_type"] != invented), "{invented}");
    }
}

#[test]
fn an_interrupted_turn_is_interrupted_and_an_open_one_stays_open() {
    let (events, _) = converted(&fixture("claude-code/interrupted.jsonl"), "turn");
    assert!(events.iter().any(|event| event["outcome"] == "interrupted"));
    let (events, checked) = converted(&fixture("claude-code/killed.jsonl"), "turn");
    assert!(events.iter().all(|event| event["event_type"] != "turn_ended"));
    let findings = checked["findings"].as_array().expect("findings").iter();
    let checks: Vec<&str> = findings.filter_map(|finding| finding["check"].as_str()).collect();
    assert!(checks.contains(&"gate/missing-turn-ended"), "{checks:?}");
}

#[test]
fn real_sessions_are_converted_without_losing_a_call_or_a_token() {
    let Some(folder) = samples() else { return };
    for (name, facts) in expected(&folder) {
        // Subagents are left out, and ids of placeholders cannot be paired.
        if facts["lines"].as_u64().is_none_or(|lines| lines > 400)
            || name.contains("small")
            || name.contains("5c0375b4")
        {
            continue;
        }
        let (events, _) = converted(&folder.join(&name), "turn");
        let counts = counts(&events);
        for kind in COUNTED {
            let expected = facts["events"][kind].as_u64().unwrap_or(0);
            assert_eq!(counts.get(kind).copied().unwrap_or(0), expected, "{name} {kind}");
        }
    }
}

#[test]
fn a_masked_session_is_a_session_without_accounts_and_users() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("s.jsonl");
    let text = fs::read_to_string(fixture("claude-code/finished.jsonl")).expect("a fixture");
    let account = r#"{"type":"bridge-session","sessionId":"5e55","bridgeSessionId":"brg_8f3c","ownerAccountUuid":"3b1f7c1e-90aa-4f6e-8b15-8c2d5d1f6a77"}"#;
    let context = r#"{"type":"attachment","uuid":"a9","parentUuid":null,"sessionId":"5e55","isSidechain":false,"attachment":{"type":"session_context","text":"account: ada@example.com\nproject: /Users/adalove/parser"}}"#;
    fs::write(&source, format!("{}{account}\n{context}\n", text.replace("/srv/", "/Users/adalove/"))).expect("written");
    let target = folder.path().join("masked.jsonl");
    let names = [&source, &target].map(|path| path.to_string_lossy().into_owned());
    let (exit, _) = run(&["convert", &names[0], "--redact", "--redact-homes", "-o", &names[1]]);
    assert_eq!(exit, Exit::Clean);
    let masked = fs::read_to_string(&target).expect("a file");
    for private in ["ada@example.com", "adalove", "3b1f7c1e", "brg_8f3c"] {
        assert!(!masked.contains(private), "{private} is still there");
    }
    super::changes::assert_valid(&source, &target);
    let facts = |name: &str| {
        let (_, report) = json(&["report", "--json", name]);
        ["lines", "events", "outcomes", "turn_outcomes", "findings", "resume"].map(|key| report[key].clone())
    };
    assert_eq!(facts(&names[0]), facts(&names[1]));
}
