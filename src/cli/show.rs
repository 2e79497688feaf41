//! `stepback show`: one moment of a log.

use std::io::Write;
use std::ops::ControlFlow;

use color_eyre::eyre;
use serde_json::{Value, json};

use super::args::ShowArgs;
use super::exit::Exit;
use super::open::{Opened, open};
use super::paint::{Paint, clean, clean_lines, columns, fit, glyph, grouped, pad, wrapped};
use super::pass::{judge, walk};
use super::print;
use super::progress::Progress;
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::turn::digest::Digest;
use crate::turn::effect::{Effect, EffectCounts};
use crate::turn::machine::State;
use crate::turn::obligation::Obligations;
use crate::turn::projection::{FIELDS, Projection, value_text};

/// Everything that is true right after one event.
struct Moment {
    at: Seq,
    records: u32,
    kind: String,
    raw: String,
    reason: Option<String>,
    before: Projection,
    after: Projection,
    effects: Vec<Value>,
    effect_lines: Vec<String>,
    halt: Option<Value>,
    counts: EffectCounts,
    obligations: Obligations,
    findings: Vec<(usize, Finding)>,
}

pub fn run(args: &ShowArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    let at = args.at.resolve(&opened)?;
    if !args.json {
        return write_text(&opened, at, *paint, out);
    }
    let moment = moment(&opened, at)?;
    print::pretty(&to_json(&moment), out)?;
    Ok(Exit::Clean)
}

