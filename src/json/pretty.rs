//! Pretty-printing and compacting JSON. The order of members and the spelling of values are kept.

use super::spans::is_blank;
use super::string::closing_quote;
use super::token::{TokenKind, Tokens};

/// Pretty-prints a value. From the first byte that is not JSON on, the text is copied.
pub(crate) fn pretty(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let (mut depth, mut is_first, mut is_after_key, mut end) = (0_usize, true, false, 0);
    for token in Tokens::new(&text) {
        let Ok(token) = token else {
            out.push_str(&text[end..]);
            break;
        };
        if token.kind == TokenKind::End {
            depth -= 1;
            if !is_first {
                line_break(&mut out, depth);
            }
        } else if !is_after_key {
            if !is_first && depth > 0 {
                out.push(',');
            }
            if !out.is_empty() {
                line_break(&mut out, depth);
            }
        }
        out.push_str(&text[token.from..token.to]);
        is_after_key = token.kind == TokenKind::Key;
        is_first = matches!(token.kind, TokenKind::Object | TokenKind::Array);
        depth += usize::from(is_first);
        end = token.to;
        if is_after_key {
            out.push_str(": ");
            end += text[end..].find(':').map_or(0, |colon| colon + 1);
        }
    }
    out
}

/// Removes the white space between values, so that the JSON fits on one line. In text that is not JSON, white space is
/// removed outside of what would be strings.
pub(crate) fn compact(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        let length = match byte {
            b'"' => closing_quote(json, at + 1).map_or(json.len(), |(end, _)| end + 1) - at,
            _ => 1,
        };
        if !is_blank(*byte) {
            out.extend_from_slice(&json[at..at + length]);
        }
        at += length;
    }
    out
}

fn line_break(out: &mut String, depth: usize) {
    // Indentation is limited: a log may nest as deeply as it is long.
    const SHOWN_DEPTH: usize = 64;
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(SHOWN_DEPTH)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_spelling_stay() {
        let json = br#"{"b":[1, 2.50],"a":{ },"c":"x, {\"y\"}: \u00e9","d":[]}"#;
        let expected = "{\n  \"b\": [\n    1,\n    2.50\n  ],\n  \"a\": {},\n  \"c\": \"x, {\\\"y\\\"}: \\u00e9\",\n  \"d\": []\n}";
        assert_eq!(pretty(json), expected);
        let value = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).expect("JSON");
        assert_eq!(value(pretty(json).as_bytes()), value(json));
        assert_eq!(compact(pretty(json).as_bytes()), compact(json));
        assert_eq!(pretty(br#"{"a":1, "b": tru}"#), "{\n  \"a\": 1,\n  \"b\":  tru}");
        assert_eq!(pretty(br#"{"a":[1, "open"#), "{\n  \"a\": [\n    1, \"open");
        assert_eq!(compact(br#"{ "a" : "open \" x"#), br#"{"a":"open \" x"#);
        assert_eq!(compact(br#" { "a b" : "c \\\" d" , "e":[ 1 ] } "#), br#"{"a b":"c \\\" d","e":[1]}"#);
    }
}
