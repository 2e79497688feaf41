//! What a file is, told from its first bytes.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::spans::{ValueEnd, is_blank, is_complete, top_level_keys};
use crate::replay::Place;

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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    Records { shape: Shape, wrapping: Wrapping },
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

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Bytes to pass over before the text begins.
pub fn bom_length(head: &[u8]) -> usize {
    if head.starts_with(BOM) { BOM.len() } else { 0 }
}

/// Tells a container from the first bytes of a file. `is_all` says that there are no more.
pub fn detect(head: &[u8], is_all: bool) -> Result<Container, Unknown> {
    if head.starts_with(b"SQLite format 3\0") {
        return Ok(Container::Sqlite);
    }
    let skipped = bom_length(head);
    let text = &head[skipped..];
    let Some(first) = text.iter().position(|byte| !is_blank(*byte)) else {
        return Ok(Container::Records { shape: Shape::Values, wrapping: Wrapping::Bare });
    };
    let body = &text[first..];
    match body[0] {
        b'[' => array(head, body),
        b'{' => objects(head, body, is_all),
        _ => lines_with_a_bad_start(body).ok_or_else(|| describe(head, skipped + first)),
    }
}

fn array(head: &[u8], body: &[u8]) -> Result<Container, Unknown> {
    let mut rest = body[1..].trim_ascii_start();
    if rest.is_empty() || rest[0] == b']' {
        return Ok(Container::Records { shape: Shape::Array, wrapping: Wrapping::Bare });
    }
    let mut seen_any = false;
    while !rest.is_empty() && rest[0] != b']' {
        if let Some(wrapping) = wrapping(&top_level_keys(rest)) {
            return Ok(Container::Records { shape: Shape::Array, wrapping });
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
        return Ok(Container::Records { shape: Shape::Array, wrapping: Wrapping::Bare });
    }
    Err(unknown(head, 0, "an array without any event in its beginning".to_owned()))
}

fn objects(head: &[u8], body: &[u8], is_all: bool) -> Result<Container, Unknown> {
    let keys = top_level_keys(body);
    let has = |key: &str| keys.contains(&key);
    // Only the keys in the file's beginning are known: a pack's session may be longer than that.
    if has("metadata") && (has("trace") || has("session_messages")) {
        return Ok(Container::Pack);
    }
    if ["events", "replay_summary", "generator", "analysis"].into_iter().any(has) {
        return Ok(Container::Bundle);
    }
    let first_line = body.split(|byte| *byte == b'\n').next().unwrap_or(body);
    let cut_short = first_line.len() == body.len() && !is_all;
    // A first line that is cut off stands before lines that are whole; a pretty-printed value has none such.
    let torn_first = || body.split(|byte| *byte == b'\n').skip(1).any(is_event_line);
    let is_lines = is_complete(first_line) || cut_short || torn_first();
    let shape = if is_lines { Shape::Lines } else { Shape::Values };
    if let Some(wrapping) = wrapping(&keys) {
        // A single torn line is a line, not a pretty-printed value.
        let torn_line = is_all && first_line.len() == body.len();
        let shape = if torn_line { Shape::Lines } else { shape };
        return Ok(Container::Records { shape, wrapping });
    }
    if let Some(container) = lines_with_a_bad_start(body) {
        return Ok(container);
    }
    let names = if keys.is_empty() { "none".to_owned() } else { keys[..keys.len().min(6)].join(", ") };
    Err(unknown(head, head.len() - body.len(), format!("an object with the keys {}", printable(&names))))
}

/// A log may begin with a damaged line: any line of the beginning that is an event tells what the file is.
fn lines_with_a_bad_start(body: &[u8]) -> Option<Container> {
    let wrapping = body.split(|byte| *byte == b'\n').find_map(|line| wrapping(&top_level_keys(line)))?;
    Some(Container::Records { shape: Shape::Lines, wrapping })
}

fn is_event_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{") && is_complete(line) && wrapping(&top_level_keys(line)).is_some()
}

fn wrapping(keys: &[&str]) -> Option<Wrapping> {
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
        let records = |shape, wrapping| Ok(Container::Records { shape, wrapping });
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
            ("{\"schema_version\":1,\"generator\":{}", Ok(Container::Bundle)),
            ("{\"metadata\":{},\"trace\":{", Ok(Container::Pack)),
            ("SQLite format 3\0", Ok(Container::Sqlite)),
        ] {
            assert_eq!(detect(head.as_bytes(), true), expected, "{head}");
        }
        for head in ["hello", "{\"x\":1}", "[1,2]", "[\"a\"]", "\x1f\u{8b}"] {
            assert!(detect(head.as_bytes(), true).is_err(), "{head}");
        }
    }
}
