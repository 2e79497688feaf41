//! Payloads: bytes of a record, as text in its line or by hash in the payload store.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The largest payload that is kept in the line.
pub(crate) const INLINE_LIMIT_BYTES: usize = 4096;

/// A payload. If it has both `text` and `len_bytes` it is inline, so inline is tried first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// Reads what serde's untagged form reads, without collecting the members first: a payload is in nearly every record.
impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PayloadVisitor)
    }
}

struct PayloadVisitor;

impl<'de> Visitor<'de> for PayloadVisitor {
    type Value = Payload;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a payload")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Payload, A::Error> {
        let mut members = PayloadMembers::default();
        while let Some(name) = map.next_key::<MemberName>()? {
            match name {
                MemberName::ContentHash => members.content_hash.put(map.next_value()?),
                MemberName::Text => members.text.put(map.next_value()?),
                MemberName::LenBytes => members.len_bytes.put(map.next_value()?),
                MemberName::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        members.payload()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Payload, A::Error> {
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        neither()
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Payload, E> {
        neither()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Payload, E> {
        neither()
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Payload, E> {
        neither()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Payload, E> {
        neither()
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Payload, E> {
        neither()
    }

    fn visit_unit<E: Error>(self) -> Result<Payload, E> {
        neither()
    }
}

/// The message of the format's own reader.
fn neither<E: Error>() -> Result<Payload, E> {
    Err(E::custom("data did not match any variant of untagged enum Payload"))
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum MemberName {
    ContentHash,
    Text,
    LenBytes,
    #[serde(other)]
    Other,
}

/// A member that may be missing, occur twice or have another type. Either rules out the forms that need it.
#[derive(Default)]
struct PayloadMember {
    value: Option<Loose>,
    is_repeated: bool,
}

impl PayloadMember {
    fn put(&mut self, value: Loose) {
        self.is_repeated |= self.value.replace(value).is_some();
    }

    fn text(self) -> Option<String> {
        match self.value {
            Some(Loose::Text(text)) if !self.is_repeated => Some(text),
            _ => None,
        }
    }

    fn number(self) -> Option<u64> {
        match self.value {
            Some(Loose::Number(number)) if !self.is_repeated => Some(number),
            _ => None,
        }
    }
}

#[derive(Default)]
struct PayloadMembers {
    content_hash: PayloadMember,
    text: PayloadMember,
    len_bytes: PayloadMember,
}

impl PayloadMembers {
    fn payload<E: Error>(self) -> Result<Payload, E> {
        match (self.content_hash.text(), self.text.text(), self.len_bytes.number()) {
            (Some(content_hash), Some(text), _) => Ok(Payload::Inline { content_hash, text }),
            (Some(content_hash), None, Some(len_bytes)) => Ok(Payload::Cas { content_hash, len_bytes }),
            _ => neither(),
        }
    }
}

/// A value of any type.
enum Loose {
    Text(String),
    Number(u64),
    Other,
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Loose, E> {
        Ok(Loose::Text(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Loose, E> {
        Ok(Loose::Text(text))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Loose, E> {
        Ok(Loose::Number(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Loose, E> {
        Ok(u64::try_from(number).map_or(Loose::Other, Loose::Number))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Loose, E> {
        Ok(Loose::Other)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Loose, E> {
        Ok(Loose::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Loose, E> {
        Ok(Loose::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Loose, A::Error> {
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
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

    /// As serde reads payloads when it derives the reader.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Derived {
        Inline { content_hash: String, text: String },
        Cas { content_hash: String, len_bytes: u64 },
    }

    #[test]
    fn payloads_are_read_as_serde_reads_them() {
        let values = ["\"x\"", "7", "-7", "7.0", "18446744073709551616", "null", "true", "[\"x\"]", "{\"text\":\"x\"}"];
        let mut all: Vec<String> =
            ["[]", "[\"x\"]", "[\"x\",\"y\"]", "[\"x\",7]", "[\"x\",7,8,9]", "[7,\"x\"]", "\"x\""]
                .map(str::to_owned)
                .to_vec();
        all.extend(values.map(str::to_owned));
        let members = |name: &str| values.map(|value| format!("\"{name}\":{value}"));
        let every: Vec<String> = ["content_hash", "text", "len_bytes", "l\\u0065n_bytes", "more"]
            .iter()
            .flat_map(|name| members(name))
            .collect();
        for first in &every {
            all.push(format!("{{{first}}}"));
            all.extend(every.iter().map(|second| format!("{{{first},{second}}}")));
            all.extend(every.iter().map(|third| format!("{{\"content_hash\":\"x\",{first},{third}}}")));
        }
        for text in all {
            let expected = serde_json::from_str::<Derived>(&text).map(|derived| match derived {
                Derived::Inline { content_hash, text } => Payload::Inline { content_hash, text },
                Derived::Cas { content_hash, len_bytes } => Payload::Cas { content_hash, len_bytes },
            });
            let message = |error: serde_json::Error| error.to_string().replace("Derived", "Payload");
            let found = serde_json::from_str::<Payload>(&text);
            let reason = |text: String| text.split(" at line ").next().map(str::to_owned);
            assert_eq!(found.map_err(message).map_err(reason), expected.map_err(message).map_err(reason), "{text}");
        }
    }

    #[test]
    fn only_plain_hashes_name_entries() {
        assert!(is_content_hash(&content_hash(b"x")));
        assert!(!is_content_hash("../build-a.tape"));
        assert!(!is_content_hash(&content_hash(b"x").replace(|c: char| c.is_ascii_digit(), "A")));
    }
}
