//! Limits of filters: those that are too long, too deep or recursive are rejected before they run.
//!
//! Parsing, compiling and running a filter recurse over its structure, and a stack overflow would end the program.

use jaq_core::load::lex::{StrPart, Tok, Token};
use jaq_core::load::parse::{Def, Term};

use super::bad::BadCondition;
use super::terms::parts;

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

/// Whether a JSON text is nested too deeply for recursive code.
pub(super) fn nests_too_deep(json: &[u8]) -> bool {
    let (mut depth, mut inside, mut at) = (0_usize, false, 0);
    while let Some(byte) = json.get(at) {
        match byte {
            b'\\' if inside => at += 1,
            b'"' => inside = !inside,
            b'[' | b'{' if !inside => depth += 1,
            b']' | b'}' if !inside => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_NESTING {
            return true;
        }
        at += 1;
    }
    false
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
    fn nesting_is_counted_outside_strings() {
        assert!(nests_too_deep("[".repeat(129).as_bytes()));
        assert!(!nests_too_deep(format!("[\"{}\\\"\"]", "[".repeat(500)).as_bytes()));
        assert!(!nests_too_deep("[]".repeat(500).as_bytes()));
    }
}
