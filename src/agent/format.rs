//! The formats of session files: one row per program. A new agent is a reader and a row.
//!
//! A reader decodes one record and keeps nothing. What one record means for others, such as two lines that belong to one
//! message, is the machine's business.

pub(crate) mod claude_code;
pub(crate) mod codex;

use super::event::AgentEvent;
use crate::dialect::recognize::{Certainty, Sample};
use crate::json::raw::RawRecord;
use crate::replay::machine::Malformed;

/// How one program stores its sessions.
pub(crate) struct Format {
    /// The name for scripts.
    pub name: &'static str,
    /// The program's name in texts.
    pub program: &'static str,
    /// Recognizes a record. Records that tell nothing about their program, such as titles, are at most a guess.
    pub recognize: fn(&Sample<'_>) -> Option<Certainty>,
    pub read: for<'a> fn(RawRecord<'a>) -> Result<AgentEvent<'a>, Malformed>,
    pub turn_ends: TurnEnds,
    pub steps: StepsBy,
    /// The fields of the state that this program does not record.
    pub gaps: &'static [Gap],
    /// The fields that are computed from several records; all others stand in the file.
    pub derived: &'static [&'static str],
}

/// How the end of a turn is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnEnds {
    /// By the last message: an end in the file is only one of the signs.
    Derived,
    /// The file says it, unless an old release wrote it; then a turn counts as completed.
    Stated,
}

/// What makes a step, that is, one answer of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepsBy {
    /// The message's id.
    Message,
    /// The usage that is reported after it; if there is none, the items up to the next input.
    Usage,
}

/// A field that a program does not record, and why it is unknown.
pub(crate) struct Gap {
    pub field: &'static str,
    pub reason: &'static str,
}

/// All formats, in the order in which they are tried.
pub(crate) static FORMATS: &[&Format] = &[&codex::FORMAT, &claude_code::FORMAT];

/// The format that is most certain of a record.
pub(crate) fn recognize(sample: &Sample<'_>) -> Option<(&'static Format, Certainty)> {
    let answers = FORMATS.iter().filter_map(|format| Some((*format, (format.recognize)(sample)?)));
    // Among equals, `max_by_key` returns the last one, and the first should win.
    answers.rev().max_by_key(|(_, certainty)| *certainty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::field::FIELD_NAMES;

    #[test]
    fn names_are_unique_and_fields_exist() {
        for (at, format) in FORMATS.iter().enumerate() {
            assert!(FORMATS[..at].iter().all(|other| other.name != format.name));
            for field in format.gaps.iter().map(|gap| gap.field).chain(format.derived.iter().copied()) {
                assert!(FIELD_NAMES.contains(&field), "{field}");
            }
        }
    }
}
