//! Checks of suspensions: at most one is open, and a resume answers exactly what it waits for.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};
use crate::session::checks;
use crate::session::event::SessionEvent;
use crate::session::kind::SessionKind;

#[derive(Clone, Default)]
pub(crate) struct SuspensionAudit {
    open: Option<Arc<AuditedSuspension>>,
}

struct AuditedSuspension {
    at: Seq,
    reason: Arc<str>,
    pending: Vec<Arc<str>>,
}

impl SuspensionAudit {
    pub(crate) fn see(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        match event.kind {
            SessionKind::Suspended => {
                let reason: Arc<str> = Arc::from(&*event.members.text("reason").unwrap_or_default().get());
                if let Some(open) = &self.open {
                    let finding = Finding::new(&checks::SUSPEND_NESTED, [at]).about("reason", reason.clone());
                    let actual = format!("the suspension of event {} is still open", open.at);
                    findings.push(finding.expected("a resume first").actual(actual));
                }
                let pending = event.members.strings("pending_calls");
                let pending = pending.iter().map(|id| Arc::from(&*id.get())).collect();
                self.open = Some(Arc::new(AuditedSuspension { at, reason, pending }));
            }
            SessionKind::Resumed => match self.open.take() {
                Some(open) => open.answered(at, event, findings),
                None => {
                    let finding = Finding::new(&checks::RESUME_WITHOUT_SUSPEND, [at]);
                    findings.push(finding.expected("an open suspension").actual("none"));
                }
            },
            _ => {}
        }
    }

    /// Why the open suspension waits, and for what.
    pub(crate) fn open(&self) -> Option<(&str, &[Arc<str>])> {
        self.open.as_deref().map(|open| (&*open.reason, &open.pending[..]))
    }

    pub(crate) fn finish(&self, findings: &mut Findings) {
        if let Some(open) = &self.open {
            let finding = Finding::new(&checks::SUSPEND_UNRESUMED, [open.at]).about("reason", open.reason.clone());
            let waits = if open.pending.is_empty() { "nothing named".to_owned() } else { open.pending.join(", ") };
            findings.push(finding.expected("a resume").actual(format!("the end of the log, waiting for {waits}")));
        }
    }
}

impl AuditedSuspension {
    fn answered(&self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        let mut answered = rustc_hash::FxHashSet::default();
        let pending: rustc_hash::FxHashSet<&str> = self.pending.iter().map(|id| &**id).collect();
        for id in event.members.strings("approved").iter().chain(&event.members.strings("denied")) {
            let id = id.get();
            if answered.insert(id.clone().into_owned()) && !pending.contains(&*id) {
                let finding = Finding::new(&checks::RESUME_UNKNOWN_CALL, [at]).about("id", &*id);
                findings.push(
                    finding.expected(format!("an id of the suspension at event {}", self.at)).actual(id.into_owned()),
                );
            }
        }
        for id in self.pending.iter().filter(|id| !answered.contains(&***id)) {
            let finding = Finding::new(&checks::RESUME_LEAVES_PENDING, [at]).about("id", id.clone());
            findings.push(
                finding.expected("an answer to every id of the suspension").actual("neither approved nor denied"),
            );
        }
    }
}
