//! One finding planted into a log without findings: whatever surrounds it, the same few events remain.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::laws::TURNS;
use crate::tests::random::lines;

fn event(kind: &str, rest: Value) -> Value {
    let mut event = json!({"event_type": kind, "turn_id": "t1"});
    if let (Some(event), Some(rest)) = (event.as_object_mut(), rest.as_object()) {
        event.extend(rest.clone());
    }
    event
}

fn planned(call: &str, read_only: bool) -> Value {
    let decision = json!({"approval_required": false, "parallel_eligible": true, "read_only": read_only});
    let input = json!({"path": format!("src/{call}.rs")}).to_string();
    event(
        "tool_call_planned",
        json!({"step_idx": 1, "call_id": call, "tool_name": "grep", "input_json": input, "decision": decision}),
    )
}

fn finished(call: &str, outcome: Value, wrote: bool) -> Value {
    event(
        "tool_call_finished",
        json!({"call_id": call, "tool_name": "grep", "outcome": outcome, "duration_ms": 3,
        "wrote_state": wrote, "result_preview": "a long text that the finding does not need"}),
    )
}

fn started(call: &str) -> Value {
    event("tool_call_started", json!({"call_id": call, "wave_idx": 0}))
}

fn call(id: &str) -> Vec<Value> {
    vec![planned(id, true), started(id), finished(id, json!("success"), false)]
}

/// The planted events, the check that reports them, and how many events remain.
fn plants() -> Vec<(&'static str, Vec<Value>, usize)> {
    let approval = |verdict: &str| event("approval_resolved", json!({"call_id": "bad", "verdict": verdict}));
    let failure = |id: &str| {
        let error = json!({"tool_error": {"message": "no"}});
        vec![planned(id, true), finished(id, error, false)]
    };
    let checkpoint = event(
        "capacity_checkpoint",
        json!({"step_idx": 1, "kind": "pre_request", "tokens_used": 10,
        "token_budget": 0, "action": "continue"}),
    );
    let artifact = event(
        "compaction_artifact_created",
        json!({"artifact_id": "a", "replaced_range": {"from": 4, "to": 1},
        "summary_token_count": 3}),
    );
    let twice = [call("bad"), vec![finished("bad", json!("success"), false)]].concat();
    let rejected =
        vec![planned("bad", false), approval("rejected"), started("bad"), finished("bad", json!("success"), false)];
    vec![
        ("turn/orphan-finish", vec![started("bad"), finished("bad", json!("success"), false)], 1),
        ("turn/finish-twice", twice, 2),
        ("turn/duplicate-call", [call("bad"), vec![planned("bad", true)]].concat(), 2),
        ("turn/rejected-ran", rejected, 2),
        ("turn/read-only-wrote", vec![planned("bad", true), finished("bad", json!("success"), true)], 2),
        ("turn/never-finished", vec![planned("bad", true), started("bad")], 1),
        ("turn/failing-tool", [failure("f1"), failure("f2"), failure("f3")].concat(), 3),
        ("gate/capacity-fields", vec![checkpoint], 1),
        ("gate/archival-fields", vec![artifact], 1),
        ("turn/unknown-event", vec![event("quantum_leap", json!({}))], 1),
        ("log/malformed", vec![event("turn_ended", json!({}))], 1),
        (
            "gate/loop-guard-unreferenced",
            vec![event("loop_guard_triggered", json!({"call_id": "ghost", "reason": "other"}))],
            1,
        ),
    ]
}

/// A turn without findings, with calls and steers in the given order and the planted events among them.
fn turn(noise: &[bool], plant: &[Value], at: usize) -> String {
    let started = event("turn_started", json!({"mode": "agent", "input_text": "go", "max_steps": 9}));
    let fingerprint = json!({"static_prefix_sha256": "ab", "full_prefix_sha256": "cd"});
    let request = event("model_request_issued", json!({"step_idx": 1, "request_fp": fingerprint, "token_budget": 100}));
    let usage = json!({"input_tokens": 1, "output_tokens": 2});
    let message =
        event("model_message", json!({"step_idx": 1, "usage": usage, "block_count": 1, "text_preview": "well"}));
    let ended = event("turn_ended", json!({"outcome": "completed", "total_steps": 1}));
    let mut log = vec![started, request, message];
    for (number, is_call) in noise.iter().enumerate() {
        if number == at {
            log.extend(plant.iter().cloned());
        }
        let steer = || vec![event("steer_injected", json!({"step_idx": 1, "text": "on"}))];
        log.extend(if *is_call { call(&format!("ok-{number}")) } else { steer() });
    }
    if at >= noise.len() {
        log.extend(plant.iter().cloned());
    }
    log.push(ended);
    lines(&log)
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(60, "minimize-planted"))]

    #[test]
    fn unrelated_units_change_nothing(
        noise in prop::collection::vec(any::<bool>(), 0..40),
        more in prop::collection::vec(any::<bool>(), 0..40),
        places in (0..40_usize, 0..40_usize),
        plant in prop::sample::select(plants()),
    ) {
        let (check, planted, events) = plant;
        let (little, much) = (turn(&noise, &planted, places.0), turn(&[noise, more].concat(), &planted, places.1));
        let found = TURNS.findings(&little);
        let finding = found.iter().find(|finding| finding.check.id == check).expect("it was planted");
        let small = TURNS.holds_the_laws(&little, finding)?;
        prop_assert_eq!(small.text.lines().count(), events, "{}", &small.text);
        prop_assert_eq!(&TURNS.small(&much, finding).text, &small.text);
    }
}

#[test]
fn a_thousand_events_take_few_tests() {
    for (check, planted, events) in plants() {
        let text = turn(&[true; 333], &planted, 200);
        let found = TURNS.findings(&text);
        let finding = found.iter().find(|finding| finding.check.id == check).expect("it was planted");
        let small = TURNS.small(&text, finding);
        assert!(small.minimized.complete && text.lines().count() > 1000);
        assert_eq!(small.text.lines().count(), events, "{}", small.text);
        assert!(small.minimized.tests <= 60, "{check} took {} tests", small.minimized.tests);
    }
}

#[test]
fn other_findings_of_candidates_are_kept_and_named() {
    let (_, planted, _) = plants().swap_remove(1);
    let text = turn(&[true; 4], &planted, 2);
    let found = TURNS.findings(&text);
    let finding = found.iter().find(|finding| finding.check.id == "turn/finish-twice").expect("it was planted");
    let small = TURNS.small(&text, finding);
    let met: Vec<&str> = small.minimized.met.iter().map(|met| met.finding.check.id).collect();
    assert!(met.contains(&"gate/missing-turn-ended") || met.contains(&"turn/no-start"), "{met:?}");
    assert!(!met.contains(&"turn/finish-twice"));
    assert_eq!(small.finding.fingerprint(), "turn/finish-twice call_id=bad turn_id=t1");
}
