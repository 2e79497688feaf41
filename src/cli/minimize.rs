//! `stepback minimize`: the smallest log that still reports the same finding, with the proof.

pub mod choose;
mod emit;
mod tell;
pub mod watch;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use color_eyre::eyre::{self, WrapErr, eyre};
use serde_json::Value;

use super::args::MinimizeArgs;
use super::exit::Exit;
use super::open::open;
use super::paint::Paint;
use super::print;
use super::replayed::note;
use crate::minimize::candidate::Candidate;
use crate::minimize::trial::Trial;
use crate::minimize::{Work, minimize};
use crate::minimizer::Parallel;
use crate::minimizer::command::{ByCommand, Run};
use crate::minimizer::subject::{self, Outcome, Room, Subject, report_path};
use crate::turn::checks;
use watch::Watch;

pub fn run(args: &MinimizeArgs, paint: &Paint, errors: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let targets = Targets::of(args)?;
    let opened = open(&args.input)?;
    opened.tell_damage();
    let subject = Subject::new(Arc::new(opened.log), Arc::new(opened.beside))?;
    let trial = subject.trial();
    let watch = Watch::new(subject.gathered.parts.len(), args.max_time)?;
    let run = MinimizeRun { args, subject: &subject, trial: &*trial, watch: &watch };
    let result = match &args.test {
        Some(command) => run.by_command(command)?,
        None => run.by_finding()?,
    };
    run.keep(&result, &targets)?;
    let document = subject.document(&result, args.test.as_deref())?;
    if let Some(path) = &targets.report {
        write_file(path, &pretty(&document)?)?;
    }
    if targets.log.is_none() {
        out.write_all(&subject.written(&result))?;
        out.flush()?;
        let mut told = Vec::new();
        tell::tell(&run, &result, &targets, *errors, &mut told)?;
        io::stderr().write_all(&told)?;
    } else if args.json {
        print::pretty(&document, out)?;
    } else {
        tell::tell(&run, &result, &targets, *paint, out)?;
    }
    Ok(if watch.was_interrupted() { Exit::Interrupted } else { Exit::Clean })
}

/// The files to write. Bad ones are rejected before the work begins.
struct Targets {
    log: Option<PathBuf>,
    report: Option<PathBuf>,
    test: Option<PathBuf>,
}

impl Targets {
    fn of(args: &MinimizeArgs) -> eyre::Result<Targets> {
        let log = args.output.clone().filter(|output| output != Path::new("-"));
        let report = args.report.clone().or_else(|| log.as_deref().map(report_path));
        let test = args.emit_test.zip(log.as_deref()).map(|(form, log)| emit::path(form, log));
        let targets = Targets { log, report, test };
        for target in [&targets.log, &targets.report, &targets.test].into_iter().flatten() {
            let (input, output) = (args.input.file.canonicalize(), target.canonicalize());
            if input.is_ok_and(|input| output.is_ok_and(|output| input == output)) {
                return Err(eyre!("{}: this is the log itself; choose another name", target.display()));
            }
            if target.is_file() && !args.force {
                let shown = target.display();
                return Err(eyre!("{shown}: this file exists; choose another name, or --force to replace it"));
            }
        }
        if args.emit_test.is_some() && targets.test.is_none() {
            return Err(eyre!("--emit-test writes the test beside the minimized log; name a file with -o"));
        }
        Ok(targets)
    }
}

/// One run of the command: its arguments, the log, and the clock.
struct MinimizeRun<'s> {
    args: &'s MinimizeArgs,
    subject: &'s Subject,
    trial: &'s dyn Trial,
    watch: &'s Watch,
}

impl MinimizeRun<'_> {
    fn by_finding(&self) -> eyre::Result<Outcome> {
        let whole = Candidate::all(&self.subject.gathered.parts);
        // The search starts from the whole log, too, and can then reuse this pass.
        self.trial.settle(&whole);
        let found = self.trial.findings(&whole);
        let finding = choose::choose(self, &found)?;
        if self.args.emit_test.is_some() && *finding.check == checks::LIVE_PROJECTION {
            let id = finding.check.id;
            return Err(eyre!("{id} depends on the live snapshot, which a test of the log alone does not have"));
        }
        Ok(self.subject.keeping(self.trial, (&finding, &found), self.args.max_tests, &mut self.watch.clerk()))
    }

    fn by_command(&self, command: &str) -> eyre::Result<Outcome> {
        let (parts, path) = (&self.subject.gathered.parts, self.subject.log.path.as_deref());
        let is_over = || self.watch.is_over_now();
        let oracle = ByCommand::new(command, path, parts, &self.subject.form, &is_over);
        let whole = Candidate::all(parts);
        match oracle.first(&whole).wrap_err("cannot run the command")? {
            run if run.is_interesting() => {}
            Run::Ended(status) if status.code().is_some_and(|code| code == 126 || code == 127) => {
                return Err(eyre!(
                    "cannot run the command: the shell does not find it or may not execute it ({status})"
                ));
            }
            Run::Ended(status) => {
                return Err(eyre!(
                    "the command rejects the whole log ({status}); it must exit with 0 if a log is interesting"
                ));
            }
            Run::TooLong | Run::Stopped => return Err(eyre!("the command did not finish on the whole log")),
        }
        if oracle.run(&whole.keeping(Vec::new())).wrap_err("cannot run the command")?.is_interesting() {
            return Err(eyre!(
                "the command also accepts a log without events, so it cannot tell what is interesting; let it test for the failure"
            ));
        }
        let (trial, max_tests) = (self.trial, self.args.max_tests);
        let work = Work { trial, wanted: None, oracle: &oracle, runner: &Parallel::OUTSIDE, max_tests };
        let minimized = minimize(&work, &mut self.watch.clerk());
        Ok(Outcome { minimized, finding: None, also_reported: Vec::new() })
    }

    /// Writes the log and its regression test, after the file was read again and still fails in the same way.
    fn keep(&self, outcome: &Outcome, targets: &Targets) -> eyre::Result<()> {
        match &targets.log {
            Some(path) => {
                let saved = self.subject.save(outcome, path, Room::Any);
                saved.wrap_err_with(|| format!("{}: cannot write this file", path.display()))?;
            }
            None => {
                let log = self.subject.opened(outcome)?;
                self.subject.still_fails(&log, outcome).map_err(|reason| eyre!(reason))?;
            }
        }
        if let (Some(path), Some(form), Some(finding), Some(log)) =
            (&targets.test, self.args.emit_test, &outcome.finding, &targets.log)
        {
            let case = emit::Case {
                log,
                dialect: self.subject.log.named_dialect.map(|dialect| dialect.name),
                bytes: &self.subject.written(outcome),
                finding,
            };
            write_file(path, case.test(form).as_bytes())?;
        }
        Ok(())
    }
}

fn pretty(document: &Value) -> eyre::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    print::pretty(document, &mut bytes)?;
    Ok(bytes)
}

fn write_file(path: &Path, bytes: &[u8]) -> eyre::Result<()> {
    let written = subject::write_file(path, bytes, Room::Any, |_| Ok(()));
    written.wrap_err_with(|| format!("{}: cannot write this file", path.display()))
}
