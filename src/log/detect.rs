//! Detection of dialect and container from the first bytes of a file, by asking the dialects.

use std::ops::Range;

use super::lookalike::{LookAlike, certain_look_alike, look_alike};
use crate::dialect::Dialect;
use crate::dialect::container::{Document, Shape, Wrapping};
use crate::dialect::recognize::{Certainty, Sample};
use crate::json::spans::{ValueEnd, is_blank, is_complete};
use crate::replay::Place;

/// The dialects that a file may be of.
pub(crate) type Dialects = &'static [&'static Dialect];

/// What a file was recognized as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detected {
    Records { shape: Shape, wrapping: Wrapping, dialect: &'static Dialect },
    Document(&'static Dialect, &'static Document),
    Sqlite(&'static Dialect),
}

impl Detected {
    pub(crate) fn dialect(&self) -> &'static Dialect {
        match self {
            Detected::Records { dialect, .. } | Detected::Document(dialect, _) | Detected::Sqlite(dialect) => dialect,
        }
    }
}

/// Why a file was not recognized.
#[derive(Debug)]
pub(crate) struct Unknown {
    pub place: Place,
    pub found: String,
    /// It begins as JSON.
    pub is_json: bool,
    /// The look-alike that the file is, if it is one.
    pub looks_like: Option<&'static LookAlike>,
}

pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The number of bytes before the text begins.
pub(crate) fn bom_length(head: &[u8]) -> usize {
    if head.starts_with(BOM) { BOM.len() } else { 0 }
}

/// Detects the container and dialect from the first bytes of a file. `is_all` is true if there are no more bytes.
pub(crate) fn detect(head: &[u8], is_all: bool, dialects: Dialects) -> Result<Detected, Unknown> {
    if head.starts_with(b"SQLite format 3\0") {
        let owner = dialects.iter().find(|dialect| dialect.in_sqlite);
        return owner.map(|owner| Detected::Sqlite(owner)).ok_or_else(|| describe(head, 0));
    }
    let skipped = bom_length(head);
    let text = &head[skipped..];
    let Some(first) = text.iter().position(|byte| !is_blank(*byte)) else {
        return empty(Shape::Values, dialects).ok_or_else(|| describe(head, skipped));
    };
    let body = &text[first..];
    match body[0] {
        b'[' => array(head, body, dialects),
        b'{' => objects(head, body, is_all, dialects),
        _ => lines_with_a_bad_start(body, dialects).ok_or_else(|| describe(head, skipped + first)),
    }
}

/// A file without records is opened as a log of the first dialect.
fn empty(shape: Shape, dialects: Dialects) -> Option<Detected> {
    let dialect = dialects.first()?;
    Some(Detected::Records { shape, wrapping: Wrapping::Bare, dialect })
}

fn array(head: &[u8], body: &[u8], dialects: Dialects) -> Result<Detected, Unknown> {
    let no_event = || unknown(head, 0, "an array whose first elements are not events".to_owned());
    let inside = body[1..].trim_ascii_start();
    let is_empty = inside.is_empty() || inside[0] == b']' && inside[1..].trim_ascii().is_empty();
    if is_empty {
        return empty(Shape::Array, dialects).ok_or_else(no_event);
    }
    let mut votes = Votes::new(dialects);
    votes.see_all(elements(inside).map(|element| Sample::new(element, Shape::Array)));
    match votes.winner_in(head) {
        Some((dialect, wrapping)) => Ok(Detected::Records { shape: Shape::Array, wrapping, dialect }),
        // A line that is an array may be the damaged first line of a log.
        None => lines_with_a_bad_start(body, dialects).ok_or_else(no_event),
    }
}

/// The values of a text, with or without commas between them. The last one may be cut off.
fn elements(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text.trim_ascii_start();
    std::iter::from_fn(move || {
        if rest.is_empty() || rest[0] == b']' {
            return None;
        }
        let value = rest;
        rest = match ValueEnd::default().feed(value) {
            // Bytes that do not begin a value are skipped one by one.
            Some(length) => value[length.max(1)..].trim_ascii_start(),
            None => b"",
        };
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
        Some(value)
    })
}

