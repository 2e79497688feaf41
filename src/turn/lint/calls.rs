//! Lints for tool calls: each is planned, approved, started and finished once.

use std::num::NonZeroU32;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::json::text::{Text, hash_bytes};
use crate::replay::Seq;
use crate::replay::check::{Check, Severity};
use crate::replay::finding::{Finding, Findings};

use super::{End, found};
use crate::turn::checks;
use crate::turn::digest::Digest;
use crate::turn::event::{ApprovalVerdict, Event, ToolOutcome};
use crate::turn::tools::composite_parent;

/// The places where a call was planned, decided and finished. It holds no text and is small, because there are many
/// calls.
#[derive(Clone, Copy, Default)]
struct Call {
    planned_at: SeqOrNone,
    finished_at: SeqOrNone,
    decided_at: SeqOrNone,
    rejected: bool,
    approval_required: bool,
    read_only: bool,
}

/// A place or none, in four bytes.
#[derive(Clone, Copy, Default)]
struct SeqOrNone(Option<NonZeroU32>);

impl SeqOrNone {
    fn at(seq: Seq) -> Self {
        SeqOrNone(NonZeroU32::new(seq.0.wrapping_add(1)))
    }

    fn get(self) -> Option<Seq> {
        self.0.map(|place| Seq(place.get() - 1))
    }
}

#[derive(Clone, Default)]
pub(super) struct SeenCalls {
    calls: FxHashMap<u64, Call>,
    /// The ids of calls that are planned and not finished: only these may be reported at the end.
    open: FxHashMap<u64, String>,
    /// Buffers of finished calls' ids, to be reused.
    spare: Vec<String>,
}

/// How many buffers are kept.
const SPARE_NAMES: usize = 16;

impl SeenCalls {
    pub(super) fn see(
        &mut self,
        turn: &Arc<str>,
        at: Seq,
        event: &Event<'_>,
        digest: &Digest,
        findings: &mut Findings,
    ) {
        match event {
            Event::ToolCallPlanned { call_id, decision, .. } => {
                let call = self.calls.entry(digest.call).or_default();
                if let Some(first) = call.planned_at.get() {
                    findings.push(
                        about(turn, &checks::DUPLICATE_CALL, [first, at], call_id)
                            .expected("a call id planned once")
                            .actual("planned again"),
                    );
                    *call = Call::default();
                }
                // Only finishes since the call was last planned count.
                call.finished_at = SeqOrNone::default();
                call.planned_at = SeqOrNone::at(at);
                call.approval_required = decision.approval_required;
                call.read_only = decision.read_only;
                let mut name = self.spare.pop().unwrap_or_default();
                name.clear();
                name.push_str(&call_id.get());
                self.open.insert(digest.call, name);
            }
            Event::ToolCallStarted { call_id, .. } if !self.is_planned(digest.call, call_id) => {
                findings.push(
                    about(turn, &checks::UNPLANNED_START, [at], call_id)
                        .expected("tool_call_planned before")
                        .actual("none in this turn"),
                );
            }
            Event::ApprovalResolved { verdict, .. } => {
                let call = self.calls.entry(digest.call).or_default();
                call.decided_at = SeqOrNone::at(at);
                call.rejected = *verdict == ApprovalVerdict::Rejected;
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
        if let Some(first) = call.finished_at.get() {
            findings.push(
                about(turn, &checks::FINISH_TWICE, [first, at], call_id).expected("one finish").actual("another one"),
            );
        }
        if let Some(planned_at) = call.planned_at.get() {
            if call.approval_required && call.decided_at.get().is_none() && succeeded {
                findings.report(&checks::APPROVAL_MISSING, || {
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
        if let Some(decided_at) = call.decided_at.get()
            && call.rejected
            && succeeded
        {
            findings.push(
                about(turn, &checks::REJECTED_RAN, [decided_at, at], call_id)
                    .expected("not run after rejection")
                    .actual("finished with success"),
            );
        }
        call.finished_at = SeqOrNone::at(at);
        if let Some(name) = self.open.remove(&digest.call)
            && self.spare.len() < SPARE_NAMES
        {
            self.spare.push(name);
        }
    }

    /// Whether the call was planned in this turn, or is a sub-step of a call that was.
    fn is_planned(&self, call: u64, id: &Text<'_>) -> bool {
        let planned = |call: u64| self.calls.get(&call).is_some_and(|call| call.planned_at.get().is_some());
        planned(call) || composite_parent(&id.get()).is_some_and(|parent| planned(hash_bytes(parent.as_bytes())))
    }

    pub(super) fn finish(&self, turn: &Arc<str>, end: End, findings: &mut Findings) {
        for (call, id) in &self.open {
            let Some(planned_at) = self.calls.get(call).and_then(|call| call.planned_at.get()) else { continue };
            let severity = if end.abrupt { Severity::Info } else { Severity::Warning };
            findings.push(
                found(turn, &checks::NEVER_FINISHED, [planned_at, end.at])
                    .about("call_id", &**id)
                    .expected("tool_call_finished before the turn ends")
                    .actual("none")
                    .severity(severity),
            );
        }
    }

    /// Forgets what was open at the end, because it has been reported.
    pub(super) fn close(&mut self) {
        self.open.clear();
    }
}

fn about(turn: &Arc<str>, check: &'static Check, at: impl Into<Box<[Seq]>>, call_id: &Text<'_>) -> Finding {
    found(turn, check, at).about("call_id", &*call_id.get())
}
