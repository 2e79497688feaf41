//! Facts about a call's input: its canonical hash, and whether it names a path.

use serde_json::Value;

use crate::json::scan::{Scanner, ValueShape};
use crate::json::text::TextHasher;

use super::path;

/// What ledgers keep of a planned call's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InputFacts {
    /// Equal for two inputs if and only if tool and canonical JSON are equal.
    pub identity: u64,
    pub touches_path: bool,
}

impl InputFacts {
    /// `input` is the text of `input_json`. Text that is not JSON counts as `null` and names no path.
    pub(crate) fn of(tool: &str, input: &str) -> Self {
        flat(tool, input).unwrap_or_else(|| exact(tool, input))
    }
}

/// Handles any input, by parsing it. serde_json sorts object keys and prints compactly, which is the canonical form.
fn exact(tool: &str, input: &str) -> InputFacts {
    let value: Option<Value> = serde_json::from_str(input).ok();
    let touches_path = value.as_ref().is_some_and(|value| path::touches(tool, value));
    let mut hasher = TextHasher::new();
    hasher.write(tool.as_bytes());
    hasher.write(b"\0");
    hasher.write(value.unwrap_or(Value::Null).to_string().as_bytes());
    InputFacts { identity: hasher.finish(), touches_path }
}

/// Handles most inputs: objects with a few plain members, whose canonical form is their members in key order.
fn flat(tool: &str, input: &str) -> Option<InputFacts> {
    const MEMBERS: usize = 8;
    let mut members: [(&str, &str); MEMBERS] = [("", ""); MEMBERS];
    let mut count = 0;
    let mut scanner = Scanner::new(input);
    scanner.skip_blanks();
    scanner.take(b'{')?;
    loop {
        let key = scanner.key()?;
        let from = scanner.at();
        let shape = scanner.value()?;
        if count == MEMBERS || matches!(shape, ValueShape::Nested | ValueShape::String { escaped: true }) {
            return None;
        }
        members[count] = (key, &input[from..scanner.at()]);
        count += 1;
        if !scanner.more(b'}')? {
            break;
        }
    }
    scanner.skip_blanks();
    let members = &mut members[..count];
    members.sort_unstable();
    if !scanner.is_done() || members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let qualifies = |&(key, value): &(&str, &str)| {
        let text = value.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        text.is_some_and(|text| path::text_qualifies(tool, Some(key), text))
    };
    let touches_path = members.iter().any(qualifies);
    let mut hasher = TextHasher::new();
    hasher.write(tool.as_bytes());
    hasher.write(b"\0");
    for (index, (key, value)) in members.iter().enumerate() {
        hasher.write(if index == 0 { b"{\"" } else { b",\"" });
        hasher.write(key.as_bytes());
        hasher.write(b"\":");
        hasher.write(value.as_bytes());
    }
    hasher.write(b"}");
    Some(InputFacts { identity: hasher.finish(), touches_path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_order_and_white_space_do_not_matter_but_number_formats_do() {
        let same = InputFacts::of("t", r#"{"b":1,"a":[1, 2]}"#).identity;
        assert_eq!(same, InputFacts::of("t", r#" {"a":[1,2], "b":1}"#).identity);
        assert_ne!(same, InputFacts::of("t", r#"{"a":[1,2],"b":1.0}"#).identity);
        assert_ne!(same, InputFacts::of("u", r#"{"a":[1,2],"b":1}"#).identity);
        assert_eq!(InputFacts::of("t", "not json").identity, InputFacts::of("t", "null").identity);
    }

    #[test]
    fn the_fast_path_and_the_parser_agree() {
        for input in [
            r#"{"b":1,"a":"x/y"}"#,
            r#"{ "path" : "" , "z":true,"n":null}"#,
            r#"{"a":"1","a":"2"}"#,
            r#"{"a":{"path":1}}"#,
            r#"{"a":"x\ny"}"#,
            r#"{"a":"é","q":"main.rs"}"#,
            r#"{"n":123456789012345678}"#,
            r#"{"n":1.50}"#,
            "{}",
            "[]",
            "{\"a\":1} x",
        ] {
            if let Some(flat) = flat("exec_shell", input) {
                assert_eq!(flat, exact("exec_shell", input), "{input}");
            }
        }
        assert!(flat("t", r#"{"path":"a","n":3}"#).is_some());
    }
}
