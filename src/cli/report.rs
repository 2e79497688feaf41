//! `stepback report`: the whole of what can be derived. Without a command it is what opening a log prints.

mod tape;
mod transfer;

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};

use color_eyre::eyre;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::args::{Arguments, DiffArgs, FailOn, RedactRules, ReportArgs};
use super::diff;
use super::exit::Exit;
use super::format::{self, Context};
use super::open::{Opened, open, open_or_demo, pack_head, refuse_if_strict};
use super::paint::{Paint, clean, columns, count, fit, glyph, pad, wrapped};
use super::pass::{Judged, judge};
use super::progress::ByteProgress;
use super::redaction::{Hiding, redaction_json};
use super::replayed::ReplayedLog;
use super::screen;
use super::show;
use crate::loader::held::Held;
use crate::redact::{Rules, redact};
use crate::replay::check::Severity;
use crate::replay::finding::Finding;
use crate::replay::moment::value_text;
use crate::turn::projection::{FIELDS, Projection};
use crate::turn::report::report;
use crate::turn::summary::outcome_text;
use crate::turn::thread::{Thread, TurnResult};
use crate::turn::whole::Recording;

/// `stepback [FILE]`: the screen; not on a terminal the report, or one moment of it.
pub fn run_default(arguments: &Arguments, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if let Some(path) = &arguments.screen.screenshot {
        return screen::save(arguments, path);
    }
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return screen::run(arguments, paint);
    }
    if let Some(other) = &arguments.compare {
        return diff::run(&DiffArgs::of_screen(arguments, other), paint, out);
    }
    let opened = open_or_demo(&arguments.input)?;
    match &arguments.at {
        Some(target) => {
            let replayed = ReplayedLog::begin(opened, false)?;
            replayed.finish(arguments.input.file.as_deref())?;
            show::write_text(&replayed, replayed.resolve(target)?, *paint, out)
        }
        None => write_report(opened, *paint, out),
    }
}

fn write_report(opened: Opened, paint: Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if *opened.dialect() == crate::tape::dialect::DIALECT {
        tape::write_text(opened, false, paint, out)
    } else if *opened.dialect() == crate::transfer::dialect::DIALECT {
        transfer::write_text(&opened, paint, out)
    } else {
        write_text(&opened, paint, out)
    }
}

pub fn run(args: &ReportArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    let mut hiding = Hiding::of(&opened, args.redact)?;
    if *opened.dialect() == crate::tape::dialect::DIALECT {
        return match args.json {
            true => tape::run_json(opened, args, hiding, out),
            false => tape::write_text(opened, args.strict, *paint, out),
        };
    }
    refuse_if_strict(args.strict, &opened)?;
    if *opened.dialect() == crate::transfer::dialect::DIALECT {
        return match args.json {
            true => transfer::run_json(&opened, hiding, out),
            false => transfer::write_text(&opened, *paint, out),
        };
    }
    if !args.json {
        return write_text(&opened, *paint, out);
    }
    let held = Held::read(&opened.log)?;
    let recording = held.decode(&opened.log);
    let mut document = report(&recording, &opened.beside);
    if !held.damage.is_empty() {
        document["strict_accepts"] = json!(false);
    }
    document["dialect"] = json!(crate::turn::dialect::DIALECT.name);
    document["container"] = json!(opened.log.container.name());
    if let Some(around) = &opened.log.around
        && around.is_pack
    {
        let replayed_ok = document["trace"]["replay_summary"]["coherence_ok"] == json!(true);
        document["pack"] = json!(pack_head(around, recording.events.len()).validate(replayed_ok));
    }
    match args.redact {
        None => {}
        Some(RedactRules::All) => {
            let (events, rules) = hiding.events(recording.iter().map(|event| json!(event).to_string()).collect());
            let events: Vec<Value> = events.iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
            let masked = json!({"events": events, "redaction": redaction_json(&rules)});
            // One answer under both names: masks go further than either set of rules.
            document["redacted_thorough"] = masked.clone();
            document["redacted"] = masked;
        }
        Some(RedactRules::Reference) => {
            document["redacted"] = redacted(&recording, Rules::Reference);
            document["redacted_thorough"] = redacted(&recording, Rules::Thorough);
        }
    }
    writeln!(out, "{}", hiding.document(&document)?)?;
    Ok(Exit::Clean)
}