fn objects(head: &[u8], body: &[u8], is_all: bool, dialects: Dialects) -> Result<Detected, Unknown> {
    let first = Sample::new(body, Shape::Lines);
    let mut votes = Votes::new(dialects);
    votes.see(&first);
    if !votes.is_sure()
        && let Some(document) = document(&first, dialects)
    {
        return Ok(document);
    }
    let first_line = body.split(|byte| *byte == b'\n').next().unwrap_or(body);
    let cut_short = first_line.len() == body.len() && !is_all;
    // A torn first line is followed by complete lines; a pretty-printed value is not.
    let torn_first = || body.split(|byte| *byte == b'\n').skip(1).any(|line| is_event_line(line, dialects));
    let is_lines = is_complete(first_line) || cut_short || torn_first();
    let shape = if is_lines { Shape::Lines } else { Shape::Values };
    if votes.winner().is_some() {
        if is_lines {
            votes.see_all(body.split(|byte| *byte == b'\n').skip(1).map(|line| Sample::new(line, shape)));
        } else {
            votes.see_all(elements(body).skip(1).map(|value| Sample::new(value, shape)));
        }
    }
    if let Some((dialect, wrapping)) = votes.winner_in(head) {
        // A single torn line is a line, not a pretty-printed value.
        let torn_line = is_all && first_line.len() == body.len();
        let shape = if torn_line || !dialect.shapes.contains(&shape) { Shape::Lines } else { shape };
        return Ok(Detected::Records { shape, wrapping, dialect });
    }
    if let Some(detected) = lines_with_a_bad_start(body, dialects) {
        return Ok(detected);
    }
    let keys = first.keys();
    let found = match keys {
        [] => "an empty object".to_owned(),
        keys => format!("an object with the keys {}", printable(&keys[..keys.len().min(6)].join(", "))),
    };
    Err(unknown(head, head.len() - body.len(), found))
}

fn document(first: &Sample<'_>, dialects: Dialects) -> Option<Detected> {
    let documents = dialects.iter().flat_map(|owner| owner.documents.iter().map(move |document| (owner, document)));
    let mut own = documents.filter(|(_, document)| (document.is)(first));
    own.next().map(|(owner, document)| Detected::Document(owner, document))
}

/// A log may begin with a damaged line, so every line at the start of the file is tried.
fn lines_with_a_bad_start(body: &[u8], dialects: Dialects) -> Option<Detected> {
    let mut votes = Votes::new(dialects);
    votes.see_all(body.split(|byte| *byte == b'\n').map(|line| Sample::new(line, Shape::Lines)));
    let (dialect, wrapping) = votes.winner_in(body)?;
    Some(Detected::Records { shape: Shape::Lines, wrapping, dialect })
}

fn is_event_line(line: &[u8], dialects: Dialects) -> bool {
    let line = line.trim_ascii();
    let sample = || Sample::new(line, Shape::Lines);
    line.starts_with(b"{") && is_complete(line) && {
        let mut votes = Votes::new(dialects);
        votes.see(&sample());
        votes.winner().is_some()
    }
}

/// The dialects' answers about the records seen so far. The most certain answer wins; among equals, the first one.
struct Votes {
    dialects: Dialects,
    /// For each dialect, its answer about the first record that it recognized.
    answers: Vec<(&'static Dialect, Certainty, Wrapping)>,
}

impl Votes {
    fn new(dialects: Dialects) -> Votes {
        Votes { dialects, answers: Vec::new() }
    }

    /// Shows samples to the dialects until one of them is sure, and to that one the rest: a single record in a
    /// wrapping is enough to look for wrappings in all records.
    fn see_all<'a>(&mut self, samples: impl Iterator<Item = Sample<'a>>) {
        for sample in samples {
            if !self.is_sure() {
                self.see(&sample);
            } else if let Some((dialect, wrapping)) = self.sure_and_bare() {
                match (dialect.recognize)(&sample) {
                    Some(recognized) if !recognized.is_head => *wrapping = recognized.wrapping,
                    _ => {}
                }
            } else {
                return;
            }
        }
    }

    fn sure_and_bare(&mut self) -> Option<(&'static Dialect, &mut Wrapping)> {
        let (dialect, _, wrapping) = self.answers.iter_mut().find(|(_, certainty, _)| *certainty == Certainty::Sure)?;
        (*wrapping == Wrapping::Bare).then_some((*dialect, wrapping))
    }

