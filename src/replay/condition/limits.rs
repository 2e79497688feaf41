//! Limits of filters: those that are too long, too deep or recursive are rejected before they run.
//!
//! Parsing, compiling and running a filter recurse over its structure, and a stack overflow would end the program.

use std::borrow::Cow;

use jaq_core::load::lex::{StrPart, Tok, Token};
use jaq_core::load::parse::{Def, Term};

use super::bad::BadCondition;
use super::terms::parts;
use super::value::MOST_DIGITS;

const MOST_BYTES: usize = 10_000;
/// How many brackets may be nested.
const MOST_BRACKETS: usize = 64;
const MOST_TOKENS: usize = 600;
/// How many terms may be nested; `a | b | c` counts as three.
const MOST_DEPTH: usize = 150;
/// Values of a log that are nested deeper are not read.
pub(super) const MOST_NESTING: usize = 128;

/// Checks the text before it is parsed.
pub(super) fn check_text(text: &str) -> Result<(), BadCondition> {
    if text.len() > MOST_BYTES {
        let reason = format!("a filter may have at most {MOST_BYTES} bytes, this one has {}", text.len());
        return Err(BadCondition::new(text, MOST_BYTES..MOST_BYTES, reason));
    }
    match too_deep(text) {
        Some(at) => Err(BadCondition::new(text, at..at + 1, format!("more than {MOST_BRACKETS} nested brackets"))),
        None => Ok(()),
    }
}

/// Where brackets are nested too deeply, tokenized as by the lexer of filters.
fn too_deep(text: &str) -> Option<usize> {
    // A quote is on the stack while a string is open: its content means nothing until `\(`.
    let mut open = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        if open.last() == Some(&b'"') {
            match (byte, bytes.get(at + 1)) {
                (b'"', _) => _ = open.pop(),
                (b'\\', Some(b'(')) => {
                    open.push(b'(');
                    at += 1;
                }
                (b'\\', _) => at += 1,
                _ => {}
            }
        } else {
            match byte {
                b'(' | b'[' | b'{' | b'"' => open.push(byte),
                b')' | b']' | b'}' => _ = open.pop(),
                b'#' => at = comment_end(bytes, at),
                _ => {}
            }
        }
        if open.len() > MOST_BRACKETS {
            return Some(at.min(text.len() - 1));
        }
        at += 1;
    }
    None
}

/// A comment continues after a line break that is escaped by an odd number of backslashes.
fn comment_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        let Some(newline) = bytes[at..].iter().position(|byte| *byte == b'\n') else { return bytes.len() };
        let line = &bytes[at..at + newline];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        at += newline + 1;
        if line.iter().rev().take_while(|byte| **byte == b'\\').count().is_multiple_of(2) {
            return at - 1;
        }
    }
}

/// Checks the tokens before they are parsed: prefixes such as `-` and `try` nest without brackets.
pub(super) fn check_tokens(text: &str, tokens: &[Token<&str>]) -> Result<(), BadCondition> {
    let mut left = MOST_TOKENS;
    match count(tokens, &mut left) {
        Some(at) => Err(BadCondition::about(text, at, format!("a filter may have at most {MOST_TOKENS} tokens"))),
        None => Ok(()),
    }
}

/// The first token beyond the limit.
fn count<'s>(tokens: &[Token<&'s str>], left: &mut usize) -> Option<&'s str> {
    for Token(text, token) in tokens {
        let Some(fewer) = left.checked_sub(1) else { return Some(&text[..text.len().min(1)]) };
        *left = fewer;
        let inside = match token {
            Tok::Block(tokens) => count(tokens, left),
            Tok::Str(pieces) => pieces.iter().find_map(|piece| match piece {
                StrPart::Term(token) => count(std::slice::from_ref(token), left),
                _ => None,
            }),
            _ => None,
        };
        if inside.is_some() {
            return inside;
        }
    }
    None
}

/// Checks the term before it is compiled.
pub(super) fn check_term(text: &str, term: &Term<&str>) -> Result<(), BadCondition> {
    if depth(term) > MOST_DEPTH {
        return Err(BadCondition::new(text, 0..0, format!("more than {MOST_DEPTH} nested terms")));
    }
    match recursion(term) {
        Some(name) => Err(BadCondition::about(text, name, "a definition may not call itself: it might never end")),
        None => Ok(()),
    }
}

fn depth(term: &Term<&str>) -> usize {
    1 + parts(term).into_iter().map(depth).max().unwrap_or(0)
}

/// The name of a definition that calls itself.
fn recursion<'s>(term: &Term<&'s str>) -> Option<&'s str> {
    if let Term::Def(defs, _) = term
        && let Some(def) = defs.iter().find(|def: &&Def<&str>| calls(&def.body, def.name))
    {
        return Some(def.name);
    }
    parts(term).into_iter().find_map(recursion)
}

