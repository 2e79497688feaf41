//! The minimized trace of a pack, made as by `stepback minimize` and verified by reading it again.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use super::{ExportError, json, trace};
use crate::crashpack::MINIMIZATION;
use crate::crashpack_folder::PackWriter;
use crate::loader;
use crate::log::Log;
use crate::minimize::Extent;
use crate::minimize::candidate::Candidate;
use crate::minimize::tester::Observer;
use crate::minimize::written::Form;
use crate::minimize_io::task::MinimizeTask;
use crate::replay::finding::Finding;
use crate::replay::log_writer::LogLayout;
use crate::wholefile::{Destination, Existing};

/// Writes the minimized trace and its report. Returns the name of the trace.
pub(super) fn write(
    trace: &str,
    original: &Log,
    finding: &Finding,
    extent: Extent,
    writer: &mut PackWriter,
    observer: &mut dyn Observer,
) -> Result<String, ExportError> {
    let log = Arc::new(trace::open_packed(&writer.path(trace), original)?);
    let task = MinimizeTask::new(Arc::clone(&log), loader::own_sidecars(&log)?)?;
    let checker = task.checker();
    let found = checker.findings(&Candidate::all(&task.gathered.parts));
    if let Some(reason) = task.refusal(finding, &found) {
        // In the pack the trace has another name, but the user knows the log by its own.
        return Err(ExportError::Refused { name: original.name.clone(), reason: reason.to_string() });
    }
    let outcome = task.keeping(&*checker, (finding, &found), (None, extent), observer);
    let name = minimized_name(original, task.form.layout());
    let failed = || ExportError::io(name);
    let target =
        Destination::new(&writer.path(name), None, Existing::Keep).map_err(io::Error::other).map_err(failed())?;
    let copied = task.save(&outcome, &target).map_err(failed())?;
    writer.adopt(name).map_err(failed())?;
    let folders: BTreeSet<&str> = copied.iter().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
    for folder in folders {
        writer.adopt_folder(&format!("{name}{folder}")).map_err(failed())?;
    }
    let document = task.document(&outcome, None).and_then(|document| json(&document)).map_err(failed())?;
    writer.write(MINIMIZATION, &document).map_err(failed())?;
    Ok(name.to_owned())
}

fn minimized_name(original: &Log, layout: LogLayout) -> &'static str {
    match layout {
        LogLayout::Lines => original.dialect.export.minimized_lines_name,
        LogLayout::Array => "trace.min.json",
    }
}
