//! The members of a JSON object as slices of its text, and lenient access to their values.
//!
//! One walk over the text verifies that it is JSON and finds the members; nothing is built from values until a caller
//! asks for one. If a key is repeated, the last one counts. A value of another type than the caller asks for is absent.

use crate::json::byte_index::{ChunkIndex, IndexedText};
use crate::json::scan::Scanner;
use crate::json::text::Text;
use crate::json::token::is_number;

/// Values may be nested as deeply as serde_json reads them.
const MOST_DEPTH: u32 = 127;
/// Lists up to this length are compared element by element.
const FEW: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberShape {
    Null,
    Bool,
    Number,
    String { escaped: bool },
    Array,
    Object,
}

/// A value in the text of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawMember<'a> {
    /// The value as it is written.
    pub raw: &'a str,
    pub shape: MemberShape,
    index: ChunkIndex<'a>,
}

impl<'a> RawMember<'a> {
    pub(crate) fn text(&self) -> Option<Text<'a>> {
        let inside = || &self.raw[1..self.raw.len() - 1];
        match self.shape {
            MemberShape::String { escaped: false } => Some(Text::Plain(inside())),
            MemberShape::String { escaped: true } => Some(Text::Escaped(inside())),
            _ => None,
        }
    }

    /// A non-negative integer.
    pub(crate) fn number(&self) -> Option<u64> {
        let is_integer = self.shape == MemberShape::Number && self.raw.bytes().all(|byte| byte.is_ascii_digit());
        if is_integer { self.raw.parse().ok() } else { None }
    }

    pub(crate) fn flag(&self) -> Option<bool> {
        (self.shape == MemberShape::Bool).then_some(self.raw == "true")
    }

    /// The elements of an array; of any other value, none.
    pub(crate) fn elements(&self) -> Elements<'a> {
        let is_array = self.shape == MemberShape::Array;
        let walk = Walker { is_verified: true, ..Walker::new(self.raw, self.index) };
        Elements { walk, state: if is_array { ArrayPlace::Before } else { ArrayPlace::After } }
    }

    pub(crate) fn members(&self) -> Option<Members<'a>> {
        let walk = || Walker { is_verified: true, ..Walker::new(self.raw, self.index) };
        if self.shape == MemberShape::Object { Members::found(walk()) } else { None }
    }

    /// The strings of an array, each once, in the order of their first occurrence.
    pub(crate) fn strings(&self) -> Vec<Text<'a>> {
        let mut found: Vec<Text<'a>> = Vec::new();
        let mut hashes = rustc_hash::FxHashSet::default();
        for text in self.elements().filter_map(|element| element.text()) {
            // Hashing pays off only in long lists.
            let is_new = if found.len() < FEW { !found.contains(&text) } else { !hashes.contains(&text.hash()) };
            if !is_new {
                continue;
            }
            found.push(text);
            if found.len() == FEW {
                hashes.extend(found.iter().map(Text::hash));
            } else if found.len() > FEW {
                hashes.extend(found.last().map(Text::hash));
            }
        }
        found
    }
}

/// A member with the inside of its key.
#[derive(Clone, Copy, Debug)]
struct KeyedMember<'a> {
    key: &'a str,
    is_escaped: bool,
    member: RawMember<'a>,
}

impl KeyedMember<'_> {
    fn is(&self, name: &str) -> bool {
        if self.is_escaped { Text::Escaped(self.key) == *name } else { self.key == name }
    }
}

/// The members of an object, in its order.
#[derive(Clone, Debug)]
pub(crate) struct Members<'a> {
    list: Vec<KeyedMember<'a>>,
    pub raw: &'a str,
}

