//! JSON tokens with their spans, without building a value and without recursion, so nesting may have any depth.
//!
//! A text may hold several values one after another, as the lines of a log do. The tokenizer checks brackets, commas and
//! colons. It does not read escapes (see [`string`](super::string)) and takes any run of a number's characters for a
//! number ([`is_number`] is exact). After the first error there are no more tokens.

use std::ops::Range;

use super::spans::is_blank;
use super::string::closing_quote;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Object,
    Array,
    /// The end of an object or array.
    End,
    /// A member's name; its colon is not part of the span.
    Key,
    String,
    Number,
    /// `true`, `false` or `null`.
    Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub from: usize,
    pub to: usize,
}

impl Token {
    /// The inside of a key or string, without its quotes; the span of any other token.
    pub(crate) fn inside(&self) -> Range<usize> {
        match self.kind {
            TokenKind::Key | TokenKind::String => self.from + 1..self.to - 1,
            _ => self.from..self.to,
        }
    }
}

/// From this byte on the text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotJson {
    pub at: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expects {
    #[default]
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    /// A comma or the end of what is open; at the top level, another value.
    After,
}

/// The tokens of a text, in order.
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    cursor: TokenCursor,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Tokens { bytes: text.as_bytes(), cursor: TokenCursor::default() }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Result<Token, NotJson>;

    fn next(&mut self) -> Option<Self::Item> {
        self.cursor.next(self.bytes)
    }
}

/// The length of the JSON value at the start of a text; `None` if it is not complete.
pub(crate) fn value_length(text: &str) -> Option<usize> {
    end_of_value(0, Tokens::new(text).map_while(Result::ok))
}

/// Where a value ends of which some objects and arrays are open; 0 stands for a value that begins with the next token.
pub(crate) fn end_of_value(mut open: usize, tokens: impl IntoIterator<Item = Token>) -> Option<usize> {
    for token in tokens {
        match token.kind {
            TokenKind::Object | TokenKind::Array => open += 1,
            TokenKind::End => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(token.to);
        }
    }
    None
}

/// Whether a text is one or more JSON values, of which the first is an object, an array or a string.
pub(crate) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"']) && Tokens::new(text).all(|token| token.is_ok())
}

/// The state between two tokens, for callers that cannot lend the text for as long as they read it.
#[derive(Debug, Default)]
pub(crate) struct TokenCursor {
    at: usize,
    /// What is open, outermost first: true for an object.
    open: Vec<bool>,
    expects: Expects,
}

impl TokenCursor {
    /// Where the last token ended.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next token. `bytes` must be the same on every call.
    pub(crate) fn next(&mut self, bytes: &[u8]) -> Option<Result<Token, NotJson>> {
        let token = self.token(bytes);
        if token.is_err() {
            self.at = bytes.len();
            self.open.clear();
        }
        token.transpose()
    }

