//! Random turn logs for laws: small alphabets, so that events collide and contradict each other.

use proptest::prelude::*;
use serde_json::{Value, json};

/// One event per line.
pub(super) fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// A log of at most `most` events in any order.
pub(super) fn events(most: usize) -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(event(), 0..most)
}

fn pick(words: [&'static str; 3], number: u32) -> &'static str {
    words[number as usize % words.len()]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("look at src/main.rs".to_owned()),
        Just("line\nbreak \"quoted\" \\ é 日本".to_owned()),
        "[a-z ]{0,20}",
    ]
}

fn event() -> impl Strategy<Value = Value> {
    let turn = prop::sample::select(vec!["t1", "t1", "t1", "t2"]);
    let call = prop::sample::select(vec!["c1", "c2", "c3", "c1:step:0"]);
    let tool = prop::sample::select(vec!["read_file", "edit_file", "exec_shell", "scratchpad_write"]);
    let input = prop::sample::select(vec![
        r#"{"path":"a.rs"}"#,
        r#"{"q":"x","n":1}"#,
        r#"{"n":1,"q":"x"}"#,
        r#"{"n":1.0,"q":"x"}"#,
        "not json",
        r#"{"deep":[{"cwd":"."}]}"#,
    ]);
    let key = prop::sample::select(vec!["user_memory", "topic_episodic", "working_set", "scratchpad_summary", "odd"]);
    let inputs = (turn, call, tool, input, key, 0..5_u32, text());
    (inputs, 0..27_usize, any::<bool>(), any::<bool>(), 0..4_u32).prop_map(
        |((turn, call, tool, input, key, step, text), kind, flag, other, number)| {
            let mut event = match kind {
                0 => return json!({"event_type": "schema_version", "version": number}),
                1 => json!({"event_type": "turn_started", "mode": pick(["agent", "yolo", "plan"], number),
                            "input_text": text, "max_steps": number}),
                2 => json!({"event_type": "turn_ended", "total_steps": step, "outcome": match number {
                    0 => json!("completed"), 1 => json!("interrupted"),
                    2 => json!({"failed": {"message": text}}), _ => json!({"cycle_handoff": {"next_cycle": step}}) }}),
                3..=5 => json!({"event_type": "model_request_issued", "step_idx": step, "token_budget": number * 100,
                            "request_fp": {"static_prefix_sha256": "ab", "full_prefix_sha256": text}}),
                6 => json!({"event_type": "model_delta", "step_idx": step, "kind": "text", "text": text,
                            "call_id": if flag { json!(call) } else { Value::Null }}),
                7 | 8 => json!({"event_type": "model_message", "step_idx": step, "block_count": number,
                            "usage": {"input_tokens": number, "output_tokens": number * 90}, "text_preview": text}),
                9..=11 => json!({"event_type": "tool_call_planned", "step_idx": step, "call_id": call,
                            "tool_name": tool, "input_json": input,
                            "decision": {"approval_required": flag, "parallel_eligible": other, "read_only": !flag}}),
                12 => json!({"event_type": "tool_call_started", "call_id": call, "wave_idx": number}),
                13..=15 => json!({"event_type": "tool_call_finished", "call_id": call, "tool_name": tool,
                            "duration_ms": number, "wrote_state": other, "result_preview": text, "outcome": match number {
                    0 | 1 => json!("success"), 2 => json!("timeout"), _ => json!({"tool_error": {"message": text}}) }}),
                16 => json!({"event_type": "approval_resolved", "call_id": call,
                            "verdict": pick(["approved", "rejected", "retried"], number)}),
                17 => json!({"event_type": "compaction_artifact_created", "artifact_id": text,
                            "replaced_range": {"from": number, "to": step}, "summary_token_count": number}),
                18 => json!({"event_type": "context_overflow_recovered", "step_idx": step,
                            "strategy": if flag { "cycle_handoff" } else { "llm_compaction" }, "source_budget_cap": null}),
                19 => json!({"event_type": "steer_injected", "step_idx": step, "text": text}),
                20 => json!({"event_type": "scratchpad_summary_injected", "at_step": step}),
                21 => json!({"event_type": "topic_memory_injected", "step_idx": step}),
                22 | 23 => json!({"event_type": "memory_plane_queried", "step_idx": step, "layer": "working",
                            "query_key": key, "compiler_source": if flag { "" } else { "working_set" }}),
                24 => json!({"event_type": "loop_guard_triggered", "call_id": call,
                            "reason": pick(["identical_tool_call", "failure_halt", "other"], number)}),
                25 => json!({"event_type": "capacity_checkpoint", "step_idx": step, "kind": "pre_request",
                            "tokens_used": number * 1000, "token_budget": step * 100, "cooldown_blocked": flag,
                            "action": if other { json!("trim") } else { json!({"abort": {"reason": text}}) }}),
                _ => json!({"event_type": "loop_guard_continuation", "step_idx": step}),
            };
            event["turn_id"] = json!(turn);
            event
        },
    )
}
