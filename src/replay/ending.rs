//! The ending of a log: how its run stands after the last event, in one sentence for the header.

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

impl Ending {
    pub(crate) fn new(outcome: EndingKind, words: impl Into<String>) -> Ending {
        Ending { outcome, words: words.into() }
    }
}
