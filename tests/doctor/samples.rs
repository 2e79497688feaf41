//! Recorded sessions, where they are: their verdicts, and every request that was answered.

use std::fs;
use std::path::{Path, PathBuf};

use super::conformance::opened;
use crate::doctor::client::Client;
use crate::doctor::problem::{Asked, Tier};
use crate::replay::check::Severity;

fn samples(agent: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures/transcripts").join(agent);
    let (mut folders, mut found) = (vec![root], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "jsonl") {
                found.push(entry);
            }
        }
    }
    found.sort();
    if found.is_empty() {
        eprintln!("skipped: the recorded sessions are not next to this checkout");
    }
    found
}

/// Files that were made by hand, or trimmed until they no longer are what an agent wrote.
const NOT_RECORDED: [&str; 6] = [
    "/agent-sessions/",
    "/claude-code-log/",
    "/made/",
    "/codex-tui-session-log/",
    "/urollup/",
    "/fixtures/edit-tool-variants",
];

fn is_recorded(path: &Path) -> bool {
    let shown = path.to_string_lossy();
    !NOT_RECORDED
        .iter()
        .any(|part| shown.rsplit_once("/transcripts/").is_some_and(|(_, rest)| format!("/{rest}").contains(part)))
}

#[test]
fn recorded_sessions_resume() {
    for path in samples("claude-code").iter().chain(&samples("codex")).filter(|path| is_recorded(path)) {
        let (session, _) = opened(path);
        let verdict = session.verdict(&session.examine().problems, Client::Current);
        assert_eq!(verdict.name(), "resumes", "{}", path.display());
    }
}

/// Files that were made or trimmed by hand: what they lack is missing in the file, whatever the session was.
#[test]
fn trimmed_samples_have_their_verdicts() {
    let expected = [
        ("claude-code/agent-sessions/large.jsonl", "refused"),
        ("claude-code/agent-sessions/schema_drift.jsonl", "resumes"),
        ("claude-code/agent-sessions/small.jsonl", "loses-history"),
        ("claude-code/claude-code-log/dag_compact_after_rewind_preserved.jsonl", "resumes"),
        ("claude-code/claude-code-log/edge_cases.jsonl", "refused"),
        ("claude-code/claude-code-log/representative_messages.jsonl", "resumes"),
        ("claude-code/claude-code-log/session_b.jsonl", "resumes"),
        ("claude-code/claude-code-log/todowrite_examples.jsonl", "resumes"),
        ("codex/agent-sessions/large.jsonl", "resumes"),
        ("codex/agent-sessions/schema_drift.jsonl", "unreadable"),
        ("codex/agent-sessions/small.jsonl", "unreadable"),
    ];
    let found = [samples("claude-code"), samples("codex")].concat();
    for (name, expected) in expected {
        let Some(path) = found.iter().find(|path| path.ends_with(name)) else { continue };
        let (session, _) = opened(path);
        let verdict = session.verdict(&session.examine().problems, Client::Current);
        assert_eq!(verdict.name(), expected, "{name}");
    }
}

/// An answer proves that the request before it was accepted, so no rule may refuse it, whatever clients heal.
#[test]
fn requests_that_were_answered_are_accepted() {
    let mut answered = 0;
    for path in samples("claude-code").iter().chain(&samples("codex")).filter(|path| is_recorded(path)) {
        let (session, _) = opened(path);
        let by = Asked { client: Client::None, recorded: None };
        for line in session.steps() {
            let context = session.context(line).expect("an answer");
            answered += 1;
            let refused = context
                .problems
                .iter()
                .find(|found| found.severity(by) >= Severity::Error && found.rule.tier == Tier::Provider);
            let refused = refused.map(|found| format!("line {}: {} {:?}", found.line, found.rule.check.id, found.id));
            assert_eq!(refused, None, "{}, the answer on line {line}", path.display());
        }
    }
    eprintln!("{answered} answered requests");
}