fn calls(term: &Term<&str>, name: &str) -> bool {
    let formats = |format: &Option<&str>| format.is_some_and(|format| format == name);
    let here = matches!(term, Term::Call(called, _) if *called == name)
        || matches!(term, Term::Str(format, _) if formats(format));
    here || parts(term).into_iter().any(|part| calls(part, name))
}

/// Why a JSON text is not parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unparsable {
    #[error("it is nested too deeply")]
    TooDeep,
    #[error("a key of an object is not a text")]
    Key,
    #[error("a number is too long")]
    Number,
}

/// Prepares a JSON text for jaq's parser, which recurses, takes quadratic time for long numbers and for keys that are
/// NaN, and skips comments. Long numbers become floating-point numbers.
pub(super) fn clean_json(json: &[u8]) -> Result<Cow<'_, [u8]>, Unparsable> {
    let (mut open, mut at, mut wants_key) = (Vec::new(), 0, false);
    let (mut clean, mut copied) = (Vec::new(), 0);
    while let Some(byte) = json.get(at).copied() {
        at += 1;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            b'#' => {
                at = memchr::memchr(b'\n', &json[at..]).map_or(json.len(), |newline| at + newline);
                continue;
            }
            b'"' => at = string_end(json, at),
            b'}' | b']' => _ = open.pop(),
            _ if wants_key => return Err(Unparsable::Key),
            b'[' | b'{' if open.len() == MOST_NESTING => return Err(Unparsable::TooDeep),
            b'[' | b'{' => open.push(byte),
            b'0'..=b'9' | b'+' | b'-' => {
                let start = at - 1;
                at = number_end(json, at);
                if at - start > MOST_DIGITS {
                    clean.extend_from_slice(&json[copied..start]);
                    clean.extend_from_slice(rounded(&json[start..at])?.as_bytes());
                    copied = at;
                }
            }
            _ => {}
        }
        wants_key = matches!(byte, b'{' | b',') && open.last() == Some(&b'{');
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(json));
    }
    clean.extend_from_slice(&json[copied..]);
    Ok(Cow::Owned(clean))
}

/// Where a string ends whose content starts here.
fn string_end(json: &[u8], mut at: usize) -> usize {
    while let Some(found) = json.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if json[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

fn number_end(json: &[u8], mut at: usize) -> usize {
    while let Some(byte) = json.get(at) {
        let after_exponent = matches!(json[at - 1], b'e' | b'E');
        match byte {
            b'0'..=b'9' | b'.' | b'e' | b'E' => at += 1,
            b'+' | b'-' if after_exponent => at += 1,
            _ => break,
        }
    }
    at
}

/// A long number as a floating-point number.
fn rounded(digits: &[u8]) -> Result<String, Unparsable> {
    let number: f64 = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).ok_or(Unparsable::Number)?;
    Ok(match number {
        f64::INFINITY => "1e999".to_owned(),
        f64::NEG_INFINITY => "-1e999".to_owned(),
        finite => format!("{finite:e}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        let many = "(".repeat(200);
        assert_eq!(too_deep(&format!("\"{many}\" | .a # {many}\n | \"\\\"{many}\"")), None);
        assert_eq!(too_deep(&format!("# \\\n{many}\n.")), None);
        assert!(too_deep(&format!("# \\\\\n{many}")).is_some());
        assert!(too_deep(&format!("\"{}", "\\(\"".repeat(40))).is_some());
        assert!(too_deep(&"(\")\"".repeat(70)).is_some());
    }

    #[test]
    fn nesting_is_counted_outside_strings_and_comments() {
        let too_deep = |json: String| clean_json(json.as_bytes()) == Err(Unparsable::TooDeep);
        assert!(too_deep("[".repeat(129)));
        assert!(too_deep(format!("#\"\n{}", "[".repeat(129))));
        assert!(!too_deep(format!("[\"{}\\\"\"]", "[".repeat(500))));
        assert!(!too_deep("[]".repeat(500)));
    }

    #[test]
    fn long_numbers_are_rounded_and_keys_are_texts() {
        let clean = |json: &str| clean_json(json.as_bytes()).map(|clean| String::from_utf8_lossy(&clean).into_owned());
        let zeros = "0".repeat(500);
        assert_eq!(
            clean(&format!("{{\"a\":-1{zeros}, \"b\":[0.{zeros}1,\"1{zeros}\"]}}")).as_deref(),
            Ok(format!("{{\"a\":-1e999, \"b\":[0e0,\"1{zeros}\"]}}").as_str())
        );
        assert_eq!(clean("[1, -2.5e+3, {\"a\": null}, {}]").as_deref(), Ok("[1, -2.5e+3, {\"a\": null}, {}]"));
        assert_eq!(clean("{NaN: 1}"), Err(Unparsable::Key));
        assert_eq!(clean("{\"a\": [1, 2], 3: 4}"), Err(Unparsable::Key));
        assert_eq!(clean(&"1.1".repeat(200)), Err(Unparsable::Number));
    }
}
