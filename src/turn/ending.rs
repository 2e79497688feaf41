//! The ending of a turn log: whether its last turn is done, failed or open. The projection cannot answer this, because
//! it keeps the outcome of an earlier turn while a new one is open, as the format's own readers do.

use std::sync::Arc;

use super::event::{Event, TurnOutcome};
use super::summary::outcome_text;
use crate::replay::ending::{Ending, EndingKind};

/// The outcome of the last turn, if it has ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LastTurn(Option<Arc<TurnOutcome>>);

impl LastTurn {
    pub(crate) fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::TurnStarted { .. } => self.0 = None,
            Event::TurnEnded { outcome, .. } => self.0 = Some(Arc::new(outcome.clone())),
            _ => {}
        }
    }

    pub(crate) fn ending(&self) -> Ending {
        let Some(outcome) = &self.0 else { return Ending::new(EndingKind::Open, "still open") };
        let is_done = matches!(**outcome, TurnOutcome::Completed | TurnOutcome::CycleHandoff { .. });
        Ending::new(if is_done { EndingKind::Done } else { EndingKind::Failed }, outcome_text(outcome))
    }
}
