//! The format `text`: each finding with its message, the events around it, expected and actual, and the command that
//! opens the log there.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::{Context, FormatWriter, Totals};
use crate::cli::check::{CheckOutcome, FileResult, FileVerdict};
use crate::cli::open::Opened;
use crate::cli::paint::{Paint, clean, columns, count, fit, glyph, grouped, pad};
use crate::cli::pass::{CheckResults, excerpt};
use crate::replay::Place;
use crate::replay::check::{Severity, Tier};
use crate::replay::check_pass::Glance;
use crate::replay::ending::{Ending, EndingKind};
use crate::replay::finding::Finding;
use crate::replay::machine::Malformed;
use unicode_width::UnicodeWidthStr;

/// How many findings of one check are printed in full without `--all`.
const SHOWN_PER_CHECK: usize = 3;

#[derive(Default)]
pub(super) struct TextWriter;

impl FormatWriter for TextWriter {
    fn file(&mut self, result: &FileResult, context: &Context, out: &mut dyn Write) -> io::Result<()> {
        match &result.outcome {
            // Already reported on standard error.
            CheckOutcome::Trouble { .. } => Ok(()),
            CheckOutcome::Checked { opened, checked, verdict } => {
                if context.several && !checked.findings.is_empty() {
                    writeln!(out, "{}", context.paint.strong(&clean(&opened.log.name)))?;
                }
                write_file(opened, checked, *verdict, context, out)
            }
        }
    }

    fn end(&mut self, totals: Totals, context: &Context, out: &mut dyn Write) -> io::Result<()> {
        if context.several { write_total(totals, context.paint, out) } else { Ok(()) }
    }
}

fn write_file(
    opened: &Opened,
    checked: &CheckResults,
    verdict: FileVerdict,
    context: &Context,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_findings(opened, checked, context, out)?;
    let name = clean(&opened.log.name);
    let paint = context.paint;
    let mut counted = format!("{}, {}", opened.dialect().title, count(u64::from(checked.events), "event"));
    if checked.records > checked.events {
        // Other commands count these, too.
        counted.push_str(&format!(" and {}", count(u64::from(checked.records - checked.events), "undecodable record")));
    }
    let mark = match verdict {
        // Nothing is wrong with the log, but a failed run does not get a tick.
        FileVerdict::Clean if checked.ending.as_ref().is_some_and(Ending::is_failure) => paint.warning("·"),
        FileVerdict::Clean => paint.good("✓"),
        FileVerdict::Failed | FileVerdict::Rejected => paint.bad("✗"),
    };
    let judged = match verdict {
        FileVerdict::Rejected => "rejected by --strict".to_owned(),
        FileVerdict::Clean if checked.findings.is_empty() => "log is consistent".to_owned(),
        FileVerdict::Clean | FileVerdict::Failed => severities(checked, paint),
    };
    let ending = checked.ending.as_ref().map_or_else(String::new, |ending| format!("{}; ", ending_text(ending, paint)));
    writeln!(out, "{mark} {name}: {counted}; {ending}{judged}")
}

fn ending_text(ending: &Ending, paint: Paint) -> String {
    let words = fit(&ending.words, columns());
    match ending.outcome {
        EndingKind::Done => paint.good(&words),
        EndingKind::Failed => paint.bad(&words),
        EndingKind::Open => paint.warning(&words),
    }
}

/// `1 error, 2 warnings, 40 info`, worst first.
fn severities(checked: &CheckResults, paint: Paint) -> String {
    let mut parts = Vec::new();
    for severity in Severity::ALL.into_iter().rev() {
        let number = checked.findings.iter().filter(|finding| finding.severity == severity).count() as u64;
        if number > 0 {
            let text = match severity {
                Severity::Info | Severity::Critical => format!("{} {}", grouped(number), severity.name()),
                _ => count(number, severity.name()),
            };
            parts.push(paint.severity(severity, &text));
        }
    }
    if checked.dropped > 0 {
        parts.push(format!("{} more were counted but not kept", grouped(checked.dropped)));
    }
    parts.join(", ")
}

/// Prints findings in full, in the order of the log; findings of severity info get one line per check.
pub(crate) fn write_findings(
    opened: &Opened,
    checked: &CheckResults,
    context: &Context,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut shown_of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut in_full: Vec<(usize, &Finding)> = Vec::new();
    let mut in_short: BTreeMap<&str, (usize, &Finding)> = BTreeMap::new();
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, finding) in checked.findings.iter().enumerate() {
        let shown = shown_of.entry(finding.check.id).or_default();
        *shown += 1;
        if context.all || (finding.severity > Severity::Info && *shown <= SHOWN_PER_CHECK) {
            in_full.push((index, finding));
        } else if finding.severity > Severity::Info {
            *left_out.entry(finding.check.id).or_default() += 1;
        } else {
            in_short.entry(finding.check.id).or_insert((0, finding)).0 += 1;
        }
    }
    let wanted: BTreeSet<u32> = in_full.iter().flat_map(|(_, finding)| neighbourhood(finding)).collect();
    let records = excerpt(&opened.log, &checked.marks, &wanted).map_err(io::Error::other)?;
    for (index, finding) in &in_full {
        let number = context.numbered.then_some(index + 1);
        write_finding(opened, number, finding, &records, context.paint, out)?;
    }
    for (check, number) in &left_out {
        writeln!(out, "  … {number} more of {check} (--all prints them)")?;
    }
    for (check, (number, first)) in &in_short {
        let paint = context.paint;
        let mark = paint.severity(Severity::Info, glyph(Severity::Info));
        let times = if *number > 1 { format!(" ×{}", grouped(*number as u64)) } else { String::new() };
        let place = format!("first at {}", first.at[0]);
        let room = columns().saturating_sub(check.len() + times.width() + place.len() + 6).max(20);
        let message = fit(&first.message(), room);
        writeln!(out, "{mark} {}{times}  {message}  {}", paint.name(check), paint.dim(&place))?;
    }
    if !in_full.is_empty() || !in_short.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// The events printed for a finding: its first and last one, and the neighbours of the first.
