//! A simulation of the loop guard: which calls it would have blocked, and which failures would have halted the turn.

use rustc_hash::FxHashMap;

use super::digest::Digest;
use super::event::{Event, ToolOutcome};
use super::tools;

/// The number of the attempt from which an identical call is blocked.
pub(crate) const IDENTICAL_BLOCK_FROM: u32 = 3;
/// The number of consecutive failures at which a tool halts the turn.
pub(crate) const FAILURE_HALT_FROM: u32 = 8;

/// What the guard would have done at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guarded {
    Nothing,
    BlockedCall,
    HaltedOnFailures,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct GuardSimulation {
    /// The number of attempts by tool and canonical input.
    attempts: FxHashMap<u64, u32>,
    /// The number of consecutive failures by tool.
    failures: FxHashMap<u64, u32>,
    pub identical_blocks: u32,
    pub failure_halts: u32,
}

impl GuardSimulation {
    pub(crate) fn see(&mut self, event: &Event<'_>, digest: &Digest) -> Guarded {
        match event {
            Event::ToolCallPlanned { .. } => {
                let identity = digest.input.map_or(0, |input| input.identity);
                let attempts = self.attempts.entry(identity).or_default();
                *attempts += 1;
                if *attempts >= IDENTICAL_BLOCK_FROM {
                    self.identical_blocks += 1;
                    return Guarded::BlockedCall;
                }
            }
            Event::ToolCallFinished { outcome: ToolOutcome::Success, tool_name, wrote_state, .. } => {
                if !self.failures.is_empty() {
                    self.failures.remove(&tool_name.hash());
                }
                if *wrote_state && tools::writes_state(&tool_name.get()) {
                    // A new map instead of `clear`, whose cost depends on the largest size the map ever had.
                    self.attempts = FxHashMap::default();
                }
            }
            Event::ToolCallFinished { tool_name, .. } => {
                let failures = self.failures.entry(tool_name.hash()).or_default();
                *failures += 1;
                if *failures >= FAILURE_HALT_FROM {
                    self.failure_halts += 1;
                    return Guarded::HaltedOnFailures;
                }
            }
            Event::LoopGuardContinuation { .. } => self.failures = FxHashMap::default(),
            _ => {}
        }
        Guarded::Nothing
    }
}
