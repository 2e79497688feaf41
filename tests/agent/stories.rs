//! Our own sessions: each shows one fault or one story, at known lines.

use std::path::{Path, PathBuf};

use serde_json::Value;
use stepback::cli::Exit;

use crate::tests::session::commands::json;

/// File, exit code of `check`, and the findings with the lines at which they begin.
type Case = (&'static str, Exit, &'static [(&'static str, u64)]);

const CASES: &[Case] = &[
    ("claude-code/api-error.jsonl", Exit::Findings, &[("agent/retries-exhausted", 4), ("agent/api-error", 5)]),
    ("claude-code/background-open.jsonl", Exit::Clean, &[("agent/background-open", 3)]),
    ("claude-code/compacted-call.jsonl", Exit::Clean, &[("agent/compacted-call", 4)]),
    ("claude-code/compacted.jsonl", Exit::Clean, &[]),
    ("claude-code/conflicting-result.jsonl", Exit::Findings, &[("agent/conflicting-result", 4)]),
    ("claude-code/context-drop.jsonl", Exit::Clean, &[("agent/context-drop", 4)]),
    ("claude-code/context-jump.jsonl", Exit::Clean, &[("agent/context-jump", 4)]),
    ("claude-code/cycle.jsonl", Exit::Clean, &[("agent/cycle", 12)]),
    (
        "claude-code/damaged.jsonl",
        Exit::Findings,
        &[("log/malformed", 2), ("log/joined-lines", 3), ("log/torn-tail", 5)],
    ),
    ("claude-code/denied.jsonl", Exit::Clean, &[("agent/denied", 3)]),
    ("claude-code/duplicate-call.jsonl", Exit::Findings, &[("agent/duplicate-call", 4)]),
    ("claude-code/failing-tool.jsonl", Exit::Clean, &[("agent/failing-tool", 3)]),
    ("claude-code/finished.jsonl", Exit::Clean, &[]),
    ("claude-code/forgotten.jsonl", Exit::Clean, &[]),
    ("claude-code/grown.jsonl", Exit::Clean, &[]),
    ("claude-code/interrupted.jsonl", Exit::Clean, &[("agent/interrupted", 4)]),
    ("claude-code/killed.jsonl", Exit::Clean, &[("agent/open-turn", 1), ("agent/open-call", 4)]),
    ("claude-code/lost-line.jsonl", Exit::Findings, &[("agent/history-lost", 1), ("agent/dangling-parent", 7)]),
    ("claude-code/orphan-result.jsonl", Exit::Findings, &[("agent/orphan-result", 4)]),
    ("claude-code/queue-left.jsonl", Exit::Clean, &[("agent/queue-left", 3)]),
    ("claude-code/repeat-changing.jsonl", Exit::Clean, &[("agent/repeat-changing", 2)]),
    ("claude-code/repeat.jsonl", Exit::Clean, &[("agent/repeat", 2)]),
    (
        "claude-code/replayed.jsonl",
        Exit::Clean,
        &[
            ("agent/replayed-history", 6),
            ("agent/time-back", 6),
            ("agent/replayed-history", 7),
            ("agent/replayed-history", 8),
        ],
    ),
    ("claude-code/sidechain.jsonl", Exit::Clean, &[]),
    ("claude-code/starts-midway.jsonl", Exit::Clean, &[("agent/starts-midway", 1)]),
    ("claude-code/steered.jsonl", Exit::Clean, &[]),
    ("claude-code/time-back.jsonl", Exit::Clean, &[("agent/time-back", 4)]),
    ("claude-code/unanswered-call.jsonl", Exit::Findings, &[("agent/unanswered-call", 2)]),
    ("claude-code/unknown-line.jsonl", Exit::Clean, &[("agent/unknown-line", 2)]),
    ("claude-code/usage-differs.jsonl", Exit::Clean, &[("agent/usage-differs", 3)]),
    ("codex/rollout-bare.jsonl", Exit::Clean, &[]),
    ("codex/rollout-base-elsewhere.jsonl", Exit::Clean, &[("agent/base-elsewhere", 1)]),
    ("codex/rollout-declined.jsonl", Exit::Clean, &[("agent/denied", 8), ("agent/interrupted", 11)]),
    ("codex/rollout-error.jsonl", Exit::Findings, &[("agent/api-error", 6)]),
    ("codex/rollout-finished.jsonl", Exit::Clean, &[]),
    ("codex/rollout-ordinal-gap.jsonl", Exit::Clean, &[("agent/ordinal-gap", 6)]),
    ("codex/rollout-ordinal-order.jsonl", Exit::Findings, &[("agent/ordinal-order", 6)]),
    (
        "codex/rollout-orphan-result.jsonl",
        Exit::Findings,
        &[("agent/orphan-result", 6), ("agent/unknown-line", 10), ("log/torn-tail", 12)],
    ),
    ("codex/rollout-paginated.jsonl", Exit::Clean, &[]),
    ("codex/rollout-several-sessions.jsonl", Exit::Clean, &[("agent/several-sessions", 10)]),
    ("codex/rollout-status-conflict.jsonl", Exit::Findings, &[("agent/status-conflict", 8)]),
    ("codex/rollout-total-decreased.jsonl", Exit::Clean, &[("agent/total-decreased", 9)]),
    ("codex/rollout-turn-unfinished.jsonl", Exit::Findings, &[("agent/turn-unfinished", 2)]),
    ("codex/rollout-compacted-call.jsonl", Exit::Clean, &[("agent/compacted-call", 9)]),
    ("codex/rollout-conflicting-result.jsonl", Exit::Findings, &[("agent/conflicting-result", 9)]),
    ("codex/rollout-context-drop.jsonl", Exit::Clean, &[("agent/context-drop", 11)]),
    ("codex/rollout-context-jump.jsonl", Exit::Clean, &[("agent/context-jump", 11)]),
    ("codex/rollout-cycle.jsonl", Exit::Clean, &[("agent/cycle", 21)]),
    (
        "codex/rollout-damaged.jsonl",
        Exit::Findings,
        &[("log/malformed", 6), ("log/joined-lines", 7), ("log/torn-tail", 13)],
    ),
    ("codex/rollout-duplicate-call.jsonl", Exit::Findings, &[("agent/duplicate-call", 9)]),
    ("codex/rollout-failing-tool.jsonl", Exit::Clean, &[("agent/failing-tool", 7)]),
    ("codex/rollout-interrupted.jsonl", Exit::Clean, &[("agent/interrupted", 10)]),
    ("codex/rollout-killed.jsonl", Exit::Clean, &[("agent/open-turn", 2), ("agent/open-call", 9)]),
    ("codex/rollout-repeat.jsonl", Exit::Clean, &[("agent/repeat", 6)]),
    ("codex/rollout-repeat-changing.jsonl", Exit::Clean, &[("agent/repeat-changing", 6)]),
    ("codex/rollout-replayed.jsonl", Exit::Clean, &[("agent/replayed-history", 9), ("agent/replayed-history", 10)]),
    ("codex/rollout-unanswered-call.jsonl", Exit::Findings, &[("agent/unanswered-call", 6)]),
];

pub(super) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/agent").join(name)
}

/// The line of an event. Only damaged files have lines without one.
fn line_of(finding: &Value) -> u64 {
    finding["line"].as_u64().unwrap_or_else(|| finding["at"][0].as_u64().expect("an event") + 1)
}

#[test]
fn every_fault_is_found_at_its_line() {
    for (name, exit, expected) in CASES {
        let (found_exit, document) = json(&["check", "--json", &fixture(name).to_string_lossy()]);
        let findings = document["files"][0]["findings"].as_array().expect("findings");
        let found: Vec<(&str, u64)> =
            findings.iter().map(|finding| (finding["check"].as_str().expect("a check"), line_of(finding))).collect();
        assert_eq!(found, *expected, "{name}");
        assert_eq!(found_exit, *exit, "{name}");
    }
}

/// The checks that cannot fire on sessions of one program, because it does not write what they compare.
const ONLY_CLAUDE_CODE: &[&str] = &[
    "agent/retries-exhausted",
    "agent/dangling-parent",
    "agent/history-lost",
    "agent/background-open",
    "agent/queue-left",
    "agent/time-back",
    "agent/usage-differs",
    "agent/starts-midway",
];
const ONLY_CODEX: &[&str] = &[
    "agent/status-conflict",
    "agent/ordinal-order",
    "agent/ordinal-gap",
    "agent/turn-unfinished",
    "agent/total-decreased",
    "agent/copied-prefix",
    "agent/several-sessions",
    "agent/base-elsewhere",
];

#[test]
fn every_check_has_a_fixture_in_every_format_in_which_it_can_fire() {
    for (format, others) in [("claude-code/", ONLY_CODEX), ("codex/", ONLY_CLAUDE_CODE)] {
        let cases = CASES.iter().filter(|(name, ..)| name.starts_with(format));
        let shown: Vec<&str> = cases.flat_map(|(_, _, findings)| findings.iter().map(|(check, _)| *check)).collect();
        for check in stepback::agent::checks::CHECKS {
            // The copy is in a family.
            let is_in_family = check.id == "agent/copied-prefix" && format == "codex/";
            let is_shown = shown.contains(&check.id) || is_in_family;
            assert_eq!(is_shown, !others.contains(&check.id), "{format} {}", check.id);
        }
    }
}

#[test]
fn likely_findings_fail_only_when_asked() {
    let repeat = fixture("claude-code/repeat.jsonl");
    let exit = |words: &[&str]| json(&[&["check", "--json"], words, &[&*repeat.to_string_lossy()]].concat()).0;
    assert_eq!(exit(&[]), Exit::Clean);
    assert_eq!(exit(&["--fail-on-tier", "likely"]), Exit::Findings);
    assert_eq!(exit(&["--fail-on-tier", "hint", "--fail-on", "error"]), Exit::Clean);
}

#[test]
fn the_state_says_what_is_observed_derived_and_not_recorded() {
    let (_, finished) = json(&["report", "--json", &fixture("codex/rollout-finished.jsonl").to_string_lossy()]);
    assert_eq!(finished["origins"]["approvals"], "not recorded");
    assert_eq!(finished["not_recorded"]["approvals"], "Codex does not write approvals");
    assert_eq!(finished["origins"]["prompt_tokens"], "derived");
    assert_eq!(finished["origins"]["context_window"], "observed");
    let state = &finished["projection"];
    assert_eq!(state["outcome"], "completed");
    assert_eq!(state["model"], "gpt-5.5");
    assert_eq!(state["mode"], "on-request, workspace-write");
    assert_eq!(state["files_written"][0]["path"], "/srv/parser/src/lexer.rs");
    assert_eq!(state["plan"]["steps"][1]["status"], "in_progress");
    assert_eq!(state["tools"][0]["tool"], "apply_patch");
    let (_, finished) = json(&["report", "--json", &fixture("claude-code/finished.jsonl").to_string_lossy()]);
    assert_eq!(finished["not_recorded"]["context_window"], "Claude Code does not write the size of the context window");
    assert_eq!(finished["projection"]["files_read"][0]["path"], "/srv/parser/src/lexer.rs");
    assert_eq!(finished["projection"]["plan"]["steps"][0]["text"], "fix the lexer");
    assert_eq!(finished["effect_counts"]["run_tool"], 4);
}

#[test]
fn a_moment_shows_what_is_open() {
    let killed = fixture("claude-code/killed.jsonl");
    let (_, moment) = json(&["show", "--json", &killed.to_string_lossy(), "--at", "3"]);
    assert_eq!(moment["projection"]["outcome"], "waiting for a result");
    let open: Vec<&str> =
        moment["obligations"].as_array().expect("a list").iter().filter_map(|one| one["what"].as_str()).collect();
    assert_eq!(open, ["turn not over", "call not answered"]);
    assert_eq!(moment["effects"][0]["kind"], "run_tool");
    assert_eq!(moment["effects"][0]["input"]["command"], "cargo test");
}
