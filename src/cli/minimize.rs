//! `stepback minimize`: the smallest log that reports the same finding, and the proof that it is.

pub mod choose;
mod emit;
pub mod smaller;
mod tell;
pub mod watch;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use color_eyre::eyre::{self, WrapErr, eyre};
use serde_json::Value;

use super::args::MinimizeArgs;
use super::exit::Exit;
use super::loading::note;
use super::open::{Opened, open};
use super::paint::Paint;
use super::print;
use crate::dialect;
use crate::loader;
use crate::log::{Log, Options};
use crate::minimize::candidate::Candidate;
use crate::minimize::trial::Trial;
use crate::minimize::written::Form;
use crate::minimizer::command::{ByCommand, Run};
use crate::minimizer::{AsBefore, Gathered, Parallel, gather};
use crate::turn::report::Beside;
use crate::wholefile::WholeFile;
use smaller::{Bench, Outcome, copied_store, document, hash_of, still_reports};
use watch::Watch;

pub fn run(args: &MinimizeArgs, paint: &Paint, errors: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let targets = Targets::of(args)?;
    let opened = open(&args.input)?;
    let gathered = gather(&opened.log)?;
    let trial = loader::trial(&opened.log, &opened.beside, &gathered.parts);
    let form = AsBefore::of(&opened.log, named_dialect(args));
    let watch = Watch::new(gathered.parts.len(), args.max_time)?;
    let session = Session { args, opened: &opened, gathered: &gathered, trial: &*trial, form: &form, watch: &watch };
    let result = match &args.test {
        Some(command) => session.by_command(command)?,
        None => session.by_finding()?,
    };
    session.keep(&result, &targets)?;
    let document = session.document(&result)?;
    if let Some(path) = &targets.report {
        write_file(path, &pretty(&document)?, |_| Ok(()))?;
    }
    if targets.log.is_none() {
        out.write_all(&form.write(&gathered.parts, &result.minimized.best))?;
        out.flush()?;
        tell::tell(&session, &result, &targets, *errors, &mut io::stderr())?;
    } else if args.json {
        print::pretty(&document, out)?;
    } else {
        tell::tell(&session, &result, &targets, *paint, out)?;
    }
    Ok(if watch.was_interrupted() { Exit::Interrupted } else { Exit::Clean })
}

/// The dialect that somebody has named, whatever the log looks like.
fn named_dialect(args: &MinimizeArgs) -> Option<&'static str> {
    args.input.reading.dialect.as_deref().map(|name| dialect::by_name(name).name)
}

/// What is written where. Everything is refused before the work begins.
struct Targets {
    log: Option<PathBuf>,
    report: Option<PathBuf>,
    test: Option<PathBuf>,
}

impl Targets {
    fn of(args: &MinimizeArgs) -> eyre::Result<Targets> {
        let log = args.output.clone().filter(|output| output != Path::new("-"));
        let beside = |ending: &str| log.as_ref().map(|log| with_ending(log, ending));
        let report = args.report.clone().or_else(|| beside(".minimization.json"));
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
            return Err(eyre!("a test is written beside its log; name a file with -o"));
        }
        Ok(targets)
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// One run of the command.
struct Session<'s> {
    args: &'s MinimizeArgs,
    opened: &'s Opened,
    gathered: &'s Gathered,
    trial: &'s dyn Trial,
    form: &'s AsBefore,
    watch: &'s Watch,
}

impl Session<'_> {
    fn by_finding(&self) -> eyre::Result<Outcome> {
        let found = self.trial.findings(&Candidate::all(&self.gathered.parts));
        let finding = choose::choose(self, &found)?;
        Ok(self.bench().by_finding(&finding, &found))
    }

    fn bench(&self) -> Bench<'_> {
        let (trial, form, watch) = (self.trial, self.form, self.watch);
        Bench { trial, form, watch, max_tests: self.args.max_tests }
    }

    fn by_command(&self, command: &str) -> eyre::Result<Outcome> {
        let (parts, path) = (&self.gathered.parts, self.opened.log.path.as_deref());
        let is_over = || self.watch.is_over_now();
        let oracle = ByCommand::new(command, path, parts, self.form, &is_over);
        let whole = Candidate::all(parts);
        match oracle.first(&whole).wrap_err("the command cannot be run")? {
            run if run.is_interesting() => {}
            Run::Ended(status) => {
                return Err(eyre!(
                    "the command does not accept the log as it is ({status}); it must exit with 0 on what is interesting"
                ));
            }
            Run::TooLong | Run::Stopped => return Err(eyre!("the command did not come to an end on the log as it is")),
        }
        if oracle.run(&whole.keeping(Vec::new())).wrap_err("the command cannot be run")?.is_interesting() {
            return Err(eyre!(
                "the command accepts a log without any event too, so it says nothing about this one; let it test for what is wrong"
            ));
        }
        let minimized = self.bench().work(None, &oracle, &Parallel::OUTSIDE);
        Ok(Outcome { minimized, finding: None, also_reported: Vec::new() })
    }

    /// Writes the log, and the test of it, once the file has been read again and fails in the same way.
    fn keep(&self, outcome: &Outcome, targets: &Targets) -> eyre::Result<()> {
        let bytes = self.form.write(&self.gathered.parts, &outcome.minimized.best);
        match &targets.log {
            Some(path) => {
                let store = copied_store(&self.opened.log, &self.gathered.parts, &outcome.minimized.best, path)?;
                write_file(path, &bytes, |written| self.fails_again(written, outcome))?;
                if let Some(store) = store {
                    store.keep();
                }
            }
            None => {
                let log = Log::from_bytes("-".to_owned(), None, bytes.clone(), &self.options())?;
                self.still_fails(log, outcome).map_err(|reason| eyre!(reason))?;
            }
        }
        if let (Some(path), Some(form), Some(finding), Some(log)) =
            (&targets.test, self.args.emit_test, &outcome.finding, &targets.log)
        {
            write_file(path, emit::test(form, log, &bytes, finding).as_bytes(), |_| Ok(()))?;
        }
        Ok(())
    }

    fn options(&self) -> Options {
        Options { turn: None, dialect: named_dialect(self.args) }
    }

    fn fails_again(&self, written: &Path, outcome: &Outcome) -> io::Result<()> {
        let log = Log::open(written, &self.options()).map_err(io::Error::other)?;
        self.still_fails(log, outcome).map_err(io::Error::other)
    }

    /// Judges a log as `check` does.
    fn still_fails(&self, log: Log, outcome: &Outcome) -> Result<(), String> {
        let Some(finding) = &outcome.finding else { return Ok(()) };
        let beside = Beside { live: self.opened.beside.live.clone(), ..Beside::default() };
        let opened = Opened { log, beside, command: String::new(), pack: None, is_minimized: false };
        still_reports(&opened, finding)
    }

    fn document(&self, outcome: &Outcome) -> eyre::Result<Value> {
        let before = self.opened.log.path.as_deref().map(hash_of).transpose()?;
        Ok(document(outcome, &self.gathered.parts, self.form, before, self.args.test.as_deref()))
    }
}

fn pretty(document: &Value) -> eyre::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    print::pretty(document, &mut bytes)?;
    Ok(bytes)
}

fn write_file(path: &Path, bytes: &[u8], look: impl FnOnce(&Path) -> io::Result<()>) -> eyre::Result<()> {
    let written = WholeFile::create(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.finish_after(look)
    });
    written.wrap_err_with(|| format!("{}: cannot be written", path.display()))
}
