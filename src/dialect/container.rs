//! How records are stored in a file: shapes, wrappings, and documents that hold a whole log.

use std::any::Any;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::recognize::Sample;
use crate::replay::machine::Malformed;

/// How records are arranged in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One record per line.
    Lines,
    /// The elements of one JSON array, formatted in any way.
    Array,
    /// JSON values one after the other, pretty-printed.
    Values,
}

/// The object around an event in its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapping {
    Bare,
    /// `{"seq", "ts_ms", "kind", "event"}`
    Envelope,
    /// `{"seq", "ts_ms", "payload"}`
    TraceRow,
}

/// An event's bytes, and the numbers in its wrapping.
pub(crate) struct Unwrapped<'a> {
    pub event: &'a [u8],
    pub seq: Option<u64>,
    pub ts_ms: Option<u64>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    seq: Option<u64>,
    #[serde(default)]
    ts_ms: Option<u64>,
    #[serde(borrow, alias = "payload")]
    event: Option<&'a RawValue>,
}

impl Wrapping {
    pub(crate) fn unwrap(self, record: &[u8]) -> serde_json::Result<Unwrapped<'_>> {
        match self {
            Wrapping::Bare => Ok(Unwrapped { event: record, seq: None, ts_ms: None }),
            Wrapping::Envelope | Wrapping::TraceRow => {
                let Envelope { seq, ts_ms, event } = serde_json::from_slice(record)?;
                // Single records of a wrapped log may be bare.
                let event = event.map_or(record, |event| event.get().as_bytes());
                Ok(Unwrapped { event, seq, ts_ms })
            }
        }
    }

    /// The event in a record, if the record was read.
    pub(crate) fn event_in(self, record: &[u8]) -> Result<&[u8], Malformed> {
        let malformed = |reason: String| Malformed { reason, byte: 0, unknown_kind: None };
        if record.is_empty() {
            return Err(malformed(
                "it was not read: it is too long, or was removed after the log was opened".to_owned(),
            ));
        }
        match self {
            Wrapping::Bare => Ok(record),
            Wrapping::Envelope | Wrapping::TraceRow => match self.unwrap(record) {
                Ok(unwrapped) => Ok(unwrapped.event),
                Err(error) => Err(malformed(error.to_string())),
            },
        }
    }
}

/// How a log is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Lines,
    Array,
    Values,
    /// One JSON document with the records as an array somewhere inside it.
    Document(&'static Document),
    /// Rows of a SQLite database.
    Sqlite,
}

impl Container {
    /// The name for messages and documents.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Container::Lines => "lines",
            Container::Array => "array",
            Container::Values => "values",
            Container::Document(document) => document.name,
            Container::Sqlite => "sqlite",
        }
    }
}

impl From<Shape> for Container {
    fn from(shape: Shape) -> Container {
        match shape {
            Shape::Lines => Container::Lines,
            Shape::Array => Container::Array,
            Shape::Values => Container::Values,
        }
    }
}

/// A kind of JSON document that holds a log, such as a trace bundle.
pub(crate) struct Document {
    pub name: &'static str,
    /// The wrapping of the events in its array.
    pub wrapping: Wrapping,
    /// Recognizes a document by the keys of its object that are in the first bytes of the file.
    pub is: fn(&Sample<'_>) -> bool,
    /// Finds the events in the text of a document.
    pub open: for<'t> fn(&'t str) -> serde_json::Result<Enclosed<'t>>,
}

/// The content of a document.
pub(crate) struct Enclosed<'t> {
    /// The JSON array of its events: a slice of the document's text.
    pub events: &'t str,
    /// Everything else that the dialect needs later.
    pub rest: Arc<dyn Any + Send + Sync>,
    /// Why this document is rejected, for example because of a newer version.
    pub refusal: Option<String>,
}

impl PartialEq for Document {
    fn eq(&self, other: &Document) -> bool {
        self.name == other.name
    }
}

impl Eq for Document {}

impl std::fmt::Debug for Document {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Document").field(&self.name).finish()
    }
}
