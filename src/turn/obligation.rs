//! Obligations: what the log promised and has not done yet.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::machine::Obligation;
use crate::replay::shared_map::SharedMap;

use super::digest::Digest;
use super::event::Event;
use super::memory::{TOPIC_EPISODIC, USER_MEMORY};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Promise {
    Call(u64),
    Approval(u64),
    Answer,
    Refresh,
}

/// Keeps track of obligations. A new turn starts without any.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Obligations {
    open: SharedMap<Promise, Obligation>,
}

impl Obligations {
    pub(crate) fn see(&mut self, at: Seq, event: &Event<'_>, digest: &Digest) {
        let mut promise = |promise, what, subject: Arc<str>| {
            self.open.insert(promise, Obligation { what, subject, since: at });
        };
        match event {
            Event::TurnStarted { .. } | Event::TurnEnded { .. } => self.open.clear(),
            Event::ToolCallPlanned { call_id, tool_name, decision, .. } => {
                let subject: Arc<str> = format!("{call_id} {tool_name}").into();
                if decision.approval_required {
                    promise(Promise::Approval(digest.call), "approval not resolved", Arc::clone(&subject));
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
                // A refresh must be completed before the request goes out; a half-done one stays open.
                self.open.remove(&Promise::Refresh);
                let subject = format!("step {step_idx}").into();
                self.open.insert(Promise::Answer, Obligation { what: "request not answered", subject, since: at });
            }
            Event::ModelMessage { .. } => {
                self.open.remove(&Promise::Answer);
            }
            Event::MemoryPlaneQueried { step_idx, query_key, .. } => match &*query_key.get() {
                USER_MEMORY => promise(Promise::Refresh, "prompt refresh half done", format!("step {step_idx}").into()),
                TOPIC_EPISODIC => {
                    self.open.remove(&Promise::Refresh);
                }
                _ => {}
            },
            _ => {}
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// The oldest obligations, oldest first.
    pub(crate) fn oldest(&self, most: usize) -> Vec<Obligation> {
        let mut list: Vec<(&Promise, &Obligation)> = self.open.iter().collect();
        let age = |(promise, obligation): &(&Promise, &Obligation)| (obligation.since, **promise);
        if list.len() > most {
            // If there are many, only the oldest are sorted.
            list.select_nth_unstable_by_key(most, age);
            list.truncate(most);
        }
        list.sort_by_key(age);
        list.into_iter().take(most).map(|(_, obligation)| obligation.clone()).collect()
    }
}
