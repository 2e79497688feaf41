//! Two running totals that should agree at the end, and the event after which they no longer do.

use super::Seq;

/// Follows two counts through a log and remembers the first event of the run in which they differ.
///
/// Totals may differ for a while and agree again, for example if a query is logged after the request that asks for it.
/// The event of interest is the one after which they never agree again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meeting {
    left: u32,
    right: u32,
    diverged_at: Option<Seq>,
}

impl Meeting {
    pub(crate) fn add_left(&mut self, count: u32) {
        self.left += count;
    }

    pub(crate) fn add_right(&mut self, count: u32) {
        self.right += count;
    }

    /// Compares the totals now that the event at `at` has been counted.
    pub(crate) fn settle(&mut self, at: Seq) {
        if self.left == self.right {
            self.diverged_at = None;
        } else if self.diverged_at.is_none() {
            self.diverged_at = Some(at);
        }
    }

    pub(crate) fn left(&self) -> u32 {
        self.left
    }

    pub(crate) fn right(&self) -> u32 {
        self.right
    }

    pub(crate) fn diverged_at(&self) -> Option<Seq> {
        self.diverged_at
    }
}
