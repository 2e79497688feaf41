//! An open log as its dialect reads it: for sidecars, reports, comparisons and conversions.

use std::any::Any;
use std::ops::ControlFlow;
use std::path::Path;

use super::container::Wrapping;
use crate::replay::finding::Finding;
use crate::replay::machine::Malformed;
use crate::replay::source::Head;
use crate::replay::{Place, Seq};

/// Why a dialect could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum DialectError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(Box<dyn std::error::Error + Send + Sync>),

    /// The output cannot be written.
    #[error("the output cannot be written")]
    Write(#[source] Box<dyn std::error::Error + Send + Sync>),

    /// A complete message, including the name of the file.
    #[error("{0}")]
    Refused(String),
}

impl DialectError {
    pub fn read(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DialectError {
        DialectError::Read(error.into())
    }

    pub fn write(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DialectError {
        DialectError::Write(error.into())
    }
}

/// A record as it is in the file, and the event in it.
pub(crate) struct RecordRead<'r> {
    pub at: Seq,
    pub place: Place,
    pub record: &'r [u8],
    pub wrapping: Wrapping,
}

impl<'r> RecordRead<'r> {
    /// The event, without its wrapping.
    pub(crate) fn event(&self) -> Result<&'r [u8], Malformed> {
        self.wrapping.event_in(self.record)
    }
}

/// Gets the records of a log one by one.
pub(crate) type VisitRecord<'v> = dyn FnMut(RecordRead<'_>) + 'v;

/// Gets the records of a log one by one, and says whether to continue.
pub(crate) type VisitRecordUntil<'v> = dyn FnMut(RecordRead<'_>) -> ControlFlow<()> + 'v;

pub(crate) trait OpenLog {
    /// The name as the user typed it.
    fn name(&self) -> &str;

    /// The path; `None` for standard input and pipes.
    fn path(&self) -> Option<&Path>;

    /// The name of its container.
    fn container(&self) -> &'static str;

    /// The object around each event.
    fn wrapping(&self) -> Wrapping;

    /// The line before the records, if the dialect has one.
    fn head(&self) -> Option<&Head>;

    /// The parts of the container other than the events, in the dialect's own type: the rest of a document, or the
    /// SQLite database.
    fn around(&self) -> Option<&(dyn Any + Send + Sync)>;

    /// The text of the whole file.
    fn text(&self) -> Result<Vec<u8>, DialectError>;

    /// Visits every record and returns the damage between them.
    fn each_record(&self, visit: &mut VisitRecord<'_>) -> Result<Vec<Finding>, DialectError> {
        self.each_record_until(&mut |read| {
            visit(read);
            ControlFlow::Continue(())
        })
    }

    /// Visits records until the visitor has seen enough, and returns the damage up to there.
    fn each_record_until(&self, visit: &mut VisitRecordUntil<'_>) -> Result<Vec<Finding>, DialectError>;
}
