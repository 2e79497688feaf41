//! Recording tapes: numbers the records, hashes and stores the payloads, and removes secrets before anything is kept.
//!
//! Pure: a [`Sink`] writes the bytes.

use serde_json::Value;

use super::event::{HeaderLine, Phase, Record};
use super::header::Header;
use super::kind::Kind;
use super::payload::Payload;

/// Where a tape is written. A stored payload is written before the line that refers to it.
pub trait Sink {
    type Error: From<serde_json::Error>;

    fn keep(&mut self, content_hash: &str, bytes: &[u8]) -> Result<(), Self::Error>;
    /// Writes a line, given without its newline.
    fn line(&mut self, line: &str) -> Result<(), Self::Error>;
}

/// Removes secrets from bytes. `None` if there were none.
pub(crate) type Redact = dyn Fn(&[u8]) -> Option<Vec<u8>> + Send;

/// Keys whose values are words of the format or hashes. They contain no secrets and must not change.
const KEPT_KEYS: [&str; 8] = [
    "kind",
    "source",
    "content_hash",
    "request_digest",
    "response_digest",
    "args_digest",
    "render_id",
    "asset_digests",
];

/// The clocks at the time of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    pub virtual_time_ms: i64,
    pub monotonic_ms: i64,
}

pub struct Recorder<S: Sink> {
    sink: S,
    redact: Option<Box<Redact>>,
    next_seq: u64,
    /// The number of payloads changed since the last record. Each gets a redaction marker before the record.
    altered: usize,
}

impl<S: Sink> Recorder<S> {
    /// Starts a tape by writing its header.
    pub fn begin(header: Header, mut sink: S) -> Result<Recorder<S>, S::Error> {
        sink.line(&HeaderLine { header, verbatim: None }.line()?)?;
        Ok(Recorder { sink, redact: None, next_seq: 0, altered: 0 })
    }

    /// Sets a hook that removes secrets from bytes before they are hashed or kept.
    #[must_use]
    pub fn redacting(mut self, redact: Box<Redact>) -> Recorder<S> {
        self.redact = Some(redact);
        self
    }

    /// Makes a payload for the next record: in its line if it is short text, else in the store.
    pub fn payload(&mut self, bytes: &[u8]) -> Result<Payload, S::Error> {
        self.put(bytes, Payload::of)
    }

    /// Makes a payload that is stored regardless of its length.
    pub fn stored_payload(&mut self, bytes: &[u8]) -> Result<Payload, S::Error> {
        self.put(bytes, Payload::stored)
    }

    fn put(&mut self, bytes: &[u8], make: fn(&[u8]) -> Payload) -> Result<Payload, S::Error> {
        let redacted = self.redact.as_ref().and_then(|redact| redact(bytes));
        self.altered += usize::from(redacted.is_some());
        let bytes = redacted.as_deref().unwrap_or(bytes);
        let payload = make(bytes);
        if let Payload::Cas { content_hash, .. } = &payload {
            self.sink.keep(content_hash, bytes)?;
        }
        Ok(payload)
    }

    /// Appends a record and returns its number. If secrets were removed from it or its payloads, markers precede it.
    pub fn record(&mut self, phase: Phase, clocks: Clocks, kind: Kind) -> Result<u64, S::Error> {
        let kind = self.without_secrets(kind)?;
        for _ in 0..std::mem::take(&mut self.altered) {
            self.append(phase, clocks, Kind::PayloadRedaction)?;
        }
        self.append(phase, clocks, kind)
    }

    /// Applies the hook to paths, arguments and names. One marker is enough for all of them.
    fn without_secrets(&mut self, kind: Kind) -> Result<Kind, S::Error> {
        let Some(redact) = &self.redact else { return Ok(kind) };
        let mut value = serde_json::to_value(&kind)?;
        if redact_texts(&mut value, redact) == 0 {
            return Ok(kind);
        }
        self.altered += 1;
        Ok(serde_json::from_value(value)?)
    }

    fn append(&mut self, phase: Phase, clocks: Clocks, kind: Kind) -> Result<u64, S::Error> {
        let seq = self.next_seq;
        let record = Record::new(seq, phase, clocks.virtual_time_ms, clocks.monotonic_ms, kind);
        self.sink.line(&record.line()?)?;
        self.next_seq += 1;
        Ok(seq)
    }

    /// Returns the sink, which may have work to finish.
    pub fn end(self) -> S {
        self.sink
    }
}

/// Applies the hook to all texts. Returns how many were changed.
fn redact_texts(value: &mut Value, redact: &Redact) -> usize {
    match value {
        Value::String(text) => {
            let Some(redacted) = redact(text.as_bytes()) else { return 0 };
            *text = String::from_utf8_lossy(&redacted).into_owned();
            1
        }
        Value::Array(items) => items.iter_mut().map(|item| redact_texts(item, redact)).sum(),
        Value::Object(members) => {
            // The hook was already applied to the payload, and its text must keep matching its hash.
            if members.contains_key("content_hash") && !members.contains_key("path") {
                return 0;
            }
            let texts = members.iter_mut().filter(|(key, _)| !KEPT_KEYS.contains(&key.as_str()));
            texts.map(|(_, member)| redact_texts(member, redact)).sum()
        }
        _ => 0,
    }
}
