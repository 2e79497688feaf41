//! The ending of a log: whether its run is done, failed or open after the last event, in one sentence.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    pub outcome: EndingKind,
    /// A few words. They contain text from the log: escape them before printing.
    pub words: String,
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
        Ending { outcome, words: words.into() }
    }

    pub(crate) fn is_failure(&self) -> bool {
        self.outcome == EndingKind::Failed
    }
}
