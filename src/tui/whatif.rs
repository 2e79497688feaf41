//! What if: changes laid over the log, the variant that they make, and what is otherwise in it.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::variant::difference::{self, FindingDifference, StepDifference};
use crate::replay::variant::{Variant, VariantChange};

/// How an event of the variant stands to the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Same,
    Edited,
    Copy,
    Moved,
    /// The events right before it were skipped.
    AfterSkipped,
}

pub struct WhatIf {
    pub variant: Variant,
    original: Arc<dyn Replay>,
    /// The replay of the variant as it stands, once its pass has come to where somebody looks.
    changed: Option<Arc<dyn Replay>>,
    /// The log as it is, for a comparison by eye.
    pub shows_original: bool,
    /// A variant that is being replayed, and the event to show when that is reached.
    pub pending: Option<(Arc<dyn Replay>, Seq)>,
    pub findings: Option<FindingDifference>,
    pub step: Option<StepDifference>,
    /// The variant as it stands is in a file.
    pub is_saved: bool,
}

impl WhatIf {
    pub fn new(original: Arc<dyn Replay>) -> Self {
        WhatIf {
            variant: Variant::new(original.len()),
            original,
            changed: None,
            shows_original: false,
            pending: None,
            findings: None,
            step: None,
            is_saved: false,
        }
    }

    pub fn original(&self) -> &Arc<dyn Replay> {
        &self.original
    }

    /// What is to be shown: the variant, unless there is none yet or somebody wants to see the log as it is.
    pub fn shown(&self) -> &Arc<dyn Replay> {
        match &self.changed {
            Some(changed) if !self.shows_original => changed,
            _ => &self.original,
        }
    }

    pub fn shows_variant(&self) -> bool {
        self.changed.is_some() && !self.shows_original
    }

    /// The variant's replay has come far enough to be looked at.
    pub fn take_pending(&mut self) -> Option<Seq> {
        let (replay, at) = self.pending.take_if(|(replay, at)| {
            let progress = replay.progress();
            progress.events > at.0 || progress.at_end
        })?;
        self.changed = Some(replay);
        self.shows_original = false;
        (self.findings, self.step) = (None, None);
        Some(at)
    }

    /// No change is left: the log as it is.
    pub fn back_to_original(&mut self) {
        (self.changed, self.pending, self.findings, self.step) = (None, None, None, None);
        self.shows_original = false;
    }

    /// Compares the event that is shown, and the findings once both logs have been gone over.
    pub fn compare(&mut self, at: Seq) -> Result<(), Gone> {
        self.step = None;
        let Some(changed) = self.changed.as_deref().filter(|_| !self.shows_original) else { return Ok(()) };
        self.step = difference::step(&*self.original, changed, &self.variant, at)?;
        if self.findings.is_none() {
            self.findings = difference::findings(&*self.original, changed, &self.variant);
        }
        Ok(())
    }

    /// Whether it is known what the changes did to the findings.
    pub fn is_compared(&self) -> bool {
        self.changed.is_none() || self.findings.is_some()
    }

    pub fn standing(&self, at: Seq) -> Standing {
        let Some(origin) = self.variant.origin(at) else { return Standing::Same };
        if origin.is_copy {
            return Standing::Copy;
        }
        if origin.is_edited {
            return Standing::Edited;
        }
        let before = at.0.checked_sub(1).and_then(|before| self.variant.origin(Seq(before)));
        let after = self.variant.origin(Seq(at.0 + 1));
        let is_out_of_order = before.is_some_and(|before| before.original > origin.original)
            || after.is_some_and(|after| after.original < origin.original);
        if is_out_of_order {
            return Standing::Moved;
        }
        let expected = before.map_or(0, |before| before.original.0 + 1);
        let is_skipped = expected < origin.original.0 && self.variant.find(Seq(expected)).is_none();
        if is_skipped { Standing::AfterSkipped } else { Standing::Same }
    }

    /// Whether leaving now would lose something.
    pub fn is_unsaved(&self) -> bool {
        self.variant.is_changed() && !self.is_saved
    }
}

/// The event to show after a change.
pub fn place_of(change: &VariantChange) -> Seq {
    match change {
        VariantChange::Replace { at, .. } | VariantChange::Skip(at) => *at,
        VariantChange::Duplicate(at) => Seq(at.0 + 1),
        VariantChange::Move { to, .. } => *to,
    }
}

/// A change in words.
pub fn told(change: &VariantChange) -> String {
    match change {
        VariantChange::Replace { at, .. } => format!("event {at} edited"),
        VariantChange::Skip(at) => format!("event {at} skipped"),
        VariantChange::Duplicate(at) => format!("event {at} twice"),
        VariantChange::Move { from, to } => format!("event {from} moved to {to}"),
    }
}
