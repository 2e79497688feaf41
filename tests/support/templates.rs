//! A record of every kind with every field. `@` marks a text that may be anything.

use serde_json::{Value, json};

use super::corpus::{Planted, SPELLINGS, spelled};

/// Every event of a turn log.
pub(super) fn events() -> Vec<Value> {
    let mut all = Vec::new();
    let mut event = |kind: &str, fields: Value| {
        let mut event = json!({"event_type": kind, "turn_id": "@"});
        event.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        all.push(event);
    };
    event("schema_version", json!({"version": 1}));
    event("turn_started", json!({"mode": "agent", "input_text": "@", "max_steps": 3}));
    event("turn_ended", json!({"outcome": {"failed": {"message": "@"}}, "total_steps": 1}));
    event("turn_ended", json!({"outcome": {"loop_guard": {"reason": "@"}}, "total_steps": 1}));
    let print = json!({"static_prefix_sha256": "@", "full_prefix_sha256": "@"});
    event("model_request_issued", json!({"step_idx": 0, "request_fp": print, "token_budget": 9}));
    event("model_delta", json!({"step_idx": 0, "kind": "tool_call_arg", "call_id": "@", "text": "@"}));
    let usage = json!({"input_tokens": 1, "output_tokens": 2});
    event(
        "model_message",
        json!({"step_idx": 0, "usage": usage, "block_count": 1, "text_preview": "@", "assistant_text": "@"}),
    );
    let decision = json!({"approval_required": false, "parallel_eligible": true, "read_only": true});
    event(
        "tool_call_planned",
        json!({"step_idx": 0, "call_id": "@", "tool_name": "@", "input_json": "@", "decision": decision}),
    );
    event("tool_call_started", json!({"call_id": "@", "wave_idx": 0}));
    for outcome in [
        json!({"blocked": {"reason": "@"}}),
        json!({"guard_halt": {"reason": "@"}}),
        json!({"tool_error": {"message": "@"}}),
    ] {
        event(
            "tool_call_finished",
            json!({"call_id": "@", "tool_name": "@", "outcome": outcome, "duration_ms": 1, "wrote_state": false,
                "result_preview": "@", "session_content": "@"}),
        );
    }
    event("approval_resolved", json!({"call_id": "@", "verdict": "approved"}));
    let range = json!({"from": 0, "to": 2});
    event(
        "compaction_artifact_created",
        json!({"artifact_id": "@", "replaced_range": range, "summary_token_count": 5}),
    );
    event("context_overflow_recovered", json!({"step_idx": 0, "strategy": "llm_compaction"}));
    event("steer_injected", json!({"step_idx": 0, "text": "@"}));
    event("scratchpad_reminder_injected", json!({"step_idx": 0, "area_path": "@"}));
    event("scratchpad_summary_injected", json!({"at_step": 0}));
    event("cycle_briefing_injected", json!({"cycle": 1, "step_idx": 0}));
    event("topic_memory_injected", json!({"step_idx": 0, "block_token_est": 4}));
    event("memory_plane_queried", json!({"step_idx": 0, "layer": "@", "query_key": "@", "compiler_source": "@"}));
    event(
        "layered_context_seam_injected",
        json!({"step_idx": 0, "level": 1, "messages_covered": 2, "text_preview": "@"}),
    );
    event("loop_guard_triggered", json!({"call_id": "@", "reason": "@"}));
    event(
        "capacity_checkpoint",
        json!({"step_idx": 0, "kind": "pre_request", "tokens_used": 1, "token_budget": 2,
            "action": {"abort": {"reason": "@"}}, "cooldown_blocked": false}),
    );
    event("cycle_advanced", json!({"from_cycle": 0, "to_cycle": 1, "reason": "@"}));
    event("step_limit_continuation", json!({"step_idx": 0, "lht_objective_injected": true}));
    event("loop_guard_continuation", json!({"step_idx": 0}));
    event("deferred_tool_activated", json!({"step_idx": 0, "tool_name": "@"}));
    event(
        "harness_verify",
        json!({"stage": "@", "predicate": "@", "pass": false, "retry_no": 0, "rollback_triggered": false,
            "duration_ms": 1, "code": "@", "suggestion": "@"}),
    );
    event(
        "stage_gate_blocked",
        json!({"step_idx": 0, "skill": "@", "stage": "@", "tool_name": "@", "code": "@", "suggestion": "@"}),
    );
    all
}

