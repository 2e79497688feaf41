//! One minimization, from the records of a log to the verified file: shared by the command and the screen.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::{Gathered, OriginalForm, Parallel, gather};
use crate::dialect::sidecar::{SidecarCopy, Sidecars};
use crate::loader::check_results;
use crate::log::detect::head_line;
use crate::log::{Log, LogError, Options};
use crate::minimize::candidate::Candidate;
use crate::minimize::checker::CandidateChecker;
use crate::minimize::report::{ReportContext, report};
use crate::minimize::target::TargetFinding;
use crate::minimize::tester::Observer;
use crate::minimize::written::{Form, ReadBack};
use crate::minimize::{ByFinding, Extent, MinimizeSetup, Minimized, minimize};
use crate::replay::damage;
use crate::replay::finding::Finding;
use crate::replay::log_writer::LogLayout;
use crate::wholefile::Destination;

/// A log to minimize, with everything that is needed to write a smaller one.
pub(crate) struct MinimizeTask {
    pub log: Arc<Log>,
    pub sidecars: Arc<dyn Sidecars>,
    pub gathered: Gathered,
    pub form: OriginalForm,
}

impl ReadBack for MinimizeTask {
    fn may_begin(&self, record: &[u8]) -> bool {
        self.form.head().is_some()
            || self.form.layout() == LogLayout::Array
            || head_line(self.log.dialect, record).is_none()
    }

    fn reports(&self, candidate: &Candidate, target: &TargetFinding) -> bool {
        self.reread(candidate).is_ok_and(|findings| findings.iter().any(|finding| target.is(finding)))
    }
}

/// The minimized log and its findings.
pub(crate) struct MinimizeOutcome {
    pub minimized: Minimized,
    /// The finding as the minimized log reports it; none if a command was the predicate.
    pub finding: Option<Finding>,
    pub also_reported: Vec<Finding>,
}

