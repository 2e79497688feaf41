//! `stepback convert`: writes a turn log in another container.
//!
//! Events are copied as they are, including unknown fields; only white space between their values may be removed.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use color_eyre::eyre::{self, WrapErr};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::args::{ConvertArgs, ConvertTo};
use super::exit::Exit;
use super::open::{Opened, open, refuse_if_strict};
use super::print;
use super::redaction::{Hiding, redaction_json};
use super::replayed::note;
use crate::json::pretty::compact;
use crate::log::{Log, LogError};
use crate::redact::{DocumentRules, redact};
use crate::replay::Seq;
use crate::replay::log_writer::{LogLayout, LogWriter};
use crate::turn::held::{Held, unwrap};
use crate::turn::sidecar::TurnSidecars;
use crate::turn::trace::{self, BundleSource};
use crate::turn::whole::Recording;
use crate::wholefile::{Destination, Existing, WholeFile};

pub(super) fn run(args: &ConvertArgs, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    opened.warn_about_damage();
    if !opened.dialect().converts {
        let title = opened.dialect().title;
        return Err(eyre::eyre!(
            "{}: convert has no other container for a log of this kind ({title})",
            opened.log.name
        ));
    }
    let held = Held::read(&opened.log)?;
    let recording = held.decode(&opened.log);
    refuse_if_strict(args.strict, &opened)?;
    let times = times(&opened, &held, &recording)?;
    let hiding = Hiding::of(&opened, args.redact)?;
    let mut conversion = Conversion::of(&opened, &held, &recording, times, hiding);
    let form = args.to.unwrap_or_else(|| form_of(&args.output));
    if args.output == Path::new("-") {
        conversion.write(form, out)?;
    } else {
        let shown = args.output.display();
        Destination::new(&args.output, Some(&args.input.file), Existing::unless_forced(args.force))?;
        let mut file = WholeFile::create(&args.output).wrap_err_with(|| format!("{shown}: cannot be written"))?;
        conversion.write(form, &mut file)?;
        file.finish().wrap_err_with(|| format!("{shown}: cannot be written"))?;
    }
    for (at, malformed) in &recording.rejected {
        let kept = conversion.passes(form, *at);
        let fate = if kept { "kept as it is" } else { "left out" };
        note(&conversion.hiding.message(&format!("record {at} is not an event, {fate}: {}", malformed.reason)));
    }
    for damage in &held.damage {
        let place = damage.place.unwrap_or_default();
        note(&conversion.hiding.message(&format!("{place}: {}", damage.actual)));
    }
    Ok(Exit::Clean)
}

fn form_of(output: &Path) -> ConvertTo {
    match output.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl" | "ndjson") => ConvertTo::Lines,
        _ => ConvertTo::Array,
    }
}

/// When each decoded event was written, if the container has times.
fn times(opened: &Opened, held: &Held, recording: &Recording<'_>) -> Result<Vec<Option<(u64, u64)>>, LogError> {
    // In a database the times are columns of their own, not part of the payload.
    let Some(rows) = opened.log.row_times()? else { return Ok(held.times(&opened.log)) };
    Ok(recording.events.iter().map(|recorded| rows.get(recorded.at.0 as usize).copied()).collect())
}

struct Conversion<'c> {
    opened: &'c Opened,
    recording: &'c Recording<'c>,
    times: Vec<Option<(u64, u64)>>,
    hiding: Hiding,
    /// The event of each record, masked if the user asked for that; `None` if it is not JSON.
    events: Vec<Option<Cow<'c, str>>>,
    /// The redaction rules that applied.
    rules: BTreeSet<String>,
}

