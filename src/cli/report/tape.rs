//! The report of an event tape: facts of it and its store, the world at its end, what others noted beside it.

use std::io::Write;

use color_eyre::eyre::{self, eyre};
use serde_json::{Value, json};

use super::write_verdict;
use crate::cli::args::ReportArgs;
use crate::cli::exit::Exit;
use crate::cli::open::Opened;
use crate::cli::paint::{Paint, clean, columns, count, fit, grouped, pad, wrapped};
use crate::cli::pass::judge;
use crate::cli::progress::ByteProgress;
use crate::cli::redaction::Hiding;
use crate::cli::replayed::ReplayedLog;
use crate::replay::Seq;
use crate::replay::moment::Moment;
use crate::tape::annotation::{Annotations, Validation};
use crate::tape::facts::Facts;
use crate::tape::header::Header;
use crate::tape::whole::{Newer, Tape};
use crate::tape_store::{Store, read_annotations};

/// A tape held whole, by the rules of the format's own reader.
struct Held {
    tape: Tape,
    facts: Facts,
    /// What stands beside it, and whether it fits.
    annotations: Option<(Annotations, Validation)>,
}

impl Held {
    fn of(opened: &Opened, newer: Newer) -> eyre::Result<Held> {
        let log = &opened.log;
        let tape = Tape::read(&log.bytes()?, &log.name, newer)
            .map_err(|error| eyre!("{error}; `stepback check` tells all that is wrong with it"))?;
        let stored = match &log.path {
            Some(path) => Store::beside(path).survey(&tape)?,
            None => Default::default(),
        };
        let facts = Facts::of(&tape, &stored)?;
        let annotations = match log.path.as_deref().map(read_annotations) {
            Some(Ok(Some(annotations))) => {
                let validation = annotations.validate(&tape)?;
                Some((annotations, validation))
            }
            // Nobody asked for them by name: what is wrong with them is a finding.
            _ => None,
        };
        Ok(Held { tape, facts, annotations })
    }
}

/// What the children of a run printed: an array without header, numbers and clocks.
fn is_process_tape(opened: &Opened) -> bool {
    opened.log.container == crate::log::container::Container::Array
}

pub fn run_json(opened: Opened, args: &ReportArgs, mut hiding: Hiding, out: &mut dyn Write) -> eyre::Result<Exit> {
    let judged = judge(&opened, &ByteProgress::none())?;
    let mut document = json!({});
    if is_process_tape(&opened) {
        document["process_count"] = json!(judged.events);
    } else {
        let held = Held::of(&opened, if args.strict { Newer::Refused } else { Newer::Shown })?;
        document = json!(held.facts);
        document["header"] = json!(held.tape.header.header);
        document["producer"] = json!(held.tape.header.header.producer().name());
        if let Some((annotations, validation)) = &held.annotations {
            document["annotations"] = json!({"list": annotations.list, "validation": validation});
        }
    }
    document["dialect"] = json!(opened.dialect().name);
    document["container"] = json!(opened.log.container.name());
    document["findings"] = judged.findings.iter().map(|finding| finding.to_json()).collect();
    let replayed = whole(opened, args.input.file.as_path())?;
    if let Some(moment) = last_moment(&replayed)? {
        let vocabulary = replayed.replay().vocabulary();
        let named = |field| (vocabulary.field_name(field).to_owned(), moment.sides.after(field));
        document["projection"] = Value::Object(vocabulary.field_ids().map(named).collect());
        let counted = |effect| (vocabulary.effect_name(effect).to_owned(), json!(moment.tally.of(effect)));
        document["effect_counts"] = Value::Object(vocabulary.effect_ids().map(counted).collect());
    }
    writeln!(out, "{}", hiding.document(&document)?)?;
    Ok(Exit::Clean)
}

fn whole(opened: Opened, file: &std::path::Path) -> eyre::Result<ReplayedLog> {
    let replayed = ReplayedLog::begin(opened, false)?;
    replayed.finish(Some(file))?;
    Ok(replayed)
}

fn last_moment(replayed: &ReplayedLog) -> eyre::Result<Option<Moment>> {
    let Some(last) = replayed.replay().len().checked_sub(1) else { return Ok(None) };
    replayed.replay().moment(Seq(last)).map_err(|gone| replayed.gone(gone))
}

pub fn write_text(opened: Opened, strict: bool, paint: Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let judged = judge(&opened, &ByteProgress::none())?;
    writeln!(out, "{}", paint.strong(&clean(&opened.log.name)))?;
    if is_process_tape(&opened) {
        writeln!(out, "process tape, {} served in this order", count(u64::from(judged.events), "call"))?;
    } else {
        let held = Held::of(&opened, if strict { Newer::Refused } else { Newer::Shown })?;
        write_facts(&held, opened.dialect().title, paint, out)?;
    }
    // The checks are told last, and the log is given away for its replay.
    let findings = {
        let mut told = Vec::new();
        write_verdict(&opened, &judged, paint, &mut told)?;
        told
    };
    let file = opened.log.path.clone().unwrap_or_default();
    let replayed = whole(opened, &file)?;
    if let Some(moment) = last_moment(&replayed)? {
        write_world(&moment, &replayed, paint, out)?;
    }
    out.write_all(&findings)?;
    Ok(Exit::Clean)
}

