//! The minimized trace of a pack: the same engine as `stepback minimize`, and read again before it counts.

use std::sync::Arc;

use color_eyre::eyre::{self, WrapErr, eyre};

use super::{json_bytes, trace};
use crate::cli::minimize::watch::Watch;
use crate::cli::open::Opened;
use crate::crashpack::MINIMIZATION;
use crate::crashpack_folder::PackWriter;
use crate::loader;
use crate::minimize::candidate::Candidate;
use crate::minimize::written::{Form, Shape};
use crate::minimizer::subject::{Room, Subject};
use crate::replay::finding::Finding;

/// Writes the minimized trace and how it was reached. Answers the trace's name.
pub fn write(
    packed: &Opened,
    shown: &str,
    trace: &str,
    finding: &Finding,
    writer: &mut PackWriter,
) -> eyre::Result<String> {
    let Opened { log, beside, .. } = trace::open(&writer.path(trace), packed.log.dialect)?;
    let subject = Subject::new(Arc::new(log), Arc::new(beside))?;
    let trial = subject.trial();
    let watch = Watch::new(subject.gathered.parts.len(), None)?;
    let found = trial.findings(&Candidate::all(&subject.gathered.parts));
    if let Some(reason) = subject.refusal(finding, &found) {
        // The trace has another name in the pack than the log that somebody knows.
        return Err(eyre!(reason.replacen(&subject.log.name, shown, 1)));
    }
    let outcome = subject.keeping(&*trial, (finding, &found), None, &mut watch.clerk());
    let name = minimized_name(trace, subject.form.shape());
    let failed = || format!("{name}: cannot be written");
    subject.save(&outcome, &writer.path(&name), Room::Free).wrap_err_with(failed)?;
    writer.adopt(&name).wrap_err_with(failed)?;
    if loader::store_of(&subject.log).is_some() && writer.path(&format!("{name}.cas")).is_dir() {
        writer.adopt_folder(&format!("{name}.cas")).wrap_err_with(failed)?;
    }
    let document = subject.document(&outcome, None)?;
    writer.write(MINIMIZATION, &json_bytes(&document)?).wrap_err_with(failed)?;
    Ok(name)
}

fn minimized_name(trace: &str, shape: Shape) -> String {
    let ending = match (trace.rsplit_once('.'), shape) {
        (Some((_, "tape")), _) => "tape",
        (_, Shape::Lines) => "jsonl",
        (_, Shape::Array) => "json",
    };
    format!("trace.min.{ending}")
}
