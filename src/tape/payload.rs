//! Payloads: bytes of a record, as text in its line or by hash in the payload store.

use serde::{Deserialize, Serialize};

/// The largest payload that is kept in the line.
pub(crate) const INLINE_LIMIT_BYTES: usize = 4096;

/// A payload. If it has both `text` and `len_bytes` it is inline, so inline is tried first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Payload {
    Inline { content_hash: String, text: String },
    Cas { content_hash: String, len_bytes: u64 },
}

impl Payload {
    /// A payload of these bytes: inline if they are short text, else stored.
    pub fn of(bytes: &[u8]) -> Payload {
        match std::str::from_utf8(bytes) {
            Ok(text) if bytes.len() <= INLINE_LIMIT_BYTES => {
                Payload::Inline { content_hash: content_hash(bytes), text: text.to_owned() }
            }
            _ => Payload::stored(bytes),
        }
    }

    /// A payload that is stored regardless of its length.
    pub fn stored(bytes: &[u8]) -> Payload {
        Payload::Cas { content_hash: content_hash(bytes), len_bytes: bytes.len() as u64 }
    }

    pub fn content_hash(&self) -> &str {
        match self {
            Payload::Inline { content_hash, .. } | Payload::Cas { content_hash, .. } => content_hash,
        }
    }

    pub fn len_bytes(&self) -> u64 {
        match self {
            Payload::Inline { text, .. } => text.len() as u64,
            Payload::Cas { len_bytes, .. } => *len_bytes,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Payload::Inline { text, .. } => Some(text),
            Payload::Cas { .. } => None,
        }
    }
}

/// The hash that identifies bytes on a tape: BLAKE3, 64 lower-case hex digits.
pub(crate) fn content_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Whether a text may be used as the name of an entry. Other names could lead to a file outside the store.
pub(crate) fn is_content_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_above_the_limit_or_not_utf8_are_stored() {
        assert!(Payload::of(&[b'x'; 4096]).text().is_some());
        assert!(Payload::of(&[b'x'; 4097]).text().is_none());
        assert!(Payload::of(&[0xff]).text().is_none());
        let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(Payload::of(b"").content_hash(), empty);
    }

    #[test]
    fn only_plain_hashes_name_entries() {
        assert!(is_content_hash(&content_hash(b"x")));
        assert!(!is_content_hash("../build-a.tape"));
        assert!(!is_content_hash(&content_hash(b"x").replace(|c: char| c.is_ascii_digit(), "A")));
    }
}
