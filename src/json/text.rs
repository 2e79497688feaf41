//! A JSON string as it stands in its record: unescaped only when somebody reads it.

use std::borrow::Cow;
use std::fmt;
use std::hash::Hasher;

use super::string::unescaped;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string of a record. Most are never read by a check, so their escapes stay as they are until asked for.
#[derive(Clone)]
pub enum Text<'a> {
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
    pub fn get(&self) -> Cow<'_, str> {
        match self {
            Text::Plain(text) => Cow::Borrowed(text),
            // Its escapes are valid.
            Text::Escaped(raw) => Cow::Owned(unescaped(raw, |_| char::REPLACEMENT_CHARACTER)),
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
