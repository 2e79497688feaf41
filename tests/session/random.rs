//! Random session logs: small alphabets, so that events collide and contradict each other.

use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::session::kind::SessionKind;

/// Records of at most `most` events in any order, bare or numbered, some of them damaged.
pub(super) fn records(most: usize) -> impl Strategy<Value = Vec<String>> {
    let record =
        (event(), 0..30_u32, prop::option::of(0..6_u64)).prop_map(|(event, damage, seq)| match (damage, seq) {
            (0, _) => r#"{"seq":3,"event":null}"#.to_owned(),
            (1, _) => r#"{"turn":1}"#.to_owned(),
            (2, _) => r#"{"kind":"suspended","turn":"#.to_owned(),
            (3, _) => r#"{"seq":4,"event":{"event":{"kind":"resumed","turn":1}}}"#.to_owned(),
            (_, Some(seq)) => format!(r#"{{"seq":{seq},"event":{event}}}"#),
            (_, None) => event.to_string(),
        });
    prop::collection::vec(record, 1..most)
}

/// An event of any kind with members of other kinds, often of the wrong type.
pub(super) fn event() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(SessionKind::ALL).prop_map(SessionKind::name);
    (kind, prop::collection::vec(member(), 0..9)).prop_map(|(kind, members)| {
        let mut event = json!({"kind": kind});
        for (name, value) in members {
            event[name] = value;
        }
        event
    })
}

fn member() -> impl Strategy<Value = (&'static str, Value)> {
    let id = || prop::sample::select(vec!["a", "b", "c", ""]).prop_map(Value::from);
    let ids = || prop::collection::vec(id(), 0..3).prop_map(Value::from);
    let number = || (0..5_u64).prop_map(Value::from);
    let odd = || prop::sample::select(vec![json!(null), json!(-1), json!(1.5), json!({"x": [1]}), json!("é\n\"")]);
    let call = || (id(), id()).prop_map(|(id, name)| json!({"id": id, "name": name, "arguments": {}}));
    let calls = || prop::collection::vec(call(), 0..3).prop_map(Value::from);
    let result =
        (id(), any::<bool>()).prop_map(|(id, is_error)| json!({"call_id": id, "output": "o", "is_error": is_error}));
    let named = |names: &'static [&'static str], value: BoxedStrategy<Value>| (prop::sample::select(names), value);
    prop_oneof![
        6 => named(&["turn", "history_len", "checkpoint_history_len", "queue_depth", "entry_count"], number().boxed()),
        6 => named(&["call_id", "agent_id", "tool", "signal_id", "run_id", "reason", "budget"], id().boxed()),
        3 => named(&["pending_calls", "approved", "denied", "criteria"], ids().boxed()),
        3 => named(&["calls", "tool_calls"], calls().boxed()),
        3 => named(&["results"], prop::collection::vec(result, 0..3).prop_map(Value::from).boxed()),
        2 => named(&["message"], calls().prop_map(|calls| json!({"role": "assistant", "content": "x", "tool_calls": calls})).boxed()),
        2 => named(&["category", "primitive"], prop::sample::select(vec!["sched", "mm", "proc", "x"]).prop_map(Value::from).boxed()),
        2 => named(&["state"], prop::sample::select(vec!["running", "joined", "failed"]).prop_map(Value::from).boxed()),
        2 => named(&["parent_session_id", "goal", "summary", "role", "disposition", "error", "phase_id"], id().boxed()),
        2 => named(&["requires_async_response"], any::<bool>().prop_map(Value::from).boxed()),
        2 => named(&["archived_seq_range"], prop::collection::vec(number(), 0..4).prop_map(Value::from).boxed()),
        2 => named(&["turn", "category", "calls", "state", "agent_id", "pending_calls", "event"], odd().boxed()),
    ]
}
