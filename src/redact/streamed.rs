//! Secrets in streamed text: the answer of a model arrives in deltas, and no delta contains the whole secret.
//!
//! The deltas of one stream are joined and searched, and a secret in the joined text is masked in its deltas: the mask
//! is where the secret begins, and the following deltas lose their part of it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::layer;
use super::mask::Masker;
use super::replacement::{Replacement, applied, applied_text};
use crate::json::token::{TokenKind, Tokens, is_json};

/// The kind of the events that are deltas.
const PIECE: &str = "model_delta";
/// The members that identify a stream.
const NAMES: [&str; 4] = ["turn_id", "step_idx", "kind", "call_id"];

/// A delta in a text: its stream, and the range of its text.
struct Delta {
    stream: String,
    text: Range<usize>,
}

#[derive(Default)]
struct DeltaStream {
    pieces: Vec<String>,
    /// The deltas without secrets; empty if nothing is masked.
    masked: Vec<String>,
    /// The next delta.
    next: usize,
}

#[derive(Default)]
pub(crate) struct DeltaStreams {
    all: BTreeMap<String, DeltaStream>,
}

impl DeltaStreams {
    /// The first pass: collects the deltas.
    pub(crate) fn look(&mut self, bytes: &[u8]) {
        let Some(text) = readable(bytes) else { return };
        for piece in pieces(text) {
            let words = layer::unescape(&text[piece.text]).text;
            self.all.entry(piece.stream).or_default().pieces.push(words);
        }
    }

    /// Shows the joined deltas to a masker.
    pub(crate) fn show(&self, masker: &mut Masker) {
        for (name, stream) in self.together() {
            masker.look(&place(name), stream.pieces.concat().as_bytes());
        }
    }

    /// Before the second pass: splits the masked text into deltas again.
    pub(crate) fn begin(&mut self, masker: &mut Masker) {
        for (name, stream) in &mut self.all {
            (stream.masked, stream.next) = (Vec::new(), 0);
            let edits = match stream.pieces.len() {
                0 | 1 => Vec::new(),
                _ => masker.edits(&place(name), &stream.pieces.concat()),
            };
            if !edits.is_empty() {
                stream.masked = parted(&stream.pieces, &edits);
            }
        }
    }

    /// The second pass, over the same bytes in the same order.
    pub(crate) fn apply<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let Some(text) = readable(bytes) else { return Cow::Borrowed(bytes) };
        let mut edits = Vec::new();
        for piece in pieces(text) {
            let Some(stream) = self.all.get_mut(&piece.stream) else { continue };
            let (before, now) = (stream.pieces.get(stream.next), stream.masked.get(stream.next));
            stream.next += 1;
            if let Some(now) = now.filter(|now| before != Some(now)) {
                let with = layer::escape_json(now);
                edits.push(Replacement { range: piece.text, with, is_respelled: true, taken: Vec::new() });
            }
        }
        if edits.is_empty() { Cow::Borrowed(bytes) } else { Cow::Owned(applied(bytes, &edits)) }
    }

    /// The streams of more than one delta; a single one is masked like any other text.
    fn together(&self) -> impl Iterator<Item = (&String, &DeltaStream)> {
        self.all.iter().filter(|(_, stream)| stream.pieces.len() > 1)
    }
}

fn place(stream: &str) -> String {
    format!("{PIECE} {stream}")
}

/// Most records are not deltas and need not be parsed.
fn readable(bytes: &[u8]) -> Option<&str> {
    memchr::memmem::find(bytes, PIECE.as_bytes())?;
    std::str::from_utf8(bytes).ok().filter(|text| is_json(text))
}

/// Each delta with its share of the replacements.
fn parted(pieces: &[String], edits: &[Replacement]) -> Vec<String> {
    let mut from = 0;
    let mut share = |piece: &String| {
        let range = from..from + piece.len();
        from = range.end;
        // They are in order and do not overlap.
        let first = edits.partition_point(|edit| edit.range.end <= range.start);
        let touching = edits[first..].iter().take_while(|edit| edit.range.start < range.end);
        let own = touching.map(|edit| {
            let within = edit.range.start.max(range.start)..edit.range.end.min(range.end);
            let begins_here = within.start == edit.range.start;
            let with = if begins_here { edit.with.clone() } else { String::new() };
            let range = within.start - range.start..within.end - range.start;
            Replacement { range, with, is_respelled: false, taken: Vec::new() }
        });
        applied_text(piece, own.collect())
    };
    pieces.iter().map(&mut share).collect()
}

