//! An open log as its dialect reads it: for sidecars, reports, comparisons and conversions.

use std::any::Any;
use std::path::Path;

use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::machine::Malformed;
use crate::replay::source::Head;

/// Why a dialect could not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum DialectError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(Box<dyn std::error::Error + Send + Sync>),

    /// The whole sentence, with the name of the file.
    #[error("{0}")]
    Refused(String),
}

impl DialectError {
    pub fn read(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DialectError {
        DialectError::Read(error.into())
    }
}

/// A record as it is in the file, and the event in it.
pub(crate) struct RecordRead<'r> {
    pub at: Seq,
    pub record: &'r [u8],
    /// Without its wrapping.
    pub event: Result<&'r [u8], Malformed>,
}

/// Takes the records of a log one by one.
pub(crate) type VisitRecord<'v> = dyn FnMut(RecordRead<'_>) + 'v;

pub(crate) trait OpenLog {
    /// As the user named it.
    fn name(&self) -> &str;

    /// Where it is, unless it came through a pipe.
    fn path(&self) -> Option<&Path>;

    /// The name of its container.
    fn container(&self) -> &'static str;

    /// The line before the records, where the dialect has one.
    fn head(&self) -> Option<&Head>;

    /// What its container holds besides the events, as the dialect knows it: what a document was opened to, or the
    /// SQLite store.
    fn around(&self) -> Option<&(dyn Any + Send + Sync)>;

    /// All of the file.
    fn text(&self) -> Result<Vec<u8>, DialectError>;

    /// Visits every record and returns the damage between them.
    fn each_record(&self, visit: &mut VisitRecord<'_>) -> Result<Vec<Finding>, DialectError>;
}