    fn see(&mut self, sample: &Sample<'_>) {
        for dialect in self.dialects.iter().copied() {
            // Whether a dialect can be pretty-printed is decided once the winner is known.
            if sample.shape() == Shape::Array && !dialect.shapes.contains(&Shape::Array) {
                continue;
            }
            let Some(recognized) = (dialect.recognize)(sample) else { continue };
            match self.answers.iter_mut().find(|answer| answer.0 == dialect) {
                None => self.answers.push((dialect, recognized.certainty, recognized.wrapping)),
                Some((_, certainty, wrapping)) => {
                    // The first record determines the wrapping, unless its answer was only a guess.
                    if *certainty == Certainty::Guess && recognized.certainty > Certainty::Guess {
                        *wrapping = recognized.wrapping;
                    }
                    *certainty = recognized.certainty.max(*certainty);
                }
            }
        }
    }

    fn is_sure(&self) -> bool {
        self.answers.iter().any(|(_, certainty, _)| *certainty == Certainty::Sure)
    }

    fn winner(&self) -> Option<(&'static Dialect, Wrapping)> {
        // Among equal elements, `max_by_key` returns the last one.
        let best = self.answers.iter().rev().max_by_key(|(_, certainty, _)| *certainty);
        best.map(|(dialect, _, wrapping)| (*dialect, *wrapping))
    }

    /// The winner, unless no dialect is sure and the file is known to be something else.
    fn winner_in(&self, file: &[u8]) -> Option<(&'static Dialect, Wrapping)> {
        let is_other = || !self.is_sure() && certain_look_alike(file).is_some();
        self.winner().filter(|_| !is_other())
    }
}

/// The range of the line before the first record. An incomplete line is not one.
pub(crate) fn head_line(dialect: &Dialect, head: &[u8]) -> Option<Range<usize>> {
    let skipped = bom_length(head);
    let from = skipped + head[skipped..].iter().position(|byte| !is_blank(*byte))?;
    let to = from + memchr::memchr(b'\n', &head[from..]).unwrap_or(head.len() - from);
    let line = &head[from..to];
    let is_head = || (dialect.recognize)(&Sample::new(line, Shape::Lines)).is_some_and(|answer| answer.is_head);
    (is_complete(line) && is_head()).then_some(from..to)
}

fn describe(head: &[u8], at: usize) -> Unknown {
    let shown: String = String::from_utf8_lossy(&head[at..head.len().min(at + 24)]).into_owned();
    let found = format!("`{}` where `[` or `{{` is expected", printable(shown.lines().next().unwrap_or("")));
    unknown(head, at, found)
}

