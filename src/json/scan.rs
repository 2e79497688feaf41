//! A fast scanner of JSON values, for decoding. `None` means "not sure", never "invalid".

use super::byte_index::{ChunkIndex, IndexedText};
use super::string::{closing_quote, escapes_are_valid};

/// Values that are nested deeper are rare, and left to exact readers.
const MOST_NESTING: u32 = 100;

/// Reads a value from the front of a text that is probably JSON.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Whether the text may contain control characters, so that each string must be searched for them.
    has_controls: bool,
    index: ChunkIndex<'a>,
}

/// What kind of value was read; the caller knows its extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueShape {
    String { escaped: bool },
    Digits,
    True,
    False,
    Null,
    Nested,
}

impl<'a> Scanner<'a> {
    #[inline]
    pub(crate) fn new(text: &'a str) -> Self {
        // Without a branch, this loop is vectorized, which is far cheaper than a test in each string.
        let has_controls = text.bytes().fold(false, |seen, byte| seen | (byte < 0x20));
        Scanner { text, at: 0, has_controls, index: None }
    }

    /// A scanner that looks up in an index what it would have to search for.
    #[inline]
    pub(crate) fn indexed(IndexedText { text, index, from }: IndexedText<'a>) -> Self {
        Scanner { text, at: 0, has_controls: index.has_controls(), index: Some((index, from)) }
    }

    /// Goes back to a place where it has been.
    #[inline]
    pub(crate) fn go_back(&mut self, at: usize) {
        self.at = at;
    }

    #[inline]
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Whether exactly this text is left.
    #[inline]
    pub(crate) fn is_rest(&self, rest: &str) -> bool {
        self.text.as_bytes()[self.at..] == *rest.as_bytes()
    }

    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Takes `byte` and the blanks after it.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> Option<()> {
        if self.peek()? != byte {
            return None;
        }
        self.at += 1;
        self.skip_blanks();
        Some(())
    }

    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    /// The inside of the string literal here, and whether it holds escapes. Its escapes are valid.
    #[inline]
    pub(crate) fn string(&mut self) -> Option<(&'a str, bool)> {
        let from = self.at + 1;
        let escaped = self.skip_string()?;
        Some((self.text.get(from..self.at - 1)?, escaped))
    }

    /// Skips the string literal here, and says whether it holds escapes. They are valid.
    #[inline]
    pub(crate) fn skip_string(&mut self) -> Option<bool> {
        if self.peek()? != b'"' {
            return None;
        }
        let from = self.at + 1;
        let (end, escaped) = self.closing_quote(from)?;
        let inside = self.text.as_bytes().get(from..end)?;
        if self.has_controls && inside.iter().any(|byte| *byte < 0x20) {
            return None;
        }
        if escaped && !escapes_are_valid(self.text.get(from..end)?) {
            return None;
        }
        // A quote beyond the end belongs to another text.
        self.at = end + 1;
        (self.at <= self.text.len()).then_some(escaped)
    }

    #[inline]
    fn closing_quote(&self, from: usize) -> Option<(usize, bool)> {
        let Some((index, start)) = self.index else { return closing_quote(self.text.as_bytes(), from) };
        let end = index.quote(start + from)?;
        // A quote after the end is one of another text, which `get` refuses.
        Some((end - start, index.has_backslash(start + from, end)))
    }

    /// A key without escapes, its colon, and the blanks around it.
    #[inline]
    pub(crate) fn key(&mut self) -> Option<&'a str> {
        let (key, escaped) = self.string()?;
        self.skip_blanks();
        self.take(b':')?;
        (!escaped).then_some(key)
    }

    /// After a member of an object: true if another one follows, false if the object ends.
    #[inline]
    pub(crate) fn more(&mut self, close: u8) -> Option<bool> {
        self.skip_blanks();
        let next = self.peek()?;
        self.at += 1;
        if next == b',' {
            self.skip_blanks();
            Some(true)
        } else {
            (next == close).then_some(false)
        }
    }

    #[inline]
    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        let length = self.at - from;
        let plain = match self.text.as_bytes().get(from)? {
            b'0' => length == 1,
            _ => (1..=15).contains(&length),
        };
        (plain && !matches!(self.peek(), Some(b'.' | b'e' | b'E'))).then_some(())
    }

    #[inline]
    pub(crate) fn literal(&mut self, word: &str) -> Option<()> {
        let end = self.at + word.len();
        (self.text.as_bytes().get(self.at..end)? == word.as_bytes()).then(|| self.at = end)
    }

    /// Skips the value here. Of a nested value only the brackets are matched.
    #[inline]
    pub(crate) fn value(&mut self) -> Option<ValueShape> {
        match self.peek()? {
            b'"' => self.skip_string().map(|escaped| ValueShape::String { escaped }),
            b'0'..=b'9' => self.digits().map(|()| ValueShape::Digits),
            b't' => self.literal("true").map(|()| ValueShape::True),
            b'f' => self.literal("false").map(|()| ValueShape::False),
            b'n' => self.literal("null").map(|()| ValueShape::Null),
            b'{' | b'[' => self.nested().map(|()| ValueShape::Nested),
            _ => None,
        }
    }

    /// Skips the value here, whatever its form.
    #[inline]
    pub(crate) fn skip_value(&mut self) -> Option<()> {
        match self.peek()? {
            b'-' | b'0'..=b'9' => {
                while matches!(self.peek(), Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
                    self.at += 1;
                }
                Some(())
            }
            _ => self.value().map(|_| ()),
        }
    }

    /// Skips the object or array here. Only its brackets and strings are examined.
    pub(crate) fn nested(&mut self) -> Option<()> {
        let mut depth = 0_u32;
        loop {
            match self.peek()? {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' if depth == MOST_NESTING => return None,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_their_closing_quote() {
        for (json, inside) in [
            (r#""a""#, "a"),
            (r#""""#, ""),
            (r#""a long string without any escape in it""#, "a long string without any escape in it"),
            (r#""a long string then \" and more text after it""#, r#"a long string then \" and more text after it"#),
            (r#""sixteen bytes..\\""#, r"sixteen bytes..\\"),
        ] {
            assert_eq!(Scanner::new(json).string().map(|found| found.0), Some(inside), "{json}");
        }
        for unsure in [r#""open"#, r#""open\"#, r#""tab	in it""#, r#""\q""#, "x"] {
            assert_eq!(Scanner::new(unsure).string(), None, "{unsure}");
        }
    }

    #[test]
    fn numbers_are_taken_only_when_plain() {
        for plain in ["0", "17,", "4294967295", "123456789012345"] {
            assert_eq!(Scanner::new(plain).value(), Some(ValueShape::Digits), "{plain}");
        }
        for unsure in ["01", "1.0", "1e2", "-1", "", "1234567890123456"] {
            assert_eq!(Scanner::new(unsure).value(), None, "{unsure}");
        }
    }
}
