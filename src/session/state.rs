//! The state of a session according to its log: what is open, who runs, and both snapshots.

use std::sync::Arc;

use imbl::OrdMap;

use super::agent::{AgentRow, AgentTable};
use super::call_path::{CallTable, EndedCall};
use super::conversation;
use super::event::SessionEvent;
use super::kind::SessionKind;
use super::members::Members;
use super::snapshot::{OsSnapshot, SnapshotChange, SnapshotRules};
use crate::json::text::Text;
use crate::replay::Seq;
use crate::replay::machine::Obligation;

/// All maps are shared, so the cost of cloning does not depend on the length of the log.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct SessionState {
    pub outcome: Option<Arc<RunOutcome>>,
    pub suspended: Option<Arc<OpenSuspension>>,
    pub calls: CallTable,
    pub agents: AgentTable,
    /// Memory queries without an answer, by their events.
    pub memory_queries: OrdMap<u32, Arc<str>>,
    /// Ids that are gated or denied and not approved since.
    pub held: OrdMap<Arc<str>, Hold>,
    pub last_error: Option<Arc<str>>,
    pub milestone: Option<Arc<str>>,
    pub turn: Option<u64>,
    pub queue_depth: Option<u64>,
    pub messages: u64,
    pub compressions: u64,
    pub rollbacks: u64,
    pub renewals: u64,
    pub checkpoint: Option<u64>,
    pub spooled_bytes: u64,
    pub core: OsSnapshot,
    pub sdk: OsSnapshot,
}

