//! The forms that `stepback convert` writes sessions in: the session itself, and a turn log of what happened in it.

mod turn_log;

use std::borrow::Cow;

use serde_json::{Value, json};

use self::turn_log::TurnLog;
use super::sidecar::known;
use crate::dialect::convert::{Conversion, ConvertForm};
use crate::dialect::open_log::DialectError;
use crate::replay::log_writer::LogLayout;
use crate::text::count;

pub(crate) const FORMS: &[ConvertForm] = &[
    ConvertForm {
        name: "lines",
        describes: "the same session, one record per line, for example uncompressed or masked",
        extensions: &["jsonl"],
        write: write_lines,
    },
    ConvertForm {
        name: "turn",
        describes: "a turn log: each event with the line that it comes from, and what the program does not record",
        extensions: &["json"],
        write: write_turn_log,
    },
];

/// Records are copied byte for byte, also those that are not events.
fn write_lines(conversion: &mut dyn Conversion) -> Result<(), DialectError> {
    let mut records = Vec::new();
    let damage =
        conversion.log().each_record(&mut |read| records.push(String::from_utf8_lossy(read.record).into_owned()))?;
    if conversion.has_masks() {
        (records, _) = conversion.mask_events(records);
    }
    conversion.write_records(LogLayout::Lines, &mut records.into_iter().map(Cow::Owned))?;
    for damage in &damage {
        conversion.note(&format!("{}: {}", damage.place.unwrap_or_default(), damage.actual));
    }
    Ok(())
}

fn write_turn_log(conversion: &mut dyn Conversion) -> Result<(), DialectError> {
    let decoder = known(conversion.log())?;
    let mut turn_log = TurnLog::default();
    let mut rejected = 0_u64;
    conversion.log().each_record(&mut |read| match decoder.decode(read.record) {
        Ok(event) => turn_log.see(read.at, read.place.line, &event),
        Err(_) => rejected += 1,
    })?;
    let written = turn_log.finish();
    let mut events: Vec<String> = written.events.iter().map(Value::to_string).collect();
    if conversion.has_masks() {
        (events, _) = conversion.mask_events(events);
    }
    conversion.write_records(LogLayout::Array, &mut events.into_iter().map(Cow::Owned))?;
    for (number, what) in [
        (rejected, "record is not an event"),
        (written.side_records, "record of a subagent is not part of a turn of this session"),
        (written.outside, "event is outside of every turn"),
    ] {
        if number > 0 {
            conversion.note(&format!("left out: {}", plural(number, what)));
        }
    }
    Ok(())
}

/// `1 record is …`, `2 records: record is …`.
fn plural(number: u64, what: &str) -> String {
    let (noun, rest) = what.split_once(' ').unwrap_or((what, ""));
    let rest = if number == 1 { rest.to_owned() } else { rest.replacen("is ", "are ", 1) };
    format!("{} {rest}", count(number, noun))
}

/// Where an event comes from, and what about it is not in the session.
fn source(line: u64, missing: &[&str], note: Option<&str>) -> Value {
    let mut source = json!({"line": line});
    if !missing.is_empty() {
        source["not_recorded"] = json!(missing);
    }
    if let Some(note) = note {
        source["note"] = json!(note);
    }
    source
}
