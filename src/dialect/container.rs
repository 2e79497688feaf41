//! How records are stored in a file: shapes, wrappings, and documents that hold a whole log.

use std::any::Any;
use std::sync::Arc;

use memchr::memmem;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::recognize::Sample;
use crate::json::spans::ValueEnd;
use crate::replay::chunk::Unwrap;
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
    /// `{"seq", "event"}`, if the object has no `kind`: then it is an event itself. The last of repeated members counts.
    Numbered,
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
            Wrapping::Numbered => Numbered::read(record),
        }
    }

    /// The event in a record, if the record was read.
    #[inline]
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
                Err(error) => Err(error.into()),
            },
            // Text that is not JSON is rejected as an event, with a reason.
            Wrapping::Numbered => Ok(self.unwrap(record).map_or(record, |unwrapped| unwrapped.event)),
        }
    }
}

impl Unwrap for Wrapping {
    #[inline]
    fn event_in<'r>(&self, record: &'r [u8]) -> Result<&'r [u8], Malformed> {
        Wrapping::event_in(*self, record)
    }

    #[inline]
    fn presumed_event_in<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        match self {
            Wrapping::Numbered => Numbered::split(record).map(|(event, _)| event),
            _ => None,
        }
    }
}

/// The members of a record that may be a numbered wrapping.
#[derive(Default)]
struct Numbered<'a> {
    event: Option<&'a RawValue>,
    seq: Option<u64>,
    has_kind: bool,
}

impl<'a> Numbered<'a> {
    fn read(record: &'a [u8]) -> serde_json::Result<Unwrapped<'a>> {
        if let Some(unwrapped) = Self::plain(record) {
            return Ok(unwrapped);
        }
        let bare = Unwrapped { event: record, seq: None, ts_ms: None };
        if Self::is_plainly_bare(record) {
            return Ok(bare);
        }
        if !record.trim_ascii_start().starts_with(b"{") {
            return serde_json::from_slice::<IgnoredAny>(record).map(|_| bare);
        }
        let Numbered { event, seq, has_kind } = serde_json::from_slice(record)?;
        let wrapped = event.filter(|_| !has_kind);
        Ok(wrapped.map_or(bare, |event| Unwrapped { event: event.get().as_bytes(), seq, ts_ms: None }))
    }

    /// Whether a record is certainly an event itself: it has a kind, or nothing in it could be the key `event`. Keys may
    /// be written with escapes.
    fn is_plainly_bare(record: &[u8]) -> bool {
        record.starts_with(br#"{"kind":"#)
            || memmem::find(record, br#""event""#).is_none() && memmem::find(record, br"\u").is_none()
    }

    /// Reads the layout of nearly every numbered record, `{"seq":N,"event":{...}}`, without parsing the event.
    fn plain(record: &'a [u8]) -> Option<Unwrapped<'a>> {
        let (event, seq) = Self::split(record)?;
        let is_all = ValueEnd::default().feed(event) == Some(event.len());
        is_all.then_some(Unwrapped { event, seq: Some(seq), ts_ms: None })
    }

    /// Splits that layout. What is returned as the event may be more than one value.
    fn split(record: &'a [u8]) -> Option<(&'a [u8], u64)> {
        let rest = record.strip_prefix(br#"{"seq":"#)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = &rest[..digits];
        let event = rest[digits..].strip_prefix(br#","event":"#)?.strip_suffix(b"}")?;
        if number.len() > 1 && number[0] == b'0' || !event.starts_with(b"{") {
            return None;
        }
        Some((event, std::str::from_utf8(number).ok()?.parse().ok()?))
    }
}

impl<'de> Deserialize<'de> for Numbered<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NumberedVisitor)
    }
}

struct NumberedVisitor;

impl<'de> Visitor<'de> for NumberedVisitor {
    type Value = Numbered<'de>;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Numbered<'de>, A::Error> {
        let mut found = Numbered::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "event" => found.event = Some(map.next_value()?),
                "seq" => found.seq = map.next_value::<&RawValue>()?.get().parse().ok(),
                "kind" => {
                    map.next_value::<IgnoredAny>()?;
                    found.has_kind = true;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numbered_record_is_one_with_an_event_and_without_a_kind() {
        for (record, event, seq) in [
            (r#"{"seq":7,"event":{"kind":"a"}}"#, r#"{"kind":"a"}"#, Some(7)),
            (r#" {"event" : {"kind":"a"}, "seq":7 } "#, r#"{"kind":"a"}"#, Some(7)),
            (r#"{"seq":7,"event":null}"#, "null", Some(7)),
            (r#"{"seq":-7,"event":"x"}"#, r#""x""#, None),
            (r#"{"seq":"7","event":{}}"#, "{}", None),
            (r#"{"seq":07,"event":{}}"#, "", None),
            (r#"{"event":1,"event":2,"seq":1,"seq":2}"#, "2", Some(2)),
            (r#"{"seq":1,"event":{},"event":{"x":1}}"#, r#"{"x":1}"#, Some(1)),
            (r#"{"seq":1,"event":{},"kind":"a"}"#, r#"{"seq":1,"event":{},"kind":"a"}"#, None),
            (r#"{"kind":"a"}"#, r#"{"kind":"a"}"#, None),
            ("[1]", "[1]", None),
            (r#"{"\u0065vent":{"x":1}}"#, r#"{"x":1}"#, None),
            (r#"{"event":{"kind":"a"},"#, "", None),
        ] {
            let unwrapped = Wrapping::Numbered.unwrap(record.as_bytes()).ok();
            let found = unwrapped.map_or((&b""[..], None), |unwrapped| (unwrapped.event, unwrapped.seq));
            assert_eq!((String::from_utf8_lossy(found.0).as_ref(), found.1), (event, seq), "{record}");
        }
    }
}
