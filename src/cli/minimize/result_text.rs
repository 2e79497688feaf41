//! The text that `minimize` prints: the size of the result and the proof that it is minimal.

use std::io::{self, Write};

use super::{MinimizeOutcome, MinimizeRun, Targets};
use crate::cli::paint::{Paint, clean, columns, count, fit, grouped, pad};
use crate::minimize::candidate::Candidate;
use crate::minimize::certificate::CertificateRow;
use crate::replay::finding::Finding;

/// How many other findings are printed; the report has all of them.
const MET_SHOWN: usize = 3;

pub(super) fn write(
    run: &MinimizeRun<'_>,
    outcome: &MinimizeOutcome,
    targets: &Targets,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (minimized, parts) = (&outcome.minimized, &run.task.gathered.parts);
    let kept = match (&outcome.finding, &run.args.test) {
        (Some(finding), _) => clean(&finding.fingerprint()),
        (None, command) => clean(command.as_deref().unwrap_or_default()),
    };
    let mark = if minimized.complete { paint.good("✓") } else { paint.bad("!") };
    writeln!(out, "{mark} {}", paint.strong(&fit(&kept, columns().saturating_sub(2))))?;
    let size = |candidate: &Candidate, events: usize| {
        format!("{}, {} bytes", count(events as u64, "event"), grouped(candidate.bytes(parts)))
    };
    let (before, after) = (size(&Candidate::all(parts), parts.len()), size(&minimized.best, minimized.best.len()));
    let tests = format!("{}, {} cached", count(minimized.tests, "test"), grouped(minimized.cached));
    writeln!(
        out,
        "  {before} → {after}  {}",
        paint.dim(&format!("({tests}, {:.2} s)", run.watch.elapsed().as_secs_f64()))
    )?;
    if !minimized.complete {
        let why = if run.watch.was_interrupted() { "interrupted by Ctrl-C" } else { "the budget ran out" };
        writeln!(out, "  {}", paint.bad(&format!("not minimal: {why}; this is the best result so far")))?;
    }
    if !minimized.certificate.is_empty() {
        writeln!(out, "\n{}", paint.dim("  event  original  kind                           without it"))?;
    }
    for row in &minimized.certificate {
        write_row(row, paint, out)?;
    }
    write_others(outcome, paint, out)?;
    for target in [&targets.log, &targets.report, &targets.test].into_iter().flatten() {
        writeln!(out, "{} {}", paint.dim("wrote"), clean(&target.path().display().to_string()))?;
    }
    Ok(())
}

fn write_row(row: &CertificateRow, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let room = columns().saturating_sub(50).max(20);
    let kind = paint.name(&pad(row.kind, 30));
    writeln!(out, "{:>7}  {:>8}  {kind} {}", row.event, row.original, fit(&row.without.describe(), room))
}

fn write_others(outcome: &MinimizeOutcome, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let mut list = |title: &str, findings: Vec<&Finding>| -> io::Result<()> {
        if findings.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{}", paint.dim(title))?;
        for finding in findings.iter().take(MET_SHOWN) {
            writeln!(out, "  {}", fit(&clean(&finding.fingerprint()), columns().saturating_sub(2)))?;
        }
        if findings.len() > MET_SHOWN {
            writeln!(out, "  … {} more", findings.len() - MET_SHOWN)?;
        }
        Ok(())
    };
    list("other findings of the minimized log", outcome.also_reported.iter().collect())?;
    list("other findings of candidates", outcome.minimized.met.iter().map(|met| &met.finding).collect())?;
    writeln!(out)
}
