//! The units of a turn log that are minimized together: a tool call, a model exchange, the frame of a turn.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::event::Event;
use super::tools::composite_parent;
use crate::json::text::{Text, hash_bytes};
use crate::replay::machine::Unit;

/// The unit of an event: all events of a call (including its guard trigger and the sub-steps of a composite tool), all
/// events of a model exchange, the two ends of a turn, or a single event.
pub(crate) fn unit(event: &Event<'_>) -> Unit {
    let turn = event.turn_id().map_or(0, Text::hash);
    match event {
        Event::TurnStarted { .. } | Event::TurnEnded { .. } => Unit::Frame(turn),
        Event::ModelRequestIssued { step_idx, .. }
        | Event::ModelDelta { step_idx, .. }
        | Event::ModelMessage { step_idx, .. } => Unit::Of(number(("exchange", turn, u64::from(*step_idx)))),
        event => event.call_id().map_or(Unit::Alone, |call| Unit::Of(number(("call", turn, call_number(call))))),
    }
}

fn call_number(call: &Text<'_>) -> u64 {
    let id = call.get();
    hash_bytes(composite_parent(&id).unwrap_or(&id).as_bytes())
}

fn number(what: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::decode::exact;

    fn of(record: &str) -> Unit {
        unit(&exact(record.as_bytes()).expect("an event"))
    }

    #[test]
    fn the_events_of_a_call_or_exchange_form_one_unit() {
        let started = |turn: &str, call: &str| {
            of(&format!(r#"{{"event_type":"tool_call_started","turn_id":"{turn}","call_id":"{call}","wave_idx":0}}"#))
        };
        assert_eq!(started("t", "c"), started("t", "c:step:4"));
        assert_ne!(started("t", "c"), started("t", "d"));
        assert_ne!(started("t", "c"), started("u", "c"));
        let guard = r#"{"event_type":"loop_guard_triggered","turn_id":"t","call_id":"c","reason":"x"}"#;
        assert_eq!(of(guard), started("t", "c"));
        let delta = r#"{"event_type":"model_delta","turn_id":"t","step_idx":1,"kind":"text","call_id":"c","text":""}"#;
        let message = r#"{"event_type":"model_message","turn_id":"t","step_idx":1,"usage":{"input_tokens":1,"output_tokens":2},"block_count":0}"#;
        assert_eq!(of(delta), of(message));
        let steer = r#"{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"x"}"#;
        assert_eq!(of(steer), Unit::Alone);
        let ended = r#"{"event_type":"turn_ended","turn_id":"t","outcome":"completed","total_steps":1}"#;
        assert!(matches!(of(ended), Unit::Frame(_)));
    }
}
