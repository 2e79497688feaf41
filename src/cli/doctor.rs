//! `stepback doctor`: whether sessions of coding agents can be resumed, and what prevents it.

mod json;
mod read;
mod text;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use color_eyre::eyre::{self, WrapErr};
use rayon::prelude::*;

use super::args::DoctorArgs;
use super::discover::{self, FoundFile};
use super::exit::Exit;
use super::paint::{ColorChoice, Paint, count};
use super::print;
use super::replayed::note;
use crate::doctor::client::Client;
use crate::doctor::detect::Agent;
use crate::doctor::document::Edits;
use crate::doctor::problem::{Asked, Problem, Verdict};
use crate::doctor::session::{Examination, Repair, Session};
use crate::wholefile::{Destination, Existing, WholeFile};
use read::OpenSession;

/// When the rules were written down, and what they rest on.
pub(super) const RULES_DATE: &str = "2026-10";
pub(super) const RULES_REST_ON: &str = "Claude Code: tested to 2.1.39, changelog to 2.1.239, reports to 2.1.278; Codex: \
                                        tested to 0.125, code of August 2026";
/// So many files are examined before their results are printed.
const BATCH: usize = 64;

/// The result of one file.
pub(super) struct FileReport {
    pub name: String,
    pub outcome: DoctorOutcome,
}

pub(super) enum DoctorOutcome {
    Examined(Box<Examined>),
    NotASession,
    Trouble(String),
}

pub(super) struct Examined {
    pub agent: Agent,
    pub version: Option<Arc<str>>,
    pub client: Client,
    pub verdict: Verdict,
    pub examination: Examination,
    /// The edits, if some are needed or asked for.
    pub plan: Option<RepairPlan>,
    pub is_being_written: bool,
}

/// A repair that was made, or that could be.
pub(super) struct RepairPlan {
    pub edits: Edits,
    pub repair: Repair,
    /// So many lines were hung onto another one.
    pub relinked: usize,
    /// What the session is afterwards.
    pub verdict: Verdict,
    pub examination: Examination,
    /// The copy was written.
    pub is_written: bool,
}

impl Examined {
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked { client: self.client, recorded: self.version.as_deref() }
    }

    /// What counts for the exit code: the copy, if one was written.
    fn counting_problems(&self) -> &[Problem] {
        match &self.plan {
            Some(plan) if plan.is_written => &plan.examination.problems,
            _ => &self.examination.problems,
        }
    }
}

pub(super) fn run(args: &DoctorArgs, paint: &Paint, errors: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let found = discover::logs(&args.files)?;
    refuse_bad_usage(args, &found)?;
    let mut reports = Vec::new();
    let (mut exit, mut skipped) = (Exit::Clean, 0);
    for batch in found.chunks(BATCH) {
        let examine = |found: &FoundFile| examine(&found.path, args);
        let results: Vec<FileReport> = batch.par_iter().map(examine).collect();
        for (found, report) in batch.iter().zip(results) {
            match &report.outcome {
                DoctorOutcome::NotASession if found.walked => {
                    skipped += 1;
                    continue;
                }
                DoctorOutcome::Trouble(message) => print::error(errors, message),
                _ => {}
            }
            exit = exit.max(exit_of(&report, args));
            if args.json {
                reports.push(json::file(&report, args));
            } else {
                text::write(&report, args, *paint, out)?;
            }
        }
    }
    if skipped > 0 {
        note(&format!("skipped {} without a session", count(skipped, "file")));
    }
    if args.json {
        print::pretty(&json::document(reports), out)?;
    } else {
        text::footer(*paint, out)?;
    }
    Ok(exit)
}

/// What `doctor --dry-run` prints about a session, and whether a repair would change it.
pub(super) fn health(path: &Path) -> eyre::Result<(Vec<String>, bool)> {
    let args = DoctorArgs::repairing(path, None);
    let report = examine(path, &args);
    let can_repair = match &report.outcome {
        DoctorOutcome::Trouble(message) => eyre::bail!("{message}"),
        DoctorOutcome::NotASession => {
            eyre::bail!("{}: only sessions of Claude Code and Codex are examined", report.name)
        }
        DoctorOutcome::Examined(examined) => {
            let is_whole = |plan: &RepairPlan| plan.repair.unmended.is_empty() && !plan.edits.is_empty();
            examined.plan.as_ref().is_some_and(is_whole)
        }
    };
    let mut printed = Vec::new();
    text::write(&report, &args, Paint::for_stdout(ColorChoice::Never), &mut printed)?;
    Ok((String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect(), can_repair))
}

