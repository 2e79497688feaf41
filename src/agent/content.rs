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
        self.pictures().count() as u64
    }

    /// The images in their order.
    pub(crate) fn pictures(self) -> impl Iterator<Item = Picture> {
        let is_image =
            |part: &RawJson<'a>| part.text_of("type").is_some_and(|kind| kind.is("image") || kind.is("input_image"));
        self.0.into_iter().flat_map(RawJson::elements).filter(is_image).map(Picture::of)
    }

    /// Identifies the text. A fast hash, since outputs are most of a log.
    pub(crate) fn hash(self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(self.text().as_bytes());
        hasher.finish()
    }
}

/// An image in a message: its media type, and the bytes of the picture if it is in the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub media: Option<String>,
    pub bytes: Option<u64>,
}

impl Picture {
    fn of(part: RawJson<'_>) -> Picture {
        let source = part.get("source").unwrap_or(part);
        let media = source.text_of("media_type").map(|media| media.get().into_owned());
        if let Some(data) = source.text_of("data") {
            return Picture { media, bytes: Some(decoded_bytes(&data.name())) };
        }
        let url = part.text_of("image_url").map(RawText::get).unwrap_or_default();
        match url.strip_prefix("data:").and_then(|url| url.split_once(',')) {
            Some((head, data)) => {
                let media = head.split(';').next().map(str::to_owned);
                Picture { media, bytes: Some(decoded_bytes(data.as_bytes())) }
            }
            None => Picture { media, bytes: None },
        }
    }
}

/// The bytes that base64 stands for: three for every four characters.
fn decoded_bytes(base64: &[u8]) -> u64 {
    let padding = base64.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    (base64.len() * 3 / 4).saturating_sub(padding) as u64
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
        let pictures = r#"[{"type":"input_image","image_url":"data:image/jpeg;base64,QUI="},{"type":"image"}]"#;
        let first = Picture { media: Some("image/jpeg".to_owned()), bytes: Some(2) };
        let second = Picture { media: None, bytes: None };
        assert_eq!(content(pictures).pictures().collect::<Vec<_>>(), [first, second]);
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
