//! Checks of agent processes: each starts once, exits once, and keeps its parent.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::json::text::Text;
use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};
use crate::session::checks;
use crate::session::event::SessionEvent;
use crate::session::kind::SessionKind;

#[derive(Clone, Default)]
pub(crate) struct AgentAudit {
    agents: FxHashMap<u64, AuditedAgent>,
}

#[derive(Clone)]
struct AuditedAgent {
    /// The parent that its first event names.
    parent: Option<Arc<str>>,
    /// Its name and last event, if it has not exited.
    running: Option<(Arc<str>, Seq)>,
}

impl AgentAudit {
    pub(crate) fn see(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        if event.kind != SessionKind::AgentProcessChanged {
            return;
        }
        let id = event.members.text("agent_id").unwrap_or_default();
        let state = event.process_state();
        let is_exit = state.as_ref().is_some_and(|state| *state == *"joined" || *state == *"failed");
        let parent = event.members.text("parent_session_id");
        let name = || -> Arc<str> { Arc::from(&*id.get()) };
        let state_name = || state.as_ref().map_or_else(|| "running".to_owned(), |state| state.get().into_owned());
        let running = (!is_exit).then(|| (name(), at));
        let Some(agent) = self.agents.get_mut(&id.hash()) else {
            if is_exit {
                let finding = Finding::new(&checks::PROCESS_EXIT_WITHOUT_SPAWN, [at]).about("agent", name());
                findings.push(finding.expected("a start of the agent first").actual(state_name()));
            }
            let parent = parent.map(|parent| Arc::from(&*parent.get()));
            self.agents.insert(id.hash(), AuditedAgent { parent, running });
            return;
        };
        if agent.running.is_none() {
            let check = if is_exit { &checks::PROCESS_EXIT_REPEATED } else { &checks::PROCESS_RESTARTED };
            let finding = Finding::new(check, [at]).about("agent", name());
            findings.push(finding.expected("no event after the exit").actual(state_name()));
        }
        if parent.as_ref().map(Text::get).as_deref() != agent.parent.as_deref() {
            let shown = |parent: Option<&str>| parent.unwrap_or("not named").to_owned();
            let finding = Finding::new(&checks::PROCESS_PARENT_CHANGED, [at]).about("agent", name());
            let actual = shown(parent.as_ref().map(Text::get).as_deref());
            findings.push(finding.expected(shown(agent.parent.as_deref())).actual(actual));
        }
        agent.running = running;
    }

    /// How many agents have not exited.
    pub(crate) fn running(&self) -> usize {
        self.agents.values().filter(|agent| agent.running.is_some()).count()
    }

    /// `last_end` is the last end of a run.
    pub(crate) fn finish(&self, last_end: Option<Seq>, findings: &mut Findings) {
        let Some(last_end) = last_end else { return };
        let mut left: Vec<&(Arc<str>, Seq)> =
            self.agents.values().filter_map(|agent| agent.running.as_ref()).filter(|(_, at)| *at < last_end).collect();
        left.sort_unstable_by_key(|(_, at)| *at);
        for (agent, at) in left {
            let finding = Finding::new(&checks::PROCESS_LEFT_RUNNING, [*at]).about("agent", Arc::clone(agent));
            findings.push(finding.expected("joined or failed").actual(format!("the run ended at event {last_end}")));
        }
    }
}