/// Writes the repaired copy of a session.
pub(super) fn write_repaired(path: &Path, output: &Path) -> eyre::Result<()> {
    match examine(path, &DoctorArgs::repairing(path, Some(output))).outcome {
        DoctorOutcome::Examined(examined) if examined.plan.as_ref().is_some_and(|plan| plan.is_written) => Ok(()),
        DoctorOutcome::Trouble(message) => eyre::bail!("{message}"),
        _ => eyre::bail!("nothing was written: the session cannot be repaired"),
    }
}

fn refuse_bad_usage(args: &DoctorArgs, found: &[FoundFile]) -> eyre::Result<()> {
    if args.files.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
        eyre::bail!("`-` is given more than once, but standard input can be read only once");
    }
    if args.output.is_some() && !args.repair && !args.relink {
        eyre::bail!("--output needs --repair or --relink: without them there is nothing to write");
    }
    if let [_, written] = &args.files[..]
        && args.repair
        && args.output.is_none()
        && !written.exists()
        && written.as_os_str() != "-"
    {
        let written = written.display();
        eyre::bail!("{written}: there is no such session; to write the repaired copy there, use --repair -o {written}");
    }
    if args.output.is_some() && found.len() != 1 {
        eyre::bail!("--output takes one session at a time");
    }
    Ok(())
}

fn exit_of(report: &FileReport, args: &DoctorArgs) -> Exit {
    match &report.outcome {
        DoctorOutcome::Trouble(_) | DoctorOutcome::NotASession => Exit::Trouble,
        DoctorOutcome::Examined(examined) => {
            let fails = |problem: &Problem| args.fail_on.fails(problem.severity(examined.asked()));
            if examined.counting_problems().iter().any(fails) { Exit::Findings } else { Exit::Clean }
        }
    }
}

fn examine(path: &Path, args: &DoctorArgs) -> FileReport {
    let name = path.display().to_string();
    let outcome = match read::open(path) {
        Ok(Some(opened)) => examined(path, opened, args),
        Ok(None) => Ok(DoctorOutcome::NotASession),
        Err(report) => Err(report),
    };
    let trouble = |report: eyre::Report| {
        DoctorOutcome::Trouble(report.chain().map(ToString::to_string).collect::<Vec<_>>().join(": "))
    };
    FileReport { name, outcome: outcome.unwrap_or_else(trouble) }
}

fn examined(path: &Path, opened: OpenSession, args: &DoctorArgs) -> eyre::Result<DoctorOutcome> {
    let OpenSession { session, source, is_being_written } = opened;
    let examination = session.examine();
    let mut examined = Examined {
        agent: session.agent(),
        version: session.version(),
        client: args.client,
        verdict: session.verdict(&examination.problems, args.client),
        examination,
        plan: None,
        is_being_written,
    };
    let is_writing = args.output.is_some() && !args.dry_run;
    if is_being_written && is_writing {
        eyre::bail!(
            "{}: another program is writing this session, so it is not repaired; quit the agent first",
            path.display()
        );
    }
    examined.plan = plan(session, &source, path, args)?;
    Ok(DoctorOutcome::Examined(Box::new(examined)))
}

/// Plans the edits, and writes them if that is asked for and they mend everything.
fn plan(
    mut session: Session,
    source: &read::Source,
    path: &Path,
    args: &DoctorArgs,
) -> eyre::Result<Option<RepairPlan>> {
    let (relinked, relinks) = if args.relink { session.relink(source) } else { (0, Edits::default()) };
    // A plain `--relink` changes parents and nothing else.
    let repairs = args.repair || !args.relink;
    let repair = if repairs {
        session.repair(source, args.client)
    } else {
        Repair { edits: relinks, unmended: Vec::new(), steps: Vec::new() }
    };
    let edits = repair.edits.clone();
    if edits.is_empty() && repair.unmended.is_empty() && !args.wants_edits() {
        return Ok(None);
    }
    let examination = session.examine();
    let verdict = session.verdict(&examination.problems, args.client);
    let mut plan = RepairPlan { edits, repair, relinked, verdict, examination, is_written: false };
    if let Some(output) = args.output.as_ref().filter(|_| !args.dry_run && plan.repair.unmended.is_empty()) {
        let input = (path != Path::new("-")).then_some(path);
        let destination = Destination::new(output, input, Existing::Keep)?;
        let written = || -> std::io::Result<()> {
            let mut file = WholeFile::create_new(destination.path())?;
            source.write(&session.pieces(), &mut file)?;
            file.finish_new()
        };
        written().wrap_err_with(|| format!("{}: cannot be written", output.display()))?;
        plan.is_written = true;
    }
    Ok(Some(plan))
}
