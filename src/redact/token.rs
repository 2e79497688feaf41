//! JSON as tokens with their places, without building it and without recursion: nesting may be as deep as it likes.
//!
//! A text may hold several values one after another, as lines of a log do. Escapes inside strings are not looked at:
//! who reads a string does that. What is no JSON ends in an error, and nothing of it is to be trusted.

use std::ops::Range;

use memchr::memchr2;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Object,
    Array,
    End,
    /// The inside of a member's name.
    Key(Range<usize>),
    /// The inside of a string.
    Text(Range<usize>),
    Number(Range<usize>),
    /// True, false or null.
    Word,
}

#[derive(Debug, PartialEq, Eq)]
pub struct NotJson;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expects {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    /// A comma or the end; between values at the top, nothing.
    After,
}

pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// What is open: true for an object.
    open: Vec<bool>,
    expects: Expects,
}

/// Whether the text is one or more JSON values, of which the first is more than a number or a word.
pub fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"']) && Tokens::new(text).all(|token| token.is_ok())
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Self {
        Tokens { text, at: 0, open: Vec::new(), expects: Expects::Value }
    }

    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn token(&mut self) -> Result<Option<Token>, NotJson> {
        let Some(mut byte) = self.peek() else {
            return if self.open.is_empty() { Ok(None) } else { Err(NotJson) };
        };
        if self.expects == Expects::After {
            match self.open.last() {
                Some(in_object) if byte == b',' => {
                    self.expects = if *in_object { Expects::Key } else { Expects::Value };
                    self.at += 1;
                    byte = self.peek().ok_or(NotJson)?;
                }
                Some(_) => return self.end(byte).map(Some),
                None => self.expects = Expects::Value,
            }
        }
        match self.expects {
            Expects::Key | Expects::KeyOrEnd if byte == b'"' => self.key().map(Some),
            Expects::KeyOrEnd => self.end(byte).map(Some),
            Expects::ValueOrEnd if byte == b']' => self.end(byte).map(Some),
            Expects::Value | Expects::ValueOrEnd => self.value(byte).map(Some),
            Expects::Key | Expects::After => Err(NotJson),
        }
    }

    fn end(&mut self, byte: u8) -> Result<Token, NotJson> {
        match (self.open.pop(), byte) {
            (Some(true), b'}') | (Some(false), b']') => {
                self.at += 1;
                self.expects = Expects::After;
                Ok(Token::End)
            }
            _ => Err(NotJson),
        }
    }

    fn key(&mut self) -> Result<Token, NotJson> {
        let inside = self.string()?;
        if self.peek() != Some(b':') {
            return Err(NotJson);
        }
        self.at += 1;
        self.expects = Expects::Value;
        Ok(Token::Key(inside))
    }

    fn value(&mut self, byte: u8) -> Result<Token, NotJson> {
        self.expects = Expects::After;
        match byte {
            b'{' | b'[' => {
                let is_object = byte == b'{';
                self.at += 1;
                self.open.push(is_object);
                self.expects = if is_object { Expects::KeyOrEnd } else { Expects::ValueOrEnd };
                Ok(if is_object { Token::Object } else { Token::Array })
            }
            b'"' => self.string().map(Token::Text),
            b'-' | b'0'..=b'9' => {
                let rest = &self.text.as_bytes()[self.at..];
                let is_digit = |byte: &u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
                let length = rest.iter().take_while(|byte| is_digit(byte)).count();
                self.at += length;
                Ok(Token::Number(self.at - length..self.at))
            }
            _ => {
                let rest = &self.text[self.at..];
                let word = ["true", "false", "null"].into_iter().find(|word| rest.starts_with(word)).ok_or(NotJson)?;
                self.at += word.len();
                Ok(Token::Word)
            }
        }
    }

    fn string(&mut self) -> Result<Range<usize>, NotJson> {
        let bytes = self.text.as_bytes();
        let from = self.at + 1;
        let mut end = from;
        loop {
            end += memchr2(b'"', b'\\', bytes.get(end..).ok_or(NotJson)?).ok_or(NotJson)?;
            if bytes[end] == b'"' {
                self.at = end + 1;
                return Ok(from..end);
            }
            end += 2;
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Result<Token, NotJson>;

    fn next(&mut self) -> Option<Self::Item> {
        let token = self.token().transpose();
        if matches!(token, Some(Err(_))) {
            // Nothing after a mistake is to be trusted.
            self.at = self.text.len();
            self.open.clear();
        }
        token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_from_what_only_looks_like_it() {
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
}