/// Why a finding cannot be kept while records are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MinimizeRefusal {
    #[error(
        "{check} is not about the log's own records, so removing some cannot preserve it; it compares the log with a sidecar, or reports damage between records"
    )]
    NotInRecords { check: &'static str },

    #[error("the log holds no event, so it cannot be minimized further")]
    NoEvents,

    #[error("{check} depends on damage that is gone when the records are written to a new file")]
    NotWritten { check: &'static str },
}

/// Why a minimized log is not what it should be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProofError {
    #[error(transparent)]
    Log(#[from] LogError),

    #[error("{fingerprint} is about payloads in the payload store of the tape; name an output file for both")]
    NeedsStore { fingerprint: String },

    #[error("the minimized log, read again, no longer reports {fingerprint}; please report this")]
    FindingLost { fingerprint: String },
}

/// The path of the report of a minimized log.
pub(crate) fn report_path(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(".minimization.json");
    PathBuf::from(name)
}

impl MinimizeTask {
    pub(crate) fn new(log: Arc<Log>, sidecars: Arc<dyn Sidecars>) -> Result<MinimizeTask, LogError> {
        let (gathered, form) = (gather(&log)?, OriginalForm::of(&log));
        Ok(MinimizeTask { log, sidecars, gathered, form })
    }

    pub(crate) fn checker(&self) -> Box<dyn CandidateChecker + '_> {
        self.sidecars.checker(self.log.dialect, &self.gathered.parts)
    }

    /// Whether a finding cannot be kept while records are removed. `found` is what the records report.
    pub(crate) fn refusal(&self, finding: &Finding, found: &[Finding]) -> Option<MinimizeRefusal> {
        if !found.iter().any(|known| known.check == finding.check && known.subjects == finding.subjects) {
            return Some(MinimizeRefusal::NotInRecords { check: finding.check.id });
        }
        if *finding.check == damage::EMPTY {
            return Some(MinimizeRefusal::NoEvents);
        }
        let (all, target) = (Candidate::all(&self.gathered.parts), TargetFinding::new(finding, found));
        let is_written = self.checker().is_sound(&all) || self.reports(&all, &target);
        (!is_written).then_some(MinimizeRefusal::NotWritten { check: finding.check.id })
    }

    /// The findings of a candidate that is read again, none if it reads as a log of another dialect. The payload store is
    /// that of the original.
    fn reread(&self, candidate: &Candidate) -> Result<Vec<Finding>, LogError> {
        let written = self.form.write(&self.gathered.parts, candidate);
        let mut log = Log::from_bytes(self.log.name.clone(), None, written, &self.options())?;
        if log.dialect != self.log.dialect {
            return Ok(Vec::new());
        }
        log.path.clone_from(&self.log.path);
        Ok(check_results::check_log(&log, &*self.sidecars_of(&log)?, &|_| {})?.findings)
    }

    /// Minimizes the log while it reports `finding`, one of the findings of the whole log.
    pub(crate) fn keeping(
        &self,
        checker: &dyn CandidateChecker,
        (finding, found): (&Finding, &[Finding]),
        (max_tests, extent): (Option<u64>, Extent),
        observer: &mut dyn Observer,
    ) -> MinimizeOutcome {
        let target = TargetFinding::new(finding, found);
        let predicate = ByFinding { checker, target: &target, read_back: self };
        let setup = MinimizeSetup {
            checker,
            target: Some(&target),
            predicate: &predicate,
            runner: &Parallel::IN_PROCESS,
            max_tests,
            extent,
        };
        let minimized = minimize(&setup, observer);
        let mut also_reported = checker.findings(&minimized.best);
        let place = also_reported.iter().position(|finding| target.is(finding));
        let finding = place.map(|place| also_reported.remove(place));
        MinimizeOutcome { minimized, finding, also_reported }
    }

    /// The bytes of the minimized log.
    pub(crate) fn written(&self, outcome: &MinimizeOutcome) -> Vec<u8> {
        self.form.write(&self.gathered.parts, &outcome.minimized.best)
    }

    /// The minimized log, opened in memory.
    pub(crate) fn opened(&self, outcome: &MinimizeOutcome) -> Result<Log, LogError> {
        Log::from_bytes(self.log.name.clone(), None, self.written(outcome), &self.options())
    }

    /// The sidecars of a minimized log.
    pub(crate) fn sidecars_of(&self, minimized: &Log) -> Result<Arc<dyn Sidecars>, LogError> {
        Ok(self.sidecars.for_part(minimized)?)
    }

    /// Writes the log, after reading the file again and checking that it reports the finding. Returns the suffixes of
    /// the sidecars that were copied along.
    pub(crate) fn save(&self, outcome: &MinimizeOutcome, target: &Destination) -> io::Result<Vec<String>> {
        let path = target.path();
        let copied = self.copied_sidecars(path, &outcome.minimized.best)?;
        target.write(&self.written(outcome), |written| {
            let mut log = Log::open(written, &self.options()).map_err(io::Error::other)?;
            // Its payload store is next to its final path.
            log.path = Some(path.to_owned());
            self.still_fails(&log, outcome).map_err(io::Error::other)
        })?;
        Ok(copied.map(|copied| copied.finish()).unwrap_or_default())
    }

    /// Copies the sidecars that the remaining records refer to.
    fn copied_sidecars(&self, output: &Path, best: &Candidate) -> io::Result<Option<Box<dyn SidecarCopy>>> {
        let failed =
            |error: io::Error| io::Error::new(error.kind(), format!("its payload store cannot be written: {error}"));
        let Some(mut copy) = self.sidecars.copy_to(output).map_err(failed)? else { return Ok(None) };
        for part in best.kept.iter().copied() {
            let record = best.event(part, &self.gathered.parts).unwrap_or_default();
            copy.record(record).map_err(failed)?;
        }
        Ok(Some(copy))
    }

    fn options(&self) -> Options {
        self.log.options()
    }

    /// Checks a minimized log as `check` does: it must report the finding.
    pub(crate) fn still_fails(&self, log: &Log, outcome: &MinimizeOutcome) -> Result<(), ProofError> {
        let Some(finding) = &outcome.finding else { return Ok(()) };
        let checked = check_results::check_log(log, &*self.sidecars_of(log)?, &|_| {})?;
        let fingerprint = finding.fingerprint();
        if checked.findings.iter().any(|finding| finding.fingerprint() == fingerprint) {
            return Ok(());
        }
        // A log in memory has no sidecars.
        let needs_store = log.path.is_none() && self.sidecars.are_files();
        Err(if needs_store { ProofError::NeedsStore { fingerprint } } else { ProofError::FindingLost { fingerprint } })
    }

    /// The report. `command` is the predicate, if it was a command.
    pub(crate) fn document(&self, outcome: &MinimizeOutcome, command: Option<&str>) -> io::Result<Value> {
        let MinimizeOutcome { minimized, finding, also_reported } = outcome;
        let around = ReportContext {
            tool_version: env!("CARGO_PKG_VERSION"),
            finding: finding.as_ref(),
            command,
            before: self.log.path.as_deref().map(hash_of).transpose()?,
            after: blake3::hash(&self.written(outcome)).to_hex().to_string(),
            also_reported: also_reported.iter().map(Finding::fingerprint).collect(),
        };
        Ok(report(minimized, &self.gathered.parts, &around))
    }
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    let read = std::fs::File::open(path).and_then(|file| hasher.update_reader(file).map(|_| ()));
    read.map_err(|error| io::Error::new(error.kind(), format!("{}: cannot be read: {error}", path.display())))?;
    Ok(hasher.finalize().to_hex().to_string())
}
