//! Encodings of a text inside another: JSON escapes, percent-encoding, base64. Decoding keeps a map of positions, so that
//! a secret in the decoded text can be replaced in the encoded one, and everything around it keeps its spelling.

use std::borrow::Cow;
use std::ops::Range;

use crate::json::string::{Escaped, Escapes};

/// A decoded text, and the positions of its characters in the encoded one.
pub(crate) struct Decoded {
    pub text: String,
    /// Positions (decoded, encoded) from which both texts run in parallel. Sorted.
    marks: Vec<(usize, usize)>,
}

impl Decoded {
    fn new() -> Self {
        Decoded { text: String::new(), marks: vec![(0, 0)] }
    }

    /// The position in the encoded text of a character's start, or of the end.
    pub(crate) fn place(&self, decoded: usize) -> usize {
        let mark = self.marks.partition_point(|(from, _)| *from <= decoded).saturating_sub(1);
        let (from, to) = self.marks[mark];
        to + (decoded - from)
    }

    /// The position in the encoded text of a character's end: before anything that was skipped there.
    pub(crate) fn end(&self, decoded: usize) -> usize {
        let mark = self.marks.partition_point(|(from, _)| *from < decoded);
        self.marks.get(mark).filter(|(from, _)| *from == decoded).map_or_else(|| self.place(decoded), |(_, to)| *to)
    }

    fn mark(&mut self, encoded: usize) {
        let place = (self.text.len(), encoded);
        if self.marks.last() != Some(&place) {
            self.marks.push(place);
        }
    }
}

/// Replaces bytes that are not a character. One byte long, and never part of a secret.
pub(crate) const NO_CHARACTER: char = '\u{1a}';

/// Characters that are not seen on a screen: zero-width spaces and joiners, marks of direction, soft hyphens, tags.
pub(crate) const INVISIBLE: &str = r"\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{3164}\u{fe00}-\u{fe0f}\u{feff}\u{ffa0}\u{e0000}-\u{e0fff}";

pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// Reads JSON escapes. Anything that is not an escape stays as it is; half a surrogate pair is not a character.
pub(crate) fn unescape(raw: &str) -> Decoded {
    let mut decoded = Decoded::new();
    let mut at = 0;
    for escape in Escapes::new(raw.as_bytes()) {
        decoded.text.push_str(&raw[at..escape.at]);
        decoded.mark(escape.at);
        decoded.text.push(match escape.stands_for {
            Escaped::Character(character) => character,
            Escaped::HalfPair => NO_CHARACTER,
            Escaped::Invalid => '\\',
        });
        at = escape.end();
        decoded.mark(at);
    }
    decoded.text.push_str(&raw[at..]);
    decoded
}

/// The text without some of its parts, which are in order.
pub(crate) fn without(raw: &str, parts: impl Iterator<Item = Range<usize>>) -> Decoded {
    let mut decoded = Decoded::new();
    let mut at = 0;
    for part in parts {
        decoded.text.push_str(&raw[at..part.start]);
        decoded.mark(part.start);
        decoded.mark(part.end);
        at = part.end;
    }
    decoded.text.push_str(&raw[at..]);
    decoded
}

/// The text with some of its parts, which are in order, replaced by [`NO_CHARACTER`]. Positions stay the same.
pub(crate) fn blanked(raw: &str, parts: impl Iterator<Item = Range<usize>>) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    for part in parts {
        text.push_str(&raw[at..part.start]);
        text.extend(std::iter::repeat_n(NO_CHARACTER, part.len()));
        at = part.end;
    }
    text.push_str(&raw[at..]);
    text
}

/// Escapes a text for the inside of a JSON string.
pub(crate) fn escape_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Decodes `%XX`. `None` if there is none, or if the result is not text.
pub(crate) fn percent_decode(raw: &str) -> Option<Decoded> {
    let (bytes, marks) = percent_bytes(raw)?;
    Some(Decoded { text: String::from_utf8(bytes).ok()?, marks })
}

/// Decodes `%XX` where the result is text; other bytes become [`NO_CHARACTER`].
pub(crate) fn percent_pieces(raw: &str) -> Option<Decoded> {
    let (bytes, marks) = percent_bytes(raw)?;
    Some(Decoded { text: readable(&bytes).into_owned(), marks })
}

/// Bytes as text of the same length: each byte that is not part of a character becomes [`NO_CHARACTER`].
pub(crate) fn readable(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| NO_CHARACTER));
    }
    Cow::Owned(text)
}

type Marks = Vec<(usize, usize)>;

fn percent_bytes(raw: &str) -> Option<(Vec<u8>, Marks)> {
    let mut bytes = Vec::new();
    let mut marks = vec![(0, 0)];
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', &raw.as_bytes()[at..]) {
        bytes.extend_from_slice(&raw.as_bytes()[at..at + found]);
        at += found;
        let digits = raw.as_bytes().get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        marks.push((bytes.len(), at));
        bytes.push(byte.unwrap_or(b'%'));
        at += if byte.is_some() { 3 } else { 1 };
        marks.push((bytes.len(), at));
    }
    if marks.len() == 1 {
        return None;
    }
    bytes.extend_from_slice(&raw.as_bytes()[at..]);
    Some((bytes, marks))
}

