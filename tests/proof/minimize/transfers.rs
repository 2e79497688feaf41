//! The same laws over the events of random transfers: every state, every oracle and every violation is a unit.

use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::transfer::machine::Transfer;

use super::lab::Lab;
use crate::tests::random::lines;

const TRANSFERS: Lab<Transfer> = Lab { fresh: Default::default };

/// A state, or an entry of a journal.
fn event() -> impl Strategy<Value = Value> {
    any_of(0)
}

/// An entry of a journal, without states that the names of oracles refer to.
fn entry() -> impl Strategy<Value = Value> {
    any_of(1)
}

fn any_of(first_kind: u32) -> impl Strategy<Value = Value> {
    let oracle = prop::sample::select(vec!["quiescence", "obligation_leak", "odd"]);
    let severity = prop::sample::select(vec!["high", "low", "", "critical"]);
    (oracle, severity, first_kind..3, 0..3_u64, prop::option::of(0..3_u64)).prop_map(
        |(oracle, severity, kind, number, declared)| match kind {
            0 => json!({"manifest_hash": severity, "expected_manifest_hash": "high", "journal_gaps": number / 2,
                "pending_operations": number, "leaked_obligations": declared.unwrap_or_default(),
                "path_outcomes_consistent": number != 1}),
            1 => json!({"transfer": "oracle", "oracle": oracle, "events_recorded": number, "entities_tracked": 1,
                "passed": number == 0, "declared": declared, "violations": number / 2}),
            _ => json!({"transfer": "violation", "oracle": oracle, "type": "quiescence", "severity": severity,
                "description": "two permits never returned", "evidence": format!("permit-{number}")}),
        },
    )
}

/// Other names with the same sort order, so that findings keep their places.
fn renamed(event: &Value) -> Value {
    let mut event = event.clone();
    if let Some(name) = event["oracle"].as_str().filter(|name| !name.is_empty()) {
        event["oracle"] = json!(format!("my-{name}"));
    }
    event
}

fn as_values(text: &str, change: impl Fn(&Value) -> Value) -> Vec<Value> {
    text.lines().map(|line| change(&serde_json::from_str(line).expect("JSON"))).collect()
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(60, "minimize-transfers"))]

    #[test]
    fn any_finding_of_any_transfer_is_minimized(
        log in prop::collection::vec(event(), 1..30),
        pick in any::<prop::sample::Index>(),
    ) {
        let text = lines(&log);
        let found = TRANSFERS.findings(&text);
        prop_assume!(!found.is_empty());
        TRANSFERS.holds_the_laws(&text, &found[pick.index(found.len())])?;
    }

    #[test]
    fn renaming_oracles_and_minimizing_commute(
        log in prop::collection::vec(entry(), 1..30),
        pick in any::<prop::sample::Index>(),
    ) {
        let (text, other) = (lines(&log), lines(&log.iter().map(renamed).collect::<Vec<_>>()));
        let (found, found_other) = (TRANSFERS.findings(&text), TRANSFERS.findings(&other));
        prop_assume!(!found.is_empty());
        prop_assert_eq!(found.len(), found_other.len());
        let pick = pick.index(found.len());
        let (one, two) = (TRANSFERS.small(&text, &found[pick]), TRANSFERS.small(&other, &found_other[pick]));
        prop_assert_eq!(as_values(&one.text, renamed), as_values(&two.text, Value::clone));
        prop_assert_eq!(one.minimized.best.kept, two.minimized.best.kept);
    }
}
