//! A session log in memory, loaded by the rules that its reports are compared by.
//!
//! The text is one JSON value, whose elements are the records if it is an array, or else lines with a record each. So a
//! damaged array is read line by line here, while the stream of a log reads it up to the damage.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::decode::decode;
use super::event::SessionEvent;
use crate::dialect::container::Wrapping;

/// A record of a session log.
pub(crate) struct SessionRecord<'t> {
    /// The number in its wrapping.
    pub seq: Option<u64>,
    pub is_wrapped: bool,
    /// The event, or why there is none.
    pub event: Result<SessionEvent<'t>, crate::replay::machine::Malformed>,
}

pub(crate) struct WholeSession<'t> {
    /// `empty`, `array` or `jsonl`.
    pub container: &'static str,
    pub records: Vec<SessionRecord<'t>>,
}

impl<'t> WholeSession<'t> {
    pub(crate) fn load(text: &'t [u8]) -> WholeSession<'t> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let (container, records) = split(text);
        WholeSession { container, records: records.into_iter().map(SessionRecord::of).collect() }
    }

    /// The events with the places of their records.
    pub(crate) fn events(&self) -> impl Iterator<Item = (u32, &SessionRecord<'t>, &SessionEvent<'t>)> {
        self.records.iter().zip(0..).filter_map(|(record, at)| Some((at, record, record.event.as_ref().ok()?)))
    }
}

fn split(text: &[u8]) -> (&'static str, Vec<&[u8]>) {
    if text.trim_ascii().is_empty() {
        return ("empty", Vec::new());
    }
    if let Ok(elements) = serde_json::from_slice::<Vec<&RawValue>>(text) {
        return ("array", elements.into_iter().map(|element| element.get().as_bytes()).collect());
    }
    if serde_json::from_slice::<IgnoredAny>(text).is_ok() {
        return ("jsonl", vec![text.trim_ascii()]);
    }
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    ("jsonl", lines.filter(|line| !line.is_empty()).collect())
}

impl<'t> SessionRecord<'t> {
    fn of(record: &'t [u8]) -> SessionRecord<'t> {
        match Wrapping::Numbered.unwrap(record) {
            Ok(unwrapped) => SessionRecord {
                seq: unwrapped.seq,
                is_wrapped: unwrapped.event.len() < record.len(),
                event: decode(unwrapped.event),
            },
            Err(_) => SessionRecord { seq: None, is_wrapped: false, event: decode(record) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_told_apart_by_the_whole_text() {
        for (text, container, records, wrapped) in [
            ("", "empty", 0, 0),
            ("\u{feff} \n", "empty", 0, 0),
            ("[]", "array", 0, 0),
            ("{\n \"kind\": \"a\"\n}", "jsonl", 1, 0),
            ("{\"kind\":\"a\"}\r\n\n{\"seq\":1,\"event\":null}\nnot json\n{\"kind\"", "jsonl", 4, 1),
            ("[{\"kind\":\"a\"},{\"event\":{\"kind\":\"b\"}},7]", "array", 3, 1),
            ("[{\"kind\":\"a\"},{\"ki", "jsonl", 1, 0),
        ] {
            let whole = WholeSession::load(text.as_bytes());
            let found = whole.records.iter().filter(|record| record.is_wrapped).count();
            assert_eq!((whole.container, whole.records.len(), found), (container, records, wrapped), "{text}");
        }
    }
}
