//! Lints for bad habits: the same call over and over, a tool that keeps failing.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::replay::Seq;
use crate::replay::finding::Findings;

use super::found;
use crate::turn::checks;
use crate::turn::digest::Digest;
use crate::turn::event::{Event, ToolOutcome};

const REPEATS_FROM: usize = 3;
const FAILURES_FROM: usize = 3;

/// Calls of one tool with the same input, planned in a row. The buffers are reused for the next run.
#[derive(Clone, Default)]
struct RepeatedCalls {
    identity: u64,
    tool: String,
    first_call: String,
    plans: Vec<Seq>,
    calls: Vec<u64>,
}

impl RepeatedCalls {
    fn begin(&mut self, identity: u64, tool: &str, first_call: &str) {
        self.identity = identity;
        self.tool.clear();
        self.tool.push_str(tool);
        self.first_call.clear();
        self.first_call.push_str(first_call);
        self.plans.clear();
        self.calls.clear();
    }
}

#[derive(Clone, Default)]
pub(super) struct Habits {
    run: RepeatedCalls,
    /// The calls that the guard has reported.
    guarded: FxHashSet<u64>,
    /// The failures of each tool since its last success, up to the number that is reported.
    failures: FxHashMap<u64, Vec<Seq>>,
}

impl Habits {
    pub(super) fn see(
        &mut self,
        turn: &Arc<str>,
        at: Seq,
        event: &Event<'_>,
        digest: &Digest,
        findings: &mut Findings,
    ) {
        match event {
            Event::LoopGuardTriggered { .. } => {
                self.guarded.insert(digest.call);
            }
            Event::ToolCallPlanned { call_id, tool_name, .. } => {
                let identity = digest.input.map_or(0, |input| input.identity);
                if self.run.plans.is_empty() || self.run.identity != identity {
                    self.finish(turn, findings);
                    self.run.begin(identity, &tool_name.get(), &call_id.get());
                }
                self.run.plans.push(at);
                self.run.calls.push(digest.call);
            }
            Event::ToolCallFinished { outcome: ToolOutcome::Success, tool_name, .. } if !self.failures.is_empty() => {
                self.failures.remove(&tool_name.hash());
            }
            Event::ToolCallFinished {
                outcome: ToolOutcome::ToolError { .. } | ToolOutcome::Timeout,
                tool_name,
                ..
            } => {
                let failures = self.failures.entry(tool_name.hash()).or_default();
                if failures.len() < FAILURES_FROM {
                    failures.push(at);
                    if failures.len() == FAILURES_FROM {
                        findings.push(
                            found(turn, &checks::FAILING_TOOL, failures.as_slice())
                                .about("tool", &*tool_name.get())
                                .expected("a success in between")
                                .actual("failed three times"),
                        );
                    }
                }
            }
            _ => {}
        }
    }

    /// Ends the run, because another call was planned or the turn ended.
    pub(super) fn finish(&self, turn: &Arc<str>, findings: &mut Findings) {
        let run = &self.run;
        if run.plans.len() < REPEATS_FROM || run.calls.iter().any(|call| self.guarded.contains(call)) {
            return;
        }
        let count = run.plans.len();
        findings.push(
            found(turn, &checks::REPEAT, run.plans.as_slice())
                .about("tool", run.tool.as_str())
                .about("first_call", run.first_call.as_str())
                .expected("the loop guard to step in")
                .actual(format!("planned {count} times in a row")),
        );
    }
}
