//! The questions, the replies, and what the screen keeps of a reply.

use std::path::PathBuf;
use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::time_shares::TimeShares;
use crate::text::styled::Styled;
use crate::tui::sentence::Sentence;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// What the model saw at an event, or how that differs from what it saw at another one.
    Context { at: Seq, against: Option<Seq> },
    /// What the compaction with this number dropped; without a number, the last one.
    Dropped(Option<usize>),
    /// One of the answers of `stepback explain`.
    Explain(String),
    /// Who took the time, for the strip.
    Time,
    /// Whether the session can be resumed.
    Health,
    /// Write the repaired session to this new file.
    Repair(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Rows to choose from.
    List(ReplyList),
    Text {
        title: String,
        lines: Vec<String>,
        /// A name for the repaired session, if there is something to repair.
        repaired: Option<String>,
    },
    Time(TimeShares),
    Done(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReplyList {
    pub title: String,
    /// What is said about all rows.
    pub heads: Vec<String>,
    pub rows: Vec<ReplyRow>,
    /// The last row is the most interesting one.
    pub begins_at_end: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReplyRow {
    /// The event that the row is about.
    pub at: Option<Seq>,
    pub spans: Vec<Styled>,
}

/// Answers a question. It may read the whole log.
pub(crate) type Inquire = Arc<dyn Fn(&Question) -> Result<Reply, Sentence> + Send + Sync>;

/// What the screen keeps of the last reply.
#[derive(Default)]
pub(crate) struct InquiryView {
    /// Whether questions about this log can be answered.
    pub is_open: bool,
    pub list: ReplyList,
    /// A name for the repaired session.
    pub repaired: Option<String>,
    /// What the strip shows of the time, while it does.
    pub time: Option<TimeShares>,
}
