//! `stepback diff`: two logs event by event, or in a mode of their dialect.

mod aligned;

use std::io::Write;

use color_eyre::eyre::{self, eyre};
use serde_json::json;

use super::args::{ALIGNED, DiffArgs};
use super::exit::Exit;
use super::open::{Opened, open_path};
use super::paint::{Paint, columns};
use super::print;
use super::replayed::ReplayedLog;
use crate::dialect::Dialect;
use crate::dialect::diff::{DiffInput, DiffMode};
use crate::registry;
use aligned::Aligned;

pub(super) fn run(args: &DiffArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if args.left == args.right && args.left.as_os_str() == "-" {
        return Err(eyre!("standard input can be read only once; name a file for one of the logs"));
    }
    let (left, right) = (open_path(&args.left, &args.reading)?, open_path(&args.right, &args.reading)?);
    let input =
        DiffInput { left: &left.log, right: &right.log, compat: args.compat, limit: args.limit, columns: columns() };
    if let Some((dialect, mode)) = mode_of(args, &left)? {
        refuse_others(mode, dialect, [&left, &right])?;
        return compare_by(mode, &input, args.json, *paint, out);
    }
    let own = left.dialect().diff.document.filter(|_| args.json && left.dialect() == right.dialect());
    let document = own.map(|document| document(&input)).transpose()?;
    let (left, right) = (ReplayedLog::begin_without_checks(left)?, ReplayedLog::begin_without_checks(right)?);
    left.finish(Some(&args.left))?;
    right.finish(Some(&args.right))?;
    let aligned = Aligned::of(&left, &right)?;
    if args.json {
        let mut document = document.unwrap_or_else(|| json!({}));
        document["aligned"] = aligned.to_json(args.limit)?;
        print::pretty(&document, out)?;
    } else {
        aligned.write_text(args.limit, *paint, out)?;
    }
    let is_same = aligned.is_same() && !(args.strict_drift && aligned.drifted());
    Ok(if is_same { Exit::Clean } else { Exit::Findings })
}

/// The mode of a dialect that the user asked for; `None` is the comparison event by event.
fn mode_of(args: &DiffArgs, left: &Opened) -> eyre::Result<Option<(&'static Dialect, &'static DiffMode)>> {
    let dialect = left.dialect();
    let named = match args.mode.as_deref() {
        None if args.compat => Some(dialect.diff.compat_mode.ok_or_else(|| {
            eyre!(
                "{}: --compat is not available for a {}: its format has no comparison tool of its own",
                left.log.name,
                dialect.title
            )
        })?),
        named => named.filter(|name| *name != ALIGNED),
    };
    let found = named.and_then(registry::diff_mode);
    if args.compat && found.is_none_or(|(_, mode)| !mode.has_compat) {
        let with_compat = registry::diff_modes().filter(|(_, mode)| mode.has_compat);
        let names: Vec<&str> = with_compat.map(|(_, mode)| mode.name).collect();
        return Err(eyre!("--compat needs one of the modes {}", names.join(", ")));
    }
    Ok(found)
}

fn refuse_others(mode: &DiffMode, dialect: &Dialect, logs: [&Opened; 2]) -> eyre::Result<()> {
    match logs.into_iter().find(|opened| opened.dialect() != dialect) {
        Some(other) => {
            let (mode, title, found) = (mode.name, dialect.title, other.dialect().title);
            Err(eyre!(
                "{}: the mode {mode} compares only logs of the dialect {title:?}, but this is a {found}",
                other.log.name
            ))
        }
        None => Ok(()),
    }
}

fn compare_by(
    mode: &DiffMode,
    input: &DiffInput<'_>,
    json: bool,
    paint: Paint,
    out: &mut dyn Write,
) -> eyre::Result<Exit> {
    let outcome = (mode.compare)(input)?;
    if json {
        writeln!(out, "{}", print::harmless(outcome.document))?;
    } else {
        paint.write(&outcome.text, out)?;
    }
    Ok(if outcome.is_same { Exit::Clean } else { Exit::Findings })
}
