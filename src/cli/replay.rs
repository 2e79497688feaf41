//! `stepback replay`: one line per event while the log is read; or whether a finding is reproduced.

mod expect;

use std::io::Write;
use std::ops::ControlFlow;
use std::time::Duration;

use color_eyre::eyre::{self, eyre};
use serde_json::{Map, Value, json};
use unicode_width::UnicodeWidthStr;

use super::args::ReplayArgs;
use super::exit::Exit;
use super::open::{open, open_path, refuse_if_strict};
use super::paint::{Paint, clean, columns, fit, pad};
use super::print;
use super::replayed::{ReplayedLog, note};
use crate::loader::FileChange;
use crate::replay::moment::{Sight, value_text};
use crate::replay::vocabulary::Vocabulary;

pub(super) fn run(args: &ReplayArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if let Some(fingerprint) = &args.expect {
        return expect::run(args, fingerprint.as_deref(), *paint, out);
    }
    let opened = open(&args.input)?;
    opened.warn_about_damage();
    refuse_if_strict(args.strict, &opened)?;
    let mut replayed = ReplayedLog::begin(opened, args.follow)?;
    loop {
        let news = print_to_end(&replayed, args, *paint, out)?;
        let Some(reason) = news else { return Ok(Exit::Clean) };
        note(&format!("{}: {reason}; reading it again from the start", replayed.name));
        replayed = reopen(args);
    }
}

/// Opens a log that was replaced, as soon as it can be read.
fn reopen(args: &ReplayArgs) -> ReplayedLog {
    let mut was_reported = false;
    loop {
        let opened = open_path(&args.input.file, &args.input.reading);
        match opened.and_then(|opened| ReplayedLog::begin(opened, args.follow)) {
            Ok(replayed) => return replayed,
            Err(error) if !was_reported => note(&format!("{error}; waiting for the file")),
            Err(_) => {}
        }
        was_reported = true;
        std::thread::sleep(Duration::from_millis(250));
    }
}

/// Prints events as they are read. Returns the reason if the log must be opened again.
fn print_to_end(
    replayed: &ReplayedLog,
    args: &ReplayArgs,
    paint: Paint,
    out: &mut dyn Write,
) -> eyre::Result<Option<String>> {
    let (replay, mut printed, mut told_missing) = (replayed.replay(), 0, false);
    loop {
        let standing = replayed.loaded.standing();
        // The last record may still change while the log grows: it is printed when the log is complete.
        let ready = replay.settled_len(!args.follow && standing.at_end);
        let mut written = Ok(());
        if ready > printed {
            let scanned = replay.scan(printed..ready, &mut |sight| {
                written = step(sight, replay.vocabulary(), args.json, paint, out);
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            written?;
            scanned.map_err(|gone| replayed.gone(gone))?;
            printed = ready;
            out.flush()?;
            continue;
        }
        match standing.news {
            Some(FileChange::Other(reason)) if standing.stopped => return Ok(Some(reason)),
            Some(FileChange::Missing) if !told_missing => {
                note(&format!("{}: this file no longer exists; waiting until it exists again", replayed.name));
                told_missing = true;
            }
            _ => {}
        }
        if standing.stopped {
            return standing.trouble.map_or(Ok(None), |reason| Err(eyre!("{reason}")));
        }
        replayed.loaded.wait_for_news(Duration::from_millis(250), |replay| replay.settled_len(false) > printed);
    }
}

fn step(sight: &dyn Sight, vocabulary: &Vocabulary, json: bool, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    if let Some(reason) = sight.malformed() {
        if !json {
            writeln!(out, "{:>7}  {} {}", sight.at(), paint.bad(&pad("malformed", 29)), clean(reason))?;
        }
        return Ok(());
    }
    let sides = sight.sides();
    let (effects, halt) = sight.effects();
    if json {
        let projection: Map<String, Value> = sides
            .departed()
            .iter()
            .map(|field| (vocabulary.field_name(field).to_owned(), sides.after(field)))
            .collect();
        let row = json!({
            "index": sight.at().0,
            "kind": vocabulary.kind_name(sight.kind()),
            "effects": effects.into_iter().map(|effect| effect.payload).collect::<Vec<_>>(),
            "halt": halt,
            "projection": projection,
            "changed": sides.changed().iter().map(|field| vocabulary.field_name(field)).collect::<Vec<_>>(),
        });
        return Ok(print::line(&row, out)?);
    }
    let asked: Vec<String> =
        effects.iter().map(|effect| format!("{} {}", vocabulary.effect_name(effect.kind), effect.detail)).collect();
    let halted = halt.map(|outcome| format!("halt {}", value_text(&outcome)));
    let change = |field| format!("{} {}", vocabulary.field_name(field), sides.change(field));
    let changed: Vec<String> = sides.changed().iter().map(change).collect();
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
    let kind = paint.name(&pad(vocabulary.kind_name(sight.kind()), 29));
    writeln!(out, "{} {kind} {}", paint.dim(&format!("{:>7} ", sight.at())), parts.join("  "))?;
    Ok(())
}
