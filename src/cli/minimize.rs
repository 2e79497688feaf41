//! `stepback minimize`: the smallest log that still reports the same finding, with the proof.

pub(super) mod choose;
mod emit;
mod result_text;
pub(super) mod watch;

use std::io::{self, Write};
use std::path::Path;
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
use crate::minimize::checker::CandidateChecker;
use crate::minimize::{Extent, MinimizeSetup, minimize};
use crate::minimize_io::Parallel;
use crate::minimize_io::command::{ByCommand, CommandRun};
use crate::minimize_io::task::{MinimizeOutcome, MinimizeTask, report_path};
use crate::wholefile::{Destination, Existing};
use watch::Watch;

pub(super) fn run(args: &MinimizeArgs, paint: &Paint, errors: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let targets = Targets::of(args)?;
    let opened = open(&args.input)?;
    opened.warn_about_damage();
    let task = MinimizeTask::new(Arc::new(opened.log), opened.sidecars)?;
    let checker = task.checker();
    let watch = Watch::new(task.gathered.parts.len(), args.max_time)?;
    let run = MinimizeRun { args, task: &task, checker: &*checker, watch: &watch };
    let result = match &args.test {
        Some(command) => run.by_command(command)?,
        None => run.by_finding()?,
    };
    run.keep(&result, &targets)?;
    let document = task.document(&result, args.test.as_deref())?;
    if let Some(path) = &targets.report {
        write_file(path, &pretty(&document)?)?;
    }
    if targets.log.is_none() {
        out.write_all(&task.written(&result))?;
        out.flush()?;
        let mut text = Vec::new();
        result_text::write(&run, &result, &targets, *errors, &mut text)?;
        let _ = io::stderr().write_all(&text);
    } else if args.json {
        print::pretty(&document, out)?;
    } else {
        result_text::write(&run, &result, &targets, *paint, out)?;
    }
    Ok(if watch.was_interrupted() { Exit::Interrupted } else { Exit::Clean })
}

/// The files to write. Bad ones are rejected before the work begins.
struct Targets {
    log: Option<Destination>,
    report: Option<Destination>,
    test: Option<Destination>,
}

impl Targets {
    fn of(args: &MinimizeArgs) -> eyre::Result<Targets> {
        let log = args.output.as_deref().filter(|output| *output != Path::new("-"));
        let report = args.report.clone().or_else(|| log.map(report_path));
        let test = args.emit_test.zip(log).map(|(form, log)| emit::path(form, log));
        let existing = Existing::unless_forced(args.force);
        let target = |path: &Path| Destination::new(path, Some(&args.input.file), existing);
        let targets = Targets {
            log: log.map(target).transpose()?,
            report: report.as_deref().map(target).transpose()?,
            test: test.as_deref().map(target).transpose()?,
        };
        if args.emit_test.is_some() && targets.test.is_none() {
            return Err(eyre!("--emit-test writes the test beside the minimized log; name a file with -o"));
        }
        Ok(targets)
    }
}

/// One run of the command: its arguments, the log, and the clock.
struct MinimizeRun<'s> {
    args: &'s MinimizeArgs,
    task: &'s MinimizeTask,
    checker: &'s dyn CandidateChecker,
    watch: &'s Watch,
}

impl MinimizeRun<'_> {
    fn by_finding(&self) -> eyre::Result<MinimizeOutcome> {
        let whole = Candidate::all(&self.task.gathered.parts);
        // The search starts from the whole log, too, and can then reuse this pass.
        self.checker.settle(&whole);
        let found = self.checker.findings(&whole);
        let finding = choose::choose(self, &found)?;
        if let (Some(_), Some(sidecar)) = (&self.args.emit_test, self.task.sidecars.source_of(finding.check)) {
            let id = finding.check.id;
            return Err(eyre!("{id} depends on {sidecar}, which a test of the log alone does not have"));
        }
        let limits = (self.args.max_tests, Extent::Payloads);
        Ok(self.task.keeping(self.checker, (&finding, &found), limits, &mut self.watch.observer()))
    }

    fn by_command(&self, command: &str) -> eyre::Result<MinimizeOutcome> {
        let (parts, path) = (&self.task.gathered.parts, self.task.log.path.as_deref());
        let is_over = || self.watch.is_over_now();
        let predicate = ByCommand::new(command, path, parts, &self.task.form, &is_over);
        let whole = Candidate::all(parts);
        match predicate.first(&whole).wrap_err("cannot run the command")? {
            run if run.is_interesting() => {}
            CommandRun::Ended(status) if status.code().is_some_and(|code| code == 126 || code == 127) => {
                return Err(eyre!(
                    "cannot run the command: the shell does not find it or may not execute it ({status})"
                ));
            }
            CommandRun::Ended(status) => {
                return Err(eyre!(
                    "the command rejects the whole log ({status}); it must exit with 0 if a log is interesting"
                ));
            }
            CommandRun::TooLong | CommandRun::Stopped => {
                return Err(eyre!("the command did not finish on the whole log"));
            }
        }
        if predicate.run(&whole.keeping(Vec::new())).wrap_err("cannot run the command")?.is_interesting() {
            return Err(eyre!(
                "the command also accepts a log without events, so it cannot tell what is interesting; let it test for the failure"
            ));
        }
        let (checker, max_tests) = (self.checker, self.args.max_tests);
        let setup = MinimizeSetup {
            checker,
            target: None,
            predicate: &predicate,
            runner: &Parallel::OUTSIDE,
            max_tests,
            extent: Extent::Payloads,
        };
        let minimized = minimize(&setup, &mut self.watch.observer());
        Ok(MinimizeOutcome { minimized, finding: None, also_reported: Vec::new() })
    }

    /// Writes the log and its regression test, after the file was read again and still fails in the same way.
    fn keep(&self, outcome: &MinimizeOutcome, targets: &Targets) -> eyre::Result<()> {
        match &targets.log {
            Some(target) => {
                let saved = self.task.save(outcome, target);
                saved.wrap_err_with(|| format!("{}: cannot write this file", target.path().display()))?;
            }
            None => {
                let log = self.task.opened(outcome)?;
                self.task.still_fails(&log, outcome)?;
            }
        }
        if let (Some(path), Some(form), Some(finding), Some(log)) =
            (&targets.test, self.args.emit_test, &outcome.finding, &targets.log)
        {
            let case = emit::Case {
                log: log.path(),
                dialect: self.task.log.named_dialect.map(|dialect| dialect.name),
                bytes: &self.task.written(outcome),
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

fn write_file(target: &Destination, bytes: &[u8]) -> eyre::Result<()> {
    let written = target.write(bytes, |_| Ok(()));
    written.wrap_err_with(|| format!("{}: cannot write this file", target.path().display()))
}
