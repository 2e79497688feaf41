//! The row of the turn dialect.

use super::machine::{TurnLog, VOCABULARY};
use super::{checks, document, sidecar};
use crate::dialect::Dialect;
use crate::dialect::container::{Shape, Wrapping};
use crate::dialect::export::ExportColumn;
use crate::dialect::recognize::{Certainty, Recognized, Sample};
use crate::replay::check_pass::glance;
use crate::replay::damage;

pub(crate) static DIALECT: Dialect = Dialect {
    name: "turn",
    title: "turn log",
    describes: "turn log of an agent engine: the events of its turns (JSON array, lines, envelopes, trace bundle, replay pack or sessions.db)",
    looks: "a turn log is a JSON array or lines of objects with the key `event_type`",
    recognize,
    shapes: &[Shape::Lines, Shape::Array, Shape::Values],
    joins_lines: false,
    documents: &[&document::REPLAY_PACK, &document::TRACE_BUNDLE],
    in_sqlite: true,
    checks: checks::CHECKS,
    vocabulary: &VOCABULARY,
    sidecars: sidecar::load,
    glance: glance::<TurnLog>,
    refuses: &[&damage::MALFORMED, &damage::TORN_TAIL, &damage::TOO_LONG, &checks::UNKNOWN_EVENT],
    torn_tail: |at, place, _| damage::torn_tail(at, place),
    report: &super::report::REPORTING,
    answers: &[],
    context: None,
    files: None,
    diff: super::diff::DIFFING,
    export: ExportColumn::PLAIN,
    relink: None,
    convert: super::convert::FORMS,
    folder: None,
    family: None,
};

fn recognize(sample: &Sample<'_>) -> Option<Recognized> {
    let wrapped = |key: &str, wrapping| {
        // Other dialects may wrap their events in the same way, with a tag of their own.
        let has = |tag: &str| sample.inner(key).is_some_and(|event| event.has(tag));
        let certainty = match (has("event_type"), has("kind")) {
            (true, _) => Certainty::Sure,
            (false, false) => Certainty::Likely,
            (false, true) => Certainty::Guess,
        };
        Recognized::event(certainty, wrapping)
    };
    if sample.has("event_type") {
        Some(Recognized::event(Certainty::Sure, Wrapping::Bare))
    } else if sample.has("event") && (sample.has("kind") || sample.has("seq")) {
        Some(wrapped("event", Wrapping::Envelope))
    } else if sample.has("payload") && sample.has("seq") {
        Some(wrapped("payload", Wrapping::TraceRow))
    } else {
        // An event that lost its tag still names its turn, and events may also be written as arrays.
        let may_be_one = sample.shape() == Shape::Array && (sample.is_array() || sample.has("turn_id"));
        may_be_one.then_some(Recognized::event(Certainty::Guess, Wrapping::Bare))
    }
}
