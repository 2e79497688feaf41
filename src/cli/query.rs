//! `stepback query`: prints the events that match a condition.

mod tally;

use std::io::{self, Write};
use std::ops::ControlFlow;

use color_eyre::eyre;
use serde::Serialize;
use serde_json::value::RawValue;

use super::args::QueryArgs;
use super::exit::Exit;
use super::open::{Opened, open};
use super::paint::{Paint, clean_lines, count};
use super::print;
use super::progress::ByteProgress;
use super::replayed::{ReplayedLog, event_line_text, note};
use crate::loader::event_hits::each_hit;
use crate::registry::catalogue;
use crate::replay::Seq;
use crate::replay::condition::Condition;
use crate::replay::event_search::{Hit, Sought, Wanted};
use crate::replay::source::Gone;
use crate::replay::tally::Tally;
use crate::replay::vocabulary::{KindId, Vocabulary};

/// Events are looked up and printed in batches of this size.
const BATCH: usize = 64;

pub(super) fn run(args: &QueryArgs, paint: &Paint, errors: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    opened.warn_about_damage();
    let filter = args.filter();
    let condition = match Condition::parse(filter, opened.dialect().vocabulary) {
        Ok(condition) => condition,
        Err(bad) => {
            // On several lines, so that the caret points at the error.
            print::error(errors, "this filter cannot be used:");
            for line in clean_lines(&bad.to_string()).lines() {
                let _ = writeln!(io::stderr(), "  {line}");
            }
            return Ok(Exit::Trouble);
        }
    };
    if let Some(check) = filter.trim().strip_prefix("finding:")
        && !catalogue().any(|known| known.id == check)
    {
        return Err(eyre::eyre!("there is no check {check:?}; `stepback checks` lists all checks"));
    }
    match condition.reads_only_the_event() {
        true => search(args, &opened, &condition, *paint, out)?,
        false => replay(args, opened, &condition, *paint, out)?,
    }
    note_failures(&condition);
    Ok(Exit::Clean)
}