/// The events without the secrets that a set of rules hides, and the rules that applied.
fn redacted(recording: &Recording<'_>, rules: Rules) -> Value {
    let mut hit = BTreeSet::new();
    let events: Vec<Value> = recording
        .iter()
        .map(|event| {
            let mut event = json!(event);
            redact(&mut event, rules, &mut hit);
            event
        })
        .collect();
    json!({"events": events, "redaction": redaction_json(&hit)})
}

fn write_text(opened: &Opened, paint: Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let held = Held::read(&opened.log)?;
    let recording = held.decode(&opened.log);
    let thread = Thread::of(&recording, &recording.turns());
    let judged = judge(opened, &ByteProgress::none())?;
    let whole = crate::turn::report::WholeLog::of(&recording);

    let log = &opened.log;
    let events = count(u64::from(judged.events), "event");
    let turns = count(thread.turns.len() as u64, "turn");
    writeln!(out, "{}", paint.strong(&clean(&log.name)))?;
    writeln!(out, "{} ({}), {events}, {turns}", crate::turn::dialect::DIALECT.title, log.container.name())?;

    if !thread.turns.is_empty() {
        writeln!(out, "\n{}", paint.strong("turns"))?;
    }
    const TURNS_SHOWN: usize = 20;
    for turn in thread.turns.iter().take(TURNS_SHOWN) {
        let of_turn = |finding: &&Finding| finding.subject("turn_id") == Some(&*turn.fold.turn_id);
        let worst = judged.findings.iter().filter(of_turn).map(|finding| finding.severity).max();
        write_turn(turn, worst, paint, out)?;
    }
    if thread.turns.len() > TURNS_SHOWN {
        writeln!(out, "  … {} more", thread.turns.len() - TURNS_SHOWN)?;
    }

    let projection = &whole.fold.state.projection;
    writeln!(out, "\n{}", paint.strong("projection at the end"))?;
    let initial = Projection::default();
    for field in FIELDS.iter().filter(|field| !field.same(projection, &initial)) {
        let value = fit(&value_text(&field.value(projection)), columns().saturating_sub(42).max(20));
        writeln!(out, "  {} {value}", paint.name(&pad(field.name, 38)))?;
    }

    let effects: Vec<String> = whole
        .fold
        .effects
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(kind, number)| format!("{} {number}", kind.name()))
        .collect();
    let effects = if effects.is_empty() { "  none".to_owned() } else { wrapped(&effects, columns()) };
    writeln!(out, "\n{}\n{effects}", paint.strong("effects"))?;

    write_verdict(opened, &judged, paint, out)
}

fn write_turn(turn: &TurnResult, worst: Option<Severity>, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    let outcome = turn.fold.state.projection.outcome.as_deref();
    let outcome = outcome.map_or_else(|| "never ended".to_owned(), outcome_text);
    let (mark, coherence) = match worst.filter(|severity| *severity > Severity::Info) {
        None => (paint.good("✓"), "coherent".to_owned()),
        Some(worst) => (paint.severity(worst, glyph(worst)), format!("{} findings", worst.name())),
    };
    let id = pad(&fit(&turn.fold.turn_id, 30), 16);
    let events = count(turn.event_count as u64, "event");
    let room = columns().saturating_sub(id.width() + events.width() + coherence.width() + 9).max(20);
    writeln!(out, "  {mark} {id} {events}, {}, {coherence}", fit(&outcome, room))?;
    Ok(())
}

fn write_verdict(opened: &Opened, judged: &Judged, paint: Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    writeln!(out, "\n{}", paint.strong("findings"))?;
    if judged.findings.is_empty() {
        writeln!(out, "  {} none", paint.good("✓"))?;
    } else {
        format::text::write_findings(
            opened,
            judged,
            &Context { paint, all: false, numbered: true, fail_on: FailOn::Warning },
            out,
        )?;
        writeln!(out, "{} stepback checks --explain ID says what a check means", paint.dim("hint"))?;
    }
    Ok(Exit::Clean)
}
