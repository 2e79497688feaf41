//! The values of one JSON text as spans of its bytes, for reading members and for edits that keep all other bytes.
//!
//! The text must be one valid value, with two exceptions that the agents' own readers make: half a surrogate pair is
//! accepted as an escape, and bytes inside a string need not be UTF-8. If a key is repeated, the last one counts.

use std::borrow::Cow;
use std::ops::Range;

use crate::json::string::{Escaped, Escapes, Unescaped};
use crate::json::token::{TokenCursor, TokenKind, is_number};

/// The index of a value in a [`Shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At(u32);

#[derive(Clone, Copy, Debug)]
struct Value {
    kind: TokenKind,
    from: u32,
    to: u32,
    /// The index after the last value inside.
    end: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Shape<'a> {
    bytes: &'a [u8],
    values: Vec<Value>,
}

impl<'a> Shape<'a> {
    /// `None` if the bytes are not one JSON value.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Shape<'a>> {
        u32::try_from(bytes.len()).ok()?;
        // Without a branch, this loop is vectorized, which is far cheaper than a test in each string.
        let has_controls = bytes.iter().fold(false, |seen, byte| seen | (*byte < 0x20));
        let (mut values, mut open): (Vec<Value>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut cursor = TokenCursor::default();
        while let Some(token) = cursor.next(bytes) {
            let token = token.ok()?;
            let index = values.len();
            if token.kind == TokenKind::End {
                let begun = values.get_mut(open.pop()?)?;
                (begun.to, begun.end) = (token.to as u32, index as u32);
                continue;
            }
            if open.is_empty() && index > 0 {
                return None;
            }
            let inside = bytes.get(token.inside())?;
            match token.kind {
                TokenKind::Key | TokenKind::String if !is_valid_string(inside, has_controls) => return None,
                TokenKind::Number if !is_number(inside) => return None,
                TokenKind::Object | TokenKind::Array => open.push(index),
                _ => {}
            }
            values.push(Value {
                kind: token.kind,
                from: token.from as u32,
                to: token.to as u32,
                end: index as u32 + 1,
            });
        }
        (!values.is_empty()).then_some(Shape { bytes, values })
    }

    /// As [`parse`](Self::parse), but only for objects.
    pub(crate) fn object(bytes: &'a [u8]) -> Option<Shape<'a>> {
        Shape::parse(bytes).filter(|shape| shape.is_object(Shape::ROOT))
    }

    pub(crate) const ROOT: At = At(0);

    fn value(&self, at: At) -> Value {
        self.values[at.0 as usize]
    }

    pub(crate) fn span(&self, at: At) -> Range<usize> {
        let value = self.value(at);
        value.from as usize..value.to as usize
    }

    /// The value as it is written.
    pub(crate) fn raw(&self, at: At) -> &'a [u8] {
        &self.bytes[self.span(at)]
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn is_object(&self, at: At) -> bool {
        self.value(at).kind == TokenKind::Object
    }

    pub(crate) fn is_array(&self, at: At) -> bool {
        self.value(at).kind == TokenKind::Array
    }

    pub(crate) fn is_string(&self, at: At) -> bool {
        self.value(at).kind == TokenKind::String
    }

    pub(crate) fn is_true(&self, at: At) -> bool {
        self.raw(at) == b"true"
    }

    /// The keys of an object with their values.
    pub(crate) fn members(&self, at: At) -> impl Iterator<Item = (At, At)> {
        let end = if self.is_object(at) { self.value(at).end } else { at.0 };
        let mut next = at.0 + 1;
        std::iter::from_fn(move || {
            let key = At(next);
            let value = At(next + 1);
            (next < end).then(|| {
                next = self.value(value).end;
                (key, value)
            })
        })
    }

    pub(crate) fn elements(&self, at: At) -> impl Iterator<Item = At> {
        let end = if self.is_array(at) { self.value(at).end } else { at.0 };
        let mut next = at.0 + 1;
        std::iter::from_fn(move || {
            let element = At(next);
            (next < end).then(|| {
                next = self.value(element).end;
                element
            })
        })
    }

    /// The key and the value of a member.
    pub(crate) fn member(&self, at: At, name: &str) -> Option<(At, At)> {
        self.members(at).filter(|(key, _)| self.is_named(*key, name)).last()
    }

    pub(crate) fn get(&self, at: At, name: &str) -> Option<At> {
        Some(self.member(at, name)?.1)
    }

    pub(crate) fn is_named(&self, key: At, name: &str) -> bool {
        let inside = self.inside(key);
        if inside.contains(&b'\\') { Unescaped::new(inside).eq(name.chars()) } else { inside == name.as_bytes() }
    }

    /// A string without its quotes.
    pub(crate) fn inside(&self, at: At) -> &'a [u8] {
        let span = self.span(at);
        &self.bytes[span.start + 1..span.end - 1]
    }

