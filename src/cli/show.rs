//! `stepback show`: prints one moment of a log.

use std::io::Write;

use color_eyre::eyre::{self, eyre};
use serde_json::{Map, Value, json};

use super::args::ShowArgs;
use super::context;
use super::exit::Exit;
use super::paint::{Paint, clean, clean_lines, columns, fit, glyph, grouped, pad, wrapped};
use super::print;
use super::replayed::ReplayedLog;
use crate::replay::Seq;
use crate::replay::moment::{Moment, value_text};
use crate::replay::vocabulary::{FieldId, Vocabulary};

pub(super) fn run(args: &ShowArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let at = match &args.at {
        Some(at) if !args.context => at,
        at => return context::moments(&args.input, at.as_ref(), args.against.as_ref(), args.json, paint, out),
    };
    let replayed = ReplayedLog::whole(&args.input)?;
    let at = replayed.resolve(at)?;
    if !args.json {
        return write_text(&replayed, at, *paint, out);
    }
    print::pretty(&to_json(&moment(&replayed, at)?, &replayed), out)?;
    Ok(Exit::Clean)
}

fn moment(replayed: &ReplayedLog, at: Seq) -> eyre::Result<Moment> {
    let moment = replayed.replay().moment(at).map_err(|gone| replayed.gone(gone))?;
    moment.ok_or_else(|| eyre!("{}: there is no event {at}", replayed.name))
}

fn to_json(moment: &Moment, replayed: &ReplayedLog) -> Value {
    let vocabulary = replayed.replay().vocabulary();
    let raw = String::from_utf8_lossy(&moment.record);
    // A record that does not decode is printed verbatim: parsing it again would hide what is wrong with it.
    let event = match &moment.malformed {
        Some(_) => json!(raw),
        None => serde_json::from_slice(moment.event()).unwrap_or_else(|_| json!(raw)),
    };
    let fields = |value: &dyn Fn(FieldId) -> Value| -> Map<String, Value> {
        vocabulary.field_ids().map(|field| (vocabulary.field_name(field).to_owned(), value(field))).collect()
    };
    let counts: Map<String, Value> = vocabulary
        .effect_ids()
        .map(|effect| (vocabulary.effect_name(effect).to_owned(), json!(moment.tally.of(effect))))
        .collect();
    let (origins, not_recorded) = moment.origins(vocabulary);
    json!({
        "at": moment.at.0,
        "records": replayed.replay().len(),
        "kind": vocabulary.kind_name(moment.kind),
        "event": event,
        "record": raw,
        "in_full": moment.in_full.as_deref().and_then(|full| serde_json::from_slice::<Value>(full).ok()),
        "findings_not_kept": replayed.replay().findings().dropped,
        "malformed": moment.malformed,
        "before": fields(&|field| moment.sides.before(field)),
        "projection": fields(&|field| moment.sides.after(field)),
        "origins": origins,
        "not_recorded": not_recorded,
        "changed": moment.sides.changed().iter().map(|field| vocabulary.field_name(field)).collect::<Vec<_>>(),
        "effects": moment.effects.iter().map(|effect| effect.payload.clone()).collect::<Vec<_>>(),
        "halt": moment.halt,
        "effect_counts": counts,
        "findings": moment.findings.iter().map(|(_, finding)| finding.to_json()).collect::<Vec<_>>(),
        "notes": replayed.loaded.notes().about(moment.at).map(|note| {
            json!({"id": note.id, "kind": note.kind, "at": note.at.0, "until": note.until.0, "text": note.text})
        }).collect::<Vec<_>>(),
        "obligations": moment.obligations.iter().map(|open| {
            json!({"what": open.what, "subject": *open.subject, "since": open.since.0})
        }).collect::<Vec<_>>(),
    })
}

pub(super) fn write_text(replayed: &ReplayedLog, at: Seq, paint: Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let moment = moment(replayed, at)?;
    let vocabulary = replayed.replay().vocabulary();
    let last = replayed.replay().len().saturating_sub(1);
    let percent = if last == 0 { 100.0 } else { f64::from(at.0) * 100.0 / f64::from(last) };
    let position = format!("event {} of {} · {percent:.1} %", grouped(u64::from(at.0)), grouped(u64::from(last)));
    let kind = vocabulary.kind_name(moment.kind);
    writeln!(out, "{} · {} · {position}", paint.strong(&clean(&replayed.name)), paint.name(kind))?;
    write_event(&moment, paint, out)?;
    write_projection(&moment, vocabulary, paint, out)?;
    write_effects(&moment, vocabulary, paint, out)?;
    write_findings(&moment, paint, out)?;
    let dropped = replayed.replay().findings().dropped;
    if dropped > 0 {
        let text = format!("{} more findings of the log were counted but not kept", grouped(dropped));
        writeln!(out, "  {}", paint.dim(&text))?;
    }
    write_obligations(&moment, paint, out)?;
    write_notes(replayed, at, paint, out)?;
    Ok(Exit::Clean)
}

