//! The records of a log in memory, with the range of the event in each.

use std::ops::Range;

use crate::replay::machine::Malformed;

/// How much of a record could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    Yes,
    /// The log ends inside it, or between two records if it has no bytes.
    Torn,
    /// Too long to be read, so it cannot be kept.
    Unread,
}

#[derive(Clone, Debug)]
struct PartRecord {
    record: Range<usize>,
    /// The range of the event, or why its wrapping cannot be read.
    event: Result<Range<usize>, Box<Malformed>>,
    whole: Whole,
}

/// The records of a log, under their numbers.
#[derive(Default)]
pub(crate) struct Parts {
    bytes: Vec<u8>,
    list: Vec<PartRecord>,
}

impl Parts {
    /// One event per line, as in a tape.
    #[cfg(test)]
    pub(crate) fn of_lines(text: &str) -> Parts {
        let mut parts = Parts::default();
        for line in text.lines().map(str::as_bytes) {
            parts.push(line, Ok(0..line.len()), Whole::Yes);
        }
        parts
    }

    pub(crate) fn push(&mut self, record: &[u8], event: Result<Range<usize>, Malformed>, whole: Whole) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(record);
        let event = event.map(|event| from + event.start..from + event.end).map_err(Box::new);
        self.list.push(PartRecord { record: from..self.bytes.len(), event, whole });
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn record(&self, part: u32) -> &[u8] {
        self.list.get(part as usize).map_or(&[], |part| &self.bytes[part.record.clone()])
    }

    pub(crate) fn event(&self, part: u32) -> Option<&[u8]> {
        self.event_or_why(part).ok()
    }

    /// The event of a record, or why it has none.
    pub(crate) fn event_or_why(&self, part: u32) -> Result<&[u8], Malformed> {
        let Some(part) = self.list.get(part as usize) else { return Err(no_such_record()) };
        part.event.clone().map(|event| &self.bytes[event]).map_err(|malformed| *malformed)
    }

    pub(crate) fn whole(&self, part: u32) -> Whole {
        self.list.get(part as usize).map_or(Whole::Unread, |part| part.whole)
    }

    /// A record with its event replaced.
    pub(crate) fn record_with(&self, part: u32, event: &[u8]) -> Vec<u8> {
        let Some(PartRecord { record, event: Ok(place), .. }) = self.list.get(part as usize) else {
            return self.record(part).to_vec();
        };
        [&self.bytes[record.start..place.start], event, &self.bytes[place.end..record.end]].concat()
    }
}

fn no_such_record() -> Malformed {
    Malformed { reason: "the log has no such record".to_owned(), byte: 0, unknown_kind: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_event_stays_in_its_wrapping() {
        let mut parts = Parts::default();
        parts.push(br#"{"seq":1,"event":{"a":1}}"#, Ok(17..24), Whole::Yes);
        parts.push(b"junk", Err(no_such_record()), Whole::Yes);
        assert_eq!(parts.event(0), Some(&br#"{"a":1}"#[..]));
        assert_eq!(parts.record_with(0, b"{}"), br#"{"seq":1,"event":{}}"#);
        assert_eq!(parts.record_with(1, b"{}"), b"junk");
        assert_eq!(parts.whole(7), Whole::Unread);
    }
}
