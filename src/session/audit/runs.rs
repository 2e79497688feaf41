//! Checks of runs: their turns, budgets and ends.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};
use crate::session::checks;
use crate::session::event::SessionEvent;
use crate::session::kind::SessionKind;

#[derive(Clone, Default)]
pub(crate) struct RunAudit {
    /// The turn of the nearest earlier event that had one.
    turn: Option<u64>,
    budget: Option<SpentBudget>,
    /// Whether an event after the last end was reported, if a run has ended.
    ended: Option<bool>,
    last_end: Option<Seq>,
    /// The reason of the last end.
    reason: Option<Arc<str>>,
    /// The last start without an end.
    open: Option<(Seq, Option<Arc<str>>)>,
}

/// A budget that was exceeded in the current run.
#[derive(Clone)]
struct SpentBudget {
    at: Seq,
    name: Arc<str>,
    /// The model has given its closing answer.
    is_closed: bool,
}

impl RunAudit {
    pub(crate) fn see(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        self.see_turn(at, event, findings);
        self.see_budget(at, event, findings);
        self.see_end(at, event, findings);
    }

    pub(crate) fn last_end(&self) -> Option<Seq> {
        self.last_end
    }

    /// The reason for the end of the last run, or that it has not ended. `None` without a run.
    pub(crate) fn outcome(&self) -> Option<Option<&str>> {
        match (&self.open, self.last_end) {
            (Some(_), _) => Some(None),
            (None, Some(_)) => Some(Some(self.reason.as_deref().unwrap_or("?"))),
            (None, None) => None,
        }
    }

    fn see_turn(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        if event.kind == SessionKind::RunStarted {
            self.turn = None;
            return;
        }
        let Some(turn) = event.turn() else { return };
        let before = self.turn.replace(turn);
        let Some(before) = before.filter(|before| turn < *before && event.kind != SessionKind::Rollbacked) else {
            return;
        };
        findings.report(&checks::TURN_REGRESSION, || {
            Finding::new(&checks::TURN_REGRESSION, [at])
                .about("turns", format!("{before}->{turn}"))
                .expected(format!("turn {before}"))
                .actual(format!("turn {turn}"))
        });
    }

    fn see_budget(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        match event.kind {
            SessionKind::RunStarted | SessionKind::RunTerminal => self.budget = None,
            SessionKind::BudgetExceeded if self.budget.is_none() => {
                let name = event.members.text("budget").unwrap_or_default();
                self.budget = Some(SpentBudget { at, name: Arc::from(&*name.get()), is_closed: false });
            }
            _ => {
                let Some(spent) = &mut self.budget else { return };
                let is_work = match event.kind {
                    SessionKind::LlmCompleted => std::mem::replace(&mut spent.is_closed, true),
                    SessionKind::ToolRequested | SessionKind::WorkflowBatchSpawned => true,
                    SessionKind::AgentProcessChanged => event.process_state().is_none_or(|state| state == *"running"),
                    _ => false,
                };
                if is_work {
                    let finding = Finding::new(&checks::BUDGET_EXCEEDED_CONTINUED, [at])
                        .about("budget", Arc::clone(&spent.name))
                        .expected("at most one closing answer of the model")
                        .actual(format!("{} after the budget was exceeded at event {}", event.kind.name(), spent.at));
                    findings.push(finding);
                    self.budget = None;
                }
            }
        }
    }

    fn see_end(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        if let (Some(false), false) = (self.ended, event.kind.may_follow_the_end()) {
            self.ended = Some(true);
            let finding = Finding::new(&checks::EVENT_AFTER_TERMINAL, [at]).about("kind", &*event.name.get());
            findings.push(finding.expected("cleanup, bookkeeping or a new run").actual(event.name.get().into_owned()));
        }
        match event.kind {
            SessionKind::RunStarted => {
                self.ended = None;
                self.open = Some((at, event.members.text("run_id").map(|id| Arc::from(&*id.get()))));
            }
            SessionKind::RunTerminal => {
                self.ended = Some(false);
                self.last_end = Some(at);
                self.reason = event.members.text("reason").map(|reason| Arc::from(&*reason.get()));
                self.open = None;
            }
            _ => {}
        }
    }

    pub(crate) fn finish(&self, findings: &mut Findings) {
        if let Some((at, run)) = &self.open {
            let mut finding = Finding::new(&checks::RUN_UNTERMINATED, [*at]);
            if let Some(run) = run {
                finding = finding.about("run", Arc::clone(run));
            }
            findings.push(finding.expected("an end of the run").actual("the end of the log"));
        }
    }
}