    /// The text of a string. Bytes that are not UTF-8 are read as U+FFFD.
    pub(crate) fn text(&self, at: At) -> Option<Cow<'a, str>> {
        self.is_string(at).then(|| self.unescaped(at))
    }

    /// The text of a key.
    pub(crate) fn key(&self, at: At) -> Option<Cow<'a, str>> {
        (self.value(at).kind == TokenKind::Key).then(|| self.unescaped(at))
    }

    fn unescaped(&self, at: At) -> Cow<'a, str> {
        let inside = self.inside(at);
        match std::str::from_utf8(inside) {
            Ok(plain) if !inside.contains(&b'\\') => Cow::Borrowed(plain),
            _ => Cow::Owned(Unescaped::new(inside).collect()),
        }
    }

    pub(crate) fn text_of(&self, at: At, name: &str) -> Option<Cow<'a, str>> {
        self.text(self.get(at, name)?)
    }

    pub(crate) fn flag_of(&self, at: At, name: &str) -> bool {
        self.get(at, name).is_some_and(|value| self.is_true(value))
    }

    /// A non-negative integer.
    pub(crate) fn number_of(&self, at: At, name: &str) -> Option<u64> {
        let value = self.get(at, name).filter(|value| self.value(*value).kind == TokenKind::Number)?;
        std::str::from_utf8(self.raw(value)).ok()?.parse().ok()
    }

    /// The strings in a value, those of keys included.
    pub(crate) fn strings(&self, at: At) -> impl Iterator<Item = At> {
        let inside = at.0..self.value(at).end;
        inside.map(At).filter(|at| matches!(self.value(*at).kind, TokenKind::String | TokenKind::Key))
    }

    /// The value without the blanks between its parts, piece by piece.
    pub(crate) fn scalars(&self, at: At) -> impl Iterator<Item = &'a [u8]> {
        let inside = at.0..self.value(at).end;
        inside.map(move |index| {
            let value = self.value(At(index));
            let to = if matches!(value.kind, TokenKind::Object | TokenKind::Array) { value.from + 1 } else { value.to };
            &self.bytes[value.from as usize..to as usize]
        })
    }
}

/// Whether the inside of a literal is valid, with half surrogate pairs accepted.
fn is_valid_string(inside: &[u8], may_hold_controls: bool) -> bool {
    if may_hold_controls && inside.iter().any(|byte| *byte < 0x20) {
        return false;
    }
    Escapes::new(inside).all(|escape| escape.stands_for != Escaped::Invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str, path: &[&str]) -> Option<String> {
        let shape = Shape::parse(json.as_bytes())?;
        let at = path.iter().try_fold(Shape::ROOT, |at, name| shape.get(at, name))?;
        Some(String::from_utf8_lossy(shape.raw(at)).into_owned())
    }

    #[test]
    fn members_are_found_and_the_last_of_equal_keys_counts() {
        let json = r#"{"a":{"b":[1,{"c":2}],"d":"x"},"\u0065":true,"a":{"b":3}}"#;
        assert_eq!(text(json, &["a", "b"]).as_deref(), Some("3"));
        assert_eq!(text(json, &["e"]).as_deref(), Some("true"));
        assert_eq!(text(json, &["a", "d"]), None);
        assert_eq!(text(json, &["a", "b", "c"]), None, "a number has no members");
    }

    #[test]
    fn elements_are_found() {
        let shape = Shape::parse(br#"[{"a":[]},[[1],2],"x"]"#).expect("JSON");
        let raw: Vec<&[u8]> = shape.elements(Shape::ROOT).map(|at| shape.raw(at)).collect();
        assert_eq!(raw, [&br#"{"a":[]}"#[..], b"[[1],2]", br#""x""#]);
        assert_eq!(shape.members(Shape::ROOT).count(), 0);
    }

    #[test]
    fn only_one_valid_value_has_a_shape() {
        for json in [r#"{"a":"\ud83d"}"#, "{} ", "\t[1, -2.5e3]\r", r#""\u0000""#, "null"] {
            assert!(Shape::parse(json.as_bytes()).is_some(), "{json}");
        }
        for other in
            ["", " ", "{}{}", "{} x", r#"{"a":"\q"}"#, "{\"a\":\"\t\"}", "[01]", "{\"a\":1", "\u{feff}{}", "\0"]
        {
            assert!(Shape::parse(other.as_bytes()).is_none(), "{other}");
        }
        assert!(Shape::parse(b"{\"a\":\"caf\xe9\"}").is_some(), "a byte in a string need not be UTF-8");
        assert!(Shape::parse(b"{\xe9}").is_none());
    }

    #[test]
    fn texts_are_read_loosely() {
        let shape = Shape::parse(b"[\"caf\xe9 \\n\",\"\\ud83d\\ude00\",1]").expect("JSON");
        let texts: Vec<_> = shape.elements(Shape::ROOT).map(|at| shape.text(at)).collect();
        assert_eq!(texts, [Some("caf\u{fffd} \n".into()), Some("😀".into()), None]);
    }

    #[test]
    fn nesting_may_be_deep() {
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        let shape = Shape::parse(deep.as_bytes()).expect("JSON");
        assert_eq!(shape.strings(Shape::ROOT).count(), 0);
    }
}
