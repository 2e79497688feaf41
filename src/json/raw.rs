//! JSON values as slices of a record's bytes, for records that are read leniently.
//!
//! A value is verified while it is walked over, but its strings need not be UTF-8, and halves of surrogate pairs are
//! accepted: programs that cut texts write both. Nothing is built from a value until a caller asks for it. Of repeated
//! keys the last one counts, and a value of another type than the caller asks for is absent.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::byte_index::{ByteIndex, ChunkIndex, IndexedText};
use super::near::quote_or_backslash;
use super::spans::is_blank;
use super::string::{Unescaped, unescaped_lossily};
use super::text::hash_bytes;
use super::token::is_number;

/// Values may be nested as deeply as serde_json reads them.
const MOST_DEPTH: u32 = 127;

/// The inside of a string literal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawText<'a> {
    inside: &'a [u8],
    is_escaped: bool,
}

impl<'a> RawText<'a> {
    /// A text that is written without escapes.
    pub(crate) const fn plain(text: &'a str) -> RawText<'a> {
        RawText { inside: text.as_bytes(), is_escaped: false }
    }

    /// The text. Bytes that are not UTF-8 become replacement characters; halves of surrogate pairs stay as written.
    pub(crate) fn get(self) -> Cow<'a, str> {
        if !self.is_escaped {
            return String::from_utf8_lossy(self.inside);
        }
        Cow::Owned(unescaped_lossily(self.inside))
    }

    /// The characters of the text one by one, for callers that need only its beginning.
    pub(crate) fn characters(self) -> Unescaped<'a> {
        if self.is_escaped { Unescaped::new(self.inside) } else { Unescaped::plain(self.inside) }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.inside.is_empty()
    }

    #[inline]
    pub(crate) fn is(self, text: &str) -> bool {
        if self.is_escaped { self.characters().eq(text.chars()) } else { self.inside == text.as_bytes() }
    }

    /// The name of a member, for callers that compare it with names of their own.
    pub(crate) fn name(self) -> Cow<'a, [u8]> {
        if self.is_escaped { Cow::Owned(self.get().into_owned().into_bytes()) } else { Cow::Borrowed(self.inside) }
    }

    /// Identifies the text, for ledgers that do not keep texts.
    #[inline]
    pub(crate) fn hash(self) -> u64 {
        if self.is_escaped { hash_bytes(self.get().as_bytes()) } else { hash_bytes(self.inside) }
    }
}

/// The bytes of a record, with the index of its chunk if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawRecord<'a> {
    pub bytes: &'a [u8],
    index: ChunkIndex<'a>,
}

impl<'a> From<&'a [u8]> for RawRecord<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        RawRecord { bytes, index: None }
    }
}

impl<'a> From<IndexedText<'a>> for RawRecord<'a> {
    fn from(IndexedText { text, index, from }: IndexedText<'a>) -> Self {
        RawRecord { bytes: text.as_bytes(), index: Some((index, from)) }
    }
}

/// One JSON value: all of the bytes, without blanks around them. They were verified when the value was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawJson<'a> {
    bytes: &'a [u8],
    index: ChunkIndex<'a>,
}

impl<'a> RawJson<'a> {
    /// The value that is the whole text; `None` if the text is not exactly one JSON value.
    pub(crate) fn of(text: &'a [u8]) -> Option<RawJson<'a>> {
        let mut walk = Walker::new(text.into());
        walk.skip_blanks();
        let value = walk.value(0)?;
        walk.skip_blanks();
        (walk.at == text.len()).then_some(value)
    }

    /// Visits the members of the object that is the whole record. `None` if the record is not exactly one JSON object; then
    /// some members may have been visited.
    pub(crate) fn visit_object(record: RawRecord<'a>, visit: &mut impl FnMut(RawText<'a>, RawJson<'a>)) -> Option<()> {
        let mut walk = Walker::new(record);
        walk.skip_blanks();
        walk.object(1, visit)?;
        walk.skip_blanks();
        (walk.at == record.bytes.len()).then_some(())
    }

    #[inline]
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    #[inline]
    pub(crate) fn is_object(self) -> bool {
        self.bytes.starts_with(b"{")
    }

    #[inline]
    pub(crate) fn is_array(self) -> bool {
        self.bytes.starts_with(b"[")
    }

    #[inline]
    pub(crate) fn is_null(self) -> bool {
        self.bytes == b"null"
    }

    #[inline]
    pub(crate) fn text(self) -> Option<RawText<'a>> {
        let inside = self.bytes.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        let is_escaped = match self.index {
            Some((index, start)) => index.has_backslash(start + 1, start + 1 + inside.len()),
            None => memchr::memchr(b'\\', inside).is_some(),
        };
        Some(RawText { inside, is_escaped })
    }

    /// An integer.
    #[inline]
    pub(crate) fn integer(self) -> Option<i64> {
        std::str::from_utf8(self.bytes).ok()?.parse().ok()
    }

    /// A non-negative integer.
    #[inline]
    pub(crate) fn number(self) -> Option<u64> {
        self.integer().and_then(|number| u64::try_from(number).ok())
    }

