//! Lints on small logs with one line per event: cases that the reference does not cover.

use serde_json::{Value, json};
use stepback::replay::Seq;
use stepback::turn::checker::TurnChecker;
use stepback::turn::decode::decode;

/// `start`, `end`, `plan c`, `finish c`, `fail c`, `request 1`, `message 1`, `trigger c`, `reject c`.
fn event(line: &str) -> Value {
    let (verb, subject) = line.split_once(' ').unwrap_or((line, ""));
    let step: u32 = subject.parse().unwrap_or(0);
    let mut event = match verb {
        "start" => json!({"event_type": "turn_started", "mode": "agent", "input_text": "", "max_steps": 0}),
        "end" => json!({"event_type": "turn_ended", "outcome": "completed", "total_steps": 0}),
        "request" => json!({"event_type": "model_request_issued", "step_idx": step, "token_budget": 100,
            "request_fp": {"static_prefix_sha256": "", "full_prefix_sha256": ""}}),
        "message" => json!({"event_type": "model_message", "step_idx": step, "block_count": 1,
            "usage": {"input_tokens": 1, "output_tokens": 1}}),
        "plan" => json!({"event_type": "tool_call_planned", "step_idx": 0, "call_id": subject, "tool_name": "grep",
            "input_json": "{}", "decision": {"approval_required": false, "parallel_eligible": false, "read_only": false}}),
        "finish" => json!({"event_type": "tool_call_finished", "call_id": subject, "tool_name": "grep",
            "outcome": "success", "duration_ms": 1, "wrote_state": false}),
        "fail" => json!({"event_type": "tool_call_finished", "call_id": subject, "tool_name": "grep",
            "outcome": {"tool_error": {"message": "no"}}, "duration_ms": 1, "wrote_state": false}),
        "trigger" => json!({"event_type": "loop_guard_triggered", "call_id": subject, "reason": "identical_tool_call"}),
        "reject" => json!({"event_type": "approval_resolved", "call_id": subject, "verdict": "rejected"}),
        _ => panic!("no such line: {line}"),
    };
    event["turn_id"] = json!("t");
    event
}

/// The `turn/` findings of warning or higher and `no-answer`, as `check at,at`, those of severity info last.
fn check(log: &str, expected: &[&str]) {
    let mut checker = TurnChecker::new(None);
    for (at, line) in log.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let text = event(line).to_string();
        checker.see(Seq(at as u32), &decode(text.as_bytes()).expect("an event"));
    }
    let found: Vec<String> = checker
        .finish()
        .into_sorted()
        .iter()
        .filter_map(|finding| {
            let at: Vec<String> = finding.at.iter().map(ToString::to_string).collect();
            Some(format!("{} {}", finding.check.id.strip_prefix("turn/")?, at.join(",")))
        })
        .collect();
    assert_eq!(found, expected, "{log}");
}

#[test]
fn a_finish_counts_since_the_call_was_last_planned() {
    check("start\nfinish c\nplan c\nfinish c\nend", &["orphan-finish 1"]);
    check("start\nplan c\nfinish c\nfinish c\nfinish c\nend", &["finish-twice 2,3", "finish-twice 3,4"]);
    check("start\nplan c\nfinish c\nplan c\nend", &["duplicate-call 1,3", "never-finished 3,4"]);
}

#[test]
fn an_unanswered_request_is_reported_once() {
    check("start\nrequest 1\nend\nrequest 2\nmessage 2", &["event-after-end 2,3", "no-answer 1,2"]);
    check("start\nrequest 1\nrequest 2\nmessage 2\nend", &["no-answer 1,2"]);
    check("start\nrequest 1", &["no-answer 1,1"]);
}

#[test]
fn a_loop_is_reported_at_its_end_unless_the_guard_fired() {
    check("start\nplan a\nfinish a\nplan b\nfinish b\nplan c\nfinish c\nend", &["repeat 1,3,5"]);
    check("start\nplan a\nfinish a\nplan b\nfinish b\ntrigger c\nplan c\nfinish c\nend", &[]);
    check("start\nplan a\nfinish a\nplan b\nfinish b\nend", &[]);
}

#[test]
fn a_failing_tool_is_reported_at_its_third_failure() {
    let failing = "start\nplan a\nfail a\nplan b\nfail b\ntrigger c\nplan c\nfail c\nplan d\nfail d\nend";
    check(failing, &["failing-tool 2,4,7"]);
    check("start\nplan a\nfail a\nplan b\nfinish b\ntrigger c\nplan c\nfail c\nend", &[]);
}

#[test]
fn a_verdict_before_the_plan_holds_until_the_call_is_planned_again() {
    check("start\nreject c\nplan c\nfinish c\nend", &["rejected-ran 1,3"]);
    check("start\nreject c\nplan c\nplan c\nfinish c\nend", &["duplicate-call 2,3"]);
}

#[test]
fn a_new_turn_closes_what_the_last_one_left_open() {
    check("start\nplan c\nstart\nend", &["started-inside 0,2", "never-finished 1,2"]);
    check("plan c\nfinish c\nend", &["no-start 0"]);
}
