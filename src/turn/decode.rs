//! Decoding records to events: a fast path, and an exact one with serde's rules.
//!
//! The fast path scans the record once, notes the place of each known field, and builds the kinds that make up nearly
//! all of a log. Anything unusual (a null, an escape in a key, a repeated field, an unknown nested value, any other
//! kind) goes to the exact path, which is serde's derived decoder. Both give the same event, as `tests/core/laws.rs`
//! verifies.

mod build;
mod fields;
mod layout;

use fields::{FieldPlaces, Fields};
use layout::Layouts;

use super::event::Event;
use super::kind::EventKind;
use crate::json::byte_index::IndexedText;
use crate::json::scan::Scanner;
use crate::replay::machine::Malformed;

/// Decodes a single record.
#[cfg(test)]
pub(crate) fn decode(record: &[u8]) -> Result<Event<'_>, Malformed> {
    TurnDecoder::default().decode(record)
}

/// Decodes the records of one log. It remembers the order of their fields, because most logs are written by one
/// program. The result never depends on earlier records.
#[derive(Clone, Default)]
pub(crate) struct TurnDecoder {
    layouts: Layouts,
    places: FieldPlaces,
}

impl TurnDecoder {
    pub(crate) fn decode<'a>(&mut self, record: &'a [u8]) -> Result<Event<'a>, Malformed> {
        match std::str::from_utf8(record).ok().and_then(|text| self.fast(Scanner::new(text))) {
            Some(event) => Ok(event),
            None => exact(record),
        }
    }

    /// Decodes a record of an indexed chunk.
    pub(crate) fn decode_indexed<'a>(&mut self, record: IndexedText<'a>) -> Result<Event<'a>, Malformed> {
        match self.fast(Scanner::indexed(record)) {
            Some(event) => Ok(event),
            None => exact(record.text.as_bytes()),
        }
    }

    fn fast<'a>(&mut self, mut scanner: Scanner<'a>) -> Option<Event<'a>> {
        let record = scanner.text();
        if let Some(kind) = self.layouts.scan(&mut scanner, &mut self.places) {
            return build::event(kind, Fields { record, places: &self.places });
        }
        self.places.scan(&mut scanner)?;
        let fields = Fields { record, places: &self.places };
        let kind = fields.kind()?;
        let event = build::event(kind, fields)?;
        self.layouts.learn(kind, fields);
        Some(event)
    }
}

/// Decodes with serde, which defines the exact rules.
pub(crate) fn exact(record: &[u8]) -> Result<Event<'_>, Malformed> {
    serde_json::from_slice::<Event<'_>>(record).map_err(|error| malformed(record, &error))
}

fn malformed(record: &[u8], error: &serde_json::Error) -> Malformed {
    #[derive(serde::Deserialize)]
    struct EventTag {
        event_type: serde_json::Value,
    }
    let tag = serde_json::from_slice::<EventTag>(record).ok().map(|tagged| tagged.event_type);
    let unknown_kind = match tag {
        Some(serde_json::Value::String(name)) if EventKind::from_name(&name).is_none() => Some(name),
        _ => None,
    };
    let message = error.to_string();
    let reason = match (&unknown_kind, message.rfind(" at line ")) {
        (Some(kind), _) => format!("unknown event type `{kind}`"),
        (None, Some(end)) => message[..end].to_owned(),
        (None, None) => message,
    };
    // serde's message names a Rust type, which means nothing to the user.
    let reason = reason.replace("internally tagged enum Event", "an object with an `event_type`");
    Malformed { reason, byte: byte_of(record, error.line(), error.column()), unknown_kind }
}

/// Converts serde_json's line and column, counted from 1, to a byte offset.
fn byte_of(record: &[u8], line: usize, column: usize) -> usize {
    let mut start = 0;
    for _ in 1..line {
        match memchr::memchr(b'\n', &record[start..]) {
            Some(found) => start += found + 1,
            None => break,
        }
    }
    (start + column.saturating_sub(1)).min(record.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_and_exact_agree() {
        for record in [
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c\n","wave_idx":0}"#,
            r#" { "wave_idx" : 7 , "call_id":"c", "turn_id":"t","event_type":"tool_call_started","x":[1] } "#,
            r#"{"event_type":"model_message","turn_id":"t","step_idx":1,"usage":{"input_tokens":1,"output_tokens":2},"block_count":0}"#,
            r#"{"event_type":"tool_call_finished","turn_id":"t","call_id":"c","tool_name":"x","outcome":"success","duration_ms":1,"wrote_state":true}"#,
            r#"{"event_type":"model_delta","turn_id":"t","step_idx":1,"kind":"text","call_id":null,"text":"x"}"#,
        ] {
            let fast = TurnDecoder::default().fast(Scanner::new(record));
            let exact = exact(record.as_bytes()).ok();
            assert!(exact.is_some(), "{record}");
            assert!(fast.is_none() || fast == exact, "{record}");
        }
    }

    #[test]
    fn records_that_the_reference_rejects_are_rejected() {
        for record in [
            "",
            "{}",
            r#"{"event_type":"unknown","turn_id":"t"}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":1.0}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":-1}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":4294967296}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":null,"wave_idx":1}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","turn_id":"t","call_id":"c","wave_idx":1}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":1,"x":"\ud800"}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":1} x"#,
            r#"{"event_type":"model_message","turn_id":"t","step_idx":1,"usage":{"input_tokens":1,"output_tokens":2},"block_count":0,"text_preview":null}"#,
        ] {
            assert!(decode(record.as_bytes()).is_err(), "{record}");
        }
        let odd = r#"["turn_ended","t1","completed",1]"#;
        assert!(matches!(decode(odd.as_bytes()), Ok(Event::TurnEnded { total_steps: 1, .. })));
        let odd = r#"{"event_type":"turn_ended","turn_id":"t","outcome":{"completed":null},"total_steps":1}"#;
        assert!(decode(odd.as_bytes()).is_ok());
    }

    #[test]
    fn an_unknown_tag_is_not_damage() {
        let unknown = decode(br#"{"event_type":"quantum_leap","turn_id":"t"}"#).unwrap_err();
        assert_eq!(unknown.unknown_kind.as_deref(), Some("quantum_leap"));
        let damaged = decode(br#"{"event_type":"turn_ended","turn_id":"t"}"#).unwrap_err();
        assert_eq!((damaged.unknown_kind, damaged.reason.as_str()), (None, "missing field `outcome`"));
    }
}