    fn peek(&mut self, bytes: &[u8]) -> Option<u8> {
        while let Some(byte) = bytes.get(self.at) {
            if !is_blank(*byte) {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn error<T>(&self) -> Result<T, NotJson> {
        Err(NotJson { at: self.at })
    }

    fn token(&mut self, bytes: &[u8]) -> Result<Option<Token>, NotJson> {
        let Some(mut byte) = self.peek(bytes) else {
            return if self.open.is_empty() { Ok(None) } else { self.error() };
        };
        if self.expects == Expects::After {
            match self.open.last() {
                Some(in_object) if byte == b',' => {
                    self.expects = if *in_object { Expects::Key } else { Expects::Value };
                    self.at += 1;
                    byte = match self.peek(bytes) {
                        Some(byte) => byte,
                        None => return self.error(),
                    };
                }
                Some(_) => return self.end(byte).map(Some),
                None => self.expects = Expects::Value,
            }
        }
        match self.expects {
            Expects::Key | Expects::KeyOrEnd if byte == b'"' => self.key(bytes).map(Some),
            Expects::KeyOrEnd => self.end(byte).map(Some),
            Expects::ValueOrEnd if byte == b']' => self.end(byte).map(Some),
            Expects::Value | Expects::ValueOrEnd => self.value(bytes, byte).map(Some),
            Expects::Key | Expects::After => self.error(),
        }
    }

    fn take(&mut self, kind: TokenKind, length: usize) -> Token {
        let from = self.at;
        self.at += length;
        Token { kind, from, to: self.at }
    }

    fn end(&mut self, byte: u8) -> Result<Token, NotJson> {
        match (self.open.pop(), byte) {
            (Some(true), b'}') | (Some(false), b']') => {
                self.expects = Expects::After;
                Ok(self.take(TokenKind::End, 1))
            }
            _ => self.error(),
        }
    }

    fn key(&mut self, bytes: &[u8]) -> Result<Token, NotJson> {
        let key = self.string(bytes, TokenKind::Key)?;
        if self.peek(bytes) != Some(b':') {
            return Err(NotJson { at: key.from });
        }
        self.at += 1;
        self.expects = Expects::Value;
        Ok(key)
    }

    fn value(&mut self, bytes: &[u8], byte: u8) -> Result<Token, NotJson> {
        self.expects = Expects::After;
        match byte {
            b'{' | b'[' => {
                let is_object = byte == b'{';
                self.open.push(is_object);
                self.expects = if is_object { Expects::KeyOrEnd } else { Expects::ValueOrEnd };
                Ok(self.take(if is_object { TokenKind::Object } else { TokenKind::Array }, 1))
            }
            b'"' => self.string(bytes, TokenKind::String),
            b'-' | b'0'..=b'9' => {
                let is_of_number = |byte: &&u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
                let length = bytes[self.at..].iter().take_while(is_of_number).count();
                Ok(self.take(TokenKind::Number, length))
            }
            _ => {
                let rest = &bytes[self.at..];
                match ["true", "false", "null"].iter().find(|word| rest.starts_with(word.as_bytes())) {
                    Some(word) => Ok(self.take(TokenKind::Word, word.len())),
                    None => self.error(),
                }
            }
        }
    }

    fn string(&mut self, bytes: &[u8], kind: TokenKind) -> Result<Token, NotJson> {
        match closing_quote(bytes, self.at + 1) {
            Some((end, _)) => Ok(self.take(kind, end + 1 - self.at)),
            None => self.error(),
        }
    }
}

/// Whether the bytes of a number token are a number as JSON defines it.
pub(crate) fn is_number(token: &[u8]) -> bool {
    let digits = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = token.strip_prefix(b"-").unwrap_or(token);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest[0] == b'0') {
        return false;
    }
    rest = &rest[whole..];
    if let Some(after) = rest.strip_prefix(b".") {
        let places = digits(after);
        if places == 0 {
            return false;
        }
        rest = &after[places..];
    }
    if let Some(after) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let after = after.strip_prefix(b"+").or_else(|| after.strip_prefix(b"-")).unwrap_or(after);
        let places = digits(after);
        if places == 0 {
            return false;
        }
        rest = &after[places..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_commas_and_colons_decide_what_is_json() {
        for json in
            [r#"{"a":[1,-2.5e3,{}],"b":{"c":null}}"#, "[]", r#""a\"b""#, "{}\n{}\n", " [true , false]", "[[[[]]]]"]
        {
            assert!(is_json(json), "{json}");
        }
        for other in [
            "",
            "12",
            "[INFO] x",
            "{",
            r#"{"a"}"#,
            r#"{"a":1,}"#,
            "[1,]",
            "[1 2]",
            r#""open"#,
            "[}",
            "{]",
            "[1]x",
            r#""\"#,
        ] {
            assert!(!is_json(other), "{other}");
        }
    }

    #[test]
    fn nesting_may_be_deep() {
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert!(is_json(&deep));
    }

    #[test]
    fn spans_cover_the_text_and_errors_name_their_byte() {
        let text = r#"{"a" : "b", "c":[ 1.5,true]}"#;
        let spans: Vec<&str> =
            Tokens::new(text).map(|token| token.expect("JSON")).map(|token| &text[token.from..token.to]).collect();
        assert_eq!(spans, ["{", "\"a\"", "\"b\"", "\"c\"", "[", "1.5", "true", "]", "}"]);
        for (text, at) in [("[1,", 3), ("[1, }", 4), (r#"{"a" 1}"#, 1), (r#"{"a":"x"#, 5), ("[tru]", 1)] {
            let mut tokens = Tokens::new(text);
            assert_eq!(tokens.find_map(Result::err), Some(NotJson { at }), "{text}");
            assert_eq!(tokens.next(), None);
        }
    }
}
