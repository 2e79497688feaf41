//! Checks of tool calls: offered before they have a result, answered once, and not run against a gate or denial.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::json::text::Text;
use crate::replay::Seq;
use crate::replay::check::Check;
use crate::replay::finding::{Finding, Findings};
use crate::session::checks;
use crate::session::event::SessionEvent;
use crate::session::kind::SessionKind;

#[derive(Clone, Default)]
pub(crate) struct CallAudit {
    /// What is known of each call, by the hash of its id.
    marks: FxHashMap<u64, CallMarks>,
    /// The requests that wait for a result.
    waiting: FxHashMap<u64, (Seq, Arc<str>)>,
}

#[derive(Clone, Copy, Default)]
struct CallMarks {
    is_offered: bool,
    is_completed: bool,
    is_gated: bool,
    is_denied: bool,
}

impl CallAudit {
    pub(crate) fn see(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        match event.kind {
            SessionKind::LlmCompleted | SessionKind::ToolRequested => {
                for id in event.calls().iter().filter_map(|call| call.text("id")) {
                    self.marks(&id).is_offered = true;
                    if event.kind == SessionKind::ToolRequested {
                        self.waiting.entry(id.hash()).or_insert_with(|| (at, Arc::from(&*id.get())));
                    }
                }
            }
            SessionKind::ToolGated => {
                if let Some(id) = event.members.text("call_id") {
                    self.marks(&id).is_gated = true;
                }
            }
            SessionKind::ToolDenied => {
                if let Some(id) = event.members.text("call_id") {
                    self.marks(&id).is_denied = true;
                    self.waiting.remove(&id.hash());
                }
            }
            SessionKind::Resumed => {
                for id in event.members.strings("denied") {
                    self.marks(&id).is_denied = true;
                }
                for id in event.members.strings("approved") {
                    let marks = self.marks(&id);
                    (marks.is_gated, marks.is_denied) = (false, false);
                }
            }
            SessionKind::ToolCompleted => {
                for result in event.results() {
                    let is_error = result.flag("is_error") == Some(true);
                    if let Some(id) = result.text("call_id") {
                        self.complete(at, &id, is_error, findings);
                    }
                }
            }
            _ => {}
        }
    }

    fn marks(&mut self, id: &Text<'_>) -> &mut CallMarks {
        self.marks.entry(id.hash()).or_default()
    }

    fn complete(&mut self, at: Seq, id: &Text<'_>, is_error: bool, findings: &mut Findings) {
        let mut report = |check: &'static Check, expected: &'static str, actual: &'static str| {
            let finding = Finding::new(check, [at]).about("call", &*id.get());
            findings.push(finding.expected(expected).actual(actual));
        };
        self.waiting.remove(&id.hash());
        let marks = self.marks.entry(id.hash()).or_default();
        if !marks.is_offered {
            report(&checks::TOOL_RESULT_UNREQUESTED, "a call that the model or the host asked for", "never asked for");
        }
        if marks.is_completed {
            report(&checks::TOOL_RESULT_DUPLICATE, "one result", "a second result");
        }
        marks.is_completed = true;
        if is_error {
            return;
        }
        if marks.is_denied {
            report(&checks::DENIED_CALL_RAN, "no successful result after a denial", "a successful result");
        } else if marks.is_gated {
            report(&checks::GATED_CALL_RAN_UNAPPROVED, "an approval after the gate", "a successful result");
        }
    }

    pub(crate) fn finish(&self, findings: &mut Findings) {
        let mut waiting: Vec<&(Seq, Arc<str>)> = self.waiting.values().collect();
        waiting.sort_unstable();
        for (at, id) in waiting {
            let finding = Finding::new(&checks::TOOL_REQUEST_UNANSWERED, [*at]).about("call", Arc::clone(id));
            findings.push(finding.expected("a result or a denial").actual("the end of the log"));
        }
    }
}
