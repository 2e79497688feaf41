//! The state of a replayed transfer: the last observed state, what it violates and since when, and the journal so far.

use std::sync::Arc;

use serde_json::{Value, json};

use super::checker::severity;
use super::event::{JournalEntry, ObservedState, STATE_MEMBERS, TransferEvent};
use super::oracle::{OBLIGATION_LEAK, ORACLE_COUNT, ORACLES, QUIESCENCE};
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::machine::Obligation;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TransferState {
    states: u64,
    observed: Option<Arc<ObservedState>>,
    /// For each oracle, the state since which it is violated.
    violated: [Option<Seq>; ORACLE_COUNT],
    journal: JournalSummary,
}

/// The results in the journal so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct JournalSummary {
    oracle: Arc<str>,
    oracles: u64,
    passed: u64,
    failed: u64,
    violations: u64,
    events_recorded: u64,
    worst: Option<Severity>,
}

/// A field of the state: its name and its value.
type TransferField = (&'static str, fn(&TransferState) -> Value);

/// The members of the observed state come first, in their own order, then what follows from it, then the journal.
pub(crate) const FIELDS: [TransferField; 15] = [
    (STATE_MEMBERS[0], |state| state.observed(|observed| json!(observed.manifest_hash))),
    (STATE_MEMBERS[1], |state| state.observed(|observed| json!(observed.expected_manifest_hash))),
    (STATE_MEMBERS[2], |state| state.observed(|observed| json!(observed.journal_gaps))),
    (STATE_MEMBERS[3], |state| state.observed(|observed| json!(observed.pending_operations))),
    (STATE_MEMBERS[4], |state| state.observed(|observed| json!(observed.leaked_obligations))),
    (STATE_MEMBERS[5], |state| state.observed(|observed| json!(observed.path_outcomes_consistent))),
    ("violated", |state| json!(state.violated().collect::<Vec<_>>())),
    ("states", |state| json!(state.states)),
    ("oracle", |state| json!(*state.journal.oracle)),
    ("oracles", |state| json!(state.journal.oracles)),
    ("passed", |state| json!(state.journal.passed)),
    ("failed", |state| json!(state.journal.failed)),
    ("violations", |state| json!(state.journal.violations)),
    ("events_recorded", |state| json!(state.journal.events_recorded)),
    ("worst", |state| json!(state.journal.worst.map(Severity::name))),
];

/// The field with the violated oracles.
pub(crate) const VIOLATED: u8 = 6;
/// The number of fields that only states write, not journals.
const FIELDS_OF_STATES: u8 = 8;

pub(crate) const FIELD_NAMES: &[&str] = &{
    let mut names = [""; FIELDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = FIELDS[at].0;
        at += 1;
    }
    names
};

impl TransferState {
    fn observed(&self, value: impl FnOnce(&ObservedState) -> Value) -> Value {
        self.observed.as_deref().map_or(Value::Null, value)
    }

    /// The names of the oracles that the last observed state violates.
    pub(crate) fn violated(&self) -> impl Iterator<Item = &'static str> {
        ORACLES.iter().zip(&self.violated).filter_map(|(oracle, since)| since.map(|_| oracle.name))
    }

    pub(crate) fn apply(&mut self, at: Seq, event: &TransferEvent) {
        match event {
            TransferEvent::State(observed) => {
                self.states += 1;
                for (oracle, since) in ORACLES.iter().zip(&mut self.violated) {
                    *since = (oracle.judge)(observed).map(|_| since.unwrap_or(at));
                }
                if self.observed.as_deref() != Some(observed) {
                    self.observed = Some(Arc::new(observed.clone()));
                }
            }
            TransferEvent::Journal(entry) => self.journal.add(entry),
        }
    }

    /// The numbers of the fields that may differ from those of another state: of the states, of the journal, or both.
    pub(crate) fn suspects(&self, other: &TransferState) -> impl Iterator<Item = u8> {
        let in_states = (self.states, &self.observed, self.violated) != (other.states, &other.observed, other.violated);
        let in_journal = self.journal != other.journal;
        (0..FIELDS.len() as u8).filter(move |field| if *field < FIELDS_OF_STATES { in_states } else { in_journal })
    }

    /// What the last state leaves open: operations that are pending, and obligations that leaked.
    pub(crate) fn obligations(&self) -> Vec<Obligation> {
        let Some(observed) = self.observed.as_deref() else { return Vec::new() };
        let open = [
            ("pending operations", observed.pending_operations, QUIESCENCE),
            ("leaked obligations", observed.leaked_obligations, OBLIGATION_LEAK),
        ];
        let open = open.into_iter().filter_map(|(what, count, oracle)| {
            Some(Obligation { what, subject: count.to_string().into(), since: self.violated[oracle]? })
        });
        let mut open: Vec<Obligation> = open.collect();
        open.sort_by_key(|obligation| obligation.since);
        open
    }
}

impl JournalSummary {
    fn add(&mut self, entry: &JournalEntry) {
        match entry {
            JournalEntry::Oracle(verdict) => {
                self.oracle = verdict.oracle.as_str().into();
                self.oracles += 1;
                self.passed += u64::from(verdict.passed);
                self.failed += u64::from(!verdict.passed);
                self.events_recorded = self.events_recorded.saturating_add(verdict.events_recorded);
            }
            JournalEntry::Violation(violation) => {
                self.violations += 1;
                self.worst = self.worst.max(Some(severity(violation)));
            }
        }
    }
}
