//! Facts of real sessions, counted by another program.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::tests::session::commands::json;

/// The samples, if they are next to this checkout.
pub(super) fn samples() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures/transcripts");
    let is_there = folder.join("expected-facts.json").is_file();
    if !is_there {
        eprintln!("skipped: the samples are not next to this checkout");
    }
    is_there.then_some(folder)
}

/// The facts by file, of the formats that are read here.
pub(super) fn expected(folder: &Path) -> Map<String, Value> {
    let text = fs::read_to_string(folder.join("expected-facts.json")).expect("a file");
    let Ok(Value::Object(facts)) = serde_json::from_str(&text) else { panic!("an object") };
    let is_read = |name: &str| name.starts_with("claude-code/") || name.starts_with("codex/");
    facts.into_iter().filter(|(name, _)| is_read(name)).collect()
}

/// Names in brackets are notes, which a report may leave out. Numbers are compared by value.
fn is_equal(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            let noted = |name: &&String| !name.starts_with('(');
            let names = expected.keys().chain(actual.keys()).filter(noted);
            names.into_iter().all(|name| match (expected.get(name), actual.get(name)) {
                (Some(expected), Some(actual)) => is_equal(expected, actual),
                _ => false,
            })
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(one, two)| is_equal(one, two))
        }
        (Value::Number(expected), Value::Number(actual)) => expected.as_f64() == actual.as_f64(),
        (expected, actual) => expected == actual,
    }
}

#[test]
fn reports_of_real_sessions_have_the_expected_facts() {
    let Some(folder) = samples() else { return };
    let expected = expected(&folder);
    assert!(expected.len() > 50, "{}", expected.len());
    let mut differences = Vec::new();
    for (name, facts) in &expected {
        let (_, actual) = json(&["report", "--json", &folder.join(name).to_string_lossy()]);
        for (key, value) in facts.as_object().expect("facts") {
            if !is_equal(value, &actual[key]) {
                differences.push(format!("{name} {key}\n  expected {value}\n  actual   {}", actual[key]));
            }
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn files_that_only_look_like_sessions_are_refused_by_name() {
    use stepback::log::{Log, Options};
    for (line, expected) in [
        (r#"{"ts":"x","dir":"to_tui","kind":"app_event","variant":"Redraw"}"#, "a log of the Codex terminal interface"),
        (r#"{"type":"thread.started","thread_id":"t"}"#, "`codex exec --json`"),
        (r#"{"type":"system","subtype":"init","session_id":"s","uuid":"u"}"#, "stream-json"),
        (r#"{"resourceSpans":[]}"#, "OpenTelemetry"),
        (r#"{"type":"session","version":3,"id":"i","timestamp":"t","cwd":"/"}"#, "a session of pi"),
        (r#"{"type":"session.start","data":{},"id":"i"}"#, "Copilot"),
        (r#"{"sessionId":"s","projectHash":"h","startTime":"t","kind":"main"}"#, "Gemini"),
    ] {
        let opened = Log::from_bytes("test".to_owned(), None, line.into(), &Options::default());
        let message = opened.err().expect("an error").to_string();
        assert!(message.contains("this looks like") && message.contains(expected), "{line}: {message}");
    }
    if let Some(folder) = samples() {
        let recording = folder.join("codex/codex-tui-session-log/oss-story.jsonl");
        let message = Log::open(&recording, &Options::default()).err().expect("an error").to_string();
        assert!(message.contains("a log of the Codex terminal interface"), "{message}");
    }
}

/// Those that were damaged or composed on purpose: their errors are what they show.
const SEEDED: [&str; 5] =
    ["/made/", "claude-code-log/edge_cases", "session-share/fixtures/", "agent-sessions/small", "urollup/pending-tail"];

#[test]
fn healthy_real_sessions_have_no_error() {
    let Some(folder) = samples() else { return };
    let names: Vec<String> = expected(&folder).keys().cloned().collect();
    let healthy: Vec<&String> =
        names.iter().filter(|name| !SEEDED.iter().any(|seeded| name.contains(seeded))).collect();
    assert!(healthy.len() > 40, "{}", healthy.len());
    for name in healthy {
        let (_, document) = json(&["check", "--json", &folder.join(name).to_string_lossy()]);
        let findings = document["files"][0]["findings"].as_array().expect("findings");
        let grave: Vec<&Value> = findings
            .iter()
            .filter(|finding| matches!(finding["severity"].as_str(), Some("error" | "critical")))
            .collect();
        assert!(grave.is_empty(), "{name}: {grave:?}");
    }
}
