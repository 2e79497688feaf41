//! A turn log of any length, and its growth.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

/// One event of a turn; the kinds take turns.
pub(super) fn event(number: u32) -> Value {
    match number % 4 {
        0 => {
            json!({"event_type": "model_request_issued", "turn_id": "t", "step_idx": number / 4 + 1, "token_budget": 100,
                    "request_fp": {"static_prefix_sha256": "", "full_prefix_sha256": ""}})
        }
        1 => json!({"event_type": "model_message", "turn_id": "t", "step_idx": number / 4 + 1, "block_count": 1,
                    "usage": {"input_tokens": number, "output_tokens": 1}, "text_preview": "x".repeat(number as usize % 90)}),
        2 => {
            json!({"event_type": "tool_call_planned", "turn_id": "t", "step_idx": number / 4 + 1, "call_id": format!("c{number}"),
                    "tool_name": "read_file", "input_json": "{\"path\":\"a.rs\"}",
                    "decision": {"approval_required": false, "parallel_eligible": true, "read_only": true}})
        }
        _ => {
            json!({"event_type": "tool_call_finished", "turn_id": "t", "call_id": format!("c{}", number - 1), "tool_name": "read_file",
                    "outcome": "success", "duration_ms": number, "wrote_state": false})
        }
    }
}

/// The lines of some events. The first event follows the start of the turn.
pub(super) fn text(events: std::ops::Range<u32>) -> String {
    let start =
        json!({"event_type": "turn_started", "turn_id": "t", "mode": "agent", "input_text": "go", "max_steps": 9});
    let start = if events.start == 0 { format!("{start}\n") } else { String::new() };
    start + &events.map(|number| format!("{}\n", event(number))).collect::<String>()
}

pub(super) fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).open(path).expect("the log");
    file.write_all(text.as_bytes()).expect("written");
}
