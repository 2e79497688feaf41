//! The operating-system snapshot of a session: the fold that the core format and the SDKs define.
//!
//! Both fold the same events by the same rules. The core folds only events that it decodes and never counts retrieval
//! results, which is a known defect that is kept for comparison; the SDKs fold every event and count them.

use std::sync::Arc;

use imbl::OrdMap;
use serde_json::{Map, Value, json};

use super::event::SessionEvent;
use super::kind::SessionKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SnapshotRules {
    Core,
    Sdk,
}

/// A list that only grows, or whose entries are replaced in place. Clones share their entries.
pub(crate) type SharedList = OrdMap<u32, Arc<Value>>;

/// The snapshot after some events. Values are as the events have them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OsSnapshot {
    pub last_suspend: Option<Arc<Value>>,
    pub last_resumed_turn: Option<Arc<Value>>,
    pub processes: SharedList,
    /// The entry of each agent.
    by_agent: OrdMap<Arc<str>, u32>,
    pub budgets: SharedList,
    pub signals: SharedList,
    pub counters: [u32; COUNTERS.len()],
}

/// The counters in the order of [`OsSnapshot::counters`], with the kinds that they count.
pub(crate) const COUNTERS: [(&str, SessionKind); 8] = [
    ("page_out_count", SessionKind::PageOut),
    ("page_in_count", SessionKind::PageIn),
    ("tool_gated_count", SessionKind::ToolGated),
    ("memory_written_count", SessionKind::MemoryWritten),
    ("memory_queried_count", SessionKind::MemoryQueried),
    ("memory_validation_failed_count", SessionKind::MemoryValidationFailed),
    ("memory_retrieval_result_count", SessionKind::MemoryRetrievalResult),
    ("spool_count", SessionKind::LargeResultSpooled),
];

/// What an event changes in a snapshot. Both snapshots share its values.
#[derive(Clone)]
pub(crate) enum SnapshotChange {
    Suspended(Arc<Value>),
    Resumed(Option<Arc<Value>>),
    Process(Arc<str>, Arc<Value>),
    Budget(Arc<Value>),
    Signal(Arc<Value>),
    Counted(usize),
}

impl SnapshotChange {
    /// The change of an event; `None` if it leaves no trace.
    pub(crate) fn of(event: &SessionEvent<'_>) -> Option<SnapshotChange> {
        let value = |name: &str| event.members.value(name);
        let or = |name: &str, absent: Value| Some(value(name)).filter(|value| !value.is_null()).unwrap_or(absent);
        let copied = |names: &[&str]| Arc::new(json_of(names.iter().map(|name| (*name, value(name)))));
        let change = match event.kind {
            SessionKind::Suspended => {
                let pending = or("pending_calls", json!([]));
                let members = [("turn", value("turn")), ("reason", value("reason")), ("pending_calls", pending)];
                SnapshotChange::Suspended(Arc::new(json_of(members)))
            }
            SessionKind::Resumed => {
                SnapshotChange::Resumed(Some(value("turn")).filter(|turn| !turn.is_null()).map(Arc::new))
            }
            SessionKind::AgentProcessChanged => {
                // An id that is not a string shares the entry of the empty id.
                let id = event.members.text("agent_id").unwrap_or_default();
                let entry = json_of([
                    ("turn", value("turn")),
                    ("agent_id", value("agent_id")),
                    ("parent_session_id", value("parent_session_id")),
                    ("state", or("state", json!("running"))),
                ]);
                SnapshotChange::Process(Arc::from(&*id.get()), Arc::new(entry))
            }
            SessionKind::BudgetExceeded => SnapshotChange::Budget(copied(&["turn", "budget"])),
            SessionKind::SignalDisposed => {
                SnapshotChange::Signal(copied(&["turn", "signal_id", "disposition", "queue_depth"]))
            }
            kind => SnapshotChange::Counted(COUNTERS.iter().position(|(_, counted)| *counted == kind)?),
        };
        Some(change)
    }
}