/// Every record of a tape, and a header. Hashes are computed when the texts are filled in.
pub(super) fn lines() -> Vec<Value> {
    let inline = || json!({"content_hash": "", "text": "@"});
    let file = |kind: &str| json!({"kind": kind, "path": "@", "content_hash": "true bytes", "len_bytes": 3});
    let changes = json!([
        {"session_id": "@", "fields": {"notes": {"set": "@"}, "more": {"append": ["@"]}}},
        {"session_id": "@", "lifecycle": {"kind": "opened", "transcript": {"text": "@"}}},
    ]);
    let kinds = [
        json!({"kind": "clock_read", "source": "wall", "value_ms": 5}),
        json!({"kind": "clock_sleep", "duration_ms": 5}),
        json!({"kind": "llm_call", "request_digest": "d", "response": inline(), "call_index": 1, "request": inline(),
            "messages": [inline(), inline()], "attribution": {"segments": [{"field": "@", "start": 0, "end": 1,
            "render_id": "@"}], "system_bytes": 1, "system_attributed": 0, "prompt_bytes": 1, "prompt_attributed": 1}}),
        file("file_read"),
        file("file_write"),
        json!({"kind": "file_delete", "path": "@"}),
        json!({"kind": "process_spawn", "program": "@", "args": ["@", "@"], "cwd": "@", "exit_code": 0, "duration_ms": 1,
            "stdout_payload": inline(), "stderr_payload": inline()}),
        json!({"kind": "mcp_json_rpc", "server": "@", "method": "@", "request_digest": "", "response_digest": "",
            "latency_ms": 1, "request_payload": inline(), "response_payload": inline()}),
        json!({"kind": "model_job", "job_id": "@", "request_id": "@", "backend": "@", "state": "@", "event_kind": "@",
            "event": inline(), "asset_digests": ["@"]}),
        json!({"kind": "payload_redaction"}),
        json!({"kind": "cache_lookup", "namespace": "@", "key": "@", "after_calls": 1, "value": inline()}),
        json!({"kind": "prompt_render", "render_id": "@", "template_uri": "@", "rendered": inline(), "spans": inline()}),
        json!({"kind": "decision_evaluation", "request_digest": "@", "response": inline()}),
        json!({"kind": "tool_call", "call_id": "@", "tool": "@", "args_digest": "d", "after_calls": 1,
            "outcome": inline(), "effects": [{"path": "@", "content": inline()}], "unservable": "@",
            "transcript_changes": changes}),
        json!({"kind": "session_control", "event": inline()}),
    ];
    let record = |kind: &Value| json!({"type": "record", "seq": 0, "phase": "user_script", "virtual_time_ms": 1, "monotonic_ms": 1, "kind": kind});
    let run = json!({"recording": "full", "effects_observed": true, "state_roots": ["@"], "workspace_root": "@"});
    let header = json!({"type": "header", "version": 5, "harn_version": "@", "started_at_unix_ms": 1,
        "script_path": "@", "argv": ["@"], "run": run});
    std::iter::once(header).chain(kinds.iter().map(record)).collect()
}

/// The name of some bytes in a tape and its store.
pub(super) fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The number of texts of a template that may be anything.
fn texts(value: &Value) -> usize {
    match value {
        Value::String(text) => usize::from(text == "@"),
        Value::Array(items) => items.iter().map(texts).sum(),
        Value::Object(members) => members.values().map(texts).sum(),
        _ => 0,
    }
}

/// Fills in one of them; the others get a harmless text.
fn fill(value: &mut Value, at: &mut usize, chosen: usize, text: &str) {
    match value {
        Value::String(place) if place == "@" => {
            *place = if *at == chosen { text.to_owned() } else { "plain".to_owned() };
            *at += 1;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, at, chosen, text)),
        Value::Object(members) => members.values_mut().for_each(|member| fill(member, at, chosen, text)),
        _ => {}
    }
}

/// Fills in the hashes of payloads, and both digests of an exchange.
fn hash(value: &mut Value) {
    let Value::Object(members) = value else {
        if let Value::Array(items) = value {
            items.iter_mut().for_each(hash);
        }
        return;
    };
    members.values_mut().for_each(hash);
    if members.get("content_hash").is_some_and(|hash| hash == "") {
        members["content_hash"] = hash_of(members["text"].as_str().expect("a text").as_bytes()).into();
    }
    for side in ["request", "response"] {
        if let Some(payload) = members.get(&format!("{side}_payload")) {
            let digest = payload["content_hash"].clone();
            members[&format!("{side}_digest")] = digest;
        }
    }
}

/// Every secret in every text of every template, with alternating encodings.
pub(super) fn filled(templates: &[Value], all: &[Planted]) -> Vec<String> {
    let mut records = Vec::new();
    for template in templates {
        for chosen in 0..texts(template) {
            for planted in all {
                let mut record = template.clone();
                fill(&mut record, &mut 0, chosen, &spelled(&planted.text, records.len() % SPELLINGS));
                hash(&mut record);
                records.push(record.to_string());
            }
        }
    }
    records
}
