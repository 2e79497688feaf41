//! Laws of minimizing over random turn logs: any events in any order, with any of their findings.

use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::turn::checker::TurnChecker;
use stepback::turn::machine::TurnLog;

use super::lab::Lab;
use crate::tests::random::{events, lines};

pub(super) const TURNS: Lab<TurnLog> = Lab { fresh: || TurnChecker::new(None) };

/// Other ids with the same sort order, so that findings keep their places.
fn renamed(event: &Value) -> Value {
    let mut event = event.clone();
    for key in ["turn_id", "call_id"] {
        if let Some(id) = event.get(key).and_then(Value::as_str) {
            event[key] = json!(format!("renamed-{id}"));
        }
    }
    event
}

fn renamed_text(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", renamed(&serde_json::from_str(line).expect("JSON")))).collect()
}

/// Keys sorted, as the renamed text has them.
fn sorted_text(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", serde_json::from_str::<Value>(line).expect("JSON"))).collect()
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(120, "minimize-laws"))]

    #[test]
    fn any_finding_of_any_log_is_minimized(log in events(40), pick in any::<prop::sample::Index>()) {
        let text = lines(&log);
        let found = TURNS.findings(&text);
        prop_assume!(!log.is_empty() && !found.is_empty());
        TURNS.holds_the_laws(&text, &found[pick.index(found.len())])?;
    }

    #[test]
    fn renaming_ids_and_minimizing_commute(log in events(40), pick in any::<prop::sample::Index>()) {
        let (text, other) = (lines(&log), lines(&log.iter().map(renamed).collect::<Vec<_>>()));
        let (found, found_other) = (TURNS.findings(&text), TURNS.findings(&other));
        prop_assume!(!found.is_empty());
        let pick = pick.index(found.len());
        prop_assert_eq!(found.len(), found_other.len());
        let (one, two) = (TURNS.small(&text, &found[pick]), TURNS.small(&other, &found_other[pick]));
        prop_assert_eq!(renamed_text(&one.text), sorted_text(&two.text));
        prop_assert_eq!(one.minimized.best.kept, two.minimized.best.kept);
    }

    #[test]
    fn a_budget_leaves_a_log_that_still_fails(log in events(40), pick in any::<prop::sample::Index>(), budget in 0..30_u64) {
        let text = lines(&log);
        let found = TURNS.findings(&text);
        prop_assume!(!log.is_empty() && !found.is_empty());
        let finding = &found[pick.index(found.len())];
        let small = TURNS.minimize(&text, finding, &super::lab::Ahead(3), Some(budget));
        prop_assert!(TURNS.reports(&small.text, finding));
        prop_assert!(small.minimized.tests <= budget);
        let whole = TURNS.small(&text, finding);
        prop_assert_eq!(small.minimized.complete, whole.minimized.tests <= budget);
    }
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(12, "minimize-laws"))]

    /// Long enough for prefix ledgers, so that using a wrong one would be noticed.
    #[test]
    fn long_logs_too(log in events(700), pick in any::<prop::sample::Index>()) {
        prop_assume!(log.len() > 300);
        let text = lines(&log);
        let found = TURNS.findings(&text);
        TURNS.holds_the_laws(&text, &found[pick.index(found.len())])?;
    }
}