fn neighbourhood(finding: &Finding) -> Vec<u32> {
    let (Some(first), Some(last)) = (finding.at.first(), finding.at.last()) else { return Vec::new() };
    vec![first.0.saturating_sub(1), first.0, first.0.saturating_add(1), last.0]
}

fn write_finding(
    opened: &Opened,
    number: Option<usize>,
    finding: &Finding,
    records: &BTreeMap<u32, (Place, Vec<u8>)>,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let at: Vec<String> = finding.at.iter().take(6).map(ToString::to_string).collect();
    let more = if finding.at.len() > 6 { ", …" } else { "" };
    let noun = if finding.at.len() == 1 { "event" } else { "events" };
    let mut place = format!("{noun} {}{more}", at.join(", "));
    if let Some(damage) = finding.place {
        place = format!("{place}, {damage}");
    }
    let mark = paint.severity(finding.severity, &format!("{} {}", glyph(finding.severity), finding.severity.name()));
    let check = paint.strong(finding.check.id);
    let number = number.map_or_else(String::new, |number| format!("  finding:{number}"));
    // Most checks prove what they say, so only weaker evidence is worth a word.
    let tier = match finding.check.tier {
        Tier::Proven => String::new(),
        tier => paint.dim(&format!(" ({})", tier.name())),
    };
    writeln!(out, "{mark} {check}{tier}  {}", paint.dim(&format!("{place}{number}")))?;
    writeln!(out, "  {}", clean(&finding.message()))?;
    let kinds = neighbourhood(finding)
        .into_iter()
        .filter_map(|at| records.get(&at))
        .map(|(_, record)| glance(opened, record).map_or("malformed", |glance| glance.kind).len());
    let kind_columns = kinds.max().unwrap_or(0);
    let mut previous: Option<u32> = None;
    for wanted in neighbourhood(finding).into_iter().collect::<BTreeSet<_>>() {
        let Some((_, record)) = records.get(&wanted) else { continue };
        if previous.is_some_and(|before| before + 1 < wanted) {
            writeln!(out, "    {}", paint.dim("…"))?;
        }
        previous = Some(wanted);
        let marked = finding.at.iter().any(|at| at.0 == wanted);
        let line = event_line(opened, wanted, record, kind_columns, paint);
        writeln!(out, "  {}{line}", if marked { paint.severity(finding.severity, "▶ ") } else { "  ".to_owned() })?;
    }
    writeln!(out, "  {} {}", paint.dim("expected"), paint.expected(&clean(&finding.expected)))?;
    writeln!(out, "  {} {}", paint.dim("actual  "), paint.actual(&clean(&finding.actual)))?;
    let first = finding.at.first().copied().unwrap_or_default();
    if records.contains_key(&first.0) {
        writeln!(out, "  {} {} --at {first}", paint.dim("open    "), clean(&opened.command))?;
    }
    writeln!(out)
}

/// Formats an event as one line.
pub(crate) fn event_line(opened: &Opened, at: u32, record: &[u8], kind_columns: usize, paint: Paint) -> String {
    let number = paint.dim(&format!("{at:>7}"));
    match glance(opened, record) {
        Ok(glance) => {
            let kind = pad(glance.kind, kind_columns);
            let room = columns().saturating_sub(kind_columns + 14).max(20);
            format!("{number}  {} {}", paint.name(&kind), fit(&glance.summary, room))
        }
        Err(malformed) => {
            let kind = pad("malformed", kind_columns);
            let raw = String::from_utf8_lossy(&record[..record.len().min(200)]).into_owned();
            let room = (columns() / 2).max(60);
            format!("{number}  {} {} {}", paint.bad(&kind), fit(&malformed.reason, room), paint.dim(&fit(&raw, room)))
        }
    }
}

fn glance(opened: &Opened, record: &[u8]) -> Result<Glance, Malformed> {
    opened.log.wrapping.event_in(record).and_then(opened.dialect().glance)
}

fn write_total(totals: Totals, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let Totals { clean, failed, trouble, failed_runs } = totals;
    let mut parts = vec![paint.good(&format!("{} clean", grouped(clean)))];
    if failed > 0 {
        parts.push(paint.bad(&format!("{} with findings", grouped(failed))));
    }
    if trouble > 0 {
        parts.push(paint.bad(&format!("{} could not be read", grouped(trouble))));
    }
    if failed_runs > 0 {
        parts.push(paint.warning(&count(failed_runs, "failed run")));
    }
    writeln!(out, "\n{}: {}", count(totals.logs(), "log"), parts.join(", "))
}
