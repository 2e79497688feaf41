//! Comparison of the engine's own snapshot with the projection rebuilt from its log.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};
use crate::replay::moment::value_text;

use super::checks;
use super::digest::Digest;
use super::event::Event;
use super::projection::{Projection, ProjectionField};
use super::state::TurnState;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LiveSnapshot {
    pub turn_id: String,
    pub step_idx: u32,
    pub max_steps: u32,
    pub scratchpad_summary_injected: bool,
    pub step_limit_continuations: u32,
    pub loop_guard_continuations: u32,
    pub cycle_handoff_attempts: u32,
    pub in_turn_cycle_advances: u32,
}

/// The compared fields of the projection, in the order of the reference's text.
const COMPARED: [&str; 8] = [
    "turn_id",
    "step_idx",
    "max_steps",
    "scratchpad_summary_injected",
    "step_limit_continuations",
    "loop_guard_continuations",
    "cycle_handoff_attempts",
    "in_turn_cycle_advances",
];

fn compared() -> impl Iterator<Item = &'static ProjectionField> {
    COMPARED.iter().filter_map(|name| ProjectionField::by_name(name))
}

/// A field on which snapshot and projection differ.
struct Difference {
    /// The index of the field in `COMPARED`.
    index: usize,
    live: Value,
    rebuilt: Value,
}

impl LiveSnapshot {
    fn differences(&self, projection: &Projection) -> Vec<Difference> {
        let live = json!(self);
        let sides = compared().enumerate().map(|(index, field)| Difference {
            index,
            live: live[field.name].clone(),
            rebuilt: field.value(projection),
        });
        sides.filter(|difference| difference.live != difference.rebuilt).collect()
    }

    /// The reference's text, without its label.
    pub(crate) fn text(&self, projection: &Projection) -> Option<String> {
        let text = |difference: &Difference| {
            let (live, rebuilt) = (value_text(&difference.live), value_text(&difference.rebuilt));
            format!("{} live={live} proj={rebuilt}", COMPARED[difference.index])
        };
        let texts: Vec<String> = self.differences(projection).iter().map(text).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }
}

/// Watches the compared fields through a log, so that a difference can name the event that last wrote the field.
#[derive(Clone)]
pub(crate) struct LiveWatch {
    snapshot: LiveSnapshot,
    state: TurnState,
    written_at: [Option<Seq>; COMPARED.len()],
    last: Seq,
}

impl LiveWatch {
    pub(crate) fn new(snapshot: LiveSnapshot) -> Self {
        LiveWatch { snapshot, state: TurnState::default(), written_at: [None; COMPARED.len()], last: Seq(0) }
    }

    pub(crate) fn see(&mut self, at: Seq, event: &Event<'_>, digest: &Digest) {
        let before = self.state.projection.clone();
        self.state.step(event, digest, &mut |_| {});
        for (written_at, field) in self.written_at.iter_mut().zip(compared()) {
            if !field.same(&before, &self.state.projection) {
                *written_at = Some(at);
            }
        }
        self.last = at;
    }

    pub(crate) fn finish(&self, findings: &mut Findings) {
        for Difference { index, live, rebuilt } in self.snapshot.differences(&self.state.projection) {
            // If no event wrote the field, some event up to the last one should have.
            let at = self.written_at[index].unwrap_or(self.last);
            findings.push(
                Finding::new(&checks::LIVE_PROJECTION, [at])
                    .about("field", COMPARED[index])
                    .about("turn_id", &*self.state.projection.turn_id)
                    .expected(value_text(&rebuilt))
                    .actual(value_text(&live)),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compared_name_is_a_field() {
        assert_eq!(compared().count(), COMPARED.len());
    }
}
