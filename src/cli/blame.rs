//! `stepback blame`: the event that last wrote a field of the state, or all of them.

use std::io::Write;
use std::ops::ControlFlow;

use color_eyre::eyre::{self, eyre};
use serde_json::json;

use super::args::BlameArgs;
use super::exit::Exit;
use super::paint::{Paint, clean, columns, fit};
use super::print;
use super::replayed::ReplayedLog;
use crate::replay::Seq;
use crate::replay::moment::Sides;
use crate::replay::vocabulary::{FieldId, Vocabulary};

pub(super) fn run(args: &BlameArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let replayed = ReplayedLog::whole(&args.input)?;
    let replay = replayed.replay();
    let vocabulary = replay.vocabulary();
    let field = vocabulary.field(&args.field).ok_or_else(|| unknown_field(&args.field, vocabulary))?;
    let until = args.at.as_ref().map_or(Ok(Seq(u32::MAX)), |target| replayed.resolve(target))?;
    let mut printer = BlamePrinter { field, json: args.json, replayed: &replayed, paint: *paint, printed: 0 };
    let mut last = None;
    if args.all {
        let mut writers = Vec::new();
        replay.writers(field, &mut |all| writers = all.iter().take_while(|at| *at <= until).collect());
        last = writers.last().copied();
        let mut written = Ok(());
        let end = last.map_or(0, |last| last.0 + 1);
        // One scan over all writers: a seek to each of them would replay a block per writer.
        let scanned = replay.scan(writers.first().map_or(0, |first| first.0)..end, &mut |sight| {
            if sight.sides().changed().contains(field) {
                written = printer.print(sight.at(), sight.sides(), out);
            }
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        written?;
        scanned.map_err(|gone| replayed.gone(gone))?;
    } else if let Some(at) = replay.blame(field, until) {
        let moment = replay.moment(at).map_err(|gone| replayed.gone(gone))?;
        let moment = moment.ok_or_else(|| eyre!("{}: event {at} no longer exists", replayed.name))?;
        printer.print(at, &*moment.sides, out)?;
        last = Some(at);
    }
    printer.finish(last, out)?;
    Ok(Exit::Clean)
}

struct BlamePrinter<'p> {
    field: FieldId,
    json: bool,
    replayed: &'p ReplayedLog,
    paint: Paint,
    printed: usize,
}

impl BlamePrinter<'_> {
    fn field_name(&self) -> &'static str {
        self.replayed.replay().vocabulary().field_name(self.field)
    }

    fn print(&mut self, at: Seq, sides: &dyn Sides, out: &mut dyn Write) -> eyre::Result<()> {
        if self.json {
            let lead = if self.printed == 0 { self.head() } else { ",".to_owned() };
            let row = json!({"at": at.0, "before": sides.before(self.field), "after": sides.after(self.field)});
            write!(out, "{lead}\n{}", print::compact(&row)?)?;
        } else {
            writeln!(out, "{}", self.replayed.line(at, 0, self.paint)?)?;
            let change = fit(&sides.change(self.field), columns() - 12);
            writeln!(out, "         {} {}", self.field_name(), self.paint.strong(&change))?;
        }
        self.printed += 1;
        Ok(())
    }

    fn head(&self) -> String {
        format!("{{\"field\":\"{}\",\"writers\":[", self.field_name())
    }

    fn finish(&self, last: Option<Seq>, out: &mut dyn Write) -> eyre::Result<()> {
        if self.json {
            let head = if self.printed == 0 { self.head() } else { String::new() };
            writeln!(out, "{head}]}}")?;
        } else if let Some(at) = last {
            writeln!(out, "         {} {} --at {at}", self.paint.dim("open"), clean(&self.replayed.command))?;
        } else {
            writeln!(out, "no event wrote {}: it still has its initial value", self.field_name())?;
        }
        Ok(())
    }
}

fn unknown_field(name: &str, vocabulary: &Vocabulary) -> eyre::Report {
    let close: Vec<&str> = vocabulary
        .fields
        .iter()
        .copied()
        .filter(|field| !name.is_empty() && (field.contains(name) || name.contains(field)))
        .collect();
    if close.is_empty() {
        eyre!("there is no field {name:?}; the fields are {}", vocabulary.fields.join(", "))
    } else {
        eyre!("there is no field {name:?}; did you mean {}?", close.join(" or "))
    }
}
