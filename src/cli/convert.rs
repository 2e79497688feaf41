//! `stepback convert`: any container as a turn log, envelope log, trace bundle or replay pack.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use color_eyre::eyre::{self, WrapErr};
use serde_json::{Value, json};

use super::args::{ConvertArgs, ConvertTo};
use super::exit::Exit;
use super::open::{Held, Opened, open, refuse_if_strict};
use super::paint;
use super::print;
use super::wholefile::WholeFile;
use crate::log::LogError;
use crate::redact::{Rules, redact};
use crate::turn::recording::Recording;
use crate::turn::trace::{self, Source};

pub fn run(args: &ConvertArgs, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    let held = Held::read(&opened.log)?;
    let recording = held.decode(&opened.log);
    refuse_if_strict(args.strict, &opened.log, &held, &recording)?;
    let times = times(&opened, &held)?;
    let form = args.to.unwrap_or_else(|| form_of(&args.output));
    if args.output == Path::new("-") {
        write_log(form, args, &opened, &recording, &times, out)?;
    } else {
        let shown = args.output.display();
        if args.output.is_file() && !args.force {
            return Err(eyre::eyre!("{shown}: this file exists; choose another name, or --force to replace it"));
        }
        let mut file = WholeFile::create(&args.output).wrap_err_with(|| format!("{shown}: cannot be written"))?;
        write_log(form, args, &opened, &recording, &times, &mut file)?;
        file.finish().wrap_err_with(|| format!("{shown}: cannot be written"))?;
    }
    let skipped = recording.rejected.len();
    if skipped > 0 {
        let noun = if skipped == 1 { "record" } else { "records" };
        writeln!(std::io::stderr(), "note: {skipped} undecodable {noun} left out")?;
    }
    for damage in &held.damage {
        let place = damage.place.unwrap_or_default();
        let told = paint::clean(&damage.actual);
        writeln!(std::io::stderr(), "note: line {}, byte {}: {told}", place.line, place.byte)?;
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
fn times(opened: &Opened, held: &Held) -> Result<Vec<Option<(u64, u64)>>, LogError> {
    let wrapped = held.times(&opened.log);
    // A store's rows carry their times beside the payload.
    let Some(rows) = opened.log.row_times()? else { return Ok(wrapped) };
    let recording = held.decode(&opened.log);
    Ok(recording.events.iter().map(|recorded| rows.get(recorded.at.0 as usize).copied()).collect())
}

fn write_log(
    form: ConvertTo,
    args: &ConvertArgs,
    opened: &Opened,
    recording: &Recording<'_>,
    times: &[Option<(u64, u64)>],
    out: &mut dyn Write,
) -> eyre::Result<()> {
    let mut hit = BTreeSet::new();
    let mut hide = |value: &mut Value| {
        if args.redact {
            redact(value, Rules::Thorough, &mut hit);
        }
    };
    let time_of = |index: usize| times.get(index).copied().flatten();
    match form {
        ConvertTo::Array | ConvertTo::Lines => {
            let is_array = form == ConvertTo::Array;
            for (index, event) in recording.iter().enumerate() {
                let mut event = json!(event);
                hide(&mut event);
                let lead = if !is_array {
                    ""
                } else if index == 0 {
                    "[\n"
                } else {
                    ",\n"
                };
                write!(out, "{lead}{}{}", print::compact(&event)?, if is_array { "" } else { "\n" })?;
            }
            if is_array {
                writeln!(out, "{}", if recording.events.is_empty() { "[]" } else { "\n]" })?;
            }
        }
        ConvertTo::Envelope => {
            for (index, event) in recording.iter().enumerate() {
                let (seq, ts_ms) = time_of(index).unwrap_or((index as u64, 0));
                let mut row = json!({"seq": seq, "ts_ms": ts_ms, "kind": event.kind().name(), "event": event});
                hide(&mut row["event"]);
                print::line(&row, out)?;
            }
        }
        ConvertTo::Trace | ConvertTo::Pack => {
            if recording.events.is_empty() {
                return Err(eyre::eyre!("{}: a log without events makes no bundle", opened.log.name));
            }
            let has_times = times.iter().any(Option::is_some);
            let source = if has_times {
                Source::Thread { id: "thread", workspace: None }
            } else {
                Source::Fixture(&opened.log.name)
            };
            let now_ms = now_ms();
            let mut bundle = trace::bundle(recording, &recording.turns(), &source, &time_of, now_ms);
            if args.redact {
                redact(&mut bundle["events"], Rules::Thorough, &mut hit);
                bundle["redaction"] = json!({"applied": !hit.is_empty(), "rules": hit});
            }
            let document = match form {
                ConvertTo::Pack => {
                    let mut session = opened.beside.session.as_ref().map(|session| json!(session));
                    if let (true, Some(session)) = (args.redact, &mut session) {
                        redact(session, Rules::Thorough, &mut BTreeSet::new());
                    }
                    trace::pack(bundle, session, now_ms)
                }
                _ => bundle,
            };
            print::pretty(&document, out)?;
        }
    }
    Ok(())
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as u64)
}
