//! The fold of a log or of one turn: state, effect totals, gate and step checks in one pass.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::finding::Findings;

use super::digest::Digest;
use super::effect::EffectCounts;
use super::event::Event;
use super::gate::{Gate, GateReport};
use super::state::TurnState;
use super::stepcheck::StepChecks;

#[derive(Clone)]
pub(crate) struct Fold {
    pub turn_id: Arc<str>,
    pub state: TurnState,
    pub effects: EffectCounts,
    pub gate: Gate,
    pub steps: StepChecks,
}

impl Fold {
    /// For `check`: only findings.
    pub(crate) fn new(turn_id: Arc<str>) -> Self {
        Fold {
            gate: Gate::new(Arc::clone(&turn_id), false),
            turn_id,
            state: TurnState::default(),
            effects: EffectCounts::default(),
            steps: StepChecks::default(),
        }
    }

    /// For `report`: also the reference's texts and the effects of every step.
    pub(crate) fn in_full(turn_id: Arc<str>) -> Self {
        Fold { gate: Gate::new(Arc::clone(&turn_id), true), steps: StepChecks::with_effects(), ..Fold::new(turn_id) }
    }

    pub(crate) fn see(&mut self, at: Seq, event: &Event<'_>, digest: &Digest, findings: &mut Findings) {
        self.steps.see(at, event, digest, &self.state);
        let mut emitted = EffectCounts::default();
        self.state.step(event, digest, &mut |effect| emitted.add(&effect));
        self.effects.add_all(&emitted);
        self.gate.see(at, event, digest, &emitted, findings);
    }

    pub(crate) fn finish(&mut self, findings: &mut Findings) -> GateReport {
        self.steps.finish(&self.turn_id, &self.state.projection, findings);
        self.gate.finish(findings)
    }
}
