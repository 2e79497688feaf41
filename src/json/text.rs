//! A JSON string that stays escaped until it is read.

use std::borrow::Cow;
use std::fmt;
use std::hash::Hasher;

use super::string::unescaped;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string of a record. Most strings are never read by a check, so they are unescaped only on request.
#[derive(Clone)]
pub(crate) enum Text<'a> {
    /// Holds no escapes.
    Plain(&'a str),
    /// The inside of a literal whose escapes [`escapes_are_valid`](super::string::escapes_are_valid) has accepted.
    Escaped(&'a str),
    Owned(Box<str>),
}

impl Default for Text<'_> {
    fn default() -> Self {
        Text::Plain("")
    }
}

impl Text<'_> {
    #[inline]
    pub(crate) fn get(&self) -> Cow<'_, str> {
        match self {
            Text::Plain(text) => Cow::Borrowed(text),
            // Its escapes are valid.
            Text::Escaped(raw) => Cow::Owned(unescaped(raw, |_| char::REPLACEMENT_CHARACTER)),
            Text::Owned(text) => Cow::Borrowed(text),
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            // Every escape stands for a character, so the raw text is empty exactly when the string is.
            Text::Plain(text) | Text::Escaped(text) => text.is_empty(),
            Text::Owned(text) => text.is_empty(),
        }
    }

    /// A 64-bit hash that identifies the text, for ledgers that do not keep texts.
    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        hash_bytes(self.get().as_bytes())
    }
}

/// Identifies a text. The standard library's keyed hash with its fixed default key: equal for equal texts, and hard to
/// collide on purpose for the writer of a log.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = TextHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Hashes a text that arrives in pieces; the result does not depend on the pieces.
pub(crate) struct TextHasher(std::hash::DefaultHasher);

impl TextHasher {
    pub(crate) fn new() -> Self {
        TextHasher(std::hash::DefaultHasher::new())
    }

    #[inline]
    pub(crate) fn write(&mut self, piece: &[u8]) {
        self.0.write(piece);
    }

    #[inline]
    pub(crate) fn finish(&self) -> u64 {
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
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Text<'_> {}

impl PartialEq<str> for Text<'_> {
    #[inline]
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library does not promise this, so it is tested here.
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
}
