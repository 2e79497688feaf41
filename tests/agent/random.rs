//! Random sessions of both formats: valid lines with few ids, so that they meet, in any order.

use proptest::prelude::*;
use serde_json::{Value, json};

fn id(prefix: &'static str) -> impl Strategy<Value = String> {
    (0..6_u8).prop_map(move |number| format!("{prefix}{number}"))
}

fn words() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&[
        "hello",
        "",
        "<command-name>/x</command-name>",
        "<local-command-stdout>y",
        "[Request interrupted by user]",
        "<task-notification><task-id>t1</task-id><status>completed</status></task-notification>",
        "Caveat: z",
        "Script completed\nWall time 1 seconds",
        "Chunk ID: 1\nWall time: 1 seconds\nProcess running with session ID 4\nOutput:\n",
        "Exit code: 1\nWall time: 1 seconds\nOutput:\nno",
    ])
}

fn tool() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["Bash", "Read", "TodoWrite", "TaskOutput", "write_stdin", "spawn_agent", "AskUserQuestion"])
}

fn input() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"command": "ls"})),
        Just(json!({"file_path": "/a"})),
        Just(json!({"todos": [{"content": "x", "status": "pending"}]})),
        Just(json!("{\"session_id\":4,\"chars\":\"\"}")),
        Just(Value::Null),
    ]
}

fn usage() -> impl Strategy<Value = Value> {
    (0..5_u64, 0..4_u64).prop_map(|(context, output)| {
        json!({"input_tokens": context * 30_000, "cache_read_input_tokens": context, "output_tokens": output})
    })
}

fn claude_block() -> impl Strategy<Value = Value> {
    prop_oneof![
        words().prop_map(|text| json!({"type": "text", "text": text})),
        words().prop_map(|text| json!({"type": "thinking", "thinking": text})),
        (id("c"), tool(), input())
            .prop_map(|(id, name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": input})),
        id("c").prop_map(|id| json!({"type": "web_search_tool_result", "tool_use_id": id, "content": []})),
    ]
}

fn claude_body() -> impl Strategy<Value = Value> {
    let stop = prop::sample::select(&["end_turn", "tool_use", ""]);
    prop_oneof![
        4 => (id("m"), claude_block(), usage(), stop).prop_map(|(id, block, usage, stop)| json!({
            "type": "assistant",
            "message": {"id": id, "model": "m", "content": [block], "stop_reason": stop, "usage": usage},
        })),
        3 => words().prop_map(|text| json!({"type": "user", "message": {"role": "user", "content": text}})),
        4 => (id("c"), words(), any::<bool>()).prop_map(|(id, text, is_error)| json!({
            "type": "user",
            "message": {"content": [{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]},
        })),
        1 => id("t").prop_map(|task| json!({
            "type": "user", "toolUseResult": {"isAsync": true, "agentId": task},
            "message": {"content": [{"type": "tool_result", "tool_use_id": "c1", "content": "launched"}]},
        })),
        1 => Just(json!({"type": "system", "subtype": "turn_duration"})),
        1 => Just(json!({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}})),
        1 => (0..3_u8).prop_map(|attempt| json!({"type": "system", "subtype": "api_error", "retryAttempt": attempt, "maxRetries": 2})),
        1 => prop::sample::select(&["enqueue", "dequeue", "remove", "popAll"])
            .prop_map(|operation| json!({"type": "queue-operation", "operation": operation, "content": "x"})),
        1 => Just(json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "x"}})),
        1 => Just(json!({"type": "brand-new"})),
    ]
}

fn claude_line() -> impl Strategy<Value = String> {
    (claude_body(), id("u"), id("u"), any::<bool>(), 0..60_u8).prop_map(|(mut line, uuid, parent, side, second)| {
        line["uuid"] = json!(uuid);
        line["parentUuid"] = json!(parent);
        line["isSidechain"] = json!(side);
        line["sessionId"] = json!("s");
        line["timestamp"] = json!(format!("2026-09-14T10:00:{second:02}.000Z"));
        line.to_string()
    })
}

fn codex_body() -> impl Strategy<Value = Value> {
    let turn = || id("0199f8a0-0000-7000-8000-00000000000");
    let item = |payload: Value| json!({"type": "response_item", "payload": payload});
    let event = |payload: Value| json!({"type": "event_msg", "payload": payload});
    prop_oneof![
        1 => id("t").prop_map(|id| json!({"type": "session_meta", "payload": {"id": id, "cwd": "/"}})),
        2 => turn().prop_map(move |turn| event(json!({"type": "task_started", "turn_id": turn}))),
        2 => turn().prop_map(move |turn| event(json!({"type": "task_complete", "turn_id": turn}))),
        1 => Just(event(json!({"type": "turn_aborted", "reason": "interrupted"}))),
        1 => Just(event(json!({"type": "thread_rolled_back"}))),
        2 => words().prop_map(move |text| event(json!({"type": "user_message", "message": text}))),
        2 => words().prop_map(move |text| item(json!({"type": "message", "role": "user", "content": [{"text": text}]}))),
        2 => words().prop_map(move |text| item(json!({"type": "message", "role": "assistant", "content": [{"text": text}]}))),
        3 => (id("c"), tool(), input()).prop_map(move |(id, name, input)| item(json!({
            "type": "function_call", "call_id": id, "name": name, "arguments": input,
        }))),
        3 => (id("c"), words()).prop_map(move |(id, text)| item(json!({
            "type": "function_call_output", "call_id": id, "output": text,
        }))),
        1 => Just(item(json!({"type": "web_search_call", "action": {"query": "x"}}))),
        2 => (id("c"), -1..3_i64).prop_map(move |(id, code)| event(json!({
            "type": "exec_command_end", "call_id": id, "exit_code": code, "status": "failed",
        }))),
        2 => (0..4_u64, 0..3_u64).prop_map(move |(total, input)| event(json!({"type": "token_count", "info": {
            "total_token_usage": {"total_tokens": total * 1000}, "last_token_usage": {"input_tokens": input * 40_000},
        }}))),
        1 => (id("t"), id("r")).prop_map(|(thread, response)| json!({"type": "token_usage_record", "payload": {
            "thread_id": thread, "response_id": response, "usage": {"input_tokens": 10},
        }})),
        1 => Just(json!({"type": "compacted", "payload": {"message": ""}})),
        1 => id("/team/a").prop_map(move |path| event(json!({"type": "sub_agent_activity", "agent_path": path, "kind": "started"}))),
    ]
}

fn codex_line() -> impl Strategy<Value = String> {
    (codex_body(), prop::option::of(0..40_u64)).prop_map(|(mut line, ordinal)| {
        line["timestamp"] = json!("2026-09-14T10:00:00.000Z");
        if let Some(ordinal) = ordinal {
            line["ordinal"] = json!(ordinal);
        }
        line.to_string()
    })
}

/// The lines of a session of either program.
pub(super) fn lines(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop_oneof![
        prop::collection::vec(claude_line(), 1..most),
        prop::collection::vec(codex_line(), 1..most),
        prop::collection::vec(prop_oneof![claude_line(), codex_line(), Just("{}".to_owned())], 1..most),
    ]
}