impl OsSnapshot {
    pub(crate) fn apply(&mut self, change: SnapshotChange, rules: SnapshotRules) {
        match change {
            SnapshotChange::Suspended(value) => self.last_suspend = Some(value),
            SnapshotChange::Resumed(turn) => self.last_resumed_turn = turn,
            SnapshotChange::Process(agent, entry) => {
                // The first event of an agent appends an entry, later ones replace it.
                let next = self.processes.len() as u32;
                let place = *self.by_agent.entry(agent).or_insert(next);
                self.processes.insert(place, entry);
            }
            SnapshotChange::Budget(entry) => append(&mut self.budgets, entry),
            SnapshotChange::Signal(entry) => append(&mut self.signals, entry),
            SnapshotChange::Counted(counter) => {
                let is_retrieval = COUNTERS[counter].1 == SessionKind::MemoryRetrievalResult;
                if rules == SnapshotRules::Sdk || !is_retrieval {
                    self.counters[counter] = self.counters[counter].saturating_add(1);
                }
            }
        }
    }

    /// Applies an event, if it leaves a trace.
    pub(crate) fn see(&mut self, event: &SessionEvent<'_>, rules: SnapshotRules) {
        if let Some(change) = SnapshotChange::of(event) {
            self.apply(change, rules);
        }
    }

    pub(crate) fn to_json(&self, rules: SnapshotRules) -> Value {
        let optional = |value: &Option<Arc<Value>>| value.as_deref().cloned().unwrap_or_default();
        let mut document = json!({
            "last_suspend": optional(&self.last_suspend),
            "last_resumed_turn": optional(&self.last_resumed_turn),
            "process_by_agent": list_value(&self.processes),
            "budget_exceeded": list_value(&self.budgets),
            "signals": list_value(&self.signals),
        });
        for ((name, kind), count) in COUNTERS.iter().zip(self.counters) {
            // The core does not count spooled results.
            if rules == SnapshotRules::Sdk || *kind != SessionKind::LargeResultSpooled {
                document[*name] = json!(count);
            }
        }
        document
    }

    /// The approximate number of entries in its lists.
    pub(crate) fn entries(&self) -> usize {
        2 * self.processes.len() + self.budgets.len() + self.signals.len()
    }
}

fn json_of<'n>(members: impl IntoIterator<Item = (&'n str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

fn append(list: &mut SharedList, entry: Arc<Value>) {
    list.insert(list.len() as u32, entry);
}

pub(crate) fn list_value(list: &SharedList) -> Value {
    list.values().map(|entry| (**entry).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::*;

    fn folded(events: &[&str], rules: SnapshotRules) -> Value {
        let mut snapshot = OsSnapshot::default();
        for event in events {
            snapshot.see(&decode(event.as_bytes()).expect("an event"), rules);
        }
        snapshot.to_json(rules)
    }

    #[test]
    fn the_newest_state_wins_in_the_place_of_the_first() {
        let events = [
            r#"{"kind":"agent_process_changed","turn":1,"agent_id":"a","parent_session_id":"p"}"#,
            r#"{"kind":"agent_process_changed","turn":2,"agent_id":"b","parent_session_id":"p","state":"failed"}"#,
            r#"{"kind":"agent_process_changed","turn":0,"agent_id":"a","state":"joined"}"#,
            r#"{"kind":"agent_process_changed","agent_id":7}"#,
            r#"{"kind":"agent_process_changed","agent_id":""}"#,
        ];
        let table = folded(&events, SnapshotRules::Sdk)["process_by_agent"].clone();
        assert_eq!(
            table,
            json!([
                {"turn": 0, "agent_id": "a", "parent_session_id": null, "state": "joined"},
                {"turn": 2, "agent_id": "b", "parent_session_id": "p", "state": "failed"},
                {"turn": null, "agent_id": "", "parent_session_id": null, "state": "running"},
            ])
        );
    }

    #[test]
    fn only_the_sdks_count_retrievals_and_spools() {
        let events = [r#"{"kind":"memory_retrieval_result"}"#, r#"{"kind":"large_result_spooled"}"#];
        let core = folded(&events, SnapshotRules::Core);
        assert_eq!((&core["memory_retrieval_result_count"], core.get("spool_count")), (&json!(0), None));
        let sdk = folded(&events, SnapshotRules::Sdk);
        assert_eq!((&sdk["memory_retrieval_result_count"], &sdk["spool_count"]), (&json!(1), &json!(1)));
    }
}
