//! The identity of a session event within its run, its unit when a log is minimized, and the values that differ in
//! every run.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::event::SessionEvent;
use super::kind::SessionKind;
use crate::json::text::Text;
use crate::replay::imprint::{Drifting, Names};
use crate::replay::machine::Unit;

/// Ids and references to stored data are made up in every run; token counts and queue depths depend on circumstances.
pub(crate) const DRIFTING: Drifting = Drifting {
    names: &[
        "run_id",
        "id",
        "call_id",
        "agent_id",
        "parent_session_id",
        "session_id",
        "signal_id",
        "memory_id",
        "archive_ref",
        "spool_ref",
        "handoff_ref",
        "pending_calls",
    ],
    drift: &["token_count", "total_tokens", "summary_tokens", "queue_depth", "provider_replay"],
};

/// The members that say what an event is about and do not differ between runs.
const SUBJECTS: [&str; 8] = ["tool", "tool_name", "reason", "budget", "phase_id", "role", "state", "memory_kind"];
/// The members that name what an event is about.
const NAMED: [&str; 5] = ["call_id", "agent_id", "signal_id", "memory_id", "run_id"];

/// Kind and name if names are exact; otherwise kind, turn and subject.
pub(crate) fn identity(event: &SessionEvent<'_>, names: Names) -> u64 {
    let mut hasher = DefaultHasher::new();
    event.name.hash().hash(&mut hasher);
    let mut is_named = false;
    if names == Names::Exact {
        for name in NAMED {
            let text = event.members.text(name).map(|text| text.hash());
            is_named |= text.is_some();
            text.hash(&mut hasher);
        }
        event.call().map(|call| call.hash()).hash(&mut hasher);
    }
    if !is_named {
        event.turn().hash(&mut hasher);
    }
    for name in SUBJECTS {
        event.members.text(name).map(|text| text.hash()).hash(&mut hasher);
    }
    hasher.finish()
}

/// All events of a call, or all events of an agent, are removed together.
pub(crate) fn unit(event: &SessionEvent<'_>) -> Unit {
    let number = |what: &str, id: &Text<'_>| {
        let mut hasher = DefaultHasher::new();
        (what, id.hash()).hash(&mut hasher);
        Unit::Of(hasher.finish())
    };
    match event.kind {
        SessionKind::AgentProcessChanged => number("agent", &event.members.text("agent_id").unwrap_or_default()),
        _ => event.call().map_or(Unit::Alone, |call| number("call", &call)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::*;

    #[test]
    fn a_call_is_identified_by_its_id_or_its_tool() {
        let gated = |call: &str, turn: u32| {
            let event = format!(r#"{{"kind":"tool_gated","turn":{turn},"call_id":"{call}","tool":"t","reason":"r"}}"#);
            let event = decode(event.as_bytes()).expect("an event");
            (identity(&event, Names::Exact), identity(&event, Names::Fresh), unit(&event))
        };
        let (one, other) = (gated("a", 1), gated("b", 1));
        assert_ne!(one.0, other.0);
        assert_eq!(one.1, other.1);
        assert_eq!(one.0, gated("a", 2).0);
        assert_ne!(one.2, other.2);
        let result = br#"{"kind":"tool_completed","turn":1,"results":[{"call_id":"a","output":"","is_error":false}]}"#;
        assert_eq!(unit(&decode(result).expect("an event")), one.2);
    }
}
