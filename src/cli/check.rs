//! `stepback check`: runs all checks on all logs; the exit code is made for CI.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc;

use color_eyre::eyre::{self, WrapErr};
use globset::{Glob, GlobSet, GlobSetBuilder};
use rayon::prelude::*;

use super::args::{Arguments, CheckArgs, FailRules, ReadOptions};
use super::discover::{self, FoundFile};
use super::exit::Exit;
use super::format::{self, Context, FormatWriter, Totals};
use super::open::{Opened, open_path};
use super::paint::{Paint, count};
use super::pass::{CheckResults, check_opened};
use super::print;
use super::progress::ByteProgress;
use super::replayed::note;
use crate::doctor::checks::CHECKS;
use crate::log::LogError;
use crate::registry::catalogue;
use crate::replay::ending::Ending;
use crate::replay::finding::Finding;

/// So many files are checked before their results are printed.
const BATCH: usize = 256;

/// The result of one file.
pub(super) struct FileResult {
    pub name: String,
    pub outcome: CheckOutcome,
}

pub(super) enum CheckOutcome {
    Checked { opened: Box<Opened>, checked: Box<CheckResults>, verdict: FileVerdict },
    Trouble { message: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileVerdict {
    /// No finding that fails.
    Clean,
    /// Findings that fail.
    Failed,
    /// Rejected by `--strict`.
    Rejected,
}

impl FileVerdict {
    pub(super) const fn name(self) -> &'static str {
        match self {
            FileVerdict::Clean => "clean",
            FileVerdict::Failed => "failed",
            FileVerdict::Rejected => "rejected",
        }
    }
}

/// The checks that `--only` and `--skip` select.
struct Selection {
    only: Option<GlobSet>,
    skip: GlobSet,
}

impl Selection {
    fn of(args: &CheckArgs) -> eyre::Result<Self> {
        let set = |patterns: &[String]| -> eyre::Result<GlobSet> {
            let mut builder = GlobSetBuilder::new();
            for pattern in patterns {
                let glob = Glob::new(pattern).wrap_err_with(|| format!("invalid pattern {pattern:?}"))?;
                // A pattern that matches no check is a typo, and would silently disable the gate.
                let matcher = glob.compile_matcher();
                if CHECKS.iter().any(|check| matcher.is_match(check.id))
                    && !catalogue().any(|check| matcher.is_match(check.id))
                {
                    return Err(eyre::eyre!("the pattern {pattern:?} matches checks of `stepback doctor` only"));
                }
                if !catalogue().any(|check| matcher.is_match(check.id)) {
                    return Err(eyre::eyre!(
                        "the pattern {pattern:?} matches no check; `stepback checks` lists all checks"
                    ));
                }
                builder.add(glob);
            }
            Ok(builder.build()?)
        };
        let only = if args.only.is_empty() { None } else { Some(set(&args.only)?) };
        Ok(Selection { only, skip: set(&args.skip)? })
    }

    fn keeps(&self, finding: &Finding) -> bool {
        let id = finding.check.id;
        self.only.as_ref().is_none_or(|only| only.is_match(id)) && !self.skip.is_match(id)
    }
}

pub(super) fn run(args: &CheckArgs, arguments: &Arguments, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let selection = Selection::of(args)?;
    if args.files.iter().chain(&args.files_from).filter(|file| file.as_os_str() == "-").count() > 1 {
        return Err(eyre::eyre!("`-` is given more than once, but standard input can be read only once"));
    }
    let mut files = args.files.clone();
    if let Some(list) = &args.files_from {
        files.extend(discover::listed(list)?);
    }
    let candidates = discover::logs(&files)?;
    let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    let total = candidates.iter().map(|candidate| bytes(&candidate.path)).sum();
    let progress = ByteProgress::new(total);
    let name = if args.json { "json" } else { args.format.as_str() };
    let unfiltered = args.only.is_empty() && args.skip.is_empty();
    let context =
        Context { paint: *paint, all: args.all, numbered: unfiltered, fails: args.fail_rules(), several: false };
    let errors = Paint::for_stderr(arguments.color);
    let mut results = ResultPrinter::begin((format::by_name(name).writer)(), context, errors, out)?;
    let mut without_log = 0;
    for batch in candidates.chunks(BATCH) {
        let check = |found: &FoundFile| check_file(&found.path, found.walked, args, &selection, &progress);
        in_order(batch, &check, &mut |outcome| {
            progress.pause(|| -> io::Result<()> {
                match outcome {
                    Ok(result) => results.take(result)?,
                    Err(Skipped::NoLog) => without_log += 1,
                    Err(Skipped::Unreadable(message)) => note(&format!("not checked: {message}")),
                }
                Ok(())
            })
        })?;
    }
    drop(progress);
    let (totals, exit) = results.end()?;
    if without_log > 0 {
        let files = count(without_log, "file");
        note(&format!("skipped {files} without a log"));
    }
    if totals.logs() == 0 {
        return Err(eyre::eyre!("no log found; name a file directly to see why it is not a log"));
    }
    Ok(exit)
}

/// Computes something for every element on all cores, and takes each result as soon as those before it were taken.
fn in_order<E: Sync, R: Send>(
    elements: &[E],
    compute: &(dyn Fn(&E) -> R + Sync),
    take: &mut dyn FnMut(R) -> io::Result<()>,
) -> io::Result<()> {
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            elements.par_iter().enumerate().for_each_with(sender, |sender, (number, element)| {
                // The receiver is gone if the results cannot be printed.
                let _ = sender.send((number, compute(element)));
            });
        });
        let (mut early, mut next) = (BTreeMap::new(), 0);
        for (number, result) in results {
            early.insert(number, result);
            while let Some(result) = early.remove(&next) {
                take(result)?;
                next += 1;
            }
        }
        Ok(())
    })
}

