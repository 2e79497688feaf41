//! String literals of JSON: where one ends, and what its escapes stand for.
//!
//! Every reader of JSON in this crate finds the end of a string and reads its escapes here. How invalid escapes are
//! treated is the caller's choice.

use super::near::{backslash, quote_or_backslash};

/// Finds the closing quote of a literal whose inside starts at `from`. The flag says whether there are escapes before
/// it.
#[inline]
pub(crate) fn closing_quote(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let mut at = from;
    let mut is_escaped = false;
    loop {
        at += quote_or_backslash(bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some((at, is_escaped));
        }
        is_escaped = true;
        at += 2;
    }
}

/// What an escape stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escaped {
    Character(char),
    /// A `\uXXXX` that is one half of a surrogate pair, without the other half.
    HalfPair,
    /// A backslash that does not start an escape. Its length is 1.
    Invalid,
}

/// A backslash in the inside of a literal, with the bytes that belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Escape {
    pub at: usize,
    pub length: usize,
    pub stands_for: Escaped,
}

impl Escape {
    /// Reads the escape whose backslash is at `at`.
    #[inline]
    pub(crate) fn read(raw: &[u8], at: usize) -> Escape {
        let (stands_for, length) = match raw.get(at + 1) {
            Some(byte @ (b'"' | b'\\' | b'/')) => (Escaped::Character(char::from(*byte)), 2),
            Some(b'n') => (Escaped::Character('\n'), 2),
            Some(b't') => (Escaped::Character('\t'), 2),
            Some(b'r') => (Escaped::Character('\r'), 2),
            Some(b'b') => (Escaped::Character('\u{8}'), 2),
            Some(b'f') => (Escaped::Character('\u{c}'), 2),
            Some(b'u') => code_point(raw, at),
            _ => (Escaped::Invalid, 1),
        };
        Escape { at, length, stands_for }
    }

    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.at + self.length
    }
}

/// What the `\uXXXX` at `at` stands for, together with the second half of a surrogate pair, and its length.
fn code_point(raw: &[u8], at: usize) -> (Escaped, usize) {
    let unit = |from: usize| -> Option<u32> {
        let digits = raw.get(from..from + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?))
    };
    let Some(first) = unit(at) else { return (Escaped::Invalid, 1) };
    if let Some(character) = char::from_u32(first) {
        return (Escaped::Character(character), 6);
    }
    let second = unit(at + 6).filter(|second| first < 0xDC00 && (0xDC00..=0xDFFF).contains(second));
    let pair = second.and_then(|second| char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)));
    pair.map_or((Escaped::HalfPair, 6), |character| (Escaped::Character(character), 12))
}

/// The escapes in the inside of a literal, in order.
pub(crate) struct Escapes<'a> {
    raw: &'a [u8],
    at: usize,
}

impl<'a> Escapes<'a> {
    pub(crate) fn new(raw: &'a [u8]) -> Self {
        Escapes { raw, at: 0 }
    }
}

impl Iterator for Escapes<'_> {
    type Item = Escape;

    #[inline]
    fn next(&mut self) -> Option<Escape> {
        let found = self.at + backslash(&self.raw[self.at..])?;
        let escape = Escape::read(self.raw, found);
        self.at = escape.end();
        Some(escape)
    }
}

/// Whether every escape in the inside of a literal is valid.
#[inline]
pub(crate) fn escapes_are_valid(raw: &str) -> bool {
    Escapes::new(raw.as_bytes()).all(|escape| matches!(escape.stands_for, Escaped::Character(_)))
}

/// The text of a literal, from its inside. `other` chooses the character for what is not a valid escape.
pub(crate) fn unescaped(raw: &str, other: impl Fn(Escaped) -> char) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    for escape in Escapes::new(raw.as_bytes()) {
        text.push_str(&raw[at..escape.at]);
        text.push(match escape.stands_for {
            Escaped::Character(character) => character,
            invalid => other(invalid),
        });
        at = escape.end();
    }
    text.push_str(&raw[at..]);
    text
}

/// The text of a literal, from its inside. `None` if it is not valid.
pub(crate) fn unescaped_if_valid(raw: &str) -> Option<String> {
    escapes_are_valid(raw).then(|| unescaped(raw, |_| char::REPLACEMENT_CHARACTER))
}

/// The characters of a literal one by one, from the bytes of its inside, which need not be valid: a bad escape is shown
/// as written, a byte that is not UTF-8 as a replacement character.
#[derive(Clone, Debug)]
pub(crate) struct Unescaped<'a> {
    raw: &'a [u8],
    at: usize,
    reads_escapes: bool,
    is_exact: bool,
}

