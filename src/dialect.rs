//! The row that describes a dialect: everything that the other modules need to know about it.
//!
//! This module does not depend on any dialect. Each row is in its dialect's own folder, and `registry` lists them.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod answer;
pub(crate) mod container;
pub(crate) mod context;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod family;
pub(crate) mod files;
pub(crate) mod folder;
pub(crate) mod open_log;
pub(crate) mod recognize;
pub(crate) mod report;
pub(crate) mod sidecar;

use std::fmt;
use std::sync::Arc;

use answer::Answer;
use container::{Document, Shape};
use context::ContextColumn;
use convert::ConvertForm;
use diff::Diffing;
use export::ExportColumn;
use family::FamilyColumn;
use files::FilesColumn;
use folder::LogFolder;
use open_log::DialectError;
use recognize::{Recognized, Sample};
use report::Reporting;
use sidecar::{SidecarRequest, Sidecars};

use crate::replay::check::Check;
use crate::replay::check_pass::Glance;
use crate::replay::finding::Finding;
use crate::replay::machine::Malformed;
use crate::replay::relink::BeginRelink;
use crate::replay::vocabulary::Vocabulary;
use crate::replay::{Place, Seq};

pub(crate) struct Dialect {
    /// The name for `--dialect` and for scripts.
    pub name: &'static str,
    /// The name in texts.
    pub title: &'static str,
    pub describes: &'static str,
    /// Describes such a file in the error for an unknown file. Empty if a file cannot be a log of this dialect.
    pub looks: &'static str,
    /// Recognizes a record from the start of a file, or the line before the records.
    pub recognize: fn(&Sample<'_>) -> Option<Recognized>,
    /// How its records can be arranged in a file.
    pub shapes: &'static [Shape],
    /// Whether the programs that write it may leave several records on a line, or NUL bytes around a record.
    pub joins_lines: bool,
    /// JSON documents that contain a whole log.
    pub documents: &'static [&'static Document],
    /// Whether the rows of a SQLite database are its records.
    pub in_sqlite: bool,
    pub checks: &'static [&'static Check],
    pub vocabulary: &'static Vocabulary,
    /// Finds and loads the sidecars of a log. They also start the pass, because they know what the machine needs.
    pub sidecars: fn(&SidecarRequest<'_>) -> Result<Arc<dyn Sidecars>, DialectError>,
    /// Summarizes one event on one line.
    pub glance: fn(&[u8]) -> Result<Glance, Malformed>,
    /// The checks for which `--strict` rejects a log as a whole.
    pub refuses: &'static [&'static Check],
    /// Makes the finding for a log that ends inside a record, given the length of that part.
    pub torn_tail: fn(Seq, Place, usize) -> Finding,
    /// The report about a log.
    pub report: &'static Reporting,
    /// The questions about a whole log that `explain` answers.
    pub answers: &'static [Answer],
    /// What the model saw at an event; `None` if its logs do not say it.
    pub context: Option<ContextColumn>,
    /// The files whose content a log proves; `None` if its records contain no files.
    pub files: Option<FilesColumn>,
    /// What `diff` offers besides the comparison event by event.
    pub diff: Diffing,
    pub export: ExportColumn,
    /// How references to removed records are rewritten; `None` if records do not refer to each other.
    pub relink: Option<BeginRelink>,
    /// The forms in which `convert` can write its logs.
    pub convert: &'static [ConvertForm],
    /// A folder that is a log of this dialect.
    pub folder: Option<LogFolder>,
    /// How the logs of a folder belong together; `None` if each is on its own.
    pub family: Option<FamilyColumn>,
}

/// Rows are equal if their names are: a test of `registry` proves that names are unique.
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
