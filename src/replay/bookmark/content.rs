//! The hash of an event's content: independent of its position and of its formatting.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::json::pretty::compact;

/// 128 bits of BLAKE3: far more than needed to distinguish the events of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventHash([u8; EventHash::BYTES]);

impl EventHash {
    const BYTES: usize = 16;

    /// The hash of an event. Blanks, escapes and the order of keys do not count, since converting a log to another
    /// container may change them.
    pub(crate) fn of_event(event: &[u8]) -> EventHash {
        EventHash::of_event_without(event, None)
    }

    /// The hash without an id that every recording makes up.
    pub(crate) fn of_event_without(event: &[u8], id: Option<&str>) -> EventHash {
        match serde_json::from_slice::<Value>(event) {
            Ok(mut value) => {
                if let (Some(id), Value::Object(members)) = (id, &mut value) {
                    members.retain(|_, member| member.as_str() != Some(id));
                }
                value.sort_all_objects();
                EventHash::of_bytes(value.to_string().as_bytes())
            }
            // A record that is not JSON has a hash, too: of its bytes without blanks.
            Err(_) => EventHash::of_bytes(&compact(event)),
        }
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> EventHash {
        let mut short = [0; EventHash::BYTES];
        short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..EventHash::BYTES]);
        EventHash(short)
    }
}

impl fmt::Display for EventHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// A text that is not a hash.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a content hash, which has {digits} hexadecimal digits", digits = 2 * EventHash::BYTES)]
pub(crate) struct BadEventHash(String);

impl FromStr for EventHash {
    type Err = BadEventHash;

    fn from_str(text: &str) -> Result<Self, BadEventHash> {
        let wrong = || BadEventHash(text.to_owned());
        if text.len() != 2 * EventHash::BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| wrong())?;
        Ok(EventHash(number.to_be_bytes()))
    }
}

impl Serialize for EventHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EventHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatting_does_not_change_the_hash() {
        let content = |text: &str| EventHash::of_event(text.as_bytes());
        let plain = content(r#"{"a":"x y é","b":[1,{"c":2,"d":null}]}"#);
        for same in [
            "{\n  \"a\" : \"x y é\",\r\n\t\"b\": [ 1, {\"c\": 2, \"d\": null} ]\n}",
            r#"{"b":[1,{"d":null,"c":2}],"a":"x y \u00e9"}"#,
        ] {
            assert_eq!(content(same), plain, "{same}");
        }
        for other in [r#"{"a":"xy é","b":[1,{"c":2,"d":null}]}"#, r#"{"a":"x y é","b":[{"c":2,"d":null},1]}"#, ""] {
            assert_ne!(content(other), plain, "{other}");
        }
    }

    #[test]
    fn records_that_are_not_json_have_a_hash_too() {
        let content = |text: &str| EventHash::of_event(text.as_bytes());
        assert_eq!(content(r#"{ "a": "\ud800 \" x" }"#), content(r#"{"a":"\ud800 \" x"}"#));
        assert_ne!(content(r#"{"a":"\ud800 x"}"#), content(r#"{"a":"\ud800x"}"#));
        assert_ne!(EventHash::of_event(b"\xff"), EventHash::of_event(b"\xfe"));
    }

    #[test]
    fn a_hash_is_parsed_as_it_is_printed() {
        let content = EventHash::of_bytes(b"x");
        assert_eq!(content.to_string().parse(), Ok(content));
        for wrong in ["", "abc", &"g".repeat(32), &"+".repeat(32), &"é".repeat(16)] {
            assert!(wrong.parse::<EventHash>().is_err(), "{wrong}");
        }
    }
}
