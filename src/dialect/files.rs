//! Files of the agent's project, as far as a log proves their content: the column of a dialect's row, and its result.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::open_log::{DialectError, OpenLog};
use crate::replay::Seq;

/// Reads a log once and returns the files after each of some events, which are in order.
pub(crate) type FilesColumn = fn(&dyn OpenLog, &[Seq]) -> Result<Vec<FilesAt>, DialectError>;

/// The files after an event, by path.
pub(crate) type FilesAt = BTreeMap<Arc<str>, FileAt>;

/// How a line came into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A call of this result wrote it.
    Written(Seq),
    /// The line was in the file when this event first showed the file.
    Found(Seq),
    /// This event showed the line although the log had proved something else: nothing in the log wrote the line.
    Outside(Seq),
}

impl By {
    pub(crate) const fn at(self) -> Seq {
        match self {
            By::Written(at) | By::Found(at) | By::Outside(at) => at,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            By::Written(_) => "written",
            By::Found(_) => "found",
            By::Outside(_) => "outside",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileLine {
    pub text: Arc<str>,
    pub by: By,
}

/// One stretch of lines that a call replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub at: Seq,
    /// The first line, counted from 1, before the change.
    pub line: usize,
    pub removed: Vec<Arc<str>>,
    pub added: Vec<Arc<str>>,
}

/// The call behind a change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writer {
    /// The event of the call.
    pub call: Seq,
    pub tool: Arc<str>,
    /// What the model said last before the call, on one line.
    pub said: Arc<str>,
}

/// A file at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileAt {
    /// The lines; `None` where the log does not say what a line is.
    pub lines: Vec<Option<FileLine>>,
    /// There are no other lines.
    pub is_whole: bool,
    pub is_deleted: bool,
    /// It is longer than what is kept.
    pub is_too_large: bool,
    pub reads: u32,
    pub writes: u32,
    /// The last event that says something about it.
    pub last: Seq,
    /// Commands that ran since then, and could have changed it.
    pub commands_since: u64,
    /// The last event that found it changed by something that the log does not show.
    pub changed_outside: Option<Seq>,
    /// The content when it was first seen as a whole. A file that was created has none.
    pub found: Option<(Seq, Arc<[FileLine]>)>,
    pub is_created: bool,
    /// What calls changed, in order.
    pub changes: Vec<Change>,
    /// The calls whose results wrote to it, by the event of the result.
    pub writers: BTreeMap<Seq, Writer>,
}
