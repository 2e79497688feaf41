//! The ending of a log: whether its run is done, failed or open after the last event, in one sentence.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    pub outcome: EndingKind,
    /// A few words. They contain text from the log: escape them before printing.
    pub words: String,
    /// What the run waits for, if the log has times. While a log is followed, this tells how long.
    pub waiting: Option<Waiting>,
}

/// A wait that the log does not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Milliseconds since 1970.
    pub since: i64,
    /// The longest wait of this kind that did end, in milliseconds.
    pub longest: Option<u64>,
}

impl Waiting {
    /// A shorter wait is never called long.
    const SHORT_MS: u64 = 60_000;

    /// How long it lasts at this time, in milliseconds.
    pub(crate) fn lasts(self, now: i64) -> u64 {
        u64::try_from(now.saturating_sub(self.since)).unwrap_or(0)
    }

    /// Whether it lasts twice as long as any before it.
    pub(crate) fn is_long(self, now: i64) -> bool {
        let usual = self.longest.map_or(0, |longest| longest.saturating_mul(2));
        self.lasts(now) >= usual.max(Self::SHORT_MS)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndingKind {
    /// The run did what it was asked to do, as far as the log says.
    Done,
    Failed,
    /// The log ends before the run does.
    Open,
}

impl EndingKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            EndingKind::Done => "done",
            EndingKind::Failed => "failed",
            EndingKind::Open => "open",
        }
    }
}

impl Ending {
    pub(crate) fn new(outcome: EndingKind, words: impl Into<String>) -> Ending {
        Ending { outcome, words: words.into(), waiting: None }
    }

    #[must_use]
    pub(crate) fn waiting(self, waiting: Option<Waiting>) -> Ending {
        Ending { waiting, ..self }
    }

    pub(crate) fn is_failure(&self) -> bool {
        self.outcome == EndingKind::Failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_long_if_it_lasts_twice_as_long_as_any_before() {
        for (longest, now, expected) in [
            (None, 59_999, false),
            (None, 60_000, true),
            (Some(1_000), 60_000, true),
            (Some(90_000), 179_999, false),
            (Some(90_000), 180_000, true),
            (None, -5, false),
        ] {
            assert_eq!(Waiting { since: 0, longest }.is_long(now), expected, "{longest:?} {now}");
        }
    }
}
