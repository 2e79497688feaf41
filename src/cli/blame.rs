//! `stepback blame`: which event wrote a value?

use std::io::Write;
use std::ops::ControlFlow;

use color_eyre::eyre::{self, eyre};
use serde_json::{Value, json};

use super::args::BlameArgs;
use super::exit::Exit;
use super::format::text::event_line;
use super::open::open;
use super::paint::{Paint, clean, fit};
use super::pass::walk;
use super::print;
use crate::replay::Seq;
use crate::turn::digest::Digest;
use crate::turn::machine::State;
use crate::turn::projection::{FIELDS, Field, value_text};

/// One change of the field.
struct Change {
    at: Seq,
    before: Value,
    after: Value,
    record: Vec<u8>,
}

pub fn run(args: &BlameArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let field = Field::by_name(&args.field).ok_or_else(|| unknown_field(&args.field))?;
    let opened = open(&args.input)?;
    let until = match &args.at {
        Some(target) => target.resolve(&opened)?,
        None => Seq(u32::MAX),
    };
    let mut state = State::default();
    let mut changes: Vec<Change> = Vec::new();
    walk(&opened.log, |at, record, event| {
        if at > until {
            return ControlFlow::Break(());
        }
        if let Ok(event) = event {
            let before = state.projection.clone();
            state.step(&event, &Digest::of(&event), &mut |_| {});
            if !field.same(&before, &state.projection) {
                if !args.all {
                    changes.clear();
                }
                let (before, after) = (field.value(&before), field.value(&state.projection));
                changes.push(Change { at, before, after, record: record.to_vec() });
            }
        }
        ControlFlow::Continue(())
    })?;
    if args.json {
        let rows: Vec<Value> = changes
            .iter()
            .map(|write| json!({"at": write.at.0, "field": field.name, "before": write.before, "after": write.after}))
            .collect();
        print::pretty(&json!({"field": field.name, "writers": rows}), out)?;
    } else if changes.is_empty() {
        writeln!(out, "no event wrote {}: it holds what it began with", field.name)?;
    }
    if !args.json {
        for write in &changes {
            writeln!(out, "{}", event_line(&opened, write.at.0, &write.record, 0, *paint))?;
            let (before, after) = (fit(&value_text(&write.before), 60), fit(&value_text(&write.after), 60));
            writeln!(out, "         {} {before} → {}", field.name, paint.strong(&after))?;
        }
        if let Some(write) = changes.last() {
            writeln!(out, "         {} {} --at {}", paint.dim("open"), clean(&opened.command), write.at)?;
        }
    }
    Ok(if changes.is_empty() { Exit::Findings } else { Exit::Clean })
}

fn unknown_field(name: &str) -> eyre::Report {
    let close = FIELDS.iter().filter(|field| field.name.contains(name) || name.contains(field.name));
    let close: Vec<&str> = close.map(|field| field.name).collect();
    if close.is_empty() {
        let all: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
        eyre!("there is no field {name:?}; the fields are {}", all.join(", "))
    } else {
        eyre!("there is no field {name:?}; did you mean {}?", close.join(" or "))
    }
}