impl<'a> Unescaped<'a> {
    pub(crate) fn new(raw: &'a [u8]) -> Self {
        Unescaped { raw, at: 0, reads_escapes: true, is_exact: true }
    }

    /// Bytes in which a backslash is an ordinary character.
    pub(crate) fn plain(raw: &'a [u8]) -> Self {
        Unescaped { reads_escapes: false, ..Unescaped::new(raw) }
    }

    /// How many bytes have not been read yet.
    pub(crate) fn left(&self) -> usize {
        self.raw.len() - self.at
    }

    /// Whether everything read so far is valid in a JSON string.
    pub(crate) fn is_exact(&self) -> bool {
        self.is_exact
    }

    fn escape(&mut self) -> char {
        let escape = Escape::read(self.raw, self.at);
        if let Escaped::Character(character) = escape.stands_for {
            self.at = escape.end();
            return character;
        }
        // Shown as written: the backslash now, the bytes after it as ordinary characters.
        self.is_exact = false;
        self.at += 1;
        '\\'
    }

    /// The character that starts with a byte above ASCII.
    fn beyond_ascii(&mut self, first: u8) -> char {
        let length = match first {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 1,
        };
        let bytes = self.raw.get(self.at..self.at + length);
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        match text.and_then(|text| text.chars().next()) {
            Some(character) => {
                self.at += length;
                character
            }
            None => {
                self.is_exact = false;
                self.at += 1;
                char::REPLACEMENT_CHARACTER
            }
        }
    }
}

/// The text of a literal, as [`Unescaped`] reads it. Runs without escapes are copied as a whole.
pub(crate) fn unescaped_lossily(raw: &[u8]) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut characters = Unescaped::new(raw);
    while characters.left() > 0 {
        let rest = &raw[characters.at..];
        let run = backslash(rest).unwrap_or(rest.len());
        match std::str::from_utf8(&rest[..run]) {
            Ok(plain) => {
                text.push_str(plain);
                characters.at += run;
                text.extend((run < rest.len()).then(|| characters.escape()));
            }
            // What is not UTF-8 is read character by character up to the next escape.
            Err(_) => {
                let end = characters.at + run;
                while characters.at < end {
                    text.extend(characters.next());
                }
            }
        }
    }
    text
}

impl Iterator for Unescaped<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let byte = *self.raw.get(self.at)?;
        Some(match byte {
            b'\\' if self.reads_escapes => self.escape(),
            0..0x80 => {
                // A valid literal writes control characters as escapes.
                self.is_exact &= byte >= 0x20;
                self.at += 1;
                byte as char
            }
            _ => self.beyond_ascii(byte),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_as_serde_reads_them() {
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
            r"\ude00\ud83d",
            r"\uD800\uDC00z",
            "é\\u00e9",
        ] {
            let expected = serde_json::from_str::<String>(&format!("\"{raw}\"")).ok();
            assert_eq!(unescaped_if_valid(raw), expected, "{raw}");
            let mut characters = Unescaped::new(raw.as_bytes());
            let text: String = characters.by_ref().collect();
            assert_eq!(unescaped_lossily(raw.as_bytes()), text);
            assert_eq!(characters.is_exact().then_some(text), expected, "{raw}");
            assert_eq!(characters.left(), 0);
        }
    }

    #[test]
    fn invalid_strings_are_shown_as_written() {
        for (raw, shown) in [
            (&br"\ud83d!"[..], r"\ud83d!"),
            (br"\ude00", r"\ude00"),
            (br"\q\u12", r"\q\u12"),
            (br"end\", r"end\"),
            (b"a\xffb\xe2\x82", "a\u{fffd}b\u{fffd}\u{fffd}"),
        ] {
            let mut characters = Unescaped::new(raw);
            assert_eq!(unescaped_lossily(raw), shown);
            assert_eq!(characters.by_ref().collect::<String>(), shown);
            assert!(!characters.is_exact(), "{shown}");
        }
        assert_eq!(Unescaped::plain(br"a\nb").collect::<String>(), r"a\nb");
    }

    #[test]
    fn the_closing_quote_is_the_first_that_is_not_escaped() {
        assert_eq!(closing_quote(br#""a" "b""#, 1), Some((2, false)));
        assert_eq!(closing_quote(br#""\"\\" x"#, 1), Some((5, true)));
        for open in [&br#""a"#[..], br#""a\"#, br#""a\""#] {
            assert_eq!(closing_quote(open, 1), None);
        }
    }
}
