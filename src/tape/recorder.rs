//! Makes a tape: records get their numbers, payloads their hashes and their place, secrets go before anything is kept.
//!
//! Pure: where bytes go is the business of a [`Sink`].

use serde_json::Value;

use super::event::{HeaderLine, Phase, Record};
use super::header::Header;
use super::kind::Kind;
use super::payload::Payload;

/// Where a tape is put. Entries of the store come before the lines that refer to them.
pub trait Sink {
    type Error: From<serde_json::Error>;

    fn keep(&mut self, content_hash: &str, bytes: &[u8]) -> Result<(), Self::Error>;
    /// A line without its newline.
    fn line(&mut self, line: &str) -> Result<(), Self::Error>;
}

/// Takes secrets out of bytes. `None` where there was none.
pub(crate) type Redact = dyn Fn(&[u8]) -> Option<Vec<u8>> + Send;

/// Words of the format and names of bytes: nothing secret, and nothing that may change.
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

/// The clocks when something was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    pub virtual_time_ms: i64,
    pub monotonic_ms: i64,
}

pub struct Recorder<S: Sink> {
    sink: S,
    redact: Option<Box<Redact>>,
    next_seq: u64,
    /// Payloads that were altered since the last record: each has a mark of its own before the record.
    altered: usize,
}

impl<S: Sink> Recorder<S> {
    /// Begins a tape with its header.
    pub fn begin(header: Header, mut sink: S) -> Result<Recorder<S>, S::Error> {
        sink.line(&HeaderLine { header, verbatim: None }.line()?)?;
        Ok(Recorder { sink, redact: None, next_seq: 0, altered: 0 })
    }

    /// Bytes go through it before they are hashed or kept.
    #[must_use]
    pub fn redacting(mut self, redact: Box<Redact>) -> Recorder<S> {
        self.redact = Some(redact);
        self
    }

    /// Bytes for the next record: in its line where they are short text, in the store otherwise.
    pub fn payload(&mut self, bytes: &[u8]) -> Result<Payload, S::Error> {
        self.put(bytes, Payload::of)
    }

    /// Bytes that go to the store however few they are.
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

    /// Appends a record and answers its number. What was taken out of it and its payloads is marked just before it.
    pub fn record(&mut self, phase: Phase, clocks: Clocks, kind: Kind) -> Result<u64, S::Error> {
        let kind = self.without_secrets(kind)?;
        for _ in 0..std::mem::take(&mut self.altered) {
            self.append(phase, clocks, Kind::PayloadRedaction)?;
        }
        self.append(phase, clocks, kind)
    }

    /// Paths, arguments and names go through the same hook as payloads. One mark is enough for all of them.
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

    /// The sink, which may have work to finish.
    pub fn end(self) -> S {
        self.sink
    }
}

/// How many texts were altered.
fn redact_texts(value: &mut Value, redact: &Redact) -> usize {
    match value {
        Value::String(text) => {
            let Some(redacted) = redact(text.as_bytes()) else { return 0 };
            *text = String::from_utf8_lossy(&redacted).into_owned();
            1
        }
        Value::Array(items) => items.iter_mut().map(|item| redact_texts(item, redact)).sum(),
        Value::Object(members) => {
            // A payload has been through the hook, and its text must stay what its hash names.
            if members.contains_key("content_hash") && !members.contains_key("path") {
                return 0;
            }
            let texts = members.iter_mut().filter(|(key, _)| !KEPT_KEYS.contains(&key.as_str()));
            texts.map(|(_, member)| redact_texts(member, redact)).sum()
        }
        _ => 0,
    }
}
