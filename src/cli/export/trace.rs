//! The trace of a pack: the log as it was recorded, or without its secrets, and what a tape has beside it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use color_eyre::eyre::{self, WrapErr, eyre};

use super::redaction::Redacted;
use crate::cli::open::Opened;
use crate::cli::pass::walk_records;
use crate::crashpack_folder::PackWriter;
use crate::dialect::{self, TAPE};
use crate::loader::{self, each_reference};
use crate::log::{Log, Options};
use crate::minimize::candidate::Candidate;
use crate::minimize::written::Form;
use crate::minimizer::{AsBefore, gather};
use crate::replay::finding::Finding;
use crate::tape_store::StoreCopy;
use crate::turn::report::Beside;

const ANNOTATIONS: &str = ".annotations.jsonl";

/// The trace's name, after what it is.
fn name_of(log: &Log, is_rewritten: bool) -> &'static str {
    match log.container {
        "lines" if log.dialect == TAPE.name => "trace.tape",
        "lines" => "trace.jsonl",
        "values" if is_rewritten => "trace.jsonl",
        _ => "trace.json",
    }
}

pub fn redacted(opened: &Opened) -> eyre::Result<Redacted> {
    if opened.log.dialect == TAPE.name {
        // Payloads are named by what they say: without their secrets they would be damaged ones.
        return Err(eyre!(
            "{}: --redact hides the secrets of turn logs; a tape's cannot be hidden yet",
            opened.log.name
        ));
    }
    Ok(Redacted::of(&gather(&opened.log)?.parts))
}

pub fn culprits(opened: &Opened, redacted: &Redacted, wanted: &Finding) -> eyre::Result<Vec<String>> {
    let gathered = gather(&opened.log)?;
    let trial = loader::trial(&opened.log, &opened.beside, &gathered.parts);
    Ok(redacted.culprits(&*trial, wanted))
}

/// Writes the trace into a pack. Answers its name.
pub fn write(opened: &Opened, redacted: Option<&Redacted>, writer: &mut PackWriter) -> eyre::Result<String> {
    let log = &opened.log;
    // A store of many files is no trace; what is rewritten has the form of a plain log.
    let is_rewritten = redacted.is_some() || log.container == "sqlite";
    let name = name_of(log, is_rewritten);
    let failed = || format!("{name}: cannot be written");
    let mut file = writer.create(name).wrap_err_with(failed)?;
    if is_rewritten {
        let gathered = gather(log)?;
        let whole = redacted.map_or_else(|| Candidate::all(&gathered.parts), |it| it.candidate(&gathered.parts));
        let form = AsBefore::of(log);
        file.write_all(&form.write(&gathered.parts, &whole)).wrap_err_with(failed)?;
    } else if let Some(path) = &log.path {
        let mut from = File::open(path).wrap_err_with(|| format!("{}: cannot be read", path.display()))?;
        io::copy(&mut from, &mut file).wrap_err_with(failed)?;
    } else {
        file.write_all(&log.bytes()?).wrap_err_with(failed)?;
    }
    file.flush().wrap_err_with(failed)?;
    drop(file);
    if redacted.is_some() {
        refuse_missed(log, &writer.path(name))?;
    }
    writer.adopt(name).wrap_err_with(failed)?;
    copy_store(log, name, writer)?;
    copy_annotations(log, name, writer).wrap_err_with(failed)?;
    Ok(name.to_owned())
}

/// Reads the redacted trace again: a secret that is still there must not leave in silence.
fn refuse_missed(log: &Log, path: &Path) -> eyre::Result<()> {
    let packed = gather(&open(path, log.dialect)?.log)?;
    match Redacted::missed(&packed.parts) {
        Some(record) => Err(eyre!(
            "{}: record {record} holds a secret outside of its event, which --redact does not reach; convert the log first",
            log.name
        )),
        None => Ok(()),
    }
}

fn copy_store(log: &Log, name: &str, writer: &mut PackWriter) -> eyre::Result<()> {
    let Some(from) = loader::store_of(log) else { return Ok(()) };
    let failed = || format!("{name}.cas: cannot be written");
    let mut copy = StoreCopy::begin(from, &writer.path(name)).wrap_err_with(failed)?;
    let mut copied = Ok(());
    walk_records(log, |_, (_, record)| {
        copied = each_reference(record, &mut |name| copy.copy(name));
        if copied.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    copied.wrap_err_with(failed)?;
    copy.keep();
    writer.adopt_folder(&format!("{name}.cas")).wrap_err_with(failed)
}

/// What others wrote beside a tape goes along.
fn copy_annotations(log: &Log, name: &str, writer: &mut PackWriter) -> io::Result<()> {
    let Some(path) = log.path.as_deref().filter(|_| log.dialect == TAPE.name) else { return Ok(()) };
    let beside = with_ending(path, ANNOTATIONS);
    if !fs::symlink_metadata(&beside).is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    let name = format!("{name}{ANNOTATIONS}");
    let mut file = writer.create(&name)?;
    io::copy(&mut File::open(beside)?, &mut file)?;
    file.flush()?;
    drop(file);
    writer.adopt(&name)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// Opens a trace as the pack will: nothing beside it counts.
pub fn open(path: &Path, dialect: &str) -> eyre::Result<Opened> {
    let options = Options { turn: None, dialect: Some(dialect::by_name(dialect).name) };
    let log = Log::open(path, &options)?;
    Ok(Opened { log, beside: Beside::default(), command: String::new(), pack: None, is_minimized: false })
}