impl<'a> Members<'a> {
    /// The members of the object that is the whole text; `None` if the text is not exactly one JSON object.
    pub(crate) fn of(text: &'a str) -> Option<Members<'a>> {
        Members::found(Walker::new(text, None))
    }

    /// The same of a text in an indexed chunk.
    pub(crate) fn of_indexed(IndexedText { text, index, from }: IndexedText<'a>) -> Option<Members<'a>> {
        Members::found(Walker::new(text, Some((index, from))))
    }

    fn found(mut walk: Walker<'a>) -> Option<Members<'a>> {
        walk.scanner.skip_blanks();
        let mut list = Vec::with_capacity(8);
        walk.object(&mut |member| list.push(member))?;
        walk.scanner.skip_blanks();
        walk.scanner.is_done().then_some(Members { list, raw: walk.text })
    }

    pub(crate) fn get(&self, name: &str) -> Option<&RawMember<'a>> {
        self.list.iter().rev().find(|member| member.is(name)).map(|keyed| &keyed.member)
    }

    pub(crate) fn text(&self, name: &str) -> Option<Text<'a>> {
        self.get(name)?.text()
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.number()
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.flag()
    }

    pub(crate) fn strings(&self, name: &str) -> Vec<Text<'a>> {
        self.get(name).map(RawMember::strings).unwrap_or_default()
    }

    pub(crate) fn members(&self, name: &str) -> Option<Members<'a>> {
        self.get(name)?.members()
    }

    /// The objects in an array.
    pub(crate) fn objects(&self, name: &str) -> impl Iterator<Item = Members<'a>> + use<'a> {
        let elements = self.get(name).map(RawMember::elements);
        elements.into_iter().flatten().filter_map(|element| element.members())
    }

    /// The value as a tree; null if it is absent.
    pub(crate) fn value(&self, name: &str) -> serde_json::Value {
        self.get(name).and_then(|member| serde_json::from_str(member.raw).ok()).unwrap_or_default()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArrayPlace {
    Before,
    Inside,
    After,
}

/// The elements of an array whose text was verified.
pub(crate) struct Elements<'a> {
    walk: Walker<'a>,
    state: ArrayPlace,
}

impl<'a> Iterator for Elements<'a> {
    type Item = RawMember<'a>;

    fn next(&mut self) -> Option<RawMember<'a>> {
        if self.state == ArrayPlace::Before {
            self.walk.scanner.take(b'[')?;
            self.state = if self.walk.scanner.peek()? == b']' { ArrayPlace::After } else { ArrayPlace::Inside };
        }
        if self.state == ArrayPlace::After {
            return None;
        }
        let element = self.walk.value()?;
        if !self.walk.scanner.more(b']')? {
            self.state = ArrayPlace::After;
        }
        Some(element)
    }
}

/// Walks over the values of a text and verifies them.
struct Walker<'a> {
    scanner: Scanner<'a>,
    text: &'a str,
    index: ChunkIndex<'a>,
    /// Another walk has verified the text, so nested values are skipped by their brackets.
    is_verified: bool,
}

impl<'a> Walker<'a> {
    fn new(text: &'a str, index: ChunkIndex<'a>) -> Self {
        let scanner = match index {
            Some((index, from)) => Scanner::indexed(IndexedText { text, index, from }),
            None => Scanner::new(text),
        };
        Walker { scanner, text, index, is_verified: false }
    }

    /// Visits the members of the object here.
    fn object(&mut self, visit: &mut dyn FnMut(KeyedMember<'a>)) -> Option<()> {
        self.scanner.take(b'{')?;
        if self.scanner.peek()? == b'}' {
            return self.scanner.literal("}");
        }
        loop {
            let (key, is_escaped) = self.key()?;
            let member = self.value()?;
            visit(KeyedMember { key, is_escaped, member });
            if !self.scanner.more(b'}')? {
                return Some(());
            }
        }
    }

    /// The value here, which is directly in the object or array.
    fn value(&mut self) -> Option<RawMember<'a>> {
        let from = self.scanner.at();
        let shape = self.skip(1)?;
        let index = self.index.map(|(index, start)| (index, start + from));
        Some(RawMember { raw: &self.text[from..self.scanner.at()], shape, index })
    }

    fn key(&mut self) -> Option<(&'a str, bool)> {
        let key = self.scanner.string()?;
        self.scanner.skip_blanks();
        self.scanner.take(b':')?;
        Some(key)
    }

