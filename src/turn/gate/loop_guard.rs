//! The chain for the loop guard: logged triggers against the simulation. It reports nothing if the log has no trigger.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::meeting::Meeting;

use super::{Contradictions, GateChain};
use crate::turn::checks;
use crate::turn::digest::Digest;
use crate::turn::event::Event;
use crate::turn::guard::{GuardSimulation, Guarded};

/// The number of triggers by their reason.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TriggerCounts {
    pub identical_tool_call: u32,
    pub failure_halt: u32,
    pub deferred_set_area_batch: u32,
    pub other: u32,
}

#[derive(Clone, Default)]
pub(crate) struct LoopGuard {
    pub simulation: GuardSimulation,
    pub triggers: TriggerCounts,
    /// Logged halts on the left, simulated ones on the right, compared at each finished call.
    halts: Meeting,
    last_halt_trigger: Option<Seq>,
    /// The calls that planned, started or finished events name, in order. A list instead of a set: it is only appended
    /// to, and searched once at the end if the log has triggers.
    referenced: Vec<u64>,
    triggered: Vec<(Seq, u64, Arc<str>)>,
    /// Planned calls that the simulation blocks, and the calls that triggers name.
    blocked: Vec<(Seq, u64)>,
    accounted: FxHashSet<u64>,
}

impl LoopGuard {
    pub(crate) fn see(&mut self, at: Seq, event: &Event<'_>, digest: &Digest) {
        match event {
            Event::LoopGuardTriggered { call_id, reason, .. } => {
                self.triggered.push((at, digest.call, Arc::from(&*call_id.get())));
                match &*reason.get() {
                    "identical_tool_call" => {
                        self.triggers.identical_tool_call += 1;
                        self.accounted.insert(digest.call);
                    }
                    "failure_halt" => {
                        self.triggers.failure_halt += 1;
                        self.halts.add_left(1);
                        self.last_halt_trigger = Some(at);
                    }
                    "deferred_set_area_batch" => self.triggers.deferred_set_area_batch += 1,
                    _ => self.triggers.other += 1,
                }
            }
            Event::ToolCallPlanned { .. } | Event::ToolCallStarted { .. } | Event::ToolCallFinished { .. } => {
                // The events of a call are mostly adjacent, so a repeated id is skipped.
                if self.referenced.last() != Some(&digest.call) {
                    self.referenced.push(digest.call);
                }
                match self.simulation.see(event, digest) {
                    Guarded::BlockedCall => self.blocked.push((at, digest.call)),
                    Guarded::HaltedOnFailures => self.halts.add_right(1),
                    Guarded::Nothing => {}
                }
                if matches!(event, Event::ToolCallFinished { .. }) {
                    self.halts.settle(at);
                }
            }
            Event::LoopGuardContinuation { .. } => {
                self.simulation.see(event, digest);
            }
            _ => {}
        }
    }

    pub(crate) fn finish(&self, say: &mut Contradictions<'_>) {
        let counts = &self.triggers;
        if counts.identical_tool_call + counts.failure_halt + counts.deferred_set_area_batch + counts.other == 0 {
            return;
        }
        let (logged, simulated) = (self.halts.left(), self.halts.right());
        if logged != simulated {
            // A trigger after the last finished call makes the totals differ without a later comparison.
            let at = self.halts.diverged_at().or(self.last_halt_trigger).unwrap_or_default();
            let finding = Finding::new(&checks::LOOP_GUARD_FAILURE_HALT, [at])
                .expected(format!("{simulated} halts on failures, as simulated"))
                .actual(format!("{logged} logged"));
            say.say(GateChain::LoopGuardReplay, finding, || format!("failure_halt log={logged} sim={simulated}"));
        }
        let (logged, simulated) = (counts.identical_tool_call, self.simulation.identical_blocks);
        if logged < simulated {
            let finding = Finding::new(&checks::LOOP_GUARD_IDENTICAL, [self.first_unaccounted(logged)])
                .expected(format!("{simulated} identical calls blocked, as simulated"))
                .actual(format!("{logged} logged"));
            say.say(GateChain::LoopGuardReplay, finding, || {
                format!("identical_tool_call log={logged} < sim={simulated}")
            });
        }
        let mut unreferenced: FxHashSet<u64> = self.triggered.iter().map(|(_, call, _)| *call).collect();
        for call in &self.referenced {
            unreferenced.remove(call);
        }
        for (at, call, id) in &self.triggered {
            if unreferenced.contains(call) {
                let finding = Finding::new(&checks::LOOP_GUARD_UNREFERENCED, [*at])
                    .about("call_id", Arc::clone(id))
                    .expected("a planned, started or finished event of this call")
                    .actual("none");
                say.say(GateChain::LoopGuardReplay, finding, || {
                    format!("loop_guard_trigger call_id {id} unreferenced")
                });
            }
        }
    }

    fn first_unaccounted(&self, logged: u32) -> Seq {
        let unaccounted = self.blocked.iter().find(|(_, call)| !self.accounted.contains(call));
        // A trigger may name an id that was planned twice: then the surplus block is reported.
        unaccounted.or_else(|| self.blocked.get(logged as usize)).map(|(at, _)| *at).unwrap_or_default()
    }
}
