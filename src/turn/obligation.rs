//! What is open at a moment: promises of the log that nothing has kept yet.

use std::collections::BTreeMap;

use crate::replay::Seq;

use super::digest::Digest;
use super::event::Event;
use super::memory::{TOPIC_EPISODIC, USER_MEMORY};

/// One open promise and the event that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    pub what: &'static str,
    pub subject: String,
    pub since: Seq,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Promise {
    Call(u64),
    Approval(u64),
    Answer,
    Refresh,
}

/// Follows the promises of a log. A new turn owes nothing of the last one.
#[derive(Clone, Default)]
pub struct Obligations {
    open: BTreeMap<Promise, Obligation>,
}

impl Obligations {
    pub fn see(&mut self, at: Seq, event: &Event<'_>, digest: &Digest) {
        let mut promise = |promise, what, subject: String| {
            self.open.insert(promise, Obligation { what, subject, since: at });
        };
        match event {
            Event::TurnStarted { .. } | Event::TurnEnded { .. } => self.open.clear(),
            Event::ToolCallPlanned { call_id, tool_name, decision, .. } => {
                let subject = format!("{call_id} {tool_name}");
                if decision.approval_required {
                    promise(Promise::Approval(digest.call), "approval not resolved", subject.clone());
                }
                promise(Promise::Call(digest.call), "call not finished", subject);
            }
            Event::ApprovalResolved { .. } => {
                self.open.remove(&Promise::Approval(digest.call));
            }
            Event::ToolCallFinished { .. } => {
                self.open.remove(&Promise::Call(digest.call));
                self.open.remove(&Promise::Approval(digest.call));
            }
            Event::ModelRequestIssued { step_idx, .. } => {
                // A refresh must be whole before the request goes out; what is half done then stays so.
                self.open.remove(&Promise::Refresh);
                promise_answer(&mut self.open, at, *step_idx);
            }
            Event::ModelMessage { .. } => {
                self.open.remove(&Promise::Answer);
            }
            Event::MemoryPlaneQueried { step_idx, query_key, .. } => match &*query_key.get() {
                USER_MEMORY => promise(Promise::Refresh, "prompt refresh half done", format!("step {step_idx}")),
                TOPIC_EPISODIC => {
                    self.open.remove(&Promise::Refresh);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Oldest first.
    pub fn list(&self) -> Vec<&Obligation> {
        let mut list: Vec<&Obligation> = self.open.values().collect();
        list.sort_by_key(|obligation| obligation.since);
        list
    }
}

fn promise_answer(open: &mut BTreeMap<Promise, Obligation>, at: Seq, step: u32) {
    let subject = format!("step {step}");
    open.insert(Promise::Answer, Obligation { what: "request not answered", subject, since: at });
}