fn unknown(head: &[u8], at: usize, found: String) -> Unknown {
    let line = head[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    let first = head[bom_length(head)..].trim_ascii_start().first();
    let is_json = first.is_some_and(|byte| matches!(byte, b'{' | b'['));
    Unknown { place: Place { line, byte: at as u64 }, found, is_json, looks_like: look_alike(head) }
}

pub(crate) fn printable(text: &str) -> String {
    let mut out = String::new();
    crate::replay::finding::escape_into(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::recognize::Recognized;
    use crate::registry::DIALECTS;
    use crate::{tape, turn};

    fn records(shape: Shape, wrapping: Wrapping, dialect: &'static Dialect) -> Option<Detected> {
        Some(Detected::Records { shape, wrapping, dialect })
    }

    #[test]
    fn containers_are_detected_from_the_first_bytes() {
        let (turn, tape) = (&turn::dialect::DIALECT, &tape::dialect::DIALECT);
        let records = |shape, wrapping| records(shape, wrapping, turn);
        let lines_of_tape = || super::tests::records(Shape::Lines, Wrapping::Bare, tape);
        for (head, expected) in [
            ("", records(Shape::Values, Wrapping::Bare)),
            ("[]", records(Shape::Array, Wrapping::Bare)),
            ("[]\n{\"event_type\":\"a\"}\n", records(Shape::Lines, Wrapping::Bare)),
            ("[1]\n{\"event_type\":\"a\"}\n", records(Shape::Lines, Wrapping::Bare)),
            ("{\"\\u0065vent_type\":\"a\"}\n{}", records(Shape::Lines, Wrapping::Bare)),
            ("{\"event_type\":\"a\"}\n{\"seq\":1,\"event\":{}}\n", records(Shape::Lines, Wrapping::Envelope)),
            ("[\n {\"x\":1}, {\"event_type\":\"a\"}]", records(Shape::Array, Wrapping::Bare)),
            ("{\"event_type\":\"a\"}\n{", records(Shape::Lines, Wrapping::Bare)),
            ("{\"event_type\":\"a\", \"turn", records(Shape::Lines, Wrapping::Bare)),
            ("{\n \"event_type\":\"a\"\n}\n{", records(Shape::Values, Wrapping::Bare)),
            ("{\"event_type\":\"a\", \"tu\n{\"event_type\":\"b\"}\n", records(Shape::Lines, Wrapping::Bare)),
            ("\u{feff}{\"seq\":1,\"event\":{}}\n", records(Shape::Lines, Wrapping::Envelope)),
            ("[{\"seq\":1,\"payload\":{}}]", records(Shape::Array, Wrapping::TraceRow)),
            ("[{\"turn_id\":1},{\"seq\":1,\"payload\":{}}]", records(Shape::Array, Wrapping::TraceRow)),
            ("junk\n{\"event_type\":\"a\"}\n", records(Shape::Lines, Wrapping::Bare)),
            ("{\"schema_version\":1,\"generator\":{}", Some(Detected::Document(turn, &turn::document::TRACE_BUNDLE))),
            ("{\"metadata\":{},\"trace\":{", Some(Detected::Document(turn, &turn::document::REPLAY_PACK))),
            ("SQLite format 3\0", Some(Detected::Sqlite(turn))),
            ("{\"type\":\"header\",\"version\":5,\"harn_version\":\"x\"}\n", lines_of_tape()),
            ("[{\"program\":\"ls\",\"args\":[]}]", super::tests::records(Shape::Array, Wrapping::Bare, tape)),
            ("\n{\"type\":\"header\",\"version\":5,\"harn_version\":\"x\"}", lines_of_tape()),
            ("{\"type\":\"record\",\"seq\":0,\"virtual_time_ms\":0,\"mono", lines_of_tape()),
        ] {
            assert_eq!(detect(head.as_bytes(), true, DIALECTS).ok(), expected, "{head}");
        }
        let beginning = b"\xef\xbb\xbf\n{\"type\":\"header\",\"harn_version\":\"x\"}\n{}";
        assert_eq!(head_line(tape, beginning), Some(4..40));
        assert_eq!(head_line(tape, &beginning[..20]), None);
        assert_eq!(head_line(turn, beginning), None);
        for head in ["hello", "{\"x\":1}", "[1,2]", "[\"a\"]", "\x1f\u{8b}"] {
            assert!(detect(head.as_bytes(), true, DIALECTS).is_err(), "{head}");
        }
    }

    /// A dialect that wraps its events as turn logs may do and recognizes them by their content.
    static WRAPPED: Dialect = Dialect {
        name: "wrapped",
        recognize: |sample| {
            let is_own = sample.inner("event").is_some_and(|event| event.has("beat"));
            is_own.then_some(Recognized::event(Certainty::Sure, Wrapping::Envelope))
        },
        shapes: &[Shape::Lines, Shape::Array],
        documents: &[],
        in_sqlite: false,
        diff: crate::dialect::diff::Diffing::NONE,
        ..turn::dialect::DIALECT
    };

    #[test]
    fn a_wrapped_event_in_a_later_record_determines_the_dialect() {
        static BOTH: Dialects = &[&turn::dialect::DIALECT, &WRAPPED];
        static ONE: Dialects = &[&WRAPPED];
        let lines = |dialect| records(Shape::Lines, Wrapping::Envelope, dialect);
        let turn = &turn::dialect::DIALECT;
        for (head, expected) in [
            ("{\"seq\":1,\"event\":{\"beat\":1}}\n", lines(&WRAPPED)),
            ("{\"seq\":1,\"event\":{\"x\":1}}\n{\"seq\":2,\"event\":{\"beat\":1}}\n", lines(&WRAPPED)),
            ("{\"seq\":1,\"event\":{\"event_type\":\"a\"}}\n{\"seq\":2,\"event\":{\"beat\":1}}\n", lines(turn)),
            ("{\"seq\":1,\"event\":{\"x\":1}}\n", lines(turn)),
            ("[{\"seq\":1,\"event\":{\"beat\":1}}]", records(Shape::Array, Wrapping::Envelope, &WRAPPED)),
        ] {
            assert_eq!(detect(head.as_bytes(), true, BOTH).ok(), expected, "{head}");
        }
        assert!(detect(b"{\"event_type\":\"a\"}", true, ONE).is_err());
        assert!(detect(b"SQLite format 3\0", true, ONE).is_err());
        assert!(detect(b"", true, &[]).is_err());
    }
}
