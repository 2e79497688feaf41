//! Two event tapes record by record: the reference's four modes, by its rules or with ours where it has none.

use std::io::Write;

use color_eyre::eyre::{self, eyre};
use serde::Serialize;

use crate::cli::args::DiffArgs;
use crate::cli::exit::Exit;
use crate::cli::open::Opened;
use crate::cli::paint::{Paint, clean, columns, count, fit, grouped, pad};
use crate::cli::print;
use crate::tape;
use crate::tape::fidelity::{Comparators, Divergence, Mode, Report, Side, compare_by};
use crate::tape::payload::Payload;
use crate::tape::stored::Payloads;
use crate::tape::whole::{Newer, Tape};
use crate::tape_store::Store;

/// A request above this is not read to name what differs in it.
const LARGEST_BODY_BYTES: u64 = 16 << 20;

struct Loaded {
    tape: Tape,
    store: Option<Store>,
}

impl Loaded {
    fn of(opened: &Opened) -> eyre::Result<Loaded> {
        let log = &opened.log;
        if *opened.dialect() != tape::dialect::DIALECT {
            let title = opened.dialect().title;
            return Err(eyre!("{}: this mode compares event tapes, and this is a {title}", log.name));
        }
        let tape = Tape::read(&log.bytes()?, &log.name, Newer::Refused).map_err(|error| eyre!("{error}"))?;
        Ok(Loaded { tape, store: log.path.as_deref().map(Store::beside) })
    }

    fn body(&self, payload: &Payload) -> Option<Vec<u8>> {
        match payload {
            Payload::Inline { text, .. } => Some(text.clone().into_bytes()),
            Payload::Cas { content_hash, .. } => self.store.as_ref()?.bytes(content_hash, LARGEST_BODY_BYTES),
        }
    }
}

pub fn run(
    (left, right): (&Opened, &Opened),
    mode: Mode,
    args: &DiffArgs,
    paint: Paint,
    out: &mut dyn Write,
) -> eyre::Result<Exit> {
    let (one, two) = (Loaded::of(left)?, Loaded::of(right)?);
    let (one_bodies, two_bodies) = (|payload: &Payload| one.body(payload), |payload: &Payload| two.body(payload));
    let sides = (Side { tape: &one.tape, bodies: &one_bodies }, Side { tape: &two.tape, bodies: &two_bodies });
    let comparators = if args.compat { Comparators::Reference } else { Comparators::All };
    let report = compare_by(sides.0, sides.1, mode, comparators);
    match (args.json, args.compat) {
        (true, true) => print::pretty(&report, out)?,
        (true, false) => {
            let (first_divergence, root_cause) = (report.divergences.first(), report.root());
            print::pretty(&Explained { report: &report, first_divergence, root_cause }, out)?;
        }
        (false, _) => write_text(&report, (left, right), args.limit, paint, out)?,
    }
    Ok(if report.divergences.is_empty() { Exit::Clean } else { Exit::Findings })
}

/// The report, and where to look first.
#[derive(Serialize)]
struct Explained<'r> {
    #[serde(flatten)]
    report: &'r Report,
    first_divergence: Option<&'r Divergence>,
    /// The first that is no mere drift of time.
    root_cause: Option<&'r Divergence>,
}

fn write_text(
    report: &Report,
    (left, right): (&Opened, &Opened),
    limit: usize,
    paint: Paint,
    out: &mut dyn Write,
) -> eyre::Result<()> {
    let score = format!("score {:.4}", report.score);
    if report.divergences.is_empty() {
        writeln!(out, "{} the tapes agree, {score}", paint.good("✓"))?;
        return Ok(());
    }
    let divergences = count(report.divergences.len() as u64, "divergence");
    writeln!(out, "{} {divergences}, {score}", paint.bad("✗"))?;
    for (side, opened, records) in
        [("recorded", left, report.recorded_records), ("replay", right, report.replay_records)]
    {
        let name = paint.strong(&clean(&opened.log.name));
        writeln!(out, "  {} {name} · {}", pad(side, 8), count(records as u64, "record"))?;
    }
    if let Some(root) = report.root().filter(|root| Some(*root) != report.divergences.first()) {
        writeln!(out, "\n{}", paint.strong("first that is no drift of time"))?;
        write_divergence(root, paint, out)?;
    }
    writeln!(out, "\n{}", paint.strong("divergences"))?;
    for divergence in report.divergences.iter().take(limit) {
        write_divergence(divergence, paint, out)?;
    }
    if report.divergences.len() > limit {
        let rest = grouped((report.divergences.len() - limit) as u64);
        writeln!(out, "  … {rest} more (--limit N lists them)")?;
    }
    Ok(())
}

fn write_divergence(divergence: &Divergence, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    let seq = divergence.seq.map_or_else(String::new, |seq| seq.to_string());
    let category = paint.name(&pad(divergence.category, 22));
    let room = columns().saturating_sub(34).max(40);
    writeln!(out, "  {seq:>7}  {category} {}", fit(&divergence.message, room))?;
    Ok(())
}
