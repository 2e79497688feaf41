//! Checks of questions and answers: permissions, memory queries and signals.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::replay::Seq;
use crate::replay::check::Check;
use crate::replay::finding::{Finding, Findings};
use crate::session::checks;
use crate::session::event::SessionEvent;
use crate::session::kind::SessionKind;

/// A question that waits for its answer, with its subject.
type Waiting = (Seq, Option<Arc<str>>);

#[derive(Clone, Default)]
pub(crate) struct QueueAudit {
    permissions: VecDeque<Waiting>,
    queries: VecDeque<Waiting>,
    /// The hashes of the signals that were disposed of.
    signals: FxHashSet<u64>,
}

impl QueueAudit {
    pub(crate) fn see(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        let text = |name: &str| event.members.text(name).map(|text| Arc::<str>::from(&*text.get()));
        match event.kind {
            SessionKind::PermissionRequested => self.permissions.push_back((at, text("tool"))),
            SessionKind::PermissionResolved => {
                self.permissions.pop_front();
            }
            SessionKind::MemoryQueried if event.members.flag("requires_async_response") == Some(true) => {
                self.queries.push_back((at, text("query_context").or_else(|| text("query"))));
            }
            SessionKind::MemoryRetrievalResult => {
                self.queries.pop_front();
            }
            SessionKind::SignalDisposed => self.see_signal(at, event, findings),
            _ => {}
        }
    }

    fn see_signal(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        let id = event.members.text("signal_id");
        let named = |check: &'static Check| {
            let finding = Finding::new(check, [at]);
            match &id {
                Some(id) => finding.about("signal", &*id.get()),
                None => finding,
            }
        };
        if event.members.text("disposition").is_some_and(|disposition| disposition == *"dropped") {
            let finding = || named(&checks::SIGNAL_DROPPED).expected("a signal that is kept").actual("dropped");
            findings.report(&checks::SIGNAL_DROPPED, finding);
        }
        if let Some(id) = &id
            && !self.signals.insert(id.hash())
        {
            let finding =
                || named(&checks::SIGNAL_REDISPOSED).expected("one decision per signal").actual("another one");
            findings.report(&checks::SIGNAL_REDISPOSED, finding);
        }
    }

    pub(crate) fn finish(&self, findings: &mut Findings) {
        let mut report = |check: &'static Check, key: &'static str, waiting: &VecDeque<Waiting>| {
            for (at, subject) in waiting {
                let mut finding = Finding::new(check, [*at]);
                if let Some(subject) = subject {
                    finding = finding.about(key, Arc::clone(subject));
                }
                findings.push(finding.expected("an answer").actual("the end of the log"));
            }
        };
        report(&checks::PERMISSION_UNRESOLVED, "tool", &self.permissions);
        report(&checks::MEMORY_QUERY_UNANSWERED, "query", &self.queries);
    }
}
