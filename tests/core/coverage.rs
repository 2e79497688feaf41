//! Saved messages compared with a log whose turns interleave.

use crate::tests::random::events;
use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::turn::message::Message;
use stepback::turn::report::report;
use stepback::turn::sidecar::TurnSidecars;
use stepback::turn::whole::Recording;

fn report_of(records: &[String], session: Option<Vec<Message>>) -> Value {
    let recording = Recording::decode(records.iter().map(|record| record.as_bytes()));
    report(&recording, &TurnSidecars { saved_messages: session, ..TurnSidecars::default() })
}

/// The report of a log compared with exactly the messages that it implies.
fn report_against_itself(records: &[String]) -> Value {
    let implied = report_of(records, None)["session_messages"].clone();
    report_of(records, Some(serde_json::from_value(implied).expect("messages")))
}

fn assert_silent(records: &[String]) {
    let report = report_against_itself(records);
    assert_eq!(report["session"]["structural_parity"], Value::Null);
    assert_eq!(report["session"]["should_repair"], false);
}

#[test]
fn two_turns_that_interleave_have_parity_with_their_own_messages() {
    let started = |turn: &str| json!({"event_type": "turn_started", "turn_id": turn, "mode": "agent", "input_text": turn, "max_steps": 3});
    let message = |turn: &str, step: u32| {
        json!({"event_type": "model_message", "turn_id": turn, "step_idx": step, "block_count": 1,
        "usage": {"input_tokens": 1, "output_tokens": 1}, "text_preview": format!("{turn} {step}")})
    };
    let all = [started("a"), started("b"), message("a", 1), message("b", 1), message("a", 2), message("b", 2)];
    let records: Vec<String> = all.iter().map(Value::to_string).collect();
    assert_silent(&records);
    let report = report_against_itself(&records);
    assert_eq!(report["session"]["transcript_preview_bodies"], Value::Null);
    assert_eq!(report["session_messages"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_row_that_differs_is_still_reported() {
    let started = |turn: &str| json!({"event_type": "turn_started", "turn_id": turn, "mode": "agent", "input_text": turn, "max_steps": 3});
    let records = [started("a").to_string(), started("b").to_string()];
    let other = serde_json::from_value(json!([{"role": "user", "content": [{"type": "text", "text": "b"}]}]));
    let report = report_of(&records, Some(other.expect("messages")));
    assert_eq!(report["session"]["structural_parity"], "session message struct mismatch: rebuilt=1 expected=1");
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(256, "coverage"))]

    #[test]
    fn a_log_has_parity_with_its_own_messages_however_its_turns_interleave(events in events(60)) {
        let records: Vec<String> = events.iter().map(Value::to_string).collect();
        assert_silent(&records);
    }
}
