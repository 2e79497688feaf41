//! Events of a transfer: its states as recorded, and the entries of a journal, one per oracle and one per violation.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::replay::machine::Malformed;

/// One event, a JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TransferEvent {
    State(ObservedState),
    Journal(JournalEntry),
}

/// The state of a transfer when it was observed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "a transfer state")]
pub(crate) struct ObservedState {
    pub manifest_hash: String,
    pub expected_manifest_hash: String,
    pub journal_gaps: u64,
    pub pending_operations: u64,
    pub leaked_obligations: u64,
    pub path_outcomes_consistent: bool,
}

/// The members of a transfer state.
pub(crate) const STATE_MEMBERS: [&str; 6] = [
    "manifest_hash",
    "expected_manifest_hash",
    "journal_gaps",
    "pending_operations",
    "leaked_obligations",
    "path_outcomes_consistent",
];

/// An entry of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "transfer", rename_all = "lowercase")]
pub(crate) enum JournalEntry {
    Oracle(Verdict),
    Violation(Violation),
}

/// The result of one oracle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Verdict {
    pub oracle: String,
    pub events_recorded: u64,
    pub entities_tracked: u64,
    pub passed: bool,
    /// The number of violations that the journal declares, if it does.
    pub declared: Option<u64>,
    /// The number of violations that it lists.
    pub violations: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Violation {
    pub oracle: String,
    pub r#type: String,
    pub severity: String,
    pub description: String,
    pub evidence: String,
    /// The number of the state that violates the oracle, if the journal names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u32>,
}

/// The member that only entries of a journal have.
#[derive(Deserialize)]
#[serde(expecting = "a transfer state")]
struct Tag {
    transfer: Option<IgnoredAny>,
}

impl TransferEvent {
    pub(crate) fn decode(record: &[u8]) -> Result<TransferEvent, Malformed> {
        let decoded = match serde_json::from_slice(record) {
            Ok(Tag { transfer: Some(_) }) => serde_json::from_slice(record).map(TransferEvent::Journal),
            Ok(Tag { transfer: None }) => serde_json::from_slice(record).map(TransferEvent::State),
            Err(error) => Err(error),
        };
        decoded.map_err(|error| {
            let place = format!(" at line {} column {}", error.line(), error.column());
            let mut malformed = Malformed::from(error);
            // Without the place, because the reason is part of the fingerprint: a state may be formatted in any way.
            let length = malformed.reason.strip_suffix(&place).map_or(malformed.reason.len(), str::len);
            malformed.reason.truncate(length);
            malformed
        })
    }

    pub(crate) fn to_json(&self) -> Value {
        match self {
            TransferEvent::State(state) => json!(state),
            TransferEvent::Journal(entry) => json!(entry),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A state that satisfies every oracle.
    pub(crate) const CLEAN: &str = r#"{"manifest_hash":"a","expected_manifest_hash":"a","journal_gaps":0,"pending_operations":0,"leaked_obligations":0,"path_outcomes_consistent":true}"#;

    #[test]
    fn states_and_journal_entries_are_told_apart_by_the_tag() {
        let event = TransferEvent::decode(CLEAN.as_bytes()).expect("a state");
        assert_eq!(event.to_json(), serde_json::from_str::<Value>(CLEAN).expect("JSON"));
        let entry = r#"{"transfer":"oracle","oracle":"o","events_recorded":1,"entities_tracked":0,"passed":true,"violations":0}"#;
        let event = TransferEvent::decode(entry.as_bytes()).expect("an entry");
        assert!(matches!(event, TransferEvent::Journal(JournalEntry::Oracle(_))), "{event:?}");
    }

    #[test]
    fn a_malformed_state_has_a_reason_that_does_not_depend_on_its_format() {
        let missing = CLEAN.replace(r#""journal_gaps":0,"#, "");
        let reason = |text: &str| TransferEvent::decode(text.as_bytes()).expect_err("malformed").reason;
        assert_eq!(reason(&missing), "missing field `journal_gaps`");
        assert_eq!(reason(&missing.replace(',', ",\n  ")), reason(&missing));
        for (from, to, expected) in [
            ("true", "\"yes\"", "invalid type: string \"yes\", expected a boolean"),
            ("gaps\":0", "gaps\":-1", "invalid value: integer `-1`, expected u64"),
            ("gaps\":0", "gaps\":1.5", "invalid type: floating point `1.5`, expected u64"),
            ("hash\":\"a\"", "hash\":null", "invalid type: null, expected a string"),
        ] {
            assert_eq!(reason(&CLEAN.replacen(from, to, 1)), expected);
        }
        assert_eq!(reason("7"), "invalid type: integer `7`, expected a transfer state");
    }
}