    #[inline]
    pub(crate) fn flag(self) -> Option<bool> {
        match self.bytes {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// Visits the members of an object; of any other value, none.
    pub(crate) fn each_member(self, visit: &mut impl FnMut(RawText<'a>, RawJson<'a>)) {
        let _ = Walker::again(self).object(1, visit);
    }

    /// The member with this name.
    pub(crate) fn get(self, name: &str) -> Option<RawJson<'a>> {
        let mut found = None;
        self.each_member(&mut |key, value| {
            if key.is(name) {
                found = Some(value);
            }
        });
        found
    }

    /// The text of a member that is a string.
    pub(crate) fn text_of(self, name: &str) -> Option<RawText<'a>> {
        self.get(name)?.text()
    }

    /// The elements of an array; of any other value, none.
    pub(crate) fn elements(self) -> Elements<'a> {
        let mut walk = Walker::again(self);
        let is_open = walk.take(b'[').is_some() && walk.peek() != Some(b']');
        Elements { walk, is_open }
    }

    /// The value as a tree. What serde_json would refuse is replaced, or null.
    pub(crate) fn to_value(self) -> Value {
        match self.bytes.first() {
            Some(b'{') => {
                let mut members = Map::new();
                self.each_member(&mut |key, value| {
                    members.insert(key.get().into_owned(), value.to_value());
                });
                Value::Object(members)
            }
            Some(b'[') => Value::Array(self.elements().map(RawJson::to_value).collect()),
            Some(b'"') => self.text().map_or(Value::Null, |text| Value::String(text.get().into_owned())),
            _ => match self.flag() {
                Some(flag) => Value::Bool(flag),
                None => serde_json::from_slice::<Number>(self.bytes).map_or(Value::Null, Value::Number),
            },
        }
    }
}

/// The elements of an array.
pub(crate) struct Elements<'a> {
    walk: Walker<'a>,
    is_open: bool,
}

impl<'a> Iterator for Elements<'a> {
    type Item = RawJson<'a>;

    fn next(&mut self) -> Option<RawJson<'a>> {
        if !self.is_open {
            return None;
        }
        let element = self.walk.value(1)?;
        self.is_open = self.walk.more(b']')?;
        Some(element)
    }
}

/// Walks over the values of a text and verifies them.
struct Walker<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether the text contains control characters, so that each string must be searched for them.
    has_controls: bool,
    /// Whether another walker has verified the text.
    is_verified: bool,
    index: ChunkIndex<'a>,
}

impl<'a> Walker<'a> {
    fn new(RawRecord { bytes, index }: RawRecord<'a>) -> Self {
        let has_controls = match index {
            Some((index, _)) => index.has_controls(),
            // Without a branch, this loop is vectorized.
            None => bytes.iter().fold(false, |seen, byte| seen | (*byte < 0x20)),
        };
        Walker { text: bytes, at: 0, has_controls, is_verified: false, index }
    }

    /// Walks over a value that was found by a walker.
    fn again(RawJson { bytes, index }: RawJson<'a>) -> Self {
        Walker { text: bytes, at: 0, has_controls: false, is_verified: true, index }
    }

    /// The index from a position of the text on.
    fn index_from(&self, at: usize) -> ChunkIndex<'a> {
        self.index.map(|(index, start)| (index, start + at))
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Takes `byte` and the blanks after it.
    fn take(&mut self, byte: u8) -> Option<()> {
        if self.peek()? != byte {
            return None;
        }
        self.at += 1;
        self.skip_blanks();
        Some(())
    }

    /// After a value: true if another one follows, false if the object or array ends.
    fn more(&mut self, close: u8) -> Option<bool> {
        self.skip_blanks();
        let next = self.peek()?;
        self.at += 1;
        if next == b',' {
            self.skip_blanks();
            return Some(true);
        }
        (next == close).then_some(false)
    }

