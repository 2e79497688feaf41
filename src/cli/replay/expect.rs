//! `stepback replay --expect`: whether a log reports the finding that its crashpack is about.

use std::io::Write;

use color_eyre::eyre;
use serde_json::json;

use super::super::args::ReplayArgs;
use super::super::exit::Exit;
use super::super::open::{Opened, open};
use super::super::paint::{Paint, clean};
use super::super::pass::check_opened;
use super::super::print;
use super::super::progress::ByteProgress;
use crate::replay::check::Severity;
use crate::replay::finding::Finding;

/// The result, which determines the exit code.
enum Reproduction {
    Reproduced(Finding),
    Clean,
    /// The most severe finding that it reports instead.
    Different(Finding),
    /// The reasons, one per file.
    Damaged(Vec<String>),
}

impl Reproduction {
    const fn name(&self) -> &'static str {
        match self {
            Reproduction::Reproduced(_) => "reproduced",
            Reproduction::Clean => "clean",
            Reproduction::Different(_) => "different",
            Reproduction::Damaged(_) => "damaged",
        }
    }

    const fn exit(&self) -> Exit {
        match self {
            Reproduction::Reproduced(_) => Exit::Clean,
            Reproduction::Clean => Exit::Findings,
            Reproduction::Different(_) => Exit::Trouble,
            Reproduction::Damaged(_) => Exit::Damaged,
        }
    }
}

pub(super) fn run(args: &ReplayArgs, named: Option<&str>, paint: Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let (fingerprint, verdict) = match open(&args.input) {
        Ok(opened) => {
            let fingerprint = named.or_else(|| own_finding(&opened)).map(str::to_owned);
            let is_damaged = !opened.log.found.is_empty();
            if fingerprint.is_none() && !is_damaged {
                return Err(eyre::eyre!("{}: name the finding to expect: this is not a crashpack", opened.log.name));
            }
            let fingerprint = fingerprint.unwrap_or_default();
            let verdict = look(&opened, &fingerprint)?;
            (fingerprint, verdict)
        }
        // A folder that cannot be opened is a crashpack without its essential files.
        Err(report) if args.input.file.is_dir() => {
            (named.unwrap_or_default().to_owned(), Reproduction::Damaged(vec![report.to_string()]))
        }
        Err(report) => return Err(report),
    };
    if args.json {
        write_json(&verdict, &fingerprint, out)?;
    } else {
        write_text(&verdict, &fingerprint, paint, out)?;
    }
    Ok(verdict.exit())
}

/// The fingerprint of the finding that a crashpack is about.
fn own_finding(opened: &Opened) -> Option<&str> {
    let manifest = opened.pack.as_ref()?.manifest.as_ref()?;
    Some(&manifest.finding.fingerprint)
}

fn look(opened: &Opened, fingerprint: &str) -> eyre::Result<Reproduction> {
    if !opened.log.found.is_empty() {
        return Ok(Reproduction::Damaged(opened.log.found.iter().map(Finding::message).collect()));
    }
    let checked = check_opened(opened, &ByteProgress::none())?;
    if let Some(same) = checked.findings.iter().find(|finding| finding.fingerprint() == fingerprint) {
        return Ok(Reproduction::Reproduced(same.clone()));
    }
    // Healthy logs have findings of severity info, too.
    let worst = checked.findings.iter().map(|finding| finding.severity).max().filter(|worst| *worst > Severity::Info);
    let shown = checked.findings.into_iter().find(|finding| Some(finding.severity) == worst);
    Ok(shown.map_or(Reproduction::Clean, Reproduction::Different))
}

fn write_text(verdict: &Reproduction, expected: &str, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    let expected = clean(expected);
    match verdict {
        Reproduction::Reproduced(finding) => {
            let at = finding.at.first().copied().unwrap_or_default();
            writeln!(out, "{} reproduced at event {at}: {expected}", paint.good("✓"))?;
        }
        Reproduction::Clean => {
            writeln!(out, "{} not reproduced: the log is clean, without {expected}", paint.bad("✗"))?
        }
        Reproduction::Different(finding) => {
            writeln!(out, "{} not reproduced: {expected}", paint.bad("✗"))?;
            writeln!(out, "  the log reports {} instead", clean(&finding.fingerprint()))?;
        }
        Reproduction::Damaged(reasons) => {
            writeln!(out, "{} the crashpack is damaged, so it proves nothing", paint.bad("✗"))?;
            for reason in reasons {
                writeln!(out, "  {}", clean(reason))?;
            }
        }
    }
    Ok(())
}

fn write_json(verdict: &Reproduction, expected: &str, out: &mut dyn Write) -> eyre::Result<()> {
    let (finding, damage) = match verdict {
        Reproduction::Reproduced(finding) | Reproduction::Different(finding) => (Some(finding.to_json()), None),
        Reproduction::Clean => (None, None),
        Reproduction::Damaged(reasons) => (None, Some(reasons)),
    };
    let document = json!({"expected": expected, "verdict": verdict.name(), "finding": finding, "damage": damage});
    print::pretty(&document, out)?;
    Ok(())
}
