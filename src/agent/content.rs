//! The content of a message or of a tool's output: a string, or a list of parts of which some have a text.

use std::borrow::Cow;
use std::hash::Hasher;

use crate::json::raw::{RawJson, RawText};
use crate::json::text::hash_bytes;

/// A string, or a list whose elements are strings or objects with a `text`. An object with a `text` counts as one part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Content<'a>(Option<RawJson<'a>>);

impl<'a> Content<'a> {
    pub(crate) fn new(value: Option<RawJson<'a>>) -> Content<'a> {
        Content(value)
    }

    /// The texts in their order.
    pub(crate) fn texts(self) -> impl Iterator<Item = RawText<'a>> {
        let whole = self.0.and_then(|value| value.text().or_else(|| value.text_of("text")));
        let parts = self.0.into_iter().flat_map(RawJson::elements);
        whole.into_iter().chain(parts.filter_map(|part| part.text().or_else(|| part.text_of("text"))))
    }

    /// All texts, one per line.
    pub(crate) fn text(self) -> Cow<'a, str> {
        let mut texts = self.texts();
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        let mut all = first.get();
        for text in texts {
            let all = all.to_mut();
            all.push('\n');
            all.push_str(&text.get());
        }
        all
    }

    /// Up to `most` characters of the text, without the blanks before it.
    pub(crate) fn beginning(self, most: usize) -> String {
        let joined = self.texts().enumerate().flat_map(|(number, text)| {
            let line_break = (number > 0).then_some('\n');
            line_break.into_iter().chain(text.characters())
        });
        joined.skip_while(|character| character.is_whitespace()).take(most).collect()
    }

    /// How many images it holds.
    pub(crate) fn images(self) -> u64 {
        let is_image =
            |part: &RawJson<'a>| part.text_of("type").is_some_and(|kind| kind.is("image") || kind.is("input_image"));
        self.0.into_iter().flat_map(RawJson::elements).filter(is_image).count() as u64
    }

    /// Identifies the text. A fast hash, since outputs are most of a log.
    pub(crate) fn hash(self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(self.text().as_bytes());
        hasher.finish()
    }
}

/// Identifies a JSON value, whatever the order of members and the blanks between them. A string that is JSON itself is
/// read first, because some programs store arguments so.
pub(crate) fn canonical_hash(value: RawJson<'_>) -> u64 {
    if let Some(text) = value.text() {
        let text = text.get();
        if let Some(inner) = RawJson::of(text.as_bytes()) {
            return structural_hash(inner);
        }
    }
    structural_hash(value)
}

fn structural_hash(value: RawJson<'_>) -> u64 {
    if value.is_object() {
        // Adding makes the order of the members irrelevant.
        let mut sum = 1_u64;
        value.each_member(&mut |key, member| sum = sum.wrapping_add(mixed(key.hash(), structural_hash(member))));
        return mixed(1, sum);
    }
    if value.is_array() {
        return value.elements().fold(2, |sum, element| mixed(sum, structural_hash(element)));
    }
    match value.text() {
        Some(text) => mixed(3, text.hash()),
        None => mixed(4, hash_bytes(value.bytes())),
    }
}

fn mixed(one: u64, two: u64) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write_u64(one);
    hasher.write_u64(two);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content<'_> {
        Content::new(RawJson::of(text.as_bytes()))
    }

    #[test]
    fn texts_are_those_of_strings_and_parts() {
        for (json, text) in [
            (r#""a\nb""#, "a\nb"),
            (r#"[{"type":"text","text":"a"},{"type":"image"},"b"]"#, "a\nb"),
            (r#"{"text":"a"}"#, "a"),
            ("null", ""),
            ("[]", ""),
        ] {
            assert_eq!(content(json).text(), text, "{json}");
        }
        assert_eq!(content(r#"[{"text":" \n"},{"text":" one\ttwo"}]"#).beginning(5), "one\tt");
        assert_eq!(content(r#""a\u0062""#).hash(), content(r#"[{"text":"ab"}]"#).hash());
        assert_ne!(content(r#""ab""#).hash(), content(r#"["a","b"]"#).hash());
        assert_eq!(Content::default().text(), "");
    }

    #[test]
    fn values_are_equal_whatever_their_layout() {
        let hash = |text: &str| canonical_hash(RawJson::of(text.as_bytes()).expect("JSON"));
        assert_eq!(hash(r#"{"a":1,"b":[2,{"c":"x"}]}"#), hash(r#"{ "b" : [2,{"c":"\u0078"}], "a" : 1 }"#));
        assert_eq!(hash(r#"{"a":1}"#), hash(r#""{\"a\": 1}""#));
        for (one, two) in [("[1,2]", "[2,1]"), (r#"{"a":1}"#, r#"{"a":"1"}"#), ("{}", "[]"), (r#""x""#, r#""y""#)] {
            assert_ne!(hash(one), hash(two), "{one} {two}");
        }
    }
}