/// Answers from the records alone.
fn search(
    args: &QueryArgs,
    opened: &Opened,
    condition: &Condition,
    paint: Paint,
    out: &mut dyn Write,
) -> eyre::Result<()> {
    let vocabulary = opened.dialect().vocabulary;
    let mut tally = args.by.as_deref().map(|by| Tally::new(by, vocabulary));
    let wanted = match (args.count, args.json || tally.is_some()) {
        (true, _) => Wanted::Number,
        (false, true) => Wanted::Event,
        (false, false) => Wanted::Summary,
    };
    let limit = args.limit.unwrap_or(u64::MAX);
    let (mut number, mut written) = (0, Ok(()));
    let printer = HitPrinter { vocabulary, kind_columns: kind_columns(vocabulary), paint };
    let mut take = |hits: Vec<Hit>| {
        for hit in hits {
            number += 1;
            written = match (wanted, &mut tally) {
                (Wanted::Number, _) => Ok(()),
                (_, Some(tally)) => {
                    tally.add(hit.kind, &hit.text);
                    Ok(())
                }
                (Wanted::Event, None) => printer.json(&hit, out),
                (Wanted::Summary, None) => printer.line(&hit, out),
            };
            if written.is_err() {
                return ControlFlow::Break(());
            }
        }
        // Matches are visible at once, even if the search takes long.
        written = out.flush().map_err(Into::into);
        if written.is_err() || number == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut searched = 0;
    if limit > 0 {
        let progress = ByteProgress::new(opened.log.length_bytes());
        let report = |bytes| progress.add(bytes);
        let sought = Sought { condition: condition.clone(), wanted, most: limit };
        searched = each_hit(&opened.log, &*opened.sidecars, sought, &report, &mut take)?;
    }
    written?;
    if args.count {
        writeln!(out, "{number}")?;
    } else if number == 0 && limit > 0 {
        note_no_match(searched);
    }
    tally.map_or(Ok(()), |tally| print_tally(&tally, args.json, paint, out))
}

fn print_tally(tally: &Tally, json: bool, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    tally::print(tally, json, paint, out)?;
    if tally.others() > 0 {
        note(&format!(
            "not listed, because there are too many values: {} with other values",
            count(tally.others(), "event")
        ));
    }
    Ok(())
}

fn note_no_match(searched: u32) {
    note(&format!("no event matches ({} searched)", count(u64::from(searched), "event")));
}

fn kind_columns(vocabulary: &Vocabulary) -> usize {
    vocabulary.kinds.iter().map(|kind| kind.name.len()).max().unwrap_or(0)
}

/// Prints hits of a search without a replay.
struct HitPrinter {
    vocabulary: &'static Vocabulary,
    kind_columns: usize,
    paint: Paint,
}

impl HitPrinter {
    fn json(&self, hit: &Hit, out: &mut dyn Write) -> eyre::Result<()> {
        let event = (hit.kind != KindId::MALFORMED).then(|| on_one_line(&hit.text));
        let event = event.and_then(|event| RawValue::from_string(event).ok());
        Ok(print::line(&QueryRow { seq: hit.at.0, kind: self.vocabulary.kind_name(hit.kind), event }, out)?)
    }

    fn line(&self, hit: &Hit, out: &mut dyn Write) -> eyre::Result<()> {
        let summary = String::from_utf8_lossy(&hit.text);
        let kind = (hit.kind, self.vocabulary.kind_name(hit.kind));
        writeln!(out, "{}", event_line_text(hit.at, kind, &summary, self.kind_columns, self.paint))?;
        Ok(())
    }
}

/// Answers with a replay.
fn replay(
    args: &QueryArgs,
    opened: Opened,
    condition: &Condition,
    paint: Paint,
    out: &mut dyn Write,
) -> eyre::Result<()> {
    let replayed = ReplayedLog::begin(opened, false)?;
    replayed.finish(Some(&args.input.file))?;
    let gone = |gone: Gone| replayed.gone(gone);
    let replay = replayed.replay();
    let limit = args.limit.unwrap_or(u64::MAX);
    if args.count {
        let mut number = 0;
        let enough = |number: u64| if number < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        if limit > 0 {
            let counted = condition.each(replay, 0..u32::MAX, &mut |_| {
                number += 1;
                enough(number)
            });
            counted.map_err(gone)?;
        }
        writeln!(out, "{number}")?;
    } else if let Some(by) = &args.by {
        let mut tally = Tally::new(by, replay.vocabulary());
        tally_replayed(&replayed, condition, &mut tally)?;
        print_tally(&tally, args.json, paint, out)?;
    } else {
        let mut printer =
            QueryPrinter { replayed: &replayed, json: args.json, paint, waiting: Vec::new(), left: limit };
        let mut written = Ok(());
        if limit > 0 {
            let shown = condition.each(replay, 0..u32::MAX, &mut |at| match printer.take(at, out) {
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
        if printer.left == limit && limit > 0 {
            note_no_match(replay.len());
        }
    }
    let dropped = replay.findings().dropped;
    if dropped > 0 && args.filter().contains("finding") {
        note(&format!(
            "{dropped} findings were counted but not kept; events that are only part of those are missing here"
        ));
    }
    Ok(())
}

fn tally_replayed(replayed: &ReplayedLog, condition: &Condition, tally: &mut Tally) -> eyre::Result<()> {
    let replay = replayed.replay();
    let mut lost = None;
    let counted = condition.each(replay, 0..u32::MAX, &mut |at| {
        let kind = replay.row(at).map_or(KindId::MALFORMED, |row| row.kind);
        match replay.record(at) {
            Ok(record) => {
                let event = record.as_ref().map_or(&b""[..], |record| replay.event_of(record));
                tally.add(kind, event);
                ControlFlow::Continue(())
            }
            Err(gone) => {
                lost = Some(gone);
                ControlFlow::Break(())
            }
        }
    });
    counted.and(lost.map_or(Ok(()), Err)).map_err(|gone| replayed.gone(gone))
}

/// Reports at how many events the filter failed. It does not match there.
fn note_failures(condition: &Condition) {
    let failures = condition.errors();
    if let Some((at, message)) = failures.first {
        let events = count(failures.count, "event");
        note(&format!("the filter failed at {events}, first at {at}: {message}"));
    }
}

#[derive(Serialize)]
struct QueryRow {
    seq: u32,
    kind: &'static str,
    /// Null if the record does not decode.
    event: Option<Box<RawValue>>,
}

struct QueryPrinter<'p> {
    replayed: &'p ReplayedLog,
    json: bool,
    paint: Paint,
    waiting: Vec<Seq>,
    left: u64,
}

impl QueryPrinter<'_> {
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
        let gone = |gone: Gone| self.replayed.gone(gone);
        if self.json {
            for at in waiting {
                print::line(&self.row(at).map_err(gone)?, out)?;
            }
        } else {
            let replay = self.replayed.replay();
            let kind_columns = kind_columns(replay.vocabulary());
            for line in replay.lines(&waiting).map_err(gone)? {
                writeln!(out, "{}", self.replayed.line_text(&line, kind_columns, self.paint))?;
            }
        }
        // Matches are visible at once, even if the search takes long.
        out.flush()?;
        Ok(())
    }

    fn row(&self, at: Seq) -> Result<QueryRow, Gone> {
        let replay = self.replayed.replay();
        let kind = replay.row(at).map_or(KindId::MALFORMED, |row| row.kind);
        let record = if kind == KindId::MALFORMED { None } else { replay.record(at)? };
        let event = record.map(|record| on_one_line(replay.event_of(&record)));
        let event = event.and_then(|event| RawValue::from_string(event).ok());
        Ok(QueryRow { seq: at.0, kind: replay.vocabulary().kind_name(kind), event })
    }
}

/// JSON without the white space between its tokens.
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
    fn white_space_outside_of_strings_is_removed() {
        let json = b"{\n  \"a b\" : [1, \"x \\\" y\\\\\" , 2 ]\n}";
        assert_eq!(on_one_line(json), "{\"a b\":[1,\"x \\\" y\\\\\",2]}");
    }
}