    fn object(&mut self, depth: u32, visit: &mut impl FnMut(RawText<'a>, RawJson<'a>)) -> Option<()> {
        self.take(b'{')?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            let key = self.string()?;
            self.skip_blanks();
            self.take(b':')?;
            let value = self.value(depth)?;
            visit(key, value);
            if !self.more(b'}')? {
                return Some(());
            }
        }
    }

    fn array(&mut self, depth: u32) -> Option<()> {
        self.take(b'[')?;
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.value(depth)?;
            if !self.more(b']')? {
                return Some(());
            }
        }
    }

    /// The value here. `depth` is the number of objects and arrays around it.
    fn value(&mut self, depth: u32) -> Option<RawJson<'a>> {
        let from = self.at;
        match self.peek()? {
            b'"' => {
                self.string()?;
            }
            b'{' if depth < MOST_DEPTH => self.object(depth + 1, &mut |_, _| {})?,
            b'[' if depth < MOST_DEPTH => self.array(depth + 1)?,
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            _ => self.number()?,
        }
        Some(RawJson { bytes: &self.text[from..self.at], index: self.index_from(from) })
    }

    fn string(&mut self) -> Option<RawText<'a>> {
        if self.peek()? != b'"' {
            return None;
        }
        let from = self.at + 1;
        let (at, is_escaped) = match self.index {
            Some(index) => self.indexed_end(from, index)?,
            None => self.searched_end(from)?,
        };
        let inside = &self.text[from..at];
        if self.has_controls && inside.iter().any(|byte| *byte < 0x20) {
            return None;
        }
        self.at = at + 1;
        Some(RawText { inside, is_escaped })
    }

    /// The end of the string that begins here, and whether it holds escapes, from the index.
    #[inline]
    fn indexed_end(&self, from: usize, (index, start): (&ByteIndex, usize)) -> Option<(usize, bool)> {
        // A quote after the end is one of another text.
        let end = (index.quote(start + from)? - start).min(self.text.len());
        self.text.get(end)?;
        let is_escaped = index.has_backslash(start + from, start + end);
        if is_escaped && !self.is_verified {
            let mut next = index.backslash(start + from);
            while let Some(found) = next.filter(|found| found - start < end) {
                let length = escape_length(&self.text[found - start..])?;
                next = index.backslash(found + length);
            }
        }
        Some((end, is_escaped))
    }

    /// The same, by a search.
    fn searched_end(&self, from: usize) -> Option<(usize, bool)> {
        let (mut at, mut is_escaped) = (from, false);
        loop {
            at += quote_or_backslash(self.text.get(at..)?)?;
            if self.text[at] == b'"' {
                return Some((at, is_escaped));
            }
            is_escaped = true;
            at += escape_length(&self.text[at..])?;
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.text[self.at..].starts_with(word).then(|| self.at += word.len())
    }

    fn number(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let is_of_number = |byte: &u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
        let length = rest.iter().take_while(|byte| is_of_number(byte)).count();
        is_number(&rest[..length]).then(|| self.at += length)
    }
}

/// The length of the escape at the start of a text, if it is one.
#[inline]
fn escape_length(text: &[u8]) -> Option<usize> {
    match text.get(1)? {
        b'n' | b'"' | b'\\' | b't' | b'r' | b'/' | b'b' | b'f' => Some(2),
        b'u' => text.get(2..6)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_accepts_what_serde_accepts_and_broken_text_in_strings() {
        let deep = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        for text in [
            "{}",
            "{ }",
            r#"{"a":[ ]}"#,
            r#"{"a":[1 ,2]}"#,
            r#"{"a":[1,]}"#,
            r#"{"a":1,}"#,
            r#"{"a":01}"#,
            r#"{"a":-}"#,
            r#"{"a":1e5}"#,
            r#"{"a":+1}"#,
            r#"{"a":"\q"}"#,
            r#"{"a":"\u12"}"#,
            "{\"a\":\"\u{1}\"}",
            r#"{"a":tru}"#,
            r#"{"a":truex}"#,
            r#"{"a" 1}"#,
            r#"{a:1}"#,
            r#"{"a":1} x"#,
            "",
            &deep(126),
            &deep(127),
        ] {
            let expected = serde_json::from_str::<Value>(text).ok();
            assert_eq!(RawJson::of(text.as_bytes()).map(RawJson::to_value), expected, "{text}");
        }
        let half = RawJson::of(br#"{"a":"\ud83d!"}"#).and_then(|value| value.text_of("a"));
        assert_eq!(half.map(|text| text.get().into_owned()).as_deref(), Some(r"\ud83d!"));
        let bytes = RawJson::of(b"[\"a\xffb\"]").and_then(|value| value.elements().next()?.text());
        assert_eq!(bytes.map(|text| text.get().into_owned()).as_deref(), Some("a\u{fffd}b"));
    }

    #[test]
    fn the_last_of_repeated_keys_counts_and_wrong_types_are_absent() {
        let text = br#" {"a":1, "\u0061" : "x\ty", "b":[1,"p",null], "c":{"d":true}, "n":-1, "f":2.0, "e":[]} "#;
        let value = RawJson::of(text).expect("an object");
        assert_eq!(value.text_of("a").map(|text| text.get().into_owned()).as_deref(), Some("x\ty"));
        assert_eq!(value.get("a").and_then(RawJson::number), None);
        assert_eq!(value.get("c").and_then(|inner| inner.get("d")?.flag()), Some(true));
        assert_eq!(value.get("n").map(|number| (number.integer(), number.number())), Some((Some(-1), None)));
        assert_eq!(value.get("f").and_then(RawJson::integer), None);
        assert_eq!(value.get("e").map(|array| array.elements().count()), Some(0));
        assert_eq!(value.get("b").map(|array| array.elements().count()), Some(3));
        let mut keys = Vec::new();
        assert!(RawJson::visit_object(text[..].into(), &mut |key, _| keys.push(key.get().into_owned())).is_some());
        assert_eq!(keys, ["a", "a", "b", "c", "n", "f", "e"]);
        assert!(RawJson::visit_object(b"[1]"[..].into(), &mut |_, _| {}).is_none());
        assert!(value.get("a").is_some_and(|text| text.text().is_some_and(|text| text.is("x\ty") && !text.is("x"))));
    }
}
