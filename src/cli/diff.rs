//! `stepback diff`: two logs, event by event or by kinds, effects and verdicts.

mod aligned;
mod fidelity;
mod kinds;

use std::io::Write;

use color_eyre::eyre;
use serde_json::json;

use super::args::{DiffArgs, DiffMode};
use super::exit::Exit;
use super::open::{open_path, refuse_other_dialect};
use super::paint::Paint;
use super::print;
use super::replayed::ReplayedLog;
use crate::loader::held::Held;
use crate::turn;
use aligned::Aligned;

pub fn run(args: &DiffArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if args.left == args.right && args.left.as_os_str() == "-" {
        return Err(eyre::eyre!("standard input can be read once only; name a file for one side"));
    }
    let (left, right) = (open_path(&args.left, &args.reading)?, open_path(&args.right, &args.reading)?);
    let mode = args.mode.unwrap_or(if args.compat { DiffMode::ByteIdentical } else { DiffMode::Aligned });
    match mode.of_tapes() {
        Some(mode) => return fidelity::run((&left, &right), mode, args, *paint, out),
        None if args.compat => {
            return Err(eyre::eyre!(
                "--compat compares tapes as the reference does: byte-identical, semantic, phase-aware or outcome"
            ));
        }
        None => {}
    }
    let are_turns = [&left, &right].iter().all(|opened| *opened.dialect() == turn::dialect::DIALECT);
    if mode == DiffMode::Kinds {
        refuse_other_dialect(&left, "--mode kinds compares turn logs")?;
        refuse_other_dialect(&right, "--mode kinds compares turn logs")?;
    }
    let by_kinds = if (args.json && are_turns) || mode == DiffMode::Kinds {
        let (left_held, right_held) = (Held::read(&left.log)?, Held::read(&right.log)?);
        let (left_events, right_events) = (left_held.decode(&left.log), right_held.decode(&right.log));
        Some(kinds::ByKinds::of((&left.log.name, &left_events), (&right.log.name, &right_events)))
    } else {
        None
    };
    if let Some(by_kinds) = by_kinds.as_ref().filter(|_| mode == DiffMode::Kinds) {
        if args.json {
            print::pretty(&by_kinds.document, out)?;
        } else {
            by_kinds.write_text(*paint, out)?;
        }
        return Ok(if by_kinds.is_same { Exit::Clean } else { Exit::Findings });
    }
    let (left, right) = (ReplayedLog::begin_without_checks(left)?, ReplayedLog::begin_without_checks(right)?);
    left.finish(Some(&args.left))?;
    right.finish(Some(&args.right))?;
    let aligned = Aligned::of(&left, &right)?;
    match by_kinds {
        Some(mut by_kinds) => {
            by_kinds.document["aligned"] = aligned.to_json(args.limit)?;
            print::pretty(&by_kinds.document, out)?;
        }
        None if args.json => print::pretty(&json!({"aligned": aligned.to_json(args.limit)?}), out)?,
        None => aligned.write_text(args.limit, *paint, out)?,
    }
    let is_same = aligned.is_same() && !(args.strict_drift && aligned.drifted());
    Ok(if is_same { Exit::Clean } else { Exit::Findings })
}
