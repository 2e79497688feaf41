//! A whole tape in memory, read by the rules of the format's own reader and with its error messages.

use super::event::{HeaderLine, Line, Record};
use super::header::NEWEST_VERSION;
use crate::replay::Place;

/// How to treat a tape of a newer version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Newer {
    /// Reject it, as the format's own reader does.
    #[default]
    Refused,
    /// Read it: what is not understood is shown as unknown.
    Shown,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tape {
    pub header: HeaderLine,
    pub records: Vec<Record>,
    /// The place of each record.
    pub places: Vec<Place>,
    /// The incomplete last line, which is not part of the records.
    pub torn: Option<Torn>,
}

/// A last line without a newline that is not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Torn {
    pub place: Place,
    pub length_bytes: u64,
}

/// Why a file is not a tape. The messages include the file name.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("read {0}: stream did not contain valid UTF-8")]
    NotText(String),
    #[error("empty tape file: {0}")]
    Empty(String),
    #[error("parse tape header in {name}: {reason}")]
    Header { name: String, reason: serde_json::Error },
    #[error("tape {0} is missing its header (first line is a record)")]
    NoHeader(String),
    #[error("tape {name} declares version {version} but this runtime supports up to {NEWEST_VERSION}")]
    TooNew { name: String, version: u32 },
    #[error("parse tape record at line {line} in {name}: {reason}")]
    Record { name: String, line: u64, reason: serde_json::Error },
    #[error("tape {name} contains a second header at line {line}")]
    SecondHeader { name: String, line: u64 },
}

impl Tape {
    /// `name` is the file name in errors.
    pub(crate) fn read(bytes: &[u8], name: &str, newer: Newer) -> Result<Tape, LoadError> {
        let name = || name.to_owned();
        let text = std::str::from_utf8(bytes).map_err(|_| LoadError::NotText(name()))?;
        let mut lines = placed_lines(text);
        let (_, first) = lines.next().ok_or_else(|| LoadError::Empty(name()))?;
        let header = match Line::parse(first) {
            Ok(Line::Header(header)) => *header,
            Ok(Line::Record(_) | Line::Process(_)) => return Err(LoadError::NoHeader(name())),
            Err(reason) => return Err(LoadError::Header { name: name(), reason }),
        };
        let version = header.header.version;
        if version > NEWEST_VERSION && newer == Newer::Refused {
            return Err(LoadError::TooNew { name: name(), version });
        }
        let mut tape = Tape { header, ..Tape::default() };
        let mut lines = lines.peekable();
        while let Some((place, line)) = lines.next() {
            if line.trim().is_empty() {
                continue;
            }
            match Line::parse(line) {
                Ok(Line::Record(record)) => {
                    tape.records.push(*record);
                    tape.places.push(place);
                }
                Ok(Line::Header(_) | Line::Process(_)) => {
                    return Err(LoadError::SecondHeader { name: name(), line: place.line });
                }
                Err(_) if lines.peek().is_none() && !text.ends_with('\n') => {
                    tape.torn = Some(Torn { place, length_bytes: line.len() as u64 });
                }
                Err(reason) => return Err(LoadError::Record { name: name(), line: place.line, reason }),
            }
        }
        Ok(tape)
    }

    /// The tape as a writer would write it, without blank and incomplete lines.
    #[cfg(test)]
    pub(crate) fn write(&self) -> Result<String, serde_json::Error> {
        let mut out = self.header.line()?;
        out.push('\n');
        for record in &self.records {
            out.push_str(&record.line()?);
            out.push('\n');
        }
        Ok(out)
    }

    /// The hash that identifies a tape in its annotations: it covers the known fields of its records, not the header.
    pub(crate) fn content_hash(&self) -> Result<String, serde_json::Error> {
        let mut hasher = blake3::Hasher::new();
        for record in &self.records {
            hasher.update(record.understood()?.as_bytes());
            hasher.update(b"\n");
        }
        Ok(hasher.finalize().to_hex().to_string())
    }
}

/// The lines without their ends, and the place of each.
fn placed_lines(text: &str) -> impl Iterator<Item = (Place, &str)> {
    let mut byte = 0_u64;
    text.split_inclusive('\n').zip(1..).map(move |(line, number)| {
        let place = Place { line: number, byte };
        byte += line.len() as u64;
        let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        (place, line)
    })
}
