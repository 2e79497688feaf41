//! `stepback replay`: one line an event.

use std::io::Write;
use std::ops::ControlFlow;

use color_eyre::eyre;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::args::ReplayArgs;
use super::exit::Exit;
use super::open::{open, refuse_if_strict};
use super::paint::{Paint, clean, columns, fit, pad};
use super::pass::walk;
use super::print;
use crate::loader::held::Held;
use crate::replay::Seq;
use crate::turn::digest::Digest;
use crate::turn::effect::Effect;
use crate::turn::event::Event;
use crate::turn::machine::State;
use crate::turn::summary::outcome_text;

pub fn run(args: &ReplayArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    if args.strict {
        let held = Held::read(&opened.log)?;
        refuse_if_strict(true, &opened.log, &held, &held.decode(&opened.log))?;
    }
    let mut state = State::default();
    let mut written = Ok(());
    walk(&opened.log, |at, _, event| {
        written = match event {
            Ok(event) => step(at, &event, &mut state, args.json, *paint, out),
            Err(malformed) if !args.json => {
                let kind = paint.bad(&pad("malformed", 29));
                writeln!(out, "{at:>7}  {kind} {}", clean(&malformed.reason)).map_err(Into::into)
            }
            Err(_) => Ok(()),
        };
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written.map(|()| Exit::Clean)
}

fn step(
    at: Seq,
    event: &Event<'_>,
    state: &mut State,
    json: bool,
    paint: Paint,
    out: &mut dyn Write,
) -> eyre::Result<()> {
    let before = state.projection.clone();
    let mut effects = Vec::new();
    let halt = state.step(event, &Digest::of(event), &mut |effect| effects.push(effect));
    let after = &state.projection;
    if json {
        let row = json!({
            "index": at.0,
            "kind": event.kind().name(),
            "effects": effects.iter().map(Effect::to_json).collect::<Vec<_>>(),
            "halt": halt,
            "projection": after.to_sparse_json(),
            "changed": before.differences(after).map(|field| field.name).collect::<Vec<_>>(),
        });
        print::line(&row, out)?;
        return Ok(());
    }
    let kind = paint.name(&pad(event.kind().name(), 29));
    let asked: Vec<String> =
        effects.iter().map(|effect| format!("{} {}", effect.kind().name(), effect.detail())).collect();
    let halted = halt.map(|outcome| format!("halt {}", outcome_text(outcome)));
    let changed: Vec<String> =
        before.differences(after).map(|field| format!("{} {}", field.name, field.change(&before, after))).collect();
    let room = columns().saturating_sub(40);
    let mut left = room;
    let mut parts: Vec<String> = Vec::new();
    if !asked.is_empty() {
        let room = if changed.is_empty() { room } else { room / 2 };
        let text = fit(&format!("→ {}", asked.join(", ").trim_end()), room);
        left = left.saturating_sub(text.width() + 2);
        parts.push(paint.good(&text));
    }
    if let Some(text) = halted {
        let text = fit(&text, room / 2);
        left = left.saturating_sub(text.width() + 2);
        parts.push(paint.bad(&text));
    }
    if !changed.is_empty() {
        parts.push(fit(&changed.join(", "), left.max(16)));
    }
    writeln!(out, "{} {kind} {}", paint.dim(&format!("{at:>7} ")), parts.join("  "))?;
    Ok(())
}
