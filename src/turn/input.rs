//! What the checks need of a call's input: its canonical identity, and whether it names a path.

use serde_json::Value;

use crate::json::text::hash_bytes;

use super::path;

/// A planned call's input, reduced to what ledgers keep of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputFacts {
    /// The same for two inputs exactly when tool and canonical JSON are the same.
    pub identity: u64,
    pub touches_path: bool,
}

impl InputFacts {
    /// `input` is the text of `input_json`; what is no JSON counts as `null` and touches nothing.
    pub fn of(tool: &str, input: &str) -> Self {
        let value: Option<Value> = serde_json::from_str(input).ok();
        let touches_path = value.as_ref().is_some_and(|value| path::touches(tool, value));
        InputFacts { identity: identity(tool, &value.unwrap_or(Value::Null)), touches_path }
    }
}

fn identity(tool: &str, value: &Value) -> u64 {
    // serde_json keeps object keys sorted and prints compactly: that is the canonical form.
    let mut canonical = Vec::with_capacity(64);
    canonical.extend_from_slice(tool.as_bytes());
    canonical.push(0);
    // Writing JSON into memory cannot fail.
    let _ = serde_json::to_writer(&mut canonical, value);
    hash_bytes(&canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_blanks_do_not_matter_but_numbers_do() {
        let same = InputFacts::of("t", r#"{"b":1,"a":[1, 2]}"#).identity;
        assert_eq!(same, InputFacts::of("t", r#" {"a":[1,2], "b":1}"#).identity);
        assert_ne!(same, InputFacts::of("t", r#"{"a":[1,2],"b":1.0}"#).identity);
        assert_ne!(same, InputFacts::of("u", r#"{"a":[1,2],"b":1}"#).identity);
        assert_eq!(InputFacts::of("t", "not json").identity, InputFacts::of("t", "null").identity);
    }
}