/// An object that may be a delta.
#[derive(Default)]
struct DeltaObject {
    key: String,
    is_piece: bool,
    names: [String; NAMES.len()],
    text: Option<Range<usize>>,
}

impl DeltaObject {
    fn take(&mut self, text: &str, value: Range<usize>, is_text: bool) {
        match (NAMES.iter().position(|name| *name == self.key), self.key.as_str()) {
            (Some(at), _) => text[value].clone_into(&mut self.names[at]),
            (None, "event_type") => self.is_piece = &text[value] == PIECE,
            (None, "text") if is_text => self.text = Some(value),
            _ => {}
        }
    }
}

/// The deltas in a JSON text, in order.
fn pieces(text: &str) -> Vec<Delta> {
    let (mut open, mut found): (Vec<DeltaObject>, Vec<Delta>) = (Vec::new(), Vec::new());
    for token in Tokens::new(text).flatten() {
        match token.kind {
            TokenKind::Object | TokenKind::Array => open.push(DeltaObject::default()),
            TokenKind::End => {
                if let Some(DeltaObject { is_piece: true, names, text: Some(text), .. }) = open.pop() {
                    found.push(Delta { stream: names.join(" ").trim_end().to_owned(), text });
                }
            }
            TokenKind::Key => {
                if let Some(object) = open.last_mut() {
                    text[token.inside()].clone_into(&mut object.key);
                }
            }
            TokenKind::String | TokenKind::Number => {
                if let Some(object) = open.last_mut() {
                    object.take(text, token.inside(), token.kind == TokenKind::String);
                }
            }
            TokenKind::Word => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::MaskOptions;
    use serde_json::{Value, json};

    fn masked(records: &[Vec<u8>]) -> Vec<Value> {
        let mut masker = Masker::new(&MaskOptions::default()).expect("our own rules");
        let mut streams = DeltaStreams::default();
        records.iter().for_each(|record| streams.look(record));
        streams.show(&mut masker);
        streams.begin(&mut masker);
        records.iter().map(|record| serde_json::from_slice(&streams.apply(record)).expect("JSON")).collect()
    }

    fn delta(call: Option<&str>, text: &str) -> Vec<u8> {
        json!({"event_type": "model_delta", "turn_id": "t", "step_idx": 1, "kind": "text", "call_id": call, "text": text})
            .to_string()
            .into_bytes()
    }

    #[test]
    fn a_secret_is_masked_in_each_of_its_deltas() {
        let pieces = ["see ghp_0123", "456789ab", "cdefghijABCDEFGHIJ0", "12345 \"there\"", " on"];
        // Another stream between them stays as it is, and so does a record that is not a delta.
        let mut records: Vec<Vec<u8>> = pieces.iter().map(|piece| delta(None, piece)).collect();
        records.insert(2, delta(Some("c"), "456789ab"));
        records.insert(0, json!({"event_type": "steer_injected", "text": "model_delta"}).to_string().into_bytes());
        let now: Vec<String> =
            masked(&records).iter().map(|record| record["text"].as_str().expect("a text").to_owned()).collect();
        let expected = ["model_delta", "see REDACTED-github-token-1-32to63ch", "", "456789ab", "", " \"there\"", " on"];
        assert_eq!(now, expected);
    }

    #[test]
    fn arguments_that_arrive_in_deltas_are_read_as_json() {
        let pieces = ["{\"api_k", "ey\": \"not-", "so\\u002dsecret", "\", \"n\": 1}"];
        let records: Vec<Vec<u8>> = pieces.iter().map(|piece| delta(Some("c"), piece)).collect();
        let whole: String = masked(&records).iter().filter_map(|record| record["text"].as_str()).collect();
        assert_eq!(whole, "{\"api_key\": \"REDACTED-field-1-8to15ch\", \"n\": 1}");
        // In one document, too.
        let array = format!(
            "[{}]",
            records.iter().map(|record| String::from_utf8_lossy(record)).collect::<Vec<_>>().join(", ")
        );
        let now = masked(&[array.into_bytes()]);
        let texts: String =
            now[0].as_array().expect("an array").iter().filter_map(|record| record["text"].as_str()).collect();
        assert_eq!(texts, whole);
    }
}
