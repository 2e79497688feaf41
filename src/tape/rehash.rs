//! Recomputes the hashes of a tape after its payloads were masked.
//!
//! Stored payloads come first, then the lines, as in reading. A hash that was wrong before stays wrong, so that the
//! check for it still reports it. Hashes of files that were read or written are not changed: they are those of the real
//! bytes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::payload::content_hash;
use crate::json::token::{TokenKind, Tokens, is_json};
use crate::redact::rehash::Rehash;
use crate::redact::replacement::{Replacement, applied, settled};
use crate::redact::{Masker, layer};

/// The new hash and length of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Renamed {
    pub content_hash: String,
    pub len_bytes: u64,
}

/// The old hashes of payloads and their replacements.
#[derive(Default)]
pub(crate) struct TapeHashes {
    renamed: HashMap<String, Renamed>,
}

/// Makes the repair of hashes (`ExportColumn`).
pub(crate) fn rehash() -> Box<dyn Rehash> {
    Box::new(TapeHashes::default())
}

impl Rehash for TapeHashes {
    fn payload<'b>(
        &mut self,
        masker: &mut Masker,
        place: &str,
        name: &str,
        bytes: &'b [u8],
    ) -> (String, Cow<'b, [u8]>) {
        let masked = masker.apply(place, bytes);
        if let Cow::Owned(now) = &masked
            && content_hash(bytes) == name
        {
            self.rename(name, now);
        }
        let name = self.renamed.get(name).map_or(name, |renamed| renamed.content_hash.as_str());
        (name.to_owned(), masked)
    }

    fn record<'b>(&mut self, masker: &mut Masker, place: &str, line: &'b [u8]) -> Cow<'b, [u8]> {
        let masked = masker.apply(place, line);
        let (Ok(before), Ok(now)) = (std::str::from_utf8(line), std::str::from_utf8(&masked)) else { return masked };
        if !is_json(before) {
            return masked;
        }
        let edits = settled(self.corrections(before, now));
        if edits.is_empty() { masked } else { Cow::Owned(applied(&masked, &edits)) }
    }
}

impl TapeHashes {
    fn rename(&mut self, old: &str, now: &[u8]) {
        let renamed = Renamed { content_hash: content_hash(now), len_bytes: now.len() as u64 };
        self.renamed.insert(old.to_owned(), renamed);
    }

    /// Both texts have the same tokens, except for numbers that became strings.
    fn corrections(&mut self, before: &str, now: &str) -> Vec<Replacement> {
        let mut open: Vec<PayloadObject> = Vec::new();
        let (mut payloads, mut digests) = (Vec::new(), Vec::new());
        for (old, new) in Tokens::new(before).flatten().zip(Tokens::new(now).flatten()) {
            let (old_range, new_range) = (old.inside(), new.inside());
            match (old.kind, new.kind) {
                (TokenKind::Object | TokenKind::Array, _) => open.push(PayloadObject::default()),
                (TokenKind::End, _) => payloads.extend(open.pop().filter(PayloadObject::is_payload)),
                (TokenKind::Key, _) => {
                    if let Some(object) = open.last_mut() {
                        object.begin_member(&before[old_range]);
                    }
                }
                (TokenKind::String, TokenKind::String) => {
                    let Some(object) = open.last_mut() else { continue };
                    match object.key {
                        PayloadKey::Hash => object.hash = Some((before[old_range].to_owned(), new_range)),
                        PayloadKey::Text => object.text = Some((old_range, new_range)),
                        PayloadKey::Digest => digests.push((before[old_range].to_owned(), new_range)),
                        PayloadKey::Length | PayloadKey::Other => {}
                    }
                }
                (TokenKind::Number, TokenKind::Number) => {
                    if let Some(object) = open.last_mut().filter(|object| object.key == PayloadKey::Length) {
                        object.length = Some(new_range);
                    }
                }
                _ => {}
            }
        }
        let mut edits = Vec::new();
        for payload in payloads {
            self.correct(payload, before, now, &mut edits);
        }
        // A digest may precede its payload.
        for (old, range) in digests {
            edits.extend(self.renamed.get(&old).map(|renamed| edit(range, renamed.content_hash.clone())));
        }
        edits
    }

    fn correct(&mut self, payload: PayloadObject, before: &str, now: &str, edits: &mut Vec<Replacement>) {
        let Some((hash, range)) = payload.hash else { return };
        if let Some((old, new)) = payload.text {
            let (old, new) = (layer::unescape(&before[old]).text, layer::unescape(&now[new]).text);
            if old == new || content_hash(old.as_bytes()) != hash {
                return;
            }
            self.rename(&hash, new.as_bytes());
        }
        let Some(renamed) = self.renamed.get(&hash) else { return };
        edits.push(edit(range, renamed.content_hash.clone()));
        edits.extend(payload.length.map(|range| edit(range, renamed.len_bytes.to_string())));
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PayloadKey {
    #[default]
    Other,
    Hash,
    Text,
    Length,
    Digest,
}

/// An object in a line that may be a payload.
#[derive(Default)]
struct PayloadObject {
    key: PayloadKey,
    hash: Option<(String, Range<usize>)>,
    text: Option<(Range<usize>, Range<usize>)>,
    length: Option<Range<usize>>,
    has_path: bool,
}

impl PayloadObject {
    fn begin_member(&mut self, key: &str) {
        self.has_path |= key == "path";
        self.key = match key {
            "content_hash" => PayloadKey::Hash,
            "text" => PayloadKey::Text,
            "len_bytes" => PayloadKey::Length,
            "request_digest" | "response_digest" => PayloadKey::Digest,
            _ => PayloadKey::Other,
        };
    }

    /// A file that was read has a path besides its hash, so it is not a payload.
    fn is_payload(&self) -> bool {
        self.hash.is_some() && !self.has_path
    }
}

fn edit(range: Range<usize>, with: String) -> Replacement {
    Replacement { range, with, is_respelled: false, taken: Vec::new() }
}
