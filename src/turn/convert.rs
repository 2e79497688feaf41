//! The forms that `stepback convert` writes turn logs in.
//!
//! Events are copied as they are, including unknown fields; only white space between their values may be removed.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::held::{Held, unwrap};
use super::sidecar::TurnSidecars;
use super::trace::{self, BundleSource};
use super::whole::Recording;
use crate::dialect::convert::{Conversion, ConvertForm};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::json::pretty::compact;
use crate::log::sqlite::Store;
use crate::replay::Seq;
use crate::replay::log_writer::LogLayout;

pub(crate) const FORMS: &[ConvertForm] = &[
    ConvertForm {
        name: "array",
        describes: "one JSON array of events",
        extensions: &[],
        write: |conversion| write_events(conversion, LogLayout::Array),
    },
    ConvertForm {
        name: "lines",
        describes: "one event per line",
        extensions: &["jsonl", "ndjson"],
        write: |conversion| write_events(conversion, LogLayout::Lines),
    },
    ConvertForm {
        name: "envelope",
        describes: "one `{seq, ts_ms, kind, event}` per line",
        extensions: &[],
        write: write_envelopes,
    },
    ConvertForm {
        name: "trace",
        describes: "a trace bundle: one JSON document with the events and where they come from",
        extensions: &[],
        write: |conversion| {
            with_events(conversion, false, |events, conversion| {
                let bundle = events.bundle(conversion.now_ms())?;
                conversion.write_document(&bundle)
            })
        },
    },
    ConvertForm {
        name: "pack",
        describes: "a replay pack: a trace bundle and the saved messages, if there are any",
        extensions: &[],
        write: |conversion| with_events(conversion, false, write_pack),
    },
];

/// The events of a log and what is needed to write them.
struct Events<'c> {
    log_name: String,
    recording: &'c Recording<'c>,
    /// When each decoded event was written, if the container has times.
    times: Vec<Option<(u64, u64)>>,
    /// The event of each record, masked if the user asked for that; `None` if it is not JSON.
    texts: Vec<Option<Cow<'c, str>>>,
    /// The redaction rules that applied, as a member of a document.
    redaction: Option<Value>,
}

