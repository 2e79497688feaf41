//! The minimized trace of a pack: the same engine as `stepback minimize`, and read again before it counts.

use std::sync::Arc;

use super::{ExportError, json, trace};
use crate::crashpack::MINIMIZATION;
use crate::crashpack_folder::PackWriter;
use crate::loader;
use crate::log::Log;
use crate::minimize::candidate::Candidate;
use crate::minimize::court::Clerk;
use crate::minimize::written::{Form, Shape};
use crate::minimizer::subject::{Room, Subject};
use crate::replay::finding::Finding;
use crate::turn::report::Beside;

/// Writes the minimized trace and how it was reached. Answers the trace's name.
pub fn write(
    trace: &str,
    original: &Log,
    finding: &Finding,
    writer: &mut PackWriter,
    clerk: &mut dyn Clerk,
) -> Result<String, ExportError> {
    let log = trace::open_packed(&writer.path(trace), original)?;
    let subject = Subject::new(Arc::new(log), Arc::new(Beside::default()))?;
    let trial = subject.trial();
    let found = trial.findings(&Candidate::all(&subject.gathered.parts));
    if let Some(reason) = subject.refusal(finding, &found) {
        // The trace has another name in the pack than the log that somebody knows.
        let reason = reason.strip_prefix(&format!("{}: ", subject.log.name)).unwrap_or(&reason).to_owned();
        return Err(ExportError::Refused { name: original.name.clone(), reason });
    }
    let outcome = subject.keeping(&*trial, (finding, &found), None, clerk);
    let name = minimized_name(trace, subject.form.shape());
    let failed = || ExportError::io(name.as_str());
    subject.save(&outcome, &writer.path(&name), Room::Free).map_err(failed())?;
    writer.adopt(&name).map_err(failed())?;
    if loader::store_of(&subject.log).is_some() && writer.path(&format!("{name}.cas")).is_dir() {
        writer.adopt_folder(&format!("{name}.cas")).map_err(failed())?;
    }
    let document = subject.document(&outcome, None).and_then(|document| json(&document)).map_err(failed())?;
    writer.write(MINIMIZATION, &document).map_err(failed())?;
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