fn moment(opened: &Opened, wanted: Seq) -> eyre::Result<Moment> {
    let judged = judge(opened, &Progress::none())?;
    let touching = judged.findings.into_iter().enumerate().filter(|(_, finding)| finding.at.contains(&wanted));
    let mut moment = Moment {
        at: wanted,
        records: judged.records,
        kind: "malformed".to_owned(),
        raw: String::new(),
        reason: None,
        before: Projection::default(),
        after: Projection::default(),
        effects: Vec::new(),
        effect_lines: Vec::new(),
        halt: None,
        counts: EffectCounts::default(),
        obligations: Obligations::default(),
        findings: touching.collect(),
    };
    let mut state = State::default();
    walk(&opened.log, |at, record, event| {
        let here = at == wanted;
        if here {
            moment.before = state.projection.clone();
            moment.raw = String::from_utf8_lossy(record).into_owned();
        }
        match event {
            Ok(event) => {
                let digest = Digest::of(&event);
                let halt = state.step(&event, &digest, &mut |effect: Effect<'_>| {
                    moment.counts.add(&effect);
                    if here {
                        moment.effects.push(effect.to_json());
                        moment.effect_lines.push(format!("{} {}", pad(effect.kind().name(), 32), effect.detail()));
                    }
                });
                moment.obligations.see(at, &event, &digest);
                if here {
                    moment.kind = event.kind().name().to_owned();
                    moment.halt = halt.map(|outcome| json!(outcome));
                }
            }
            Err(malformed) if here => moment.reason = Some(malformed.reason),
            Err(_) => {}
        }
        if here { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    moment.after = state.projection;
    Ok(moment)
}

fn to_json(moment: &Moment) -> Value {
    // A record that is no event is shown as it stands: parsing it again would hide what is wrong with it.
    let event = match &moment.reason {
        Some(_) => json!(moment.raw),
        None => serde_json::from_str(&moment.raw).unwrap_or_else(|_| json!(moment.raw)),
    };
    json!({
        "at": moment.at.0,
        "records": moment.records,
        "kind": moment.kind,
        "event": event,
        "malformed": moment.reason,
        "before": moment.before.to_json(),
        "projection": moment.after.to_json(),
        "changed": moment.before.differences(&moment.after).map(|field| field.name).collect::<Vec<_>>(),
        "effects": moment.effects,
        "halt": moment.halt,
        "effect_counts": moment.counts.to_json(),
        "findings": moment.findings.iter().map(|(_, finding)| finding.to_json()).collect::<Vec<_>>(),
        "obligations": moment.obligations.oldest(usize::MAX).iter().map(|open| {
            json!({"what": open.what, "subject": *open.subject, "since": open.since.0})
        }).collect::<Vec<_>>(),
    })
}

pub fn write_text(opened: &Opened, at: Seq, paint: Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let moment = moment(opened, at)?;
    let last = moment.records.saturating_sub(1);
    let percent = if last == 0 { 100.0 } else { f64::from(at.0) * 100.0 / f64::from(last) };
    let position = format!("event {} of {} · {percent:.1} %", grouped(u64::from(at.0)), grouped(u64::from(last)));
    writeln!(out, "{} · {} · {position}", paint.strong(&clean(&opened.log.name)), paint.name(&moment.kind))?;
    let room = columns().saturating_sub(4);

    writeln!(out, "\n{}", paint.strong("event"))?;
    if let Some(reason) = &moment.reason {
        writeln!(out, "  {} {}", paint.bad("no event:"), clean(reason))?;
    }
    match serde_json::from_str::<Value>(&moment.raw) {
        Ok(event) if moment.reason.is_none() => {
            let pretty = serde_json::to_string_pretty(&event)?;
            for line in clean_lines(&pretty).lines() {
                writeln!(out, "  {line}")?;
            }
        }
        _ => {
            const RAW_SHOWN_CHARS: usize = 4000;
            let shown: String = moment.raw.chars().take(RAW_SHOWN_CHARS).collect();
            let rest = moment.raw.len() - shown.len();
            writeln!(out, "  {}", clean(&shown))?;
            if rest > 0 {
                writeln!(out, "  {}", paint.dim(&format!("… {} more bytes", grouped(rest as u64))))?;
            }
        }
    }

    writeln!(out, "\n{}", paint.strong("projection"))?;
    let initial = Projection::default();
    for field in FIELDS {
        let changed = !field.same(&moment.before, &moment.after);
        if changed {
            let rest = field.change(&moment.before, &moment.after);
            writeln!(out, "{} {} {}", paint.good("▶"), paint.strong(&pad(field.name, 38)), fit(&rest, room))?;
        } else if !field.same(&moment.after, &initial) {
            let value = value_text(&field.value(&moment.after));
            writeln!(out, "  {} {}", paint.dim(&pad(field.name, 38)), fit(&value, room))?;
        }
    }

    writeln!(out, "\n{}", paint.strong("effects of this step"))?;
    if moment.effect_lines.is_empty() && moment.halt.is_none() {
        writeln!(out, "  none")?;
    }
    for line in &moment.effect_lines {
        writeln!(out, "  {}", fit(line.trim_end(), room))?;
    }
    if let Some(halt) = &moment.halt {
        writeln!(out, "  {} {}", paint.bad("halt"), fit(&value_text(halt), room))?;
    }
    let counts: Vec<String> = moment
        .counts
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(kind, number)| format!("{} {number}", kind.name()))
        .collect();
    let counts = if counts.is_empty() { vec!["none".to_owned()] } else { counts };
    writeln!(
        out,
        "  {}
{}",
        paint.dim("so far"),
        paint.dim(&wrapped(&counts, columns()))
    )?;

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

    writeln!(out, "\n{}", paint.strong("open now"))?;
    let open = moment.obligations.oldest(usize::MAX);
    if open.is_empty() {
        writeln!(out, "  nothing")?;
    }
    const OPEN_SHOWN: usize = 20;
    for obligation in open.iter().take(OPEN_SHOWN) {
        let since = paint.dim(&format!("since {}", obligation.since));
        writeln!(out, "  {} {} {since}", pad(obligation.what, 26), fit(&obligation.subject, 60))?;
    }
    if open.len() > OPEN_SHOWN {
        writeln!(out, "  … and {} more", grouped((open.len() - OPEN_SHOWN) as u64))?;
    }
    Ok(Exit::Clean)
}
