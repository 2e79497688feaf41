//! `stepback convert`: any container as a turn log, envelope log, trace bundle or replay pack.
//!
//! Events are passed on as they stand, unknown fields and all; only blanks between their values may go.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use color_eyre::eyre::{self, WrapErr};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::args::{ConvertArgs, ConvertTo};
use super::exit::Exit;
use super::open::{Opened, open, refuse_if_strict, refuse_other_dialect};
use super::paint;
use super::print;
use crate::loader::held::{Held, unwrap};
use crate::log::LogError;
use crate::redact::{Rules, redact};
use crate::replay::Seq;
use crate::turn::trace::{self, Source};
use crate::turn::whole::Recording;
use crate::wholefile::WholeFile;

pub fn run(args: &ConvertArgs, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    opened.tell_damage();
    refuse_other_dialect(&opened, "convert writes turn logs")?;
    let held = Held::read(&opened.log)?;
    let recording = held.decode(&opened.log);
    refuse_if_strict(args.strict, &opened)?;
    let times = times(&opened, &held, &recording)?;
    let conversion = Conversion { opened: &opened, held: &held, recording: &recording, times, redact: args.redact };
    let form = args.to.unwrap_or_else(|| form_of(&args.output));
    if args.output == Path::new("-") {
        conversion.write(form, out)?;
    } else {
        let shown = args.output.display();
        let (input, output) = (args.input.file.canonicalize(), args.output.canonicalize());
        if input.is_ok_and(|input| output.is_ok_and(|output| input == output)) {
            return Err(eyre::eyre!("{shown}: this is the log itself; choose another name"));
        }
        if args.output.is_file() && !args.force {
            return Err(eyre::eyre!("{shown}: this file exists; choose another name, or --force to replace it"));
        }
        let mut file = WholeFile::create(&args.output).wrap_err_with(|| format!("{shown}: cannot be written"))?;
        conversion.write(form, &mut file)?;
        file.finish().wrap_err_with(|| format!("{shown}: cannot be written"))?;
    }
    for (at, malformed) in &recording.rejected {
        let kept = conversion.passes(form, *at);
        let fate = if kept { "kept as it is" } else { "left out" };
        writeln!(std::io::stderr(), "note: record {at} is no event, {fate}: {}", paint::clean(&malformed.reason))?;
    }
    for damage in &held.damage {
        let place = damage.place.unwrap_or_default();
        writeln!(std::io::stderr(), "note: {place}: {}", paint::clean(&damage.actual))?;
    }
    Ok(Exit::Clean)
}

fn form_of(output: &Path) -> ConvertTo {
    match output.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl" | "ndjson") => ConvertTo::Lines,
        _ => ConvertTo::Array,
    }
}

/// When each decoded event was written, where its container says.
fn times(opened: &Opened, held: &Held, recording: &Recording<'_>) -> Result<Vec<Option<(u64, u64)>>, LogError> {
    // A store's rows carry their times beside the payload.
    let Some(rows) = opened.log.row_times()? else { return Ok(held.times(&opened.log)) };
    Ok(recording.events.iter().map(|recorded| rows.get(recorded.at.0 as usize).copied()).collect())
}

struct Conversion<'c> {
    opened: &'c Opened,
    held: &'c Held,
    recording: &'c Recording<'c>,
    times: Vec<Option<(u64, u64)>>,
    redact: bool,
}

