//! The characters of a string literal one by one, whatever its bytes are.

/// Walks over the inside of a literal. What is no escape or no UTF-8 is passed on as well as it can be.
#[derive(Clone, Debug)]
pub struct Unescaped<'a> {
    raw: &'a [u8],
    at: usize,
    escapes: bool,
    exact: bool,
}

impl<'a> Unescaped<'a> {
    pub fn new(raw: &'a [u8]) -> Self {
        Unescaped { raw, at: 0, escapes: true, exact: true }
    }

    /// Bytes in which a backslash means nothing.
    pub fn plain(raw: &'a [u8]) -> Self {
        Unescaped { escapes: false, ..Unescaped::new(raw) }
    }

    /// How many bytes have not been read yet.
    pub fn left(&self) -> usize {
        self.raw.len() - self.at
    }

    /// Whether all that was read so far is a valid string of JSON.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    fn escape(&mut self) -> char {
        let (character, length) = match self.raw.get(self.at + 1) {
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(plain @ (b'"' | b'\\' | b'/')) => (*plain as char, 2),
            _ => match self.code_point() {
                Some(found) => found,
                // As it stands: the backslash now, the rest as what it is.
                None => {
                    self.exact = false;
                    ('\\', 1)
                }
            },
        };
        self.at += length;
        character
    }

    /// The character of the `\uXXXX` or the pair of surrogates here, and how many bytes spell it.
    fn code_point(&self) -> Option<(char, usize)> {
        let unit = |from: usize| -> Option<u32> {
            let digits = self.raw.get(from..from + 6)?.strip_prefix(b"\\u")?;
            digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + (*digit as char).to_digit(16)?))
        };
        let first = unit(self.at)?;
        if !(0xD800..=0xDBFF).contains(&first) {
            return char::from_u32(first).map(|character| (character, 6));
        }
        let second = unit(self.at + 6).filter(|unit| (0xDC00..=0xDFFF).contains(unit))?;
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)).map(|character| (character, 12))
    }

    /// The character that begins with a byte above ASCII.
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
                self.exact = false;
                self.at += 1;
                char::REPLACEMENT_CHARACTER
            }
        }
    }
}

impl Iterator for Unescaped<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let byte = *self.raw.get(self.at)?;
        Some(match byte {
            b'\\' if self.escapes => self.escape(),
            0..0x80 => {
                // A literal spells its control characters out.
                self.exact &= byte >= 0x20;
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
    fn strings_read_as_serde_reads_them() {
        for raw in ["", "a\\nb", r#"\"q\" \/"#, r"A\u00e9", r"\ud83d\ude00", "é日", r"\b\f\r\t\\"] {
            let mut characters = Unescaped::new(raw.as_bytes());
            let text: String = characters.by_ref().collect();
            assert_eq!(text, serde_json::from_str::<String>(&format!("\"{raw}\"")).expect("a string"));
            assert!(characters.is_exact() && characters.left() == 0, "{raw}");
        }
    }

    #[test]
    fn what_is_no_string_is_shown_as_it_stands() {
        for (raw, shown) in [
            (&br"\ud83d!"[..], r"\ud83d!"),
            (br"\ude00", r"\ude00"),
            (br"\q\u12", r"\q\u12"),
            (br"end\", r"end\"),
            (b"a\xffb\xe2\x82", "a\u{fffd}b\u{fffd}\u{fffd}"),
        ] {
            let mut characters = Unescaped::new(raw);
            assert_eq!(characters.by_ref().collect::<String>(), shown);
            assert!(!characters.is_exact(), "{shown}");
        }
        assert_eq!(Unescaped::plain(br"a\nb").collect::<String>(), r"a\nb");
    }
}
