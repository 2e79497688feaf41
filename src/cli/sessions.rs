//! `stepback sessions`: lists the sessions of coding agents on this machine.

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use color_eyre::eyre;
use serde_json::{Value, json};

use super::args::SessionsArgs;
use super::exit::Exit;
use super::open::shell_word;
use super::paint::{Paint, clean, columns, count, fit, pad};
use super::print;
use super::replayed::note;
use super::screen::configured;
use crate::picker::fill::Details;
use crate::picker::list::{self, Listed, SessionList};
use crate::picker::place::{self, SearchPlace};
use crate::picker::scan::{Scanned, scan};
use crate::text::fuzzy::FuzzyPattern;

pub(super) fn run(args: &SessionsArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let places = search_places(args);
    let Scanned { files, mut unreadable } = scan(&places)?;
    let pattern = FuzzyPattern::new(args.pattern.as_deref().unwrap_or_default());
    let limit = args.limit.unwrap_or(usize::MAX);
    let mut list = SessionList::new(files.into());
    list.read(if pattern.is_empty() { limit } else { usize::MAX })?;
    for listed in list.iter() {
        if let Some(Details::Unreadable(reason)) = listed.details {
            unreadable.push((listed.file.path.clone(), reason.to_string()));
        }
    }
    let found: Vec<Listed<'_>> = list.search(&pattern).into_iter().filter_map(|number| list.get(number)).collect();
    let sessions: Vec<Listed<'_>> = found.into_iter().filter(|listed| listed.outline().is_some()).take(limit).collect();
    if args.json {
        print::pretty(&document(&sessions, &unreadable), out)?;
        return Ok(Exit::Clean);
    }
    for (path, reason) in &unreadable {
        note(&format!("{}: {reason}", path.display()));
    }
    write_text(&sessions, *paint, out)?;
    if sessions.is_empty() {
        note(&nothing(args, &places));
    }
    Ok(Exit::Clean)
}

/// The folders that the command names, else those of the configuration, else the usual ones.
fn search_places(args: &SessionsArgs) -> Vec<SearchPlace> {
    if !args.folders.is_empty() {
        return place::places(&args.folders);
    }
    let (config, trouble) = configured();
    trouble.iter().for_each(|trouble| note(trouble));
    place::places(&config.sessions)
}

fn nothing(args: &SessionsArgs, places: &[SearchPlace]) -> String {
    let folders: Vec<String> = places.iter().map(|place| place::with_tilde(&place.folder)).collect();
    let matches = args.pattern.as_ref().map_or_else(String::new, |pattern| format!(" that matches {pattern:?}"));
    match folders.is_empty() {
        true => "no folder to search: HOME is not set; name one with --dir".to_owned(),
        false => format!("no session{matches} in {}", folders.join(", ")),
    }
}

fn document(sessions: &[Listed<'_>], unreadable: &[(PathBuf, String)]) -> Value {
    let unreadable: Vec<Value> =
        unreadable.iter().map(|(path, reason)| json!({"file": path.to_string_lossy(), "error": reason})).collect();
    let sessions: Vec<Value> = sessions.iter().filter_map(|listed| session(*listed)).collect();
    json!({"sessions": sessions, "unreadable": unreadable})
}

fn session(listed: Listed<'_>) -> Option<Value> {
    let outline = listed.outline()?;
    let modified = listed.file.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some(json!({
        "file": listed.file.path.to_string_lossy(),
        "program": outline.format,
        "project": listed.project(),
        "cwd": outline.cwd,
        "branch": outline.branch,
        "title": outline.title,
        "prompt": outline.prompt,
        "answer": outline.answer,
        "outcome": outline.outcome,
        "error": outline.error,
        "findings": outline.findings,
        "context_tokens": outline.context_tokens,
        "total_tokens": outline.total_tokens,
        "model": outline.model,
        "version": outline.version,
        "began_ms": outline.began.map(|time| time / 1000),
        "ended_ms": outline.ended.map(|time| time / 1000),
        "modified_ms": modified.map(|time| time.as_millis() as u64),
        "bytes": listed.file.bytes,
    }))
}

/// Two lines per session: what it is, and the file to open.
fn write_text(sessions: &[Listed<'_>], paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    let now = SystemTime::now();
    for listed in sessions {
        let Some(outline) = listed.outline() else { continue };
        let age = listed.age_seconds(now).map_or_else(String::new, list::age);
        let outcome = outline.outcome.as_deref().unwrap_or("unknown");
        let shown = pad(&fit(outcome, 11), 11);
        let shown = match outcome {
            "completed" => paint.good(&shown),
            "error" => paint.bad(&shown),
            _ => paint.dim(&shown),
        };
        let findings = outline.findings.filter(|findings| *findings > 0);
        let findings = findings.map_or_else(String::new, |findings| count(findings.into(), "finding"));
        let numbers = [
            outline.context_tokens.map_or_else(String::new, |tokens| format!("{} tokens", list::tokens(tokens))),
            list::size(listed.file.bytes),
            findings,
        ];
        let numbers: Vec<String> = numbers.into_iter().filter(|text| !text.is_empty()).collect();
        let project = paint.name(&pad(&fit(&listed.project(), 18), 18));
        let lead = format!("{} {project} {} {shown} ", pad(&age, 6), pad(outline.program, 11));
        let room = columns().saturating_sub(6 + 1 + 18 + 1 + 11 + 1 + 11 + 1).max(20);
        writeln!(out, "{lead}{}", fit(listed.subject().unwrap_or_default(), room))?;
        let file = shell_word(&listed.file.path.to_string_lossy());
        writeln!(out, "       {} {}", paint.dim(&numbers.join(" · ")), paint.dim(&clean(&file)))?;
    }
    Ok(())
}