impl<'c> Conversion<'c> {
    fn of(
        opened: &'c Opened,
        held: &'c Held,
        recording: &'c Recording<'c>,
        times: Vec<Option<(u64, u64)>>,
        mut hiding: Hiding,
    ) -> Conversion<'c> {
        let raw = (0..held.places.len()).map(|at| raw_event(&opened.log, held.record(Seq(at as u32))));
        let mut events: Vec<Option<Cow<'c, str>>> = raw.map(|event| event.map(Cow::Borrowed)).collect();
        let mut rules = BTreeSet::new();
        if !matches!(hiding, Hiding::Nothing) {
            let hidden;
            (hidden, rules) = hiding.events(events.iter().flatten().map(|event| event.to_string()).collect());
            events.iter_mut().flatten().zip(hidden).for_each(|(event, hidden)| *event = Cow::Owned(hidden));
        }
        Conversion { opened, recording, times, hiding, events, rules }
    }

    fn write(&mut self, form: ConvertTo, out: &mut dyn Write) -> eyre::Result<()> {
        match form {
            ConvertTo::Lines => self.write_records(LogLayout::Lines, out)?,
            ConvertTo::Array => self.write_records(LogLayout::Array, out)?,
            ConvertTo::Envelope => {
                for (index, recorded) in self.recording.events.iter().enumerate() {
                    let (seq, ts_ms) = self.times[index].unwrap_or((index as u64, 0));
                    let kind = recorded.event.kind().name();
                    let event = on_one_line(self.event(recorded.at).unwrap_or("null"));
                    writeln!(out, r#"{{"seq":{seq},"ts_ms":{ts_ms},"kind":"{kind}","event":{event}}}"#)?;
                }
            }
            ConvertTo::Trace => {
                let bundle = self.bundle(now_ms())?;
                writeln!(out, "{}", self.hiding.document(&bundle)?)?;
            }
            ConvertTo::Pack => {
                let now_ms = now_ms();
                let mut session = TurnSidecars::of(&*self.opened.sidecars)
                    .and_then(|sidecars| sidecars.saved_messages.as_ref())
                    .map(|session| json!(session));
                if let (Hiding::Reference, Some(session)) = (&self.hiding, &mut session) {
                    redact(session, DocumentRules::Reference, &mut BTreeSet::new());
                }
                let pack = trace::pack(self.bundle(now_ms)?, session, now_ms);
                writeln!(out, "{}", self.hiding.document(&pack)?)?;
            }
        }
        Ok(())
    }

    fn write_records(&self, layout: LogLayout, out: &mut dyn Write) -> std::io::Result<()> {
        let (mut writer, mut buffer) = (LogWriter::new(layout), Vec::new());
        for event in self.events.iter().flatten() {
            writer.record(on_one_line(event).as_bytes(), &mut buffer);
            out.write_all(&buffer)?;
            buffer.clear();
        }
        writer.finish(&mut buffer);
        out.write_all(&buffer)
    }

    /// Whether a record that is not an event is copied: it must at least be JSON, and the form must not need its kind.
    /// A converted log keeps its evidence.
    fn passes(&self, form: ConvertTo, at: Seq) -> bool {
        matches!(form, ConvertTo::Array | ConvertTo::Lines) && self.event(at).is_some()
    }

    fn event(&self, at: Seq) -> Option<&str> {
        self.events.get(at.0 as usize)?.as_deref()
    }

    fn bundle(&self, now_ms: u64) -> eyre::Result<Value> {
        let recording = self.recording;
        if recording.events.is_empty() {
            return Err(eyre::eyre!("{}: a log without events cannot become a bundle", self.opened.log.name));
        }
        let source = if self.times.iter().any(Option::is_some) {
            BundleSource::Thread { id: "thread", workspace: None }
        } else {
            BundleSource::Fixture(&self.opened.log.name)
        };
        let row = |index: usize| {
            let made_up = (index as u64 + 1, (index as u64 + 1) * 1000);
            let event = self.event(recording.events[index].at).unwrap_or("null");
            // The text was parsed as JSON before, so parsing it again succeeds.
            let payload = serde_json::from_str(event).unwrap_or(Value::Null);
            trace::BundleRow { times: self.times[index].unwrap_or(made_up), payload }
        };
        let mut bundle = trace::bundle(recording, &recording.turns(), &source, &row, now_ms);
        if !matches!(self.hiding, Hiding::Nothing) {
            bundle["redaction"] = redaction_json(&self.rules);
        }
        Ok(bundle)
    }
}

fn raw_event<'r>(log: &Log, record: &'r [u8]) -> Option<&'r str> {
    let text = std::str::from_utf8(unwrap(log, record).ok()?.event).ok()?;
    serde_json::from_str::<IgnoredAny>(text).ok().map(|_| text)
}

fn on_one_line(event: &str) -> String {
    print::harmless(String::from_utf8_lossy(&compact(event.as_bytes())).into_owned())
}

/// The current time in milliseconds.
pub(super) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as u64)
}