fn write_facts(held: &Held, title: &str, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    let (facts, header) = (&held.facts, &held.tape.header.header);
    let records = count(facts.record_count as u64, "record");
    writeln!(out, "{title}, format version {}, {records}", facts.version)?;
    write_header(header, out)?;
    let counts = |title: &str, names: Vec<(&str, usize)>, out: &mut dyn Write| {
        let words: Vec<String> = names.into_iter().map(|(name, number)| format!("{name} {number}")).collect();
        writeln!(out, "\n{}\n{}", paint.strong(title), wrapped(&words, columns()))
    };
    counts("kinds", facts.kinds.iter().map(|(name, number)| (*name, *number)).collect(), out)?;
    counts("phases", facts.phases.iter().map(|(name, number)| (*name, *number)).collect(), out)?;
    write_payloads(facts, paint, out)?;
    if let Some((annotations, validation)) = &held.annotations {
        write_annotations(annotations, validation, paint, out)?;
    }
    Ok(())
}

fn write_header(header: &Header, out: &mut dyn Write) -> eyre::Result<()> {
    let mut parts = vec![format!("recorded by {} ({})", header.harn_version, header.producer().name())];
    if let Some(script) = &header.script_path {
        let words: Vec<&str> = std::iter::once(script).chain(&header.argv).map(String::as_str).collect();
        parts.push(format!("script {}", words.join(" ")));
    }
    let start = header.started_at_unix_ms.map(crate::tape::summary::moment);
    parts.push(match (start, header.has_paused_clock()) {
        (Some(start), true) => format!("clock paused at {start}"),
        (Some(start), false) => format!("started at {start}"),
        (None, _) => "real clock".to_owned(),
    });
    writeln!(out, "{}", fit(&clean(&parts.join(", ")), columns()))?;
    Ok(())
}

fn write_payloads(facts: &Facts, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    writeln!(out, "\n{}", paint.strong("payloads"))?;
    writeln!(
        out,
        "  {} in their lines, {} in the store, which holds {} ({})",
        grouped(facts.inline_payloads as u64),
        grouped(facts.cas_references as u64),
        count(facts.cas_entries as u64, "file"),
        count(facts.cas_orphans.len() as u64, "orphan"),
    )?;
    let wrong = facts.missing_cas.len() + facts.hash_mismatches.len() + facts.mcp_digest_mismatches.len();
    if wrong > 0 {
        writeln!(out, "  {} {} not what the tape says", paint.bad("✗"), count(wrong as u64, "payload"))?;
    }
    writeln!(out, "  {}", paint.dim(&format!("content {}", facts.tape_content_hash)))?;
    Ok(())
}

fn write_annotations(
    annotations: &Annotations,
    validation: &Validation,
    paint: Paint,
    out: &mut dyn Write,
) -> eyre::Result<()> {
    const SHOWN: usize = 20;
    writeln!(out, "\n{}", paint.strong("annotations"))?;
    for annotation in annotations.list.iter().take(SHOWN) {
        let kind = paint.name(&pad(annotation.kind.name(), 16));
        let text = annotation.evidence.as_deref().unwrap_or_default();
        writeln!(out, "  {:>7}  {kind} {}", annotation.event_id, fit(text, columns().saturating_sub(30).max(20)))?;
    }
    if annotations.list.len() > SHOWN {
        writeln!(out, "  … {} more", annotations.list.len() - SHOWN)?;
    }
    if !validation.problems.is_empty() {
        let problems = count(validation.problems.len() as u64, "problem");
        writeln!(out, "  {} {problems}; `report --json` lists them", paint.bad("✗"))?;
    }
    Ok(())
}

fn write_world(moment: &Moment, replayed: &ReplayedLog, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    let vocabulary = replayed.replay().vocabulary();
    writeln!(out, "\n{}", paint.strong("the world at the end"))?;
    let room = columns().saturating_sub(26).max(20);
    for field in moment.sides.departed().iter() {
        let name = paint.name(&pad(vocabulary.field_name(field), 22));
        writeln!(out, "  {name} {}", fit(&moment.sides.brief(field, room), room))?;
    }
    let effects = vocabulary.effect_ids().map(|effect| (vocabulary.effect_name(effect), moment.tally.of(effect)));
    let effects: Vec<String> =
        effects.filter(|(_, number)| *number > 0).map(|(name, number)| format!("{name} {number}")).collect();
    let effects = if effects.is_empty() { "  none".to_owned() } else { wrapped(&effects, columns()) };
    writeln!(out, "\n{}\n{effects}", paint.strong("effects"))?;
    Ok(())
}
