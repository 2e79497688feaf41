//! The stream of the records of a log, from any container.

use std::io::{self, Read};

use super::records::{Item, Mark, Records};
use super::sqlite::RowStream;
use crate::replay::Place;

/// The records of a log, from any container.
pub(crate) enum Stream {
    Bytes(Records<Box<dyn Read + Send>>),
    Rows(RowStream),
}

impl Stream {
    /// The place where reading can continue when the log grows; a database has none.
    pub(crate) fn mark(&self) -> Option<Mark> {
        match self {
            Stream::Bytes(records) => Some(records.mark()),
            Stream::Rows(_) => None,
        }
    }

    /// Whether the last record would be different if anything but a line break followed it.
    pub(crate) fn has_open_end(&self) -> bool {
        match self {
            Stream::Bytes(records) => records.has_open_end(),
            Stream::Rows(_) => false,
        }
    }

    /// Where a reader of runs of lines can continue.
    pub(crate) fn place_to_go_on(&self) -> Option<Place> {
        match self {
            Stream::Bytes(records) => records.place_to_go_on(),
            Stream::Rows(_) => None,
        }
    }

    pub(crate) fn next_item(&mut self) -> io::Result<Option<Item<'_>>> {
        match self {
            Stream::Bytes(records) => records.next_item(),
            Stream::Rows(rows) => rows.next_item(),
        }
    }
}
