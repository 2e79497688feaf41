//! Lines of a tape: the header and the records, from JSON and back in the order of the format's writers.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

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

/// One thing that the run met at its host's boundary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub seq: u64,
    #[serde(default)]
    pub phase: Phase,
    pub virtual_time_ms: i64,
    pub monotonic_ms: i64,
    pub kind: Kind,
    /// The tag of a kind that nobody knows.
    #[serde(skip)]
    pub unknown_tag: Option<Box<str>>,
    /// The line as it stood, where writing the record would give another one: keys that nobody knows, a newer
    /// kind, another order, a phase that was left out. Whoever changes the record takes it away.
    #[serde(skip)]
    pub verbatim: Option<Box<str>>,
    /// The text of its telling payload, where that stands in the store and was looked up.
    #[serde(skip)]
    pub looked_up: Option<Box<str>>,
}

impl Record {
    pub(crate) fn new(seq: u64, phase: Phase, virtual_time_ms: i64, monotonic_ms: i64, kind: Kind) -> Record {
        Record { seq, phase, virtual_time_ms, monotonic_ms, kind, unknown_tag: None, verbatim: None, looked_up: None }
    }

    /// What its telling payload says; null where nobody knows.
    pub(crate) fn told(&self) -> Value {
        let text = self.kind.telling().and_then(Payload::text).or(self.looked_up.as_deref());
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Its kind's tag as the tape has it.
    pub(crate) fn tag(&self) -> &str {
        self.unknown_tag.as_deref().unwrap_or_else(|| self.kind.tag())
    }

    /// What the tape's hash covers: what was understood of the record, without the line's tag.
    pub(crate) fn understood(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Its line, without the newline.
    pub(crate) fn line(&self) -> Result<String, serde_json::Error> {
        match &self.verbatim {
            Some(line) => Ok(line.to_string()),
            None => tagged("record", &self.understood()?),
        }
    }
}

/// The header as it is written, and as it stood where that differs.
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

/// What a line of a tape is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line {
    Header(Box<HeaderLine>),
    Record(Box<Record>),
    /// An entry of a process tape, which has neither numbers nor clocks.
    Process(Box<ProcessEntry>),
}

/// The same as serde sees it. Its errors are those of the format's own reader, word for word.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tagged {
    Header(Header),
    Record(Record),
}

/// Only the tag of a record's kind, however much stands around it.
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
    /// A line of an event tape, or an entry of a process tape, for whoever only looks: the line is kept as it stands,
    /// without trying whether a writer would put it in the same way.
    pub(crate) fn parse_any(text: &str) -> Result<Line, serde_json::Error> {
        Line::parsed(text, |_| Some(text.into())).or_else(|error| match serde_json::from_str::<ProcessEntry>(text) {
            // A record has no such member at its top, so what cannot be read as one is an entry.
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
