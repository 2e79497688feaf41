//! A tool call's life: planned, approved, started, finished, once each.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::json::text::{Text, hash_bytes};
use crate::replay::Seq;
use crate::replay::check::{Check, Severity};
use crate::replay::finding::{Finding, Findings};

use super::{End, found};
use crate::turn::checks;
use crate::turn::digest::Digest;
use crate::turn::event::{Event, ToolOutcome, Verdict};
use crate::turn::tools::composite_parent;

/// What is kept of a call, whatever its texts: where it was planned, judged and finished.
#[derive(Clone, Copy, Default)]
struct Call {
    planned_at: Option<Seq>,
    finished_at: Option<Seq>,
    verdict: Option<(Seq, Verdict)>,
    approval_required: bool,
    read_only: bool,
}

#[derive(Default)]
pub struct Calls {
    calls: FxHashMap<u64, Call>,
    /// The names of calls planned and not finished: only these may have to be told at the end.
    open: FxHashMap<u64, Box<str>>,
}

impl Calls {
    pub fn see(&mut self, turn: &Arc<str>, at: Seq, event: &Event<'_>, digest: &Digest, findings: &mut Findings) {
        match event {
            Event::ToolCallPlanned { call_id, decision, .. } => {
                let call = self.calls.entry(digest.call).or_default();
                if let Some(first) = call.planned_at {
                    findings.push(
                        about(turn, &checks::DUPLICATE_CALL, [first, at], call_id)
                            .expected("a call id planned once")
                            .actual("planned again"),
                    );
                    *call = Call::default();
                }
                call.planned_at = Some(at);
                call.approval_required = decision.approval_required;
                call.read_only = decision.read_only;
                self.open.insert(digest.call, call_id.get().into());
            }
            Event::ToolCallStarted { call_id, .. } => {
                if !self.is_planned(digest.call, call_id) {
                    findings.push(
                        about(turn, &checks::UNPLANNED_START, [at], call_id)
                            .expected("tool_call_planned before")
                            .actual("none in this turn"),
                    );
                }
            }
            Event::ApprovalResolved { verdict, .. } => {
                self.calls.entry(digest.call).or_default().verdict = Some((at, *verdict));
            }
            Event::ToolCallFinished { .. } => self.finished(turn, at, event, digest, findings),
            _ => {}
        }
    }

    fn finished(&mut self, turn: &Arc<str>, at: Seq, event: &Event<'_>, digest: &Digest, findings: &mut Findings) {
        let Event::ToolCallFinished { call_id, outcome, wrote_state, .. } = event else { return };
        if !self.is_planned(digest.call, call_id) {
            findings.push(
                about(turn, &checks::ORPHAN_FINISH, [at], call_id)
                    .expected("tool_call_planned before")
                    .actual("none in this turn"),
            );
        }
        let succeeded = *outcome == ToolOutcome::Success;
        let call = self.calls.entry(digest.call).or_default();
        if let Some(first) = call.finished_at {
            findings.push(
                about(turn, &checks::FINISH_TWICE, [first, at], call_id).expected("one finish").actual("another one"),
            );
        }
        if let Some(planned_at) = call.planned_at {
            if call.approval_required && call.verdict.is_none() && succeeded {
                findings.tell(&checks::APPROVAL_MISSING, || {
                    about(turn, &checks::APPROVAL_MISSING, [planned_at, at], call_id)
                        .expected("approval_resolved before success")
                        .actual("none")
                });
            }
            if call.read_only && *wrote_state {
                findings.push(
                    about(turn, &checks::READ_ONLY_WROTE, [planned_at, at], call_id)
                        .expected("no state written")
                        .actual("wrote_state"),
                );
            }
        }
        if let Some((judged_at, Verdict::Rejected)) = call.verdict
            && succeeded
        {
            findings.push(
                about(turn, &checks::REJECTED_RAN, [judged_at, at], call_id)
                    .expected("not run after rejection")
                    .actual("finished with success"),
            );
        }
        call.finished_at = Some(at);
        self.open.remove(&digest.call);
    }

    /// Planned in this turn, or a sub-step of a call that was.
    fn is_planned(&self, call: u64, id: &Text<'_>) -> bool {
        let planned = |call: u64| self.calls.get(&call).is_some_and(|call| call.planned_at.is_some());
        planned(call) || composite_parent(&id.get()).is_some_and(|parent| planned(hash_bytes(parent.as_bytes())))
    }

    pub fn finish(&mut self, turn: &Arc<str>, end: End, findings: &mut Findings) {
        for (call, id) in self.open.drain() {
            let Some(planned_at) = self.calls.get(&call).and_then(|call| call.planned_at) else { continue };
            let severity = if end.abrupt { Severity::Info } else { Severity::Warning };
            findings.push(
                found(turn, &checks::NEVER_FINISHED, [planned_at, end.at])
                    .about("call_id", &*id)
                    .expected("tool_call_finished before the turn ends")
                    .actual("none")
                    .severity(severity),
            );
        }
    }
}

fn about(turn: &Arc<str>, check: &'static Check, at: impl Into<Box<[Seq]>>, call_id: &Text<'_>) -> Finding {
    found(turn, check, at).about("call_id", &*call_id.get())
}
