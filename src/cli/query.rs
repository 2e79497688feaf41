//! `stepback query`: the events for which a condition holds.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use color_eyre::eyre::{self, eyre};
use serde::Serialize;
use serde_json::value::RawValue;

use super::args::QueryArgs;
use super::exit::Exit;
use super::open::open;
use super::paint::{Paint, clean, clean_lines, columns, count, fit, pad};
use super::print;
use super::progress::Progress;
use crate::dialect::TURN;
use crate::loader::Loaded;
use crate::replay::Seq;
use crate::replay::condition::Condition;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::KindId;

/// Lines are looked up and written by this many.
const BATCH: usize = 64;

pub fn run(args: &QueryArgs, paint: &Paint, errors: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let condition = match Condition::parse(&args.filter, TURN.vocabulary) {
        Ok(condition) => condition,
        Err(bad) => {
            // Over lines of its own, so that the caret stands where it belongs.
            writeln!(io::stderr(), "{} this filter cannot be used:", errors.bad("error:"))?;
            for line in clean_lines(&bad.to_string()).lines() {
                writeln!(io::stderr(), "  {line}")?;
            }
            return Ok(Exit::Trouble);
        }
    };
    let opened = open(&args.input)?;
    let name = opened.log.name.clone();
    let total = opened.log.path.as_deref().and_then(|path| std::fs::metadata(path).ok()).map_or(0, |file| file.len());
    let loaded = Loaded::begin(opened.log, opened.beside, false)?;
    wait(&loaded, total).map_err(|trouble| eyre!("{name}: {trouble}"))?;
    let gone = |gone: Gone| eyre!("{name}: {}; open it again", gone.reason);
    let replay = loaded.replay();
    let limit = args.limit.unwrap_or(u64::MAX);
    if args.count {
        let mut number = 0;
        let enough = |number: u64| if number < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        if limit > 0 {
            let counted = condition.each(&**replay, 0..u32::MAX, &mut |_| {
                number += 1;
                enough(number)
            });
            counted.map_err(gone)?;
        }
        writeln!(out, "{number}")?;
    } else {
        let mut printer = Printer { replay, json: args.json, paint: *paint, waiting: Vec::new(), left: limit };
        let mut written = Ok(());
        if limit > 0 {
            let shown = condition.each(&**replay, 0..u32::MAX, &mut |at| match printer.take(at, out) {
                Ok(flow) => flow,
                Err(trouble) => {
                    written = Err(trouble);
                    ControlFlow::Break(())
                }
            });
            shown.map_err(gone)?;
        }
        written?;
        printer.write_waiting(out)?;
    }
    tell_failures(&condition)?;
    Ok(Exit::Clean)
}

fn wait(loaded: &Loaded, total_bytes: u64) -> Result<(), String> {
    let progress = Progress::new(total_bytes);
    let mut told = 0;
    loaded.wait_to_end(|passed| {
        progress.add(passed.saturating_sub(told));
        told = told.max(passed);
    })
}

/// A filter that fails at an event does not hold there; whoever wrote it wants to know.
fn tell_failures(condition: &Condition) -> io::Result<()> {
    let failures = condition.errors();
    match failures.first {
        Some((at, message)) => {
            let events = count(failures.count, "event");
            writeln!(io::stderr(), "note: the filter failed at {events}, first at {at}: {}", clean(&message))
        }
        None => Ok(()),
    }
}

#[derive(Serialize)]
struct Row {
    seq: u32,
    kind: &'static str,
    /// Null where the record is no event.
    event: Option<Box<RawValue>>,
}

struct Printer<'p> {
    replay: &'p Arc<dyn Replay>,
    json: bool,
    paint: Paint,
    waiting: Vec<Seq>,
    left: u64,
}

impl Printer<'_> {
    fn take(&mut self, at: Seq, out: &mut dyn Write) -> eyre::Result<ControlFlow<()>> {
        self.waiting.push(at);
        self.left -= 1;
        if self.waiting.len() == BATCH {
            self.write_waiting(out)?;
        }
        Ok(if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn write_waiting(&mut self, out: &mut dyn Write) -> eyre::Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let gone = |gone: Gone| eyre!("{}; open it again", gone.reason);
        if self.json {
            for at in waiting {
                print::line(&self.row(at).map_err(gone)?, out)?;
            }
        } else {
            let words = self.replay.vocabulary();
            let kind_columns = words.kinds.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
            let room = columns().saturating_sub(kind_columns + 14).max(20);
            for line in self.replay.lines(&waiting).map_err(gone)? {
                let kind = pad(words.kind_name(line.row.kind), kind_columns);
                let is_event = line.row.kind != KindId::MALFORMED;
                let kind = if is_event { self.paint.name(&kind) } else { self.paint.bad(&kind) };
                let number = self.paint.dim(&format!("{:>7}", line.at));
                writeln!(out, "{number}  {kind} {}", fit(&line.summary, room))?;
            }
        }
        // What was found is seen at once, however long the rest takes.
        out.flush()?;
        Ok(())
    }

    fn row(&self, at: Seq) -> Result<Row, Gone> {
        let kind = self.replay.row(at).map_or(KindId::MALFORMED, |row| row.kind);
        let record = if kind == KindId::MALFORMED { None } else { self.replay.record(at)? };
        let event = record.map(|record| on_one_line(self.replay.event_of(&record)));
        let event = event.and_then(|event| RawValue::from_string(event).ok());
        Ok(Row { seq: at.0, kind: self.replay.vocabulary().kind_name(kind), event })
    }
}

/// JSON without the white space around its parts.
fn on_one_line(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    let (mut inside, mut escaped) = (false, false);
    let keeps = |character: &char| {
        let quote = *character == '"' && !escaped;
        escaped = inside && *character == '\\' && !escaped;
        inside ^= quote;
        inside || quote || !character.is_ascii_whitespace()
    };
    text.chars().filter(keeps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_outside_of_texts_goes() {
        let json = b"{\n  \"a b\" : [1, \"x \\\" y\\\\\" , 2 ]\n}";
        assert_eq!(on_one_line(json), "{\"a b\":[1,\"x \\\" y\\\\\",2]}");
    }
}
