//! `stepback blame`: which event wrote a value?

use std::io::Write;
use std::ops::ControlFlow;

use color_eyre::eyre::{self, eyre};
use serde_json::json;

use super::args::BlameArgs;
use super::exit::Exit;
use super::format::text::event_line;
use super::open::{Opened, open};
use super::paint::{Paint, clean, columns, fit};
use super::pass::walk;
use super::print;
use crate::replay::Seq;
use crate::turn::digest::Digest;
use crate::turn::machine::State;
use crate::turn::projection::{FIELDS, Field, Projection};

/// One change of the field. Projections are cheap to keep; their values are made when they are shown.
struct Change {
    at: Seq,
    before: Projection,
    after: Projection,
    record: Vec<u8>,
}

pub fn run(args: &BlameArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let field = Field::by_name(&args.field).ok_or_else(|| unknown_field(&args.field))?;
    let opened = open(&args.input)?;
    let until = match &args.at {
        Some(target) => target.resolve(&opened)?,
        None => Seq(u32::MAX),
    };
    let mut printer = Printer { field, json: args.json, opened: &opened, paint: *paint, printed: 0 };
    let mut state = State::default();
    let mut last: Option<Change> = None;
    let mut written = Ok(());
    walk(&opened.log, |at, record, event| {
        if at > until {
            return ControlFlow::Break(());
        }
        if let Ok(event) = event {
            let before = state.projection.clone();
            state.step(&event, &Digest::of(&event), &mut |_| {});
            if !field.same(&before, &state.projection) {
                let change = Change { at, before, after: state.projection.clone(), record: record.to_vec() };
                if args.all {
                    written = printer.print(&change, out);
                }
                last = Some(change);
            }
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    if let (false, Some(change)) = (args.all, &last) {
        printer.print(change, out)?;
    }
    printer.finish(last.as_ref(), out)?;
    Ok(Exit::Clean)
}

struct Printer<'p> {
    field: &'static Field,
    json: bool,
    opened: &'p Opened,
    paint: Paint,
    printed: usize,
}

impl Printer<'_> {
    fn print(&mut self, change: &Change, out: &mut dyn Write) -> eyre::Result<()> {
        let Change { at, before, after, record } = change;
        let field = self.field;
        if self.json {
            let lead = if self.printed == 0 { self.head() } else { ",".to_owned() };
            let row = json!({"at": at.0, "before": field.value(before), "after": field.value(after)});
            write!(out, "{lead}\n{}", print::compact(&row)?)?;
        } else {
            writeln!(out, "{}", event_line(self.opened, at.0, record, 0, self.paint))?;
            writeln!(
                out,
                "         {} {}",
                field.name,
                self.paint.strong(&fit(&field.change(before, after), columns() - 12))
            )?;
        }
        self.printed += 1;
        Ok(())
    }

    fn head(&self) -> String {
        format!("{{\"field\":\"{}\",\"writers\":[", self.field.name)
    }

    fn finish(&self, last: Option<&Change>, out: &mut dyn Write) -> eyre::Result<()> {
        if self.json {
            let head = if self.printed == 0 { self.head() } else { String::new() };
            writeln!(out, "{head}]}}")?;
        } else if let Some(change) = last {
            let command = clean(&self.opened.command);
            writeln!(out, "         {} {command} --at {}", self.paint.dim("open"), change.at)?;
        } else {
            writeln!(out, "no event wrote {}: it holds what it began with", self.field.name)?;
        }
        Ok(())
    }
}

fn unknown_field(name: &str) -> eyre::Report {
    let close =
        FIELDS.iter().filter(|field| !name.is_empty() && (field.name.contains(name) || name.contains(field.name)));
    let close: Vec<&str> = close.map(|field| field.name).collect();
    if close.is_empty() {
        let all: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
        eyre!("there is no field {name:?}; the fields are {}", all.join(", "))
    } else {
        eyre!("there is no field {name:?}; did you mean {}?", close.join(" or "))
    }
}