impl Conversion<'_> {
    fn write(&self, form: ConvertTo, out: &mut dyn Write) -> eyre::Result<()> {
        match form {
            ConvertTo::Lines => {
                for event in self.kept_records() {
                    writeln!(out, "{event}")?;
                }
            }
            ConvertTo::Array => {
                let mut lead = "[\n";
                for event in self.kept_records() {
                    write!(out, "{lead}{event}")?;
                    lead = ",\n";
                }
                writeln!(out, "{}", if lead == ",\n" { "\n]" } else { "[]" })?;
            }
            ConvertTo::Envelope => {
                for (index, recorded) in self.recording.events.iter().enumerate() {
                    let (seq, ts_ms) = self.times[index].unwrap_or((index as u64, 0));
                    let kind = recorded.event.kind().name();
                    let event = self.event_text(recorded.at);
                    writeln!(out, r#"{{"seq":{seq},"ts_ms":{ts_ms},"kind":"{kind}","event":{event}}}"#)?;
                }
            }
            ConvertTo::Trace => print::pretty(&self.bundle(now_ms())?, out)?,
            ConvertTo::Pack => {
                let now_ms = now_ms();
                let mut session = self.opened.beside.session.as_ref().map(|session| json!(session));
                if let (true, Some(session)) = (self.redact, &mut session) {
                    redact(session, Rules::Thorough, &mut BTreeSet::new());
                }
                print::pretty(&trace::pack(self.bundle(now_ms)?, session, now_ms), out)?;
            }
        }
        Ok(())
    }

    /// Whether a record that is no event is passed on: it must at least be JSON, and have no kind to be named by.
    fn passes(&self, form: ConvertTo, at: Seq) -> bool {
        matches!(form, ConvertTo::Array | ConvertTo::Lines) && self.raw_event(at).is_some()
    }

    /// Every record that is JSON, decodable or not: a log that is passed on keeps its evidence.
    fn kept_records(&self) -> impl Iterator<Item = String> {
        let all = (0..self.held.places.len()).map(|at| Seq(at as u32));
        all.filter(|at| self.raw_event(*at).is_some()).map(|at| self.event_text(at))
    }

    fn raw_event(&self, at: Seq) -> Option<&str> {
        let event = unwrap(&self.opened.log, self.held.record(at)).ok()?.event;
        let text = std::str::from_utf8(event).ok()?;
        serde_json::from_str::<IgnoredAny>(text).ok().map(|_| text)
    }

    /// An event on one line, without its secrets if that was asked for.
    fn event_text(&self, at: Seq) -> String {
        let raw = self.raw_event(at).unwrap_or("null");
        if self.redact
            && let Ok(mut event) = serde_json::from_str::<Value>(raw)
        {
            redact(&mut event, Rules::Thorough, &mut BTreeSet::new());
            return print::harmless(event.to_string());
        }
        print::harmless(without_blanks(raw))
    }

    fn bundle(&self, now_ms: u64) -> eyre::Result<Value> {
        let recording = self.recording;
        if recording.events.is_empty() {
            return Err(eyre::eyre!("{}: a log without events makes no bundle", self.opened.log.name));
        }
        let source = if self.times.iter().any(Option::is_some) {
            Source::Thread { id: "thread", workspace: None }
        } else {
            Source::Fixture(&self.opened.log.name)
        };
        let row = |index: usize| {
            let made_up = (index as u64 + 1, (index as u64 + 1) * 1000);
            let raw = self.raw_event(recording.events[index].at).unwrap_or("null");
            // What JSON has just been read as JSON can be read again.
            let payload = serde_json::from_str(raw).unwrap_or(Value::Null);
            trace::Row { times: self.times[index].unwrap_or(made_up), payload }
        };
        let mut bundle = trace::bundle(recording, &recording.turns(), &source, &row, now_ms);
        if self.redact {
            let mut hit = BTreeSet::new();
            redact(&mut bundle["events"], Rules::Thorough, &mut hit);
            bundle["redaction"] = json!({"applied": !hit.is_empty(), "rules": hit});
        }
        Ok(bundle)
    }
}

/// JSON without the blanks between its values.
fn without_blanks(json: &str) -> String {
    let (mut out, mut in_string, mut escaped) = (String::with_capacity(json.len()), false, false);
    for character in json.chars() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if matches!(character, ' ' | '\n' | '\r' | '\t') {
            continue;
        } else {
            in_string = character == '"';
        }
        out.push(character);
    }
    out
}

/// The clock, read at the edge only.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blanks_between_values_go() {
        let pretty = "{\n \"a b\" : \"c \\\" d\\\\\" ,\t\"e\": [ 1 , 2 ]\r\n}";
        assert_eq!(without_blanks(pretty), "{\"a b\":\"c \\\" d\\\\\",\"e\":[1,2]}");
    }
}
