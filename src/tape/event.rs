//! Lines of a tape: the header and the records, parsed from JSON and written with keys in the format's order.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::direct;
use super::header::Header;
use super::kind::Kind;
use super::payload::Payload;
use super::process::ProcessEntry;

/// When a record was made: while the program ran, or while the runtime finished its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    #[default]
    UserScript,
    RuntimeFinalize,
}

impl Phase {
    pub const fn name(self) -> &'static str {
        match self {
            Phase::UserScript => "user_script",
            Phase::RuntimeFinalize => "runtime_finalize",
        }
    }
}

/// One exchange of the run with its host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub seq: u64,
    #[serde(default)]
    pub phase: Phase,
    pub virtual_time_ms: i64,
    pub monotonic_ms: i64,
    pub kind: Kind,
    /// The tag of an unknown kind.
    #[serde(skip)]
    pub unknown_tag: Option<Box<str>>,
    /// The original line, if writing the record would give a different one: unknown keys, a newer kind, another order,
    /// an omitted phase. Code that changes the record must clear it.
    #[serde(skip)]
    pub verbatim: Option<Box<str>>,
    /// The text of its main payload, if that is in the payload store and was looked up.
    #[serde(skip)]
    pub looked_up: Option<Box<str>>,
}

impl Record {
    pub(crate) fn new(seq: u64, phase: Phase, virtual_time_ms: i64, monotonic_ms: i64, kind: Kind) -> Record {
        Record { seq, phase, virtual_time_ms, monotonic_ms, kind, unknown_tag: None, verbatim: None, looked_up: None }
    }

    /// The parsed main payload; null if it is not available.
    pub(crate) fn main_value(&self) -> Value {
        self.main_text().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The text of the main payload, if it is available.
    pub(crate) fn main_text(&self) -> Option<&str> {
        self.kind.main_payload().and_then(Payload::text).or(self.looked_up.as_deref())
    }

    /// The tag of its kind, as on the tape.
    pub(crate) fn tag(&self) -> &str {
        self.unknown_tag.as_deref().unwrap_or_else(|| self.kind.tag())
    }

    /// The part that the hash of the tape covers: the known fields, without the tag of the line.
    pub(crate) fn understood(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// The line, without the newline.
    pub(crate) fn line(&self) -> Result<String, serde_json::Error> {
        match &self.verbatim {
            Some(line) => Ok(line.to_string()),
            None => tagged("record", &self.understood()?),
        }
    }
}

/// The header as it is written, and the original line if that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeaderLine {
    pub header: Header,
    pub verbatim: Option<Box<str>>,
}

impl HeaderLine {
    pub(crate) fn line(&self) -> Result<String, serde_json::Error> {
        match &self.verbatim {
            Some(line) => Ok(line.to_string()),
            None => tagged("header", &serde_json::to_string(&self.header)?),
        }
    }
}

fn tagged(tag: &str, object: &str) -> Result<String, serde_json::Error> {
    Ok(format!("{{\"type\":\"{tag}\",{}", object.strip_prefix('{').unwrap_or(object)))
}

/// A parsed line of a tape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line {
    Header(Box<HeaderLine>),
    Record(Box<Record>),
    /// An entry of a process tape, which has no number and no clocks.
    Process(Box<ProcessEntry>),
}

/// A line as serde parses it. Error messages are those of the format's own reader, word for word.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tagged {
    Header(Header),
    Record(Record),
}

/// Only the tag of a record's kind, ignoring everything else.
#[derive(Deserialize)]
struct TagOfKind {
    kind: TagOnly,
}

#[derive(Deserialize)]
struct TagOnly {
    #[serde(deserialize_with = "boxed")]
    kind: Box<str>,
}

fn boxed<'de, D: Deserializer<'de>>(from: D) -> Result<Box<str>, D::Error> {
    String::deserialize(from).map(String::into_boxed_str)
}

impl Line {
    /// Parses a line of an event tape, or an entry of a process tape, for reading only: the original line is not kept.
    pub(crate) fn parse_any(text: &str) -> Result<Line, serde_json::Error> {
        if let Some(record) = direct::record(text) {
            return Ok(Line::Record(Box::new(record)));
        }
        Line::parsed(text, |_| None).or_else(|error| match serde_json::from_str::<ProcessEntry>(text) {
            // A record has no such member at the top level, so what does not parse as a record is an entry.
            Ok(entry) => Ok(Line::Process(Box::new(entry))),
            Err(_) => Err(error),
        })
    }

    pub(crate) fn parse(text: &str) -> Result<Line, serde_json::Error> {
        Line::parsed(text, |line| {
            let written = match line {
                Line::Header(header) => header.line(),
                Line::Record(record) => record.line(),
                Line::Process(entry) => serde_json::to_string(entry),
            };
            (written.ok().as_deref() != Some(text)).then(|| text.into())
        })
    }

    fn parsed(text: &str, verbatim: impl Fn(&Line) -> Option<Box<str>>) -> Result<Line, serde_json::Error> {
        let mut line = match serde_json::from_str(text)? {
            Tagged::Header(header) => Line::Header(Box::new(HeaderLine { header, verbatim: None })),
            Tagged::Record(mut record) => {
                if record.kind == Kind::Unknown {
                    record.unknown_tag = Some(serde_json::from_str::<TagOfKind>(text)?.kind.kind);
                }
                Line::Record(Box::new(record))
            }
        };
        let verbatim = verbatim(&line);
        match &mut line {
            Line::Header(header) => header.verbatim = verbatim,
            Line::Record(record) => record.verbatim = verbatim,
            Line::Process(_) => {}
        }
        Ok(line)
    }
}
