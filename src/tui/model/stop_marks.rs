//! The events on the screen at which a breakpoint stops.

use std::collections::BTreeMap;

use crate::replay::Seq;
use crate::replay::shared::PassProgress;

/// Answers for events that were on the screen, as long as breakpoints and log are the same.
#[derive(Default)]
pub(crate) struct StopMarks {
    /// The breakpoints and the log that the answers are about.
    of: (u64, PassProgress),
    known: BTreeMap<u32, bool>,
}

impl StopMarks {
    /// More answers are not kept.
    const MOST: usize = 4096;

    /// Forgets the answers if they are about other breakpoints, or another part of the log was read since.
    pub(crate) fn begin(&mut self, of: (u64, PassProgress)) {
        if self.of != of || self.known.len() > Self::MOST {
            self.known.clear();
            self.of = of;
        }
    }

    pub(crate) fn learn(&mut self, at: u32, stops: bool) {
        self.known.insert(at, stops);
    }

    pub(crate) fn knows(&self, at: Seq) -> bool {
        self.known.contains_key(&at.0)
    }

    /// Whether a breakpoint stops at an event. Unknown answers count as no.
    pub(crate) fn stops(&self, at: Seq) -> bool {
        self.known.get(&at.0).copied().unwrap_or(false)
    }
}