pub(crate) fn percent_encode(text: &str, digits: &[u8; 16]) -> String {
    let mut out = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(digits[usize::from(byte >> 4)]));
            out.push(char::from(digits[usize::from(byte & 15)]));
        }
    }
    out
}

pub(crate) const UPPER_HEX: &[u8; 16] = b"0123456789ABCDEF";
pub(crate) const LOWER_HEX: &[u8; 16] = b"0123456789abcdef";

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The variant of base64 of a text, so that its replacement has the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Base64 {
    pub url_safe: bool,
    pub padded: bool,
    /// Two bytes per character, the lower one first, as in PowerShell.
    pub is_wide: bool,
}

/// The text that is encoded as base64; `None` if it is not text.
pub(crate) fn base64_text(raw: &str) -> Option<(String, Base64)> {
    let digits = raw.trim_end_matches('=');
    let mut style = Base64 {
        is_wide: false,
        url_safe: digits.contains(['-', '_']),
        padded: digits.len().is_multiple_of(4) || digits.len() < raw.len(),
    };
    if digits.len() % 4 == 1 {
        return None;
    }
    if digits.bytes().any(|digit| sextet(digit).is_none()) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    base64_bytes(digits.as_bytes(), &mut bytes);
    style.is_wide =
        bytes.len() >= 8 && bytes.len().is_multiple_of(2) && bytes.iter().skip(1).step_by(2).all(|high| *high == 0);
    if style.is_wide {
        bytes = bytes.iter().step_by(2).copied().collect();
    }
    let text = String::from_utf8(bytes).ok()?;
    // Terminal colours count as text.
    let is_odd = |character: char| character.is_control() && !matches!(character, '\n' | '\r' | '\t' | '\u{1b}');
    (!text.contains(is_odd)).then_some((text, style))
}

fn sextet(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

pub(crate) fn base64_encode(bytes: &[u8], style: Base64) -> String {
    if style.is_wide {
        let wide: Vec<u8> = bytes.iter().flat_map(|byte| [*byte, 0]).collect();
        return base64_encode(&wide, Base64 { is_wide: false, ..style });
    }
    let alphabet = if style.url_safe { URL_SAFE } else { STANDARD };
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            out.push(char::from(alphabet[(group >> (18 - 6 * at) & 63) as usize]));
        }
        if style.padded {
            out.extend(std::iter::repeat_n('=', 3 - chunk.len()));
        }
    }
    out
}

/// The runs of base64 digits of at least this length.
pub(crate) fn base64_runs(text: &str, least: usize) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            at += bytes[at..].iter().take_while(|byte| sextet(**byte).is_some()).count();
            let run = start..at;
            at += 1;
            if run.len() >= least {
                return Some(run);
            }
        }
        None
    })
}

/// Decodes a run of base64 digits. Bits that do not make a byte are dropped.
pub(crate) fn base64_bytes(run: &[u8], bytes: &mut Vec<u8>) {
    bytes.clear();
    let (mut bits, mut count) = (0_u32, 0);
    for digit in run.iter().filter_map(|digit| sextet(*digit)) {
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_map_back_to_the_encoded_text() {
        let raw = r#"a\n\u00e9\ud83d\ude00b\ud800\q%"#;
        let decoded = unescape(raw);
        assert_eq!(decoded.text, "a\né😀b\u{1a}\\q%");
        let place = |text: &str| decoded.place(decoded.text.find(text).expect("there"));
        assert_eq!((place("\n"), place("é"), place("😀"), place("b")), (1, 3, 9, 21));
        assert_eq!(decoded.place(decoded.text.len()), raw.len());
    }

    #[test]
    fn percent_escapes_are_decoded_where_they_are_valid() {
        let decoded = percent_decode("a%2Fb%zz%c3%a9%").expect("some");
        assert_eq!(decoded.text, "a/b%zzé%");
        assert_eq!(decoded.place(decoded.text.find('b').expect("there")), 4);
        assert!(percent_decode("plain").is_none() && percent_decode("%ff").is_none());
        assert_eq!(percent_encode("a/é", UPPER_HEX), "a%2F%C3%A9");
    }

    #[test]
    fn base64_round_trips_and_is_found_in_runs() {
        let style = Base64 { url_safe: false, padded: true, is_wide: false };
        for text in ["", "f", "fo", "foo", "foob", "fooba", "foobar", "~~~???"] {
            let encoded = base64_encode(text.as_bytes(), style);
            assert_eq!(base64_text(&encoded).map(|(text, _)| text).as_deref(), Some(text));
        }
        assert_eq!(base64_encode(b"fooba", style), "Zm9vYmE=");
        assert_eq!(base64_runs("ab Zm9vYmE= Zm9vYmFy", 5).collect::<Vec<_>>(), [3..10, 12..20]);
        assert!(base64_text("AAECAw==").is_none() && base64_text("abcde").is_none());
    }
}
