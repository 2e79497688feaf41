//! The trace of a transfer crashpack: the states as elements of one JSON array.
//!
//! A record that is not JSON is kept as a text, `{"undecodable": …}`, and becomes that record again when it is read.
//! A record that is not UTF-8 is kept as a string, which is malformed, too.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use serde_json::value::RawValue;

use super::event::STATE_MEMBERS;

pub(crate) const TRACE: &str = "transfer.atp-trace";

/// An element for a record that is not JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Undecodable {
    undecodable: String,
}

/// A record as an element of the trace.
pub(crate) fn element(record: &[u8]) -> Cow<'_, [u8]> {
    // With replacement characters, the text could be a state.
    if std::str::from_utf8(record).is_err() {
        return Cow::Owned(json!(String::from_utf8_lossy(record)).to_string().into_bytes());
    }
    // Validated inside an array, because values may be nested only so deep.
    let nested = [b"[", record, b"]"].concat();
    if serde_json::from_slice::<[IgnoredAny; 1]>(&nested).is_ok() {
        return Cow::Borrowed(record);
    }
    let text = String::from_utf8_lossy(record);
    // A record that was not read is empty.
    let value = if text.trim().is_empty() { json!(null) } else { json!({ "undecodable": text }) };
    Cow::Owned(value.to_string().into_bytes())
}

/// The records of a trace, one per line. `None` if it is not an array.
pub(crate) fn lines(trace: &[u8]) -> Option<Vec<u8>> {
    let elements: Vec<&RawValue> = serde_json::from_slice(trace).ok()?;
    let mut out = Vec::with_capacity(trace.len());
    for element in elements {
        match serde_json::from_str(element.get()) {
            // On one line again, the text could be a state.
            Ok(Undecodable { undecodable }) if !undecodable.contains(['\n', '\r']) => out.extend(undecodable.bytes()),
            // Between the tokens of JSON, line ends are blanks.
            _ => out.extend(element.get().bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte })),
        }
        out.push(b'\n');
    }
    Some(out)
}

/// Whether a trace holds transfer states, not other events of the program that wrote it.
pub(crate) fn holds_states(trace: &[u8]) -> bool {
    let elements: Vec<&RawValue> = serde_json::from_slice(trace).unwrap_or_default();
    elements.iter().any(|element| {
        let members: BTreeMap<Cow<'_, str>, IgnoredAny> = serde_json::from_str(element.get()).unwrap_or_default();
        is_like_a_state(|name| members.contains_key(name))
    })
}

/// Whether an object has enough members of a transfer state that it is one, even if it is malformed.
pub(crate) fn is_like_a_state(has: impl Fn(&str) -> bool) -> bool {
    const ENOUGH: usize = 3;
    STATE_MEMBERS.iter().filter(|name| has(name)).count() >= ENOUGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::event::tests::CLEAN;

    fn again(records: &[&str]) -> Vec<String> {
        let elements: Vec<_> = records.iter().map(|record| element(record.as_bytes())).collect();
        let trace = [b"[\n", &elements.join(&b",\n"[..])[..], b"\n]\n"].concat();
        serde_json::from_slice::<Vec<IgnoredAny>>(&trace).expect("a JSON array");
        let lines = String::from_utf8(lines(&trace).expect("lines")).expect("text");
        lines.lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_record_has_a_line_with_its_own_text() {
        let records =
            [CLEAN, "{\"manifest_hash\": ", "\"undecodable\"", "1],[2", "7", "{\"undecodable\":1}", "\u{1b}é"];
        assert_eq!(again(&records), records);
        let pretty = CLEAN.replace(',', ",\n");
        assert_eq!(again(&[&pretty]), [pretty.replace('\n', " ")]);
        assert_eq!(again(&["", "{\"a\n"]), ["null", r#"{"undecodable":"{\"a\n"}"#]);
        let deep = "[".repeat(127) + &"]".repeat(127);
        assert_eq!(again(&[&deep, CLEAN]), [deep.as_str(), CLEAN]);
    }

    #[test]
    fn other_traces_are_not_states() {
        assert!(holds_states(format!("[1,{CLEAN}]").as_bytes()));
        for trace in ["[]", "{}", "junk", r#"[{"seq":1,"kind":"UserTrace"},2]"#] {
            assert!(!holds_states(trace.as_bytes()), "{trace}");
        }
    }
}