/// Prints the notes from a sidecar, if the log has one.
fn write_notes(replayed: &ReplayedLog, at: Seq, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    let notes = replayed.loaded.notes();
    if notes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", paint.strong("annotations"))?;
    for note in notes.about(at) {
        let stretch = if note.until > note.at { format!(" {} to {}", note.at, note.until) } else { String::new() };
        let kind = paint.name(&format!("{}{stretch}", note.kind));
        writeln!(out, "  {kind} {}", fit(&note.text, room()))?;
    }
    if notes.about(at).next().is_none() {
        writeln!(out, "  none here")?;
    }
    Ok(())
}

fn room() -> usize {
    columns().saturating_sub(4)
}

fn write_event(moment: &Moment, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    writeln!(out, "\n{}", paint.strong("event"))?;
    if let Some(reason) = &moment.malformed {
        writeln!(out, "  {} {}", paint.bad("not an event:"), clean(reason))?;
    }
    match serde_json::from_slice::<Value>(moment.in_full.as_deref().unwrap_or(&moment.record)) {
        Ok(event) if moment.malformed.is_none() => {
            let pretty = serde_json::to_string_pretty(&event)?;
            for line in clean_lines(&pretty).lines() {
                writeln!(out, "  {line}")?;
            }
        }
        _ => {
            const RAW_SHOWN_CHARS: usize = 4000;
            let raw = String::from_utf8_lossy(&moment.record);
            let shown: String = raw.chars().take(RAW_SHOWN_CHARS).collect();
            let rest = raw.len() - shown.len();
            writeln!(out, "  {}", clean(&shown))?;
            if rest > 0 {
                writeln!(out, "  {}", paint.dim(&format!("… {} more bytes", grouped(rest as u64))))?;
            }
        }
    }
    Ok(())
}

fn write_projection(moment: &Moment, vocabulary: &Vocabulary, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    writeln!(out, "\n{}", paint.strong("projection"))?;
    let (changed, departed) = (moment.sides.changed(), moment.sides.departed());
    for field in vocabulary.field_ids() {
        let name = pad(vocabulary.field_name(field), 38);
        if changed.contains(field) {
            let change = fit(&moment.sides.change(field), room());
            writeln!(out, "{} {} {change}", paint.good("▶"), paint.strong(&name))?;
        } else if departed.contains(field) {
            writeln!(out, "  {} {}", paint.dim(&name), fit(&moment.sides.brief(field, room()), room()))?;
        } else if let Some(reason) = moment.sides.origin(field).gap() {
            writeln!(out, "  {} {}", paint.dim(&name), paint.dim(&format!("not recorded: {reason}")))?;
        }
    }
    Ok(())
}

fn write_effects(moment: &Moment, vocabulary: &Vocabulary, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    writeln!(out, "\n{}", paint.strong("effects"))?;
    if moment.effects.is_empty() && moment.halt.is_none() {
        writeln!(out, "  none")?;
    }
    for effect in &moment.effects {
        let line = format!("{} {}", pad(vocabulary.effect_name(effect.kind), 32), effect.detail);
        writeln!(out, "  {}", fit(line.trim_end(), room()))?;
    }
    if let Some(halt) = &moment.halt {
        writeln!(out, "  {} {}", paint.bad("halt"), fit(&value_text(halt), room()))?;
    }
    let counts = vocabulary.effect_ids().map(|effect| (vocabulary.effect_name(effect), moment.tally.of(effect)));
    let counts: Vec<String> =
        counts.filter(|(_, number)| *number > 0).map(|(name, number)| format!("{name} {number}")).collect();
    let counts = if counts.is_empty() { vec!["none".to_owned()] } else { counts };
    writeln!(out, "  {}\n{}", paint.dim("all up to here"), paint.dim(&wrapped(&counts, columns())))?;
    Ok(())
}

fn write_findings(moment: &Moment, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    writeln!(out, "\n{}", paint.strong("findings here"))?;
    if moment.findings.is_empty() {
        writeln!(out, "  none")?;
    }
    for (index, finding) in &moment.findings {
        let mark =
            paint.severity(finding.severity, &format!("{} {}", glyph(finding.severity), finding.severity.name()));
        writeln!(out, "  {mark} {} {}", paint.strong(finding.check.id), paint.dim(&format!("finding:{}", index + 1)))?;
        writeln!(out, "    {}", clean(&finding.message()))?;
        writeln!(out, "    {} {}", paint.dim("expected"), clean(&finding.expected))?;
        writeln!(out, "    {} {}", paint.dim("actual  "), clean(&finding.actual))?;
    }
    Ok(())
}

fn write_obligations(moment: &Moment, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    const OPEN_SHOWN: usize = 20;
    writeln!(out, "\n{}", paint.strong("open now"))?;
    if moment.obligations.is_empty() {
        writeln!(out, "  nothing")?;
    }
    for obligation in moment.obligations.iter().take(OPEN_SHOWN) {
        let since = paint.dim(&format!("since {}", obligation.since));
        writeln!(out, "  {} {} {since}", pad(obligation.what, 26), fit(&obligation.subject, room().max(60)))?;
    }
    let rest = moment.obligation_count.saturating_sub(OPEN_SHOWN);
    if rest > 0 {
        writeln!(out, "  … and {} more", grouped(rest as u64))?;
    }
    Ok(())
}
