//! A JSON string as it stands in its record: unescaped only when somebody reads it.

use std::borrow::Cow;
use std::fmt;
use std::hash::Hasher;

use super::near;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string of a record. Most are never read by a check, so their escapes stay as they are until asked for.
#[derive(Clone)]
pub enum Text<'a> {
    /// Holds no escapes.
    Plain(&'a str),
    /// The inside of a literal whose escapes [`escapes_are_valid`] has accepted.
    Escaped(&'a str),
    Owned(Box<str>),
}

impl Default for Text<'_> {
    fn default() -> Self {
        Text::Plain("")
    }
}

impl Text<'_> {
    pub fn get(&self) -> Cow<'_, str> {
        match self {
            Text::Plain(text) => Cow::Borrowed(text),
            Text::Escaped(raw) => Cow::Owned(unescape(raw)),
            Text::Owned(text) => Cow::Borrowed(text),
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            // An escape never stands for nothing, so the raw text is empty exactly when the string is.
            Text::Plain(text) | Text::Escaped(text) => text.is_empty(),
            Text::Owned(text) => text.is_empty(),
        }
    }

    /// Identity of the text in 64 bits, for ledgers that keep no texts.
    pub fn hash(&self) -> u64 {
        hash_bytes(self.get().as_bytes())
    }
}

/// Identity of a text. The standard library's keyed hash under its fixed default key: the same for the same
/// text within a run, and not steered with a cheap trick by whoever wrote the log.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = TextHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// The identity of a text that arrives in pieces: the same however it is cut.
pub struct TextHasher(std::hash::DefaultHasher);

impl TextHasher {
    #[expect(clippy::new_without_default, reason = "one way to begin is enough")]
    pub fn new() -> Self {
        TextHasher(std::hash::DefaultHasher::new())
    }

    pub fn write(&mut self, piece: &[u8]) {
        self.0.write(piece);
    }

    pub fn finish(&self) -> u64 {
        self.0.finish()
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Text::Owned(text.into_boxed_str())
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::Plain(text)
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Text<'_> {}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.get() == other
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.get(), out)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&*self.get(), out)
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.get())
    }
}

impl<'de> Deserialize<'de> for Text<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Text::from)
    }
}

/// Whether every escape of a string literal's inside is one that JSON knows and no surrogate stands alone.
pub fn escapes_are_valid(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while let Some(found) = near::backslash(&bytes[at..]) {
        at += found;
        match bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
            Some(b'u') => match code_point(&raw[at..]) {
                Some((_, length)) => at += length,
                None => return false,
            },
            _ => return false,
        }
    }
    true
}

fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(found) = near::backslash(rest.as_bytes()) {
        out.push_str(&rest[..found]);
        rest = &rest[found..];
        let (character, length) = match rest.as_bytes().get(1) {
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(b'u') => code_point(rest).unwrap_or((char::REPLACEMENT_CHARACTER, rest.len())),
            Some(other) => (*other as char, 2),
            None => (char::REPLACEMENT_CHARACTER, 1),
        };
        out.push(character);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The character of the `\uXXXX` (or surrogate pair) that `text` begins with, and how many bytes spell it.
fn code_point(text: &str) -> Option<(char, usize)> {
    let unit = |from: usize| -> Option<u32> {
        let digits = text.as_bytes().get(from..from + 6)?;
        if digits[0] != b'\\' || digits[1] != b'u' {
            return None;
        }
        digits[2..].iter().try_fold(0, |sum, digit| Some(sum * 16 + (*digit as char).to_digit(16)?))
    };
    let first = unit(0)?;
    match first {
        0xD800..=0xDBFF => {
            let second = unit(6).filter(|unit| (0xDC00..=0xDFFF).contains(unit))?;
            let point = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            char::from_u32(point).map(|character| (character, 12))
        }
        _ => char::from_u32(first).map(|character| (character, 6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str) {
        let literal = format!("\"{raw}\"");
        match serde_json::from_str::<String>(&literal) {
            Ok(exact) => {
                assert!(escapes_are_valid(raw), "{raw}");
                assert_eq!(Text::Escaped(raw).get(), exact, "{raw}");
            }
            Err(_) => assert!(!escapes_are_valid(raw), "{raw}"),
        }
    }

    /// The standard library does not promise this, so it is held here.
    #[test]
    fn an_identity_does_not_depend_on_the_pieces() {
        let text: Vec<u8> = (0..200).collect();
        for cut in 0..text.len() {
            let mut hasher = TextHasher::new();
            hasher.write(&text[..cut]);
            hasher.write(&text[cut..]);
            assert_eq!(hasher.finish(), hash_bytes(&text), "{cut}");
        }
    }

    #[test]
    fn escapes_read_as_serde_reads_them() {
        for raw in [
            "",
            "plain",
            r"a\nb",
            r#"\"q\""#,
            r"\u0041",
            r"\ud83d\ude00",
            r"\ud83d",
            r"\ude00",
            r"\ud83dx",
            r"\u12",
            r"\x",
            r"tail\\",
            r"\/",
            r"\b\f\r\t",
            r"\ud83d\u0041",
            r"\uD800\uDC00z",
            "é\\u00e9",
        ] {
            check(raw);
        }
    }
}
