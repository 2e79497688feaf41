//! What a file is, told from its first bytes.

use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::spans::{ValueEnd, is_blank, is_complete, top_level_keys};
use crate::replay::Place;
use crate::replay::machine::Malformed;

/// How records stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One record a line.
    Lines,
    /// The elements of one JSON array, however it is printed.
    Array,
    /// JSON values one after the other, pretty-printed.
    Values,
}

/// What wraps an event in its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    Bare,
    /// `{"seq", "ts_ms", "kind", "event"}`
    Envelope,
    /// `{"seq", "ts_ms", "payload"}`
    TraceRow,
}

/// An event's bytes and the times that its wrapping gives.
pub struct Unwrapped<'a> {
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
    event: &'a RawValue,
}

impl Wrapping {
    pub fn unwrap(self, record: &[u8]) -> serde_json::Result<Unwrapped<'_>> {
        match self {
            Wrapping::Bare => Ok(Unwrapped { event: record, seq: None, ts_ms: None }),
            Wrapping::Envelope | Wrapping::TraceRow => {
                let Envelope { seq, ts_ms, event } = serde_json::from_slice(record)?;
                Ok(Unwrapped { event: event.get().as_bytes(), seq, ts_ms })
            }
        }
    }

    /// The event in a record, if that was read.
    pub fn event_in(self, record: &[u8]) -> Result<&[u8], Malformed> {
        let malformed = |reason: String| Malformed { reason, byte: 0, unknown_kind: None };
        if record.is_empty() {
            return Err(malformed("it was not read: too long, or gone since the log was opened".to_owned()));
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

/// What a record of a dialect looks like, told from its keys.
pub struct Signature {
    /// The dialect's name.
    pub dialect: &'static str,
    /// How a record with these keys wraps its event, if it is one of this dialect's.
    wrapping: fn(&[&str]) -> Option<Wrapping>,
    /// Whether a line with these keys stands before the records.
    is_head: fn(&[&str]) -> bool,
}

pub static SIGNATURES: &[Signature] = &[
    Signature { dialect: TURN, wrapping: of_turn, is_head: |_| false },
    Signature { dialect: "tape", wrapping: of_tape, is_head: is_tape_head },
    Signature { dialect: "transfer", wrapping: of_transfer, is_head: |_| false },
];

/// What a file is taken for that holds nothing, and what an array, a bundle, a pack or a store holds.
const TURN: &str = "turn";

/// How a log is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    Lines,
    Array,
    Values,
    Bundle,
    ReplayPack,
    Sqlite,
}

impl Container {
    /// For messages and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Container::Lines => "lines",
            Container::Array => "array",
            Container::Values => "values",
            Container::Bundle => "trace bundle",
            Container::ReplayPack => "replay pack",
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

/// What a file was recognized as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detected {
    Records { shape: Shape, wrapping: Wrapping, dialect: &'static str },
    Bundle,
    Pack,
    Sqlite,
}

/// Why a file is none of these.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown {
    pub place: Place,
    pub found: String,
}

pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// Bytes to pass over before the text begins.
pub fn bom_length(head: &[u8]) -> usize {
    if head.starts_with(BOM) { BOM.len() } else { 0 }
}

/// Tells a container from the first bytes of a file. `is_all` says that there are no more.
pub fn detect(head: &[u8], is_all: bool) -> Result<Detected, Unknown> {
    if head.starts_with(b"SQLite format 3\0") {
        return Ok(Detected::Sqlite);
    }
    let skipped = bom_length(head);
    let text = &head[skipped..];
    let Some(first) = text.iter().position(|byte| !is_blank(*byte)) else {
        return Ok(Detected::Records { shape: Shape::Values, wrapping: Wrapping::Bare, dialect: TURN });
    };
    let body = &text[first..];
    match body[0] {
        b'[' => array(head, body),
        b'{' => objects(head, body, is_all),
        _ => lines_with_a_bad_start(body).ok_or_else(|| describe(head, skipped + first)),
    }
}

fn array(head: &[u8], body: &[u8]) -> Result<Detected, Unknown> {
    let mut rest = body[1..].trim_ascii_start();
    if rest.is_empty() || rest[0] == b']' {
        return Ok(Detected::Records { shape: Shape::Array, wrapping: Wrapping::Bare, dialect: TURN });
    }
    let mut seen_any = false;
    while !rest.is_empty() && rest[0] != b']' {
        let keys = top_level_keys(rest);
        if let Some(wrapping) = of_turn(&keys) {
            return Ok(Detected::Records { shape: Shape::Array, wrapping, dialect: TURN });
        }
        if is_process(&keys) {
            return Ok(Detected::Records { shape: Shape::Array, wrapping: Wrapping::Bare, dialect: "tape" });
        }
        // Without its tag an event still names its turn, and events may be written as arrays too.
        seen_any |= rest[0] == b'[' || top_level_keys(rest).contains(&"turn_id");
        match ValueEnd::default().feed(rest) {
            Some(length) => rest = rest[length..].trim_ascii_start(),
            None => break,
        }
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    }
    if seen_any {
        return Ok(Detected::Records { shape: Shape::Array, wrapping: Wrapping::Bare, dialect: TURN });
    }
    Err(unknown(head, 0, "an array without any event in its beginning".to_owned()))
}

fn objects(head: &[u8], body: &[u8], is_all: bool) -> Result<Detected, Unknown> {
    let keys = top_level_keys(body);
    let has = |key: &str| keys.contains(&key);
    // Only the keys in the file's beginning are known: a pack's session may be longer than that.
    if has("metadata") && (has("trace") || has("session_messages")) {
        return Ok(Detected::Pack);
    }
    if ["events", "replay_summary", "generator", "analysis"].into_iter().any(has) {
        return Ok(Detected::Bundle);
    }
    let first_line = body.split(|byte| *byte == b'\n').next().unwrap_or(body);
    let cut_short = first_line.len() == body.len() && !is_all;
    // A first line that is cut off stands before lines that are whole; a pretty-printed value has none such.
    let torn_first = || body.split(|byte| *byte == b'\n').skip(1).any(is_event_line);
    let is_lines = is_complete(first_line) || cut_short || torn_first();
    let shape = if is_lines { Shape::Lines } else { Shape::Values };
    if let Some((dialect, wrapping)) = recognize(&keys) {
        // A single torn line is a line, not a pretty-printed value. Only turn logs are ever printed that way.
        let torn_line = is_all && first_line.len() == body.len();
        let shape = if torn_line || dialect != TURN { Shape::Lines } else { shape };
        return Ok(Detected::Records { shape, wrapping, dialect });
    }
    if let Some(container) = lines_with_a_bad_start(body) {
        return Ok(container);
    }
    let names = if keys.is_empty() { "none".to_owned() } else { keys[..keys.len().min(6)].join(", ") };
    Err(unknown(head, head.len() - body.len(), format!("an object with the keys {}", printable(&names))))
}

/// A log may begin with a damaged line: any line of the beginning that is an event tells what the file is.
fn lines_with_a_bad_start(body: &[u8]) -> Option<Detected> {
    let mut lines = body.split(|byte| *byte == b'\n');
    let (dialect, wrapping) = lines.find_map(|line| recognize(&top_level_keys(line)))?;
    Some(Detected::Records { shape: Shape::Lines, wrapping, dialect })
}

fn is_event_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{") && is_complete(line) && recognize(&top_level_keys(line)).is_some()
}

/// Whose record or head has these keys.
fn recognize(keys: &[&str]) -> Option<(&'static str, Wrapping)> {
    SIGNATURES.iter().find_map(|signature| {
        let as_head = || (signature.is_head)(keys).then_some(Wrapping::Bare);
        Some((signature.dialect, (signature.wrapping)(keys).or_else(as_head)?))
    })
}

/// The line before the first record: where it begins and ends in the beginning of a file. Only a whole line is one.
pub fn head_line(dialect: &str, head: &[u8]) -> Option<Range<usize>> {
    let signature = SIGNATURES.iter().find(|signature| signature.dialect == dialect)?;
    let skipped = bom_length(head);
    let from = skipped + head[skipped..].iter().position(|byte| !is_blank(*byte))?;
    let to = from + memchr::memchr(b'\n', &head[from..]).unwrap_or(head.len() - from);
    let line = &head[from..to];
    (is_complete(line) && (signature.is_head)(&top_level_keys(line))).then_some(from..to)
}

fn is_tape_head(keys: &[&str]) -> bool {
    keys.contains(&"type") && keys.contains(&"harn_version")
}

fn of_tape(keys: &[&str]) -> Option<Wrapping> {
    let has = |key: &str| keys.contains(&key);
    let is_record = has("type") && has("seq") && (has("virtual_time_ms") || has("monotonic_ms"));
    is_record.then_some(Wrapping::Bare)
}

/// An entry of a process tape, which is an array of these.
fn is_process(keys: &[&str]) -> bool {
    let has = |key: &str| keys.contains(&key);
    has("program") && ["args", "stdout", "stderr", "exit_code", "duration_ms"].into_iter().any(has)
}

fn of_transfer(keys: &[&str]) -> Option<Wrapping> {
    (keys.contains(&"transfer") && keys.contains(&"oracle")).then_some(Wrapping::Bare)
}

fn of_turn(keys: &[&str]) -> Option<Wrapping> {
    let has = |key: &str| keys.contains(&key);
    if has("event_type") {
        Some(Wrapping::Bare)
    } else if has("event") && (has("kind") || has("seq")) {
        Some(Wrapping::Envelope)
    } else if has("payload") && has("seq") {
        Some(Wrapping::TraceRow)
    } else {
        None
    }
}

fn describe(head: &[u8], at: usize) -> Unknown {
    let found = match head {
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "a zstd-compressed file; decompress it first (`zstd -d`)".to_owned(),
        [0x1f, 0x8b, ..] => "a gzip-compressed file; decompress it first (`gzip -d`)".to_owned(),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16 text; logs are UTF-8".to_owned(),
        _ => {
            let shown: String = String::from_utf8_lossy(&head[at..head.len().min(at + 24)]).into_owned();
            format!("`{}` where `[` or `{{` should stand", printable(shown.lines().next().unwrap_or("")))
        }
    };
    unknown(head, at, found)
}

fn unknown(head: &[u8], at: usize, found: String) -> Unknown {
    let line = head[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    Unknown { place: Place { line, byte: at as u64 }, found }
}

fn printable(text: &str) -> String {
    let mut out = String::new();
    crate::replay::finding::escape_into(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_told_from_their_first_bytes() {
        let records = |shape, wrapping| Ok(Detected::Records { shape, wrapping, dialect: TURN });
        let tape = || Ok(Detected::Records { shape: Shape::Lines, wrapping: Wrapping::Bare, dialect: "tape" });
        for (head, expected) in [
            ("", records(Shape::Values, Wrapping::Bare)),
            ("[]", records(Shape::Array, Wrapping::Bare)),
            ("[\n {\"x\":1}, {\"event_type\":\"a\"}]", records(Shape::Array, Wrapping::Bare)),
            ("{\"event_type\":\"a\"}\n{", records(Shape::Lines, Wrapping::Bare)),
            ("{\"event_type\":\"a\", \"turn", records(Shape::Lines, Wrapping::Bare)),
            ("{\n \"event_type\":\"a\"\n}\n{", records(Shape::Values, Wrapping::Bare)),
            ("{\"event_type\":\"a\", \"tu\n{\"event_type\":\"b\"}\n", records(Shape::Lines, Wrapping::Bare)),
            ("\u{feff}{\"seq\":1,\"event\":{}}\n", records(Shape::Lines, Wrapping::Envelope)),
            ("[{\"seq\":1,\"payload\":{}}]", records(Shape::Array, Wrapping::TraceRow)),
            ("junk\n{\"event_type\":\"a\"}\n", records(Shape::Lines, Wrapping::Bare)),
            ("{\"schema_version\":1,\"generator\":{}", Ok(Detected::Bundle)),
            ("{\"metadata\":{},\"trace\":{", Ok(Detected::Pack)),
            ("SQLite format 3\0", Ok(Detected::Sqlite)),
            ("{\"type\":\"header\",\"version\":5,\"harn_version\":\"x\"}\n", tape()),
            (
                "[{\"program\":\"ls\",\"args\":[]}]",
                Ok(Detected::Records { shape: Shape::Array, wrapping: Wrapping::Bare, dialect: "tape" }),
            ),
            ("\n{\"type\":\"header\",\"version\":5,\"harn_version\":\"x\"}", tape()),
            ("{\"type\":\"record\",\"seq\":0,\"virtual_time_ms\":0,\"mono", tape()),
        ] {
            assert_eq!(detect(head.as_bytes(), true), expected, "{head}");
        }
        let tape = b"\xef\xbb\xbf\n{\"type\":\"header\",\"harn_version\":\"x\"}\n{}";
        assert_eq!(head_line("tape", tape), Some(4..40));
        assert_eq!(head_line("tape", &tape[..20]), None);
        assert_eq!(head_line("turn", tape), None);
        for head in ["hello", "{\"x\":1}", "[1,2]", "[\"a\"]", "\x1f\u{8b}"] {
            assert!(detect(head.as_bytes(), true).is_err(), "{head}");
        }
    }
}
