//! A log made smaller around one finding: what `minimize` and `export --minimize` both do.

use std::fs::File;
use std::path::Path;

use color_eyre::eyre::{self, WrapErr};
use serde_json::Value;

use super::watch::Watch;
use crate::cli::open::Opened;
use crate::cli::pass::judge;
use crate::cli::progress::Progress;
use crate::loader::{self, each_reference};
use crate::log::Log;
use crate::minimize::candidate::Candidate;
use crate::minimize::court::{Oracle, Runner};
use crate::minimize::parts::Parts;
use crate::minimize::report::{Around, report};
use crate::minimize::trial::Trial;
use crate::minimize::wanted::Wanted;
use crate::minimize::written::Form;
use crate::minimize::{ByFinding, Minimized, Work, minimize};
use crate::minimizer::{AsBefore, Parallel};
use crate::replay::finding::Finding;
use crate::tape_store::StoreCopy;

pub struct Outcome {
    pub minimized: Minimized,
    /// The finding as the minimized log reports it; none when a command decided.
    pub finding: Option<Finding>,
    pub also_reported: Vec<Finding>,
}

/// All that the work needs.
pub struct Bench<'b> {
    pub trial: &'b dyn Trial,
    pub form: &'b AsBefore,
    pub watch: &'b Watch,
    pub max_tests: Option<u64>,
}

impl Bench<'_> {
    /// Keeps one finding. `found` is what the whole log's records report.
    pub fn by_finding(&self, finding: &Finding, found: &[Finding]) -> Outcome {
        let wanted = Wanted::new(finding, found);
        let oracle = ByFinding { trial: self.trial, wanted: &wanted, form: self.form };
        let minimized = self.work(Some(&wanted), &oracle, &Parallel::IN_PROCESS);
        let mut also_reported = self.trial.findings(&minimized.best);
        let place = also_reported.iter().position(|finding| wanted.is(finding));
        let finding = place.map(|place| also_reported.remove(place));
        Outcome { minimized, finding, also_reported }
    }

    pub fn work(&self, wanted: Option<&Wanted>, oracle: &dyn Oracle, runner: &dyn Runner) -> Minimized {
        let work = Work { trial: self.trial, wanted, oracle, runner, max_tests: self.max_tests };
        minimize(&work, &mut self.watch.clerk())
    }
}

/// How it was done. `before` is the hash of the file that was made smaller.
pub fn document(
    outcome: &Outcome,
    parts: &Parts,
    form: &AsBefore,
    before: Option<String>,
    command: Option<&str>,
) -> Value {
    let Outcome { minimized, finding, also_reported } = outcome;
    let after = form.write(parts, &minimized.best);
    let around = Around {
        tool_version: env!("CARGO_PKG_VERSION"),
        finding: finding.as_ref(),
        command,
        before,
        after: blake3::hash(&after).to_hex().to_string(),
        also_reported: also_reported.iter().map(Finding::fingerprint).collect(),
    };
    report(minimized, parts, &around)
}

/// What the remaining records of a tape refer to goes along with them.
pub fn copied_store(log: &Log, parts: &Parts, best: &Candidate, output: &Path) -> eyre::Result<Option<StoreCopy>> {
    let Some(from) = loader::store_of(log) else { return Ok(None) };
    let failed = || format!("{}: its store cannot be written", output.display());
    let mut copy = StoreCopy::begin(from, output).wrap_err_with(failed)?;
    for part in best.kept.iter().copied() {
        each_reference(parts.record(part), &mut |name| copy.copy(name)).wrap_err_with(failed)?;
    }
    Ok(Some(copy))
}

/// Judges a log that was written as `check` does.
pub fn still_reports(opened: &Opened, finding: &Finding) -> Result<(), String> {
    let judged = judge(opened, &Progress::none()).map_err(|error| error.to_string())?;
    let wanted = finding.fingerprint();
    match judged.findings.iter().any(|finding| finding.fingerprint() == wanted) {
        true => Ok(()),
        false => Err(format!("the minimized log, read again, no longer reports {wanted}; please report this")),
    }
}

pub fn hash_of(path: &Path) -> eyre::Result<String> {
    let mut hasher = blake3::Hasher::new();
    let file = File::open(path).wrap_err_with(|| format!("{}: cannot be read", path.display()))?;
    hasher.update_reader(file)?;
    Ok(hasher.finalize().to_hex().to_string())
}
