//! The state of what-if: the changes, the resulting variant, and its differences from the original log.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::variant::difference::{self, FindingDifference, StepDifference};
use crate::replay::variant::{Variant, VariantChange};
use crate::tui::form::LogForm;

/// How an event of the variant differs from the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariantMark {
    Same,
    Edited,
    Copy,
    Moved,
    /// The events right before it were skipped.
    AfterSkipped,
}

/// What the host reports about the variant.
pub(crate) enum WhatIfNews {
    /// No change is left; show the original at this event.
    Unchanged(Seq),
    /// The variant is being replayed; show it when the pass has reached this event.
    Pending(Arc<dyn Replay>, Seq),
    /// The pass over the variant has reached the event.
    Ready,
    Failed(String),
    /// The variant was saved; the sentence names the file.
    Saved(String),
}

pub(crate) struct WhatIf {
    pub variant: Variant,
    original: Arc<dyn Replay>,
    /// The form of the original.
    pub original_form: LogForm,
    /// The replay of the variant, once its pass has reached the user's event.
    changed: Option<Arc<dyn Replay>>,
    /// A variant that is being replayed, and the event to show when the pass reaches it.
    pub pending: Option<(Arc<dyn Replay>, Seq)>,
    pub findings: Option<FindingDifference>,
    pub step: Option<StepDifference>,
    /// The variant was saved.
    pub is_saved: bool,
}

impl WhatIf {
    pub(crate) fn new(original: Arc<dyn Replay>, original_form: LogForm) -> Self {
        WhatIf {
            variant: Variant::new(original.len()),
            original,
            original_form,
            changed: None,
            pending: None,
            findings: None,
            step: None,
            is_saved: false,
        }
    }

    pub(crate) fn original(&self) -> &Arc<dyn Replay> {
        &self.original
    }

    /// The replay of the variant, if it can be shown.
    pub(crate) fn changed(&self) -> Option<&Arc<dyn Replay>> {
        self.changed.as_ref()
    }

    /// Whether the pass over the pending variant has reached its event.
    pub(crate) fn is_pending_ready(&self) -> bool {
        self.pending.as_ref().is_some_and(|(replay, at)| {
            let progress = replay.progress();
            progress.events > at.0 || progress.at_end
        })
    }

    /// Makes the pending variant the shown one, if its pass has reached its event.
    pub(crate) fn take_pending(&mut self) -> Option<(Arc<dyn Replay>, Seq)> {
        let is_ready = self.is_pending_ready();
        let (replay, at) = self.pending.take_if(|_| is_ready)?;
        self.changed = Some(Arc::clone(&replay));
        (self.findings, self.step) = (None, None);
        Some((replay, at))
    }

    /// No change is left, so there is no variant.
    pub(crate) fn back_to_original(&mut self) {
        (self.changed, self.pending, self.findings, self.step) = (None, None, None, None);
    }

    /// Compares the shown event with the original, and the findings once both logs have been read.
    pub(crate) fn compare(&mut self, at: Seq, is_shown: bool) -> Result<(), Gone> {
        self.step = None;
        let Some(changed) = self.changed.as_deref().filter(|_| is_shown) else { return Ok(()) };
        self.step = difference::step(&*self.original, changed, &self.variant, at)?;
        if self.findings.is_none() {
            self.findings = difference::findings(&*self.original, changed, &self.variant);
        }
        Ok(())
    }

    /// Whether the effect of the changes on the findings is known.
    #[cfg(test)]
    pub(crate) fn is_compared(&self) -> bool {
        self.changed.is_none() || self.findings.is_some()
    }

    pub(crate) fn mark(&self, at: Seq) -> VariantMark {
        let Some(origin) = self.variant.origin(at) else { return VariantMark::Same };
        if origin.is_copy {
            return VariantMark::Copy;
        }
        if origin.is_edited {
            return VariantMark::Edited;
        }
        let before = at.0.checked_sub(1).and_then(|before| self.variant.origin(Seq(before)));
        let after = self.variant.origin(Seq(at.0 + 1));
        let is_out_of_order = before.is_some_and(|before| before.original > origin.original)
            || after.is_some_and(|after| after.original < origin.original);
        if is_out_of_order {
            return VariantMark::Moved;
        }
        let expected = before.map_or(0, |before| before.original.0 + 1);
        let is_skipped = expected < origin.original.0 && self.variant.find(Seq(expected)).is_none();
        if is_skipped { VariantMark::AfterSkipped } else { VariantMark::Same }
    }

    /// Whether leaving now would lose changes.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.variant.is_changed() && !self.is_saved
    }
}

/// The event to show after a change.
pub(crate) fn place_of(change: &VariantChange) -> Seq {
    match change {
        VariantChange::Replace { at, .. } | VariantChange::Skip(at) => *at,
        VariantChange::Duplicate(at) => Seq(at.0 + 1),
        VariantChange::Move { to, .. } => *to,
    }
}

/// Where the event was before a change.
pub(crate) fn place_before(change: &VariantChange) -> Seq {
    match change {
        VariantChange::Replace { at, .. } | VariantChange::Skip(at) | VariantChange::Duplicate(at) => *at,
        VariantChange::Move { from, .. } => *from,
    }
}

/// A description of a change.
pub(crate) fn describe(change: &VariantChange) -> String {
    match change {
        VariantChange::Replace { at, .. } => format!("event {at} edited"),
        VariantChange::Skip(at) => format!("event {at} skipped"),
        VariantChange::Duplicate(at) => format!("event {at} duplicated"),
        VariantChange::Move { from, to } => format!("event {from} moved to {to}"),
    }
}
