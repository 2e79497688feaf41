//! The minimized trace of a pack: the same engine as `stepback minimize`, and read again before it counts.

use color_eyre::eyre::{self, WrapErr, eyre};

use super::{json_bytes, trace};
use crate::cli::minimize::choose::refuse_foreign;
use crate::cli::minimize::smaller::{Bench, copied_store, document, hash_of, still_reports};
use crate::cli::minimize::watch::Watch;
use crate::cli::open::Opened;
use crate::crashpack::MINIMIZATION;
use crate::crashpack_folder::PackWriter;
use crate::loader;
use crate::minimize::candidate::Candidate;
use crate::minimize::written::{Form, Shape};
use crate::minimizer::{AsBefore, gather};
use crate::replay::finding::Finding;

/// Writes the minimized trace and how it was reached. Answers the trace's name.
pub fn write(
    packed: &Opened,
    shown: &str,
    trace: &str,
    finding: &Finding,
    writer: &mut PackWriter,
) -> eyre::Result<String> {
    let gathered = gather(&packed.log)?;
    let trial = loader::trial(&packed.log, &packed.beside, &gathered.parts);
    let form = AsBefore::of(&packed.log, Some(packed.log.dialect));
    let watch = Watch::new(gathered.parts.len(), None)?;
    let found = trial.findings(&Candidate::all(&gathered.parts));
    refuse_foreign(shown, finding, &found)?;
    let bench = Bench { trial: &*trial, form: &form, watch: &watch, max_tests: None };
    let outcome = bench.by_finding(finding, &found);
    let name = minimized_name(trace, form.shape());
    let failed = || format!("{name}: cannot be written");
    let best = &outcome.minimized.best;
    let store = copied_store(&packed.log, &gathered.parts, best, &writer.path(&name))?;
    writer.write(&name, &form.write(&gathered.parts, best)).wrap_err_with(failed)?;
    still_reports(&trace::open(&writer.path(&name), packed.log.dialect)?, finding).map_err(|reason| eyre!(reason))?;
    if let Some(store) = store {
        store.keep();
        writer.adopt_folder(&format!("{name}.cas")).wrap_err_with(failed)?;
    }
    let before = packed.log.path.as_deref().map(hash_of).transpose()?;
    let document = document(&outcome, &gathered.parts, &form, before, None);
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
