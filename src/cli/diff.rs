//! `stepback diff`: two logs by kinds, effects and verdicts.

use std::io::Write;

use color_eyre::eyre;
use serde_json::Value;

use super::args::DiffArgs;
use super::convert::now_ms;
use super::exit::Exit;
use super::open::open_path;
use super::paint::{Paint, clean};
use super::print;
use crate::loader::held::Held;
use crate::turn::trace::{Side, compare, compare_document};

pub fn run(args: &DiffArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if args.left == args.right && args.left.as_os_str() == "-" {
        return Err(eyre::eyre!("standard input can be read once only; name a file for one side"));
    }
    let (left, right) = (open_path(&args.left, &args.reading)?, open_path(&args.right, &args.reading)?);
    let (left_held, right_held) = (Held::read(&left.log)?, Held::read(&right.log)?);
    let (left_events, right_events) = (left_held.decode(&left.log), right_held.decode(&right.log));
    let sides = (Side::new(&left.log.name, &left_events), Side::new(&right.log.name, &right_events));
    let diff = &compare(&sides.0, &sides.1);
    let is_same = diff["coherence_match"] == true
        && diff["event_kind_sequence_match"] == true
        && diff["effect_count_deltas"].as_array().is_none_or(Vec::is_empty);
    if args.json {
        print::pretty(&compare_document(&sides.0, &sides.1, now_ms()), out)?;
    } else {
        write_text(&left.log.name, &right.log.name, diff, is_same, *paint, out)?;
    }
    Ok(if is_same { Exit::Clean } else { Exit::Findings })
}

fn write_text(
    left: &str,
    right: &str,
    diff: &Value,
    is_same: bool,
    paint: Paint,
    out: &mut dyn Write,
) -> eyre::Result<()> {
    if is_same {
        writeln!(out, "{} the same kinds of events, the same effects, the same verdict", paint.good("✓"))?;
        return Ok(());
    }
    let side = |name: &str, events: &Value, ok: &Value| {
        let verdict = if *ok == true { paint.good("gate passed") } else { paint.bad("gate failed") };
        format!("{} {events} events, {verdict}", paint.strong(&clean(name)))
    };
    writeln!(out, "left   {}", side(left, &diff["left_event_count"], &diff["left_coherence_ok"]))?;
    writeln!(out, "right  {}", side(right, &diff["right_event_count"], &diff["right_coherence_ok"]))?;
    if let Some(index) = diff["first_kind_mismatch_index"].as_u64() {
        let kind = |kinds: &Value| kinds[index as usize].as_str().unwrap_or("the end").to_owned();
        writeln!(out, "\nfirst difference at decoded event {index}")?;
        writeln!(out, "  left   {}", paint.name(&kind(&diff["left_event_kinds"])))?;
        writeln!(out, "  right  {}", paint.name(&kind(&diff["right_event_kinds"])))?;
    }
    for (title, deltas, name) in
        [("effects", &diff["effect_count_deltas"], "field"), ("guard events", &diff["guard_event_deltas"], "kind")]
    {
        let Some(deltas) = deltas.as_array().filter(|deltas| !deltas.is_empty()) else { continue };
        writeln!(out, "\n{}", paint.strong(title))?;
        for delta in deltas {
            let name = delta[name].as_str().unwrap_or_default();
            writeln!(out, "  {} {} → {}", paint.name(&super::paint::pad(name, 32)), delta["left"], delta["right"])?;
        }
    }
    Ok(())
}
