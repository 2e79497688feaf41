//! Decoding of session events: an object with a string `kind`.
//!
//! Every such object is an event. Whether the core format would decode it is a property of the event, not a
//! condition for showing it.

use serde::de::IgnoredAny;

use super::event::SessionEvent;
use super::kind::SessionKind;
use super::members::Members;
use crate::json::byte_index::IndexedText;
use crate::replay::machine::Malformed;

pub(crate) fn decode(event: &[u8]) -> Result<SessionEvent<'_>, Malformed> {
    of_members(std::str::from_utf8(event).ok().and_then(Members::of).ok_or_else(|| reason(event))?)
}

/// Decodes an event of an indexed chunk.
pub(crate) fn decode_indexed(event: IndexedText<'_>) -> Result<SessionEvent<'_>, Malformed> {
    of_members(Members::of_indexed(event).ok_or_else(|| reason(event.text.as_bytes()))?)
}

fn of_members(members: Members<'_>) -> Result<SessionEvent<'_>, Malformed> {
    let Some(name) = members.text("kind") else {
        let reason = match members.get("kind") {
            None => "it has no `kind`",
            Some(_) => "its `kind` is not a string",
        };
        return Err(malformed(reason.to_owned(), 0));
    };
    let kind = SessionKind::from_name(&name.get()).unwrap_or(SessionKind::Unknown);
    Ok(SessionEvent { kind, name, members })
}

fn malformed(reason: String, byte: usize) -> Malformed {
    Malformed { reason, byte, unknown_kind: None }
}

/// Why a text is not an object.
fn reason(event: &[u8]) -> Malformed {
    match std::str::from_utf8(event) {
        Err(error) => malformed("it is not UTF-8".to_owned(), error.valid_up_to()),
        Ok(text) => match serde_json::from_str::<serde_json::Value>(text) {
            Ok(serde_json::Value::Object(_)) => malformed("it is nested too deeply".to_owned(), 0),
            Ok(_) => malformed("it is not an object".to_owned(), 0),
            // Numbers that no type of serde_json holds are read as they are written.
            Err(_) if serde_json::from_str::<IgnoredAny>(text).is_ok() => {
                malformed("it is not an object that can be read".to_owned(), 0)
            }
            Err(error) => {
                let text = error.to_string();
                let end = text.rfind(" at line ").unwrap_or(text.len());
                let byte = if error.line() <= 1 { error.column().saturating_sub(1).min(event.len()) } else { 0 };
                malformed(format!("it is not JSON: {}", &text[..end]), byte)
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_with_a_kind_is_an_event() {
        let event = decode(br#"{"turn":1,"kind":"susp\u0065nded"}"#).expect("an event");
        assert_eq!((event.kind, event.turn()), (SessionKind::Suspended, Some(1)));
        let event = decode(br#"{"kind":"quantum_leap"}"#).expect("an event");
        assert_eq!((event.kind, &*event.name.get()), (SessionKind::Unknown, "quantum_leap"));
        assert_eq!(decode(br#"{"kind":"unknown"}"#).map(|event| event.kind), Ok(SessionKind::Unknown));
    }

    #[test]
    fn everything_else_says_why_it_is_not_one() {
        for (text, reason) in [
            (&br#"{"turn":1}"#[..], "it has no `kind`"),
            (br#"{"kind":7}"#, "its `kind` is not a string"),
            (b"null", "it is not an object"),
            (br#"{"kind":"x""#, "it is not JSON: EOF while parsing an object"),
            (b"\xff", "it is not UTF-8"),
        ] {
            assert_eq!(decode(text).map(|_| ()).unwrap_err().reason, reason);
        }
    }
}
