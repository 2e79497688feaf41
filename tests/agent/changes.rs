//! Sessions that were minimized, changed and redacted are valid sessions of the same program again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use stepback::cli::Exit;

use super::facts::samples;
use super::stories::fixture;
use crate::tests::session::commands::{json, run};

/// The lines of a session that are objects.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read(path).expect("a file");
    let text = String::from_utf8_lossy(&text);
    let values = text.lines().flat_map(|line| serde_json::Deserializer::from_str(line).into_iter::<Value>());
    values.filter_map(Result::ok).filter(Value::is_object).collect()
}

/// The types of lines, the parents that are missing, and the calls and results that lack each other.
#[derive(Debug, Default, PartialEq, Eq)]
struct Structure {
    types: BTreeSet<String>,
    dangling: BTreeSet<String>,
    unpaired: BTreeSet<String>,
}

fn structure(lines: &[Value]) -> Structure {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let ids: BTreeSet<String> = lines.iter().map(|line| text(&line["uuid"])).collect();
    let parents = lines.iter().map(|line| text(&line["parentUuid"])).filter(|parent| !parent.is_empty());
    let (mut calls, mut results) = (BTreeSet::new(), BTreeSet::new());
    for line in lines {
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("tool_use") => calls.insert(text(&block["id"])),
                Some("tool_result") => results.insert(text(&block["tool_use_id"])),
                _ => false,
            };
        }
        let payload = &line["payload"];
        match payload["type"].as_str() {
            Some("function_call" | "custom_tool_call") => calls.insert(text(&payload["call_id"])),
            Some("function_call_output" | "custom_tool_call_output") => results.insert(text(&payload["call_id"])),
            _ => false,
        };
    }
    Structure {
        types: lines.iter().map(|line| text(&line["type"])).collect(),
        dangling: parents.filter(|parent| !ids.contains(parent)).collect(),
        unpaired: calls.symmetric_difference(&results).cloned().collect(),
    }
}

/// A changed session has no type, gap or unpaired call that the original does not have.
pub(super) fn assert_valid(original: &Path, changed: &Path) {
    let (original, changed) = (structure(&lines(original)), structure(&lines(changed)));
    assert!(changed.types.is_subset(&original.types), "{changed:?}");
    assert!(changed.dangling.is_subset(&original.dangling), "{changed:?}");
    assert!(changed.unpaired.is_subset(&original.unpaired), "{changed:?}");
}

fn findings(path: &Path) -> Vec<String> {
    let (_, document) = json(&["check", "--json", &path.to_string_lossy()]);
    let findings = document["files"][0]["findings"].as_array().expect("findings").iter();
    findings.map(|finding| finding["fingerprint"].as_str().expect("a fingerprint").to_owned()).collect()
}

fn minimized(path: &Path, fingerprint: &str, folder: &Path) {
    let target = folder.join("min.jsonl");
    let words = [
        "minimize",
        &path.to_string_lossy(),
        "--finding",
        fingerprint,
        "-o",
        &target.to_string_lossy(),
        "--force",
        "--max-tests",
        "400",
    ];
    let (exit, _) = run(&words);
    assert_eq!(exit, Exit::Clean, "{} {fingerprint}", path.display());
    assert!(findings(&target).iter().any(|found| found == fingerprint), "{} {fingerprint}", path.display());
    assert_valid(path, &target);
    assert!(lines(&target).len() <= lines(path).len());
}

#[test]
fn minimized_fixtures_are_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in [
        "claude-code/conflicting-result.jsonl",
        "claude-code/unanswered-call.jsonl",
        "claude-code/lost-line.jsonl",
        "claude-code/repeat.jsonl",
        "claude-code/cycle.jsonl",
        "claude-code/failing-tool.jsonl",
        "claude-code/context-jump.jsonl",
        "claude-code/compacted-call.jsonl",
        "claude-code/interrupted.jsonl",
        "codex/rollout-status-conflict.jsonl",
        "codex/rollout-ordinal-gap.jsonl",
        "codex/rollout-ordinal-order.jsonl",
        "codex/rollout-turn-unfinished.jsonl",
        "codex/rollout-declined.jsonl",
    ] {
        let path = fixture(name);
        for fingerprint in findings(&path) {
            minimized(&path, &fingerprint, folder.path());
        }
    }
}

#[test]
fn real_sessions_are_minimized_to_sessions() {
    let Some(samples) = samples() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for name in [
        "claude-code/wakil/9b5d3f93-aaf0-4da4-b663-81a828b2ccb9.jsonl",
        "claude-code/oh-my-posh/18c09453-70ae-4c1d-813b-4361687351ee.jsonl",
        "claude-code/spotter/tool_heavy.jsonl",
        "codex/made/rollout-paginated-0.154.jsonl",
    ] {
        let path = samples.join(name);
        let fingerprint = findings(&path).into_iter().next().expect("a finding");
        minimized(&path, &fingerprint, folder.path());
    }
}

#[test]
fn a_session_without_one_event_is_saved_as_a_session() {
    use stepback::loader::Loaded;
    use stepback::log::{Log, Options};
    use stepback::replay::Seq;
    use stepback::replay::variant::{Variant, VariantChange};
    let folder = tempfile::tempdir().expect("a folder");
    for (number, name) in ["claude-code/finished.jsonl", "codex/rollout-paginated.jsonl"].into_iter().enumerate() {
        let path = fixture(name);
        let log = Log::open(&path, &Options::default()).expect("a log");
        let loaded = Loaded::begin_log_only(log, false).expect("a pass");
        loaded.wait_to_end(|_| {}).expect("the end");
        let mut variant = Variant::new(loaded.replay().len());
        // Text and metadata, so that no call loses its result.
        variant.apply(VariantChange::Skip(Seq(2))).expect("a change");
        let target = folder.path().join(format!("{number}.jsonl"));
        loaded.save_variant(&variant, &target).expect("saved");
        assert_valid(&path, &target);
        let changed = loaded.begin_variant(&variant).expect("a variant");
        changed.wait_to_end(|_| {}).expect("the end");
        let of_variant: Vec<String> =
            changed.replay().findings().list.iter().map(|finding| finding.fingerprint()).collect();
        assert_eq!(of_variant, findings(&target), "{name}");
    }
}