/// Prints results in the order of the files and forgets them. The first is kept until there is a second: a single log
/// is printed without headings.
struct ResultPrinter<'o> {
    writer: Box<dyn FormatWriter>,
    context: Context,
    errors: Paint,
    out: &'o mut dyn Write,
    first: Option<FileResult>,
    totals: Totals,
    exit: Exit,
}

impl<'o> ResultPrinter<'o> {
    fn begin(
        mut writer: Box<dyn FormatWriter>,
        context: Context,
        errors: Paint,
        out: &'o mut dyn Write,
    ) -> io::Result<ResultPrinter<'o>> {
        writer.begin(out)?;
        Ok(ResultPrinter { writer, context, errors, out, first: None, totals: Totals::default(), exit: Exit::Clean })
    }

    fn take(&mut self, result: FileResult) -> io::Result<()> {
        self.exit = self.exit.max(exit_of(&result));
        match &result.outcome {
            CheckOutcome::Trouble { message } => {
                self.totals.trouble += 1;
                print::error(&self.errors, message);
            }
            CheckOutcome::Checked { verdict: FileVerdict::Clean, .. } => self.totals.clean += 1,
            CheckOutcome::Checked { .. } => self.totals.failed += 1,
        }
        if let CheckOutcome::Checked { checked, .. } = &result.outcome
            && checked.ending.as_ref().is_some_and(Ending::is_failure)
        {
            self.totals.failed_runs += 1;
        }
        if self.totals.logs() == 1 && self.writer.waits_for_a_second_log() {
            self.first = Some(result);
            return Ok(());
        }
        self.context.several = true;
        if let Some(first) = self.first.take() {
            self.writer.file(&first, &self.context, self.out)?;
        }
        self.writer.file(&result, &self.context, self.out)
    }

    fn end(mut self) -> io::Result<(Totals, Exit)> {
        if let Some(first) = self.first.take() {
            self.writer.file(&first, &self.context, self.out)?;
        }
        self.writer.end(self.totals, &self.context, self.out)?;
        Ok((self.totals, self.exit))
    }
}

fn exit_of(result: &FileResult) -> Exit {
    match &result.outcome {
        CheckOutcome::Trouble { .. } => Exit::Trouble,
        CheckOutcome::Checked { verdict: FileVerdict::Clean, .. } => Exit::Clean,
        CheckOutcome::Checked { .. } => Exit::Findings,
    }
}

/// Why a file in a folder has no result.
enum Skipped {
    NoLog,
    /// `--allow-unreadable` permits it.
    Unreadable(String),
}

fn check_file(
    path: &Path,
    walked: bool,
    args: &CheckArgs,
    selection: &Selection,
    progress: &ByteProgress,
) -> Result<FileResult, Skipped> {
    let name = path.display().to_string();
    let outcome = match open_and_check(path, &args.reading, progress) {
        Ok((opened, mut checked)) => {
            checked.findings.retain(|finding| selection.keeps(finding));
            let verdict = verdict(&checked, args.fail_rules(), args.strict);
            if verdict == FileVerdict::Rejected {
                checked.findings.retain(|finding| opened.dialect().refuses(finding.check));
            }
            CheckOutcome::Checked { opened: Box::new(opened), checked: Box::new(checked), verdict }
        }
        Err(report) => {
            let no_log = report.downcast_ref::<LogError>().is_some_and(LogError::is_not_a_log);
            if walked && no_log {
                return Err(Skipped::NoLog);
            }
            let message = report.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ");
            if walked && args.allow_unreadable {
                return Err(Skipped::Unreadable(message));
            }
            CheckOutcome::Trouble { message }
        }
    };
    Ok(FileResult { name, outcome })
}

fn open_and_check(path: &Path, reading: &ReadOptions, progress: &ByteProgress) -> eyre::Result<(Opened, CheckResults)> {
    let mut opened = open_path(path, reading)?;
    progress.expect(opened.sidecars.length_bytes());
    let checked = check_opened(&opened, progress)?;
    // The results of many files are kept, but the number of open files is limited.
    opened.log.close();
    Ok((opened, checked))
}

pub(super) fn verdict(checked: &CheckResults, rules: FailRules, strict: bool) -> FileVerdict {
    if strict && checked.refused.is_some() {
        FileVerdict::Rejected
    } else if checked.findings.iter().any(|finding| rules.fail(finding)) {
        FileVerdict::Failed
    } else {
        FileVerdict::Clean
    }
}