/// The ending of the last run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunOutcome {
    Open { run: Option<Arc<str>> },
    Ended { reason: Arc<str>, turns: Option<u64>, tokens: Option<u64> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenSuspension {
    pub at: Seq,
    pub reason: Arc<str>,
    pub waits_for: Vec<Arc<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    Gated,
    Denied,
}

/// Longer texts of errors are cut.
const ERROR_CHARACTERS: usize = 160;

pub(super) fn shared(text: Option<Text<'_>>) -> Option<Arc<str>> {
    text.map(|text| Arc::from(&*text.get()))
}

impl SessionState {
    pub(crate) fn apply(&mut self, at: Seq, event: &SessionEvent<'_>) {
        if let Some(change) = SnapshotChange::of(event) {
            if event.is_core() {
                self.core.apply(change.clone(), SnapshotRules::Core);
            }
            self.sdk.apply(change, SnapshotRules::Sdk);
        }
        self.turn = event.turn().or(self.turn);
        self.calls.apply(at, event);
        let members = &event.members;
        let text = |name: &str| shared(members.text(name));
        match event.kind {
            SessionKind::RunStarted => {
                self.outcome = Some(Arc::new(RunOutcome::Open { run: text("run_id") }));
                self.messages += 1;
            }
            SessionKind::RunTerminal => {
                let reason = text("reason").unwrap_or_else(|| "?".into());
                let (turns, tokens) = (members.number("turns_used"), members.number("total_tokens"));
                self.outcome = Some(Arc::new(RunOutcome::Ended { reason, turns, tokens }));
            }
            SessionKind::LlmCompleted => self.messages += 1,
            SessionKind::ToolCompleted => self.apply_results(event),
            SessionKind::ToolGated => self.hold(text("call_id"), Hold::Gated),
            SessionKind::ToolDenied => {
                self.hold(text("call_id"), Hold::Denied);
                self.fail(members, "call_id", "denied", "reason");
            }
            SessionKind::Suspended => {
                let reason = text("reason").unwrap_or_default();
                let waits_for = members.strings("pending_calls").iter().map(|id| Arc::from(&*id.get())).collect();
                self.suspended = Some(Arc::new(OpenSuspension { at, reason, waits_for }));
            }
            SessionKind::Resumed => {
                self.suspended = None;
                members.strings("denied").into_iter().for_each(|id| self.hold(shared(Some(id)), Hold::Denied));
                for id in members.strings("approved") {
                    self.held.remove(&*id.get());
                }
            }
            SessionKind::AgentProcessChanged => self.agents.apply(AgentRow::of(at, event)),
            SessionKind::SignalDisposed => self.queue_depth = members.number("queue_depth").or(self.queue_depth),
            SessionKind::MemoryQueried if members.flag("requires_async_response") == Some(true) => {
                let query = text("query_context").or_else(|| text("query")).unwrap_or_default();
                self.memory_queries.insert(at.0, query);
            }
            SessionKind::MemoryRetrievalResult => {
                let oldest = self.memory_queries.get_min().map(|(at, _)| *at);
                oldest.map(|at| self.memory_queries.remove(&at));
            }
            SessionKind::MemoryValidationFailed => self.fail(members, "memory_id", "not valid", "error"),
            _ => self.apply_context(event),
        }
    }

    fn apply_context(&mut self, event: &SessionEvent<'_>) {
        let members = &event.members;
        match event.kind {
            SessionKind::Compressed => {
                self.compressions += 1;
                self.messages += u64::from(members.text("summary").is_some());
            }
            SessionKind::ContextRenewed => self.renewals += 1,
            SessionKind::LargeResultSpooled => {
                let size = members.number("original_size").unwrap_or_default();
                self.spooled_bytes = self.spooled_bytes.saturating_add(size);
            }
            SessionKind::CheckpointTaken => self.checkpoint = members.number("history_len").or(self.checkpoint),
            SessionKind::Rollbacked => {
                self.rollbacks += 1;
                let length = members.number("checkpoint_history_len").unwrap_or(u64::MAX);
                self.messages = self.messages.min(length);
                if let Some(cause) = members.members("reason") {
                    self.fail(&cause, "tool_name", &format!("rollback: {}", word(&cause, "kind")), "error");
                }
            }
            SessionKind::MilestoneAdvanced => {
                self.milestone = Some(format!("{} reached", word(members, "phase_id")).into())
            }
            SessionKind::MilestoneBlocked => {
                self.milestone = Some(format!("{} blocked", word(members, "phase_id")).into());
                self.fail(members, "phase_id", "blocked", "reason");
            }
            _ => {}
        }
    }

    fn apply_results(&mut self, event: &SessionEvent<'_>) {
        for result in event.results() {
            self.messages += 1;
            if result.flag("is_error") == Some(true) {
                let output = conversation::text_of(&result, "output");
                self.last_error = Some(cut(&format!("{} failed: {output}", word(&result, "call_id"))));
            }
        }
    }

    fn hold(&mut self, id: Option<Arc<str>>, hold: Hold) {
        if let Some(id) = id {
            // A denial outlasts a gate.
            let is_denied = self.held.get(&id) == Some(&Hold::Denied);
            self.held.insert(id, if is_denied { Hold::Denied } else { hold });
        }
    }

    fn fail(&mut self, members: &Members<'_>, subject: &str, what: &str, why: &str) {
        let parts = [word(members, subject), what.to_owned(), word(members, why)];
        let text = match parts {
            [subject, what, why] if why.is_empty() => format!("{subject} {what}"),
            [subject, what, why] => format!("{subject} {what}: {why}"),
        };
        self.last_error = Some(cut(text.trim_start()));
    }

    /// The calls that ended with the last event that ended any.
    pub(crate) fn last_calls(&self) -> &[EndedCall] {
        self.calls.ended()
    }

    /// What is open, oldest first, and how much of it there is.
    pub(crate) fn obligations(&self, most: usize) -> (Vec<Obligation>, usize) {
        let obligation = |what, subject: Arc<str>, since| Obligation { what, subject, since };
        let mut list: Vec<Obligation> = Vec::new();
        let mut count = self.calls.waiting.len() + self.calls.permissions.len();
        count += self.memory_queries.len() + self.agents.running.len();
        if let Some(open) = &self.suspended {
            let subject = match open.waits_for.as_slice() {
                [] => Arc::clone(&open.reason),
                ids => format!("{} for {}", open.reason, ids.join(", ")).into(),
            };
            list.push(obligation("suspended", subject, open.at));
            count += 1;
        }
        let waiting = self.calls.waiting.iter().take(most);
        list.extend(waiting.map(|(at, call)| obligation("call not answered", call.named().into(), Seq(at.0))));
        let permissions = self.calls.permissions.iter().take(most);
        list.extend(permissions.map(|(at, asked)| obligation("permission not answered", asked.tool.clone(), Seq(*at))));
        let queries = self.memory_queries.iter().take(most);
        list.extend(queries.map(|(at, query)| obligation("memory query not answered", query.clone(), Seq(*at))));
        let agents = self.agents.running.iter().take(most);
        list.extend(agents.map(|(at, agent)| obligation("agent running", agent.id.clone(), Seq(*at))));
        list.sort_by_key(|obligation| obligation.since);
        list.truncate(most);
        (list, count)
    }

    /// The approximate number of entries in its maps.
    pub(crate) fn entries(&self) -> usize {
        let open = self.memory_queries.len() + self.held.len();
        open + self.calls.entries() + self.agents.entries() + self.core.entries() + self.sdk.entries()
    }
}

fn word(members: &Members<'_>, name: &str) -> String {
    members.text(name).unwrap_or_default().get().into_owned()
}

fn cut(text: &str) -> Arc<str> {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(ERROR_CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]).into(),
        None => line.into(),
    }
}
