//! The process table of a session: its agents in the order in which they were first seen.

use std::sync::Arc;

use imbl::OrdMap;

use super::event::SessionEvent;
use super::state::shared;
use crate::replay::Seq;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentRow {
    pub id: Arc<str>,
    pub state: Arc<str>,
    pub parent: Option<Arc<str>>,
    pub role: Option<Arc<str>>,
    pub isolation: Option<Arc<str>>,
    /// How it ended.
    pub termination: Option<Arc<str>>,
    /// Its last event.
    pub at: Seq,
}

impl AgentRow {
    pub(crate) fn of(at: Seq, event: &SessionEvent<'_>) -> AgentRow {
        let text = |name: &str| shared(event.members.text(name));
        AgentRow {
            id: text("agent_id").unwrap_or_default(),
            state: text("state").unwrap_or_else(|| "running".into()),
            parent: text("parent_session_id"),
            role: text("role"),
            isolation: text("isolation"),
            termination: text("result_termination"),
            at,
        }
    }

    pub(crate) fn has_exited(&self) -> bool {
        matches!(&*self.state, "joined" | "failed")
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AgentTable {
    pub rows: OrdMap<u32, Arc<AgentRow>>,
    by_id: OrdMap<Arc<str>, u32>,
    /// Those that have not exited, by their last events.
    pub running: OrdMap<u32, Arc<AgentRow>>,
}

impl AgentTable {
    pub(crate) fn apply(&mut self, row: AgentRow) {
        let next = self.rows.len() as u32;
        let place = *self.by_id.entry(Arc::clone(&row.id)).or_insert(next);
        if let Some(before) = self.rows.get(&place) {
            self.running.remove(&before.at.0);
        }
        let row = Arc::new(row);
        if !row.has_exited() {
            self.running.insert(row.at.0, Arc::clone(&row));
        }
        self.rows.insert(place, row);
    }

    pub(crate) fn entries(&self) -> usize {
        2 * self.rows.len() + self.running.len()
    }
}