/// Reads the log, writes something with its events, and notes what was left out. `keeps` says whether records that are
/// not events are written if they are JSON: a converted log keeps its evidence where the form does not need a kind.
fn with_events(
    conversion: &mut dyn Conversion,
    keeps: bool,
    write: impl FnOnce(&Events<'_>, &mut dyn Conversion) -> Result<(), DialectError>,
) -> Result<(), DialectError> {
    let held = Held::read(conversion.log())?;
    let recording = held.decode(conversion.log());
    let events = Events::of(conversion, &held, &recording)?;
    write(&events, conversion)?;
    for (at, malformed) in &recording.rejected {
        let fate = if keeps && events.text(*at).is_some() { "kept as it is" } else { "left out" };
        conversion.note(&format!("record {at} is not an event, {fate}: {}", malformed.reason));
    }
    for damage in &held.damage {
        conversion.note(&format!("{}: {}", damage.place.unwrap_or_default(), damage.actual));
    }
    Ok(())
}

fn write_events(conversion: &mut dyn Conversion, layout: LogLayout) -> Result<(), DialectError> {
    with_events(conversion, true, |events, conversion| {
        let mut records = events.texts.iter().flatten().map(|event| Cow::Owned(on_one_line(event)));
        conversion.write_records(layout, &mut records)
    })
}

fn write_envelopes(conversion: &mut dyn Conversion) -> Result<(), DialectError> {
    with_events(conversion, false, |events, conversion| {
        let mut envelopes = events.recording.events.iter().enumerate().map(|(index, recorded)| {
            let (seq, ts_ms) = events.times[index].unwrap_or((index as u64, 0));
            let kind = recorded.event.kind().name();
            let event = on_one_line(events.text(recorded.at).unwrap_or("null"));
            Cow::Owned(format!(r#"{{"seq":{seq},"ts_ms":{ts_ms},"kind":"{kind}","event":{event}}}"#))
        });
        conversion.write_records(LogLayout::Lines, &mut envelopes)
    })
}

fn write_pack(events: &Events<'_>, conversion: &mut dyn Conversion) -> Result<(), DialectError> {
    let now_ms = conversion.now_ms();
    let sidecars = TurnSidecars::of(conversion.sidecars());
    let messages = sidecars.and_then(|sidecars| sidecars.saved_messages.as_ref());
    let mut messages = messages.map(|messages| json!(messages));
    if let Some(messages) = &mut messages {
        conversion.mask_sidecar(messages);
    }
    conversion.write_document(&trace::pack(events.bundle(now_ms)?, messages, now_ms))
}

impl<'c> Events<'c> {
    fn of(
        conversion: &mut dyn Conversion,
        held: &'c Held,
        recording: &'c Recording<'c>,
    ) -> Result<Events<'c>, DialectError> {
        let log = conversion.log();
        let log_name = log.name().to_owned();
        let times = times(log, held, recording)?;
        let raw = (0..held.places.len()).map(|at| raw_event(log, held.record(Seq(at as u32))));
        let mut texts: Vec<Option<Cow<'c, str>>> = raw.map(|event| event.map(Cow::Borrowed)).collect();
        let mut redaction = None;
        if conversion.has_masks() {
            let plain = texts.iter().flatten().map(|event| event.to_string()).collect();
            let (masked, rules) = conversion.mask_events(plain);
            texts.iter_mut().flatten().zip(masked).for_each(|(event, masked)| *event = Cow::Owned(masked));
            redaction = Some(rules);
        }
        Ok(Events { log_name, recording, times, texts, redaction })
    }

    fn text(&self, at: Seq) -> Option<&str> {
        self.texts.get(at.0 as usize)?.as_deref()
    }

    fn bundle(&self, now_ms: u64) -> Result<Value, DialectError> {
        let recording = self.recording;
        if recording.events.is_empty() {
            let refused = format!("{}: a log without events cannot become a bundle", self.log_name);
            return Err(DialectError::Refused(refused));
        }
        let source = if self.times.iter().any(Option::is_some) {
            BundleSource::Thread { id: "thread", workspace: None }
        } else {
            BundleSource::Fixture(&self.log_name)
        };
        let row = |index: usize| {
            let made_up = (index as u64 + 1, (index as u64 + 1) * 1000);
            let event = self.text(recording.events[index].at).unwrap_or("null");
            // The text was parsed as JSON before, so parsing it again succeeds.
            let payload = serde_json::from_str(event).unwrap_or(Value::Null);
            trace::BundleRow { times: self.times[index].unwrap_or(made_up), payload }
        };
        let mut bundle = trace::bundle(recording, &recording.turns(), &source, &row, now_ms);
        if let Some(redaction) = &self.redaction {
            bundle["redaction"] = redaction.clone();
        }
        Ok(bundle)
    }
}

/// When each decoded event was written, if the container has times.
fn times(log: &dyn OpenLog, held: &Held, recording: &Recording<'_>) -> Result<Vec<Option<(u64, u64)>>, DialectError> {
    // In a database the times are columns of their own, not part of the payload.
    let Some(store) = log.around().and_then(|around| around.downcast_ref::<Store>()) else {
        return Ok(held.times(log));
    };
    let rows = store.times().map_err(DialectError::read)?;
    Ok(recording.events.iter().map(|recorded| rows.get(recorded.at.0 as usize).copied()).collect())
}

fn raw_event<'r>(log: &dyn OpenLog, record: &'r [u8]) -> Option<&'r str> {
    let text = std::str::from_utf8(unwrap(log, record).ok()?.event).ok()?;
    serde_json::from_str::<IgnoredAny>(text).ok().map(|_| text)
}

fn on_one_line(event: &str) -> String {
    String::from_utf8_lossy(&compact(event.as_bytes())).into_owned()
}