    /// Skips the value here. `depth` is the number of objects and arrays around it.
    fn skip(&mut self, depth: u32) -> Option<MemberShape> {
        match self.scanner.peek()? {
            b'"' => self.scanner.skip_string().map(|escaped| MemberShape::String { escaped }),
            b'{' => self.skip_nested(depth, b'}').map(|()| MemberShape::Object),
            b'[' => self.skip_nested(depth, b']').map(|()| MemberShape::Array),
            b't' => self.word("true", MemberShape::Bool),
            b'f' => self.word("false", MemberShape::Bool),
            b'n' => self.word("null", MemberShape::Null),
            _ => self.number(),
        }
    }

    /// Skips the object or array here.
    fn skip_nested(&mut self, depth: u32, close: u8) -> Option<()> {
        if self.is_verified {
            let from = self.scanner.at();
            if self.scanner.nested().is_some() {
                return Some(());
            }
            // It is nested more deeply than the scanner follows.
            self.scanner.go_back(from);
        }
        if depth == MOST_DEPTH {
            return None;
        }
        let open = self.scanner.peek()?;
        self.scanner.take(open)?;
        if self.scanner.peek()? == close {
            return self.scanner.literal(if close == b'}' { "}" } else { "]" });
        }
        loop {
            if close == b'}' {
                self.scanner.skip_string()?;
                self.scanner.skip_blanks();
                self.scanner.take(b':')?;
            }
            self.skip(depth + 1)?;
            if !self.scanner.more(close)? {
                return Some(());
            }
        }
    }

    fn word(&mut self, word: &str, shape: MemberShape) -> Option<MemberShape> {
        self.scanner.literal(word).map(|()| shape)
    }

    fn number(&mut self) -> Option<MemberShape> {
        let rest = &self.text[self.scanner.at()..];
        let is_of_number = |byte: &u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
        let length = rest.bytes().take_while(|byte| is_of_number(byte)).count();
        let token = &rest[..length];
        is_number(token.as_bytes()).then(|| self.scanner.literal(token))?.map(|()| MemberShape::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_repeated_keys_counts_and_wrong_types_are_absent() {
        let text = r#" {"a":1, "\u0061" : "x\ty", "b":[1,"p",null,"p","q"], "c":{"d":true}, "n":-1, "f":2.0, "e":[]} "#;
        let members = Members::of(text).expect("an object");
        assert_eq!(members.text("a").map(|text| text.get().into_owned()).as_deref(), Some("x\ty"));
        assert_eq!(members.number("a"), None);
        assert_eq!(members.strings("b").iter().map(|text| text.get().into_owned()).collect::<Vec<_>>(), ["p", "q"]);
        assert_eq!(members.members("c").and_then(|inner| inner.flag("d")), Some(true));
        assert_eq!((members.number("n"), members.number("f")), (None, None));
        assert_eq!(members.get("e").map(|member| member.elements().count()), Some(0));
        assert_eq!(members.get("b").map(|member| member.elements().count()), Some(5));
        assert_eq!(members.value("zzz"), serde_json::Value::Null);
        let long: Vec<String> = (0..100).map(|number| format!("{}", number % 40)).collect();
        let text = serde_json::json!({"a": long}).to_string();
        let found = Members::of(&text).expect("an object").strings("a");
        assert_eq!(found.iter().map(|text| text.get().into_owned()).collect::<Vec<_>>(), long[..40]);
    }

    #[test]
    fn it_accepts_what_serde_accepts() {
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
            r#"{"a":"\ud800"}"#,
            "{\"a\":\"\u{1}\"}",
            r#"{"a":tru}"#,
            r#"{"a":truex}"#,
            r#"{"a" 1}"#,
            r#"{a:1}"#,
            r#"{"a":1} x"#,
            "[1]",
            "",
            &deep(126),
            &deep(127),
        ] {
            let expected = serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.is_object());
            assert_eq!(Members::of(text).is_some(), expected, "{text}");
        }
    }
}
