//! JSON over lines, in the order and with the spelling in which it stands.

use super::spans::is_blank;

/// Lays a value out for people. It brackets and does not verify: what is no JSON comes out as it is, more or less.
pub fn pretty(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if in_string {
            out.push(character);
            in_string = escaped || character != '"';
            escaped = character == '\\' && !escaped;
            continue;
        }
        match character {
            '"' => {
                in_string = true;
                out.push(character);
            }
            '{' | '[' => {
                out.push(character);
                let close = if character == '{' { '}' } else { ']' };
                while characters.next_if(|next| next.is_ascii() && is_blank(*next as u8)).is_some() {}
                if characters.next_if_eq(&close).is_some() {
                    out.push(close);
                } else {
                    depth += 1;
                    line_break(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line_break(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(character);
                line_break(&mut out, depth);
            }
            ':' => out.push_str(": "),
            blank if blank.is_ascii() && is_blank(blank as u8) => {}
            other => out.push(other),
        }
    }
    out
}

/// The same without a blank between its values, so that it can stand on one line.
pub fn compact(json: &[u8]) -> Vec<u8> {
    let (mut in_string, mut escaped) = (false, false);
    let mut keeps = |byte: u8| {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
            return true;
        }
        in_string = byte == b'"';
        !is_blank(byte)
    };
    json.iter().copied().filter(|byte| keeps(*byte)).collect()
}

fn line_break(out: &mut String, depth: usize) {
    // Deeper than any person reads; a log may nest as deep as it is long.
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
        assert_eq!(compact(br#" { "a b" : "c \\\" d" , "e":[ 1 ] } "#), br#"{"a b":"c \\\" d","e":[1]}"#);
    }
}
