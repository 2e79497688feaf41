//! The engine's own snapshot against the projection that its log rebuilds.

use serde::Deserialize;

use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};

use super::checks;
use super::digest::Digest;
use super::event::Event;
use super::machine::State;
use super::projection::Projection;

#[derive(Clone, Debug, Deserialize)]
pub struct LiveSnapshot {
    pub turn_id: String,
    pub step_idx: u32,
    pub max_steps: u32,
    pub scratchpad_summary_injected: bool,
    pub step_limit_continuations: u32,
    pub loop_guard_continuations: u32,
    pub cycle_handoff_attempts: u32,
    pub in_turn_cycle_advances: u32,
}

const FIELDS: [&str; 8] = [
    "turn_id",
    "step_idx",
    "max_steps",
    "scratchpad_summary_injected",
    "step_limit_continuations",
    "loop_guard_continuations",
    "cycle_handoff_attempts",
    "in_turn_cycle_advances",
];

/// The compared fields of a projection, in order, as texts.
fn of_projection(projection: &Projection) -> [String; 8] {
    [
        projection.turn_id.to_string(),
        projection.step_idx.to_string(),
        projection.max_steps.to_string(),
        projection.scratchpad_summary_injected.to_string(),
        projection.step_limit_continuations.to_string(),
        projection.loop_guard_continuations.to_string(),
        projection.cycle_handoff_attempts.to_string(),
        projection.in_turn_cycle_advances.to_string(),
    ]
}

impl LiveSnapshot {
    fn values(&self) -> [String; 8] {
        [
            self.turn_id.clone(),
            self.step_idx.to_string(),
            self.max_steps.to_string(),
            self.scratchpad_summary_injected.to_string(),
            self.step_limit_continuations.to_string(),
            self.loop_guard_continuations.to_string(),
            self.cycle_handoff_attempts.to_string(),
            self.in_turn_cycle_advances.to_string(),
        ]
    }

    fn differences(&self, projection: &Projection) -> impl Iterator<Item = (usize, String, String)> {
        let pairs = self.values().into_iter().zip(of_projection(projection)).enumerate();
        pairs.filter(|(_, (live, rebuilt))| live != rebuilt).map(|(field, (live, rebuilt))| (field, live, rebuilt))
    }

    /// The reference's text, without its label.
    pub fn text(&self, projection: &Projection) -> Option<String> {
        let differences = self.differences(projection);
        let texts: Vec<String> =
            differences.map(|(field, live, rebuilt)| format!("{} live={live} proj={rebuilt}", FIELDS[field])).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }
}

/// Follows the compared fields through a log, so that a difference can name the event that wrote the field last.
pub struct LiveWatch {
    snapshot: LiveSnapshot,
    state: State,
    written_at: [Option<Seq>; 8],
    last: Seq,
}

impl LiveWatch {
    pub fn new(snapshot: LiveSnapshot) -> Self {
        LiveWatch { snapshot, state: State::default(), written_at: [None; 8], last: Seq(0) }
    }

    pub fn see(&mut self, at: Seq, event: &Event<'_>, digest: &Digest) {
        let before = of_projection(&self.state.projection);
        self.state.step(event, digest, &mut |_| {});
        let after = of_projection(&self.state.projection);
        for field in 0..FIELDS.len() {
            if before[field] != after[field] {
                self.written_at[field] = Some(at);
            }
        }
        self.last = at;
    }

    pub fn finish(&self, findings: &mut Findings) {
        for (field, live, rebuilt) in self.snapshot.differences(&self.state.projection) {
            // A field that no event ever wrote should have been written by some event up to the last.
            let at = self.written_at[field].unwrap_or(self.last);
            findings.push(
                Finding::new(&checks::LIVE_PROJECTION, [at])
                    .about("field", FIELDS[field])
                    .about("turn_id", &*self.state.projection.turn_id)
                    .expected(rebuilt)
                    .actual(live),
            );
        }
    }
}
