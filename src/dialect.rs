//! The row that describes a dialect: everything that the other rooms need to know about one.
//!
//! This room knows no dialect. Each row is in its dialect's own folder, and `registry` lists them.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod container;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod folder;
pub(crate) mod open_log;
pub(crate) mod recognize;
pub(crate) mod report;
pub(crate) mod sidecar;

use std::fmt;
use std::sync::Arc;

use container::{Document, Shape};
use diff::Diffing;
use export::ExportColumn;
use folder::LogFolder;
use open_log::DialectError;
use recognize::{Recognized, Sample};
use report::Reporting;
use sidecar::{SidecarRequest, Sidecars};

use crate::replay::check::Check;
use crate::replay::check_pass::Glance;
use crate::replay::finding::Finding;
use crate::replay::machine::Malformed;
use crate::replay::vocabulary::Vocabulary;
use crate::replay::{Place, Seq};

pub(crate) struct Dialect {
    /// For `--dialect` and machines.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    pub describes: &'static str,
    /// What such a file looks like, for the message about a file that is not a log. Empty if a file cannot be one.
    pub looks: &'static str,
    /// Whether a record from the beginning of a file, or the line before the records, is of this dialect.
    pub recognize: fn(&Sample<'_>) -> Option<Recognized>,
    /// How its records may follow each other.
    pub shapes: &'static [Shape],
    /// Documents that hold a whole log of it.
    pub documents: &'static [&'static Document],
    /// Whether the rows of a SQLite database are its records.
    pub in_sqlite: bool,
    pub checks: &'static [&'static Check],
    pub vocabulary: &'static Vocabulary,
    /// Finds and loads the sidecars of a log. They start its pass, since they know what its machine needs.
    pub sidecars: fn(&SidecarRequest<'_>) -> Result<Arc<dyn Sidecars>, DialectError>,
    /// One event on one line.
    pub glance: fn(&[u8]) -> Result<Glance, Malformed>,
    /// The checks for which `--strict` refuses a log as a whole: it cannot be read for what it is.
    pub refuses: &'static [&'static Check],
    /// What to say of a log that ends inside a record of so many bytes.
    pub torn_tail: fn(Seq, Place, usize) -> Finding,
    /// What `report` says of a log.
    pub report: &'static Reporting,
    /// What `diff` can do besides comparing event by event.
    pub diff: Diffing,
    pub export: ExportColumn,
    /// `convert` writes its logs in other containers.
    pub converts: bool,
    /// A folder that is a log of the dialect.
    pub folder: Option<LogFolder>,
}

/// A dialect is its row: two rows with one name do not exist (a test of `registry` proves it).
impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        self.name == other.name
    }
}

impl Eq for Dialect {}

impl fmt::Debug for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Dialect").field(&self.name).finish()
    }
}

impl Dialect {
    pub(crate) fn refuses(&self, check: &Check) -> bool {
        self.refuses.iter().any(|refused| refused.id == check.id)
    }
}
