//! One pass of all checks over an open log, without a replay.

use std::sync::{Mutex, PoisonError};

use super::SidecarResults;
use super::parallel::threads_for;
use super::record_walk::{Watching, pass_records};
use crate::dialect::sidecar::Sidecars;
use crate::log::{Log, LogError};
use crate::replay::Seq;
use crate::replay::chunk::ChunkStart;
use crate::replay::ending::Ending;
use crate::replay::finding::Finding;

/// The results of all checks of a log.
pub struct CheckResults {
    /// The number of records that are events.
    pub events: u32,
    /// The number of all records, including undecodable ones.
    pub records: u32,
    /// The ending of the run, if the dialect knows it.
    pub ending: Option<Ending>,
    /// The findings, in the order of the catalogue.
    pub findings: Vec<Finding>,
    /// The number of findings that were counted but not kept.
    pub dropped: u64,
    /// The first finding for which `--strict` rejects the log.
    pub refused: Option<Finding>,
    /// Places between lines with the numbers of the records after them, some hundred kilobytes apart, so that single
    /// records are found again. Empty if the log is compressed or the records are not lines.
    pub(crate) marks: Vec<ChunkStart>,
}

/// Checks a log and its sidecars. `report` gets the number of bytes that were read.
pub(crate) fn check_log(
    log: &Log,
    sidecars: &dyn Sidecars,
    report: &(dyn Fn(u64) + Sync),
) -> Result<CheckResults, LogError> {
    check_log_on(log, sidecars, threads_for(log.length_bytes()), report)
}

/// The same on a number of threads, on which the results do not depend.
pub(crate) fn check_log_on(
    log: &Log,
    sidecars: &dyn Sidecars,
    threads: usize,
    report: &(dyn Fn(u64) + Sync),
) -> Result<CheckResults, LogError> {
    let mut pass = sidecars.check_pass();
    let marks = Mutex::new(Vec::new());
    let started = |start| marks.lock().unwrap_or_else(PoisonError::into_inner).push(start);
    let watching = Watching { threads, started: &started, report, is_cancelled: &|| false };
    let records = pass_records(log, &mut *pass, &watching)?.0;
    // Each jump into a compressed log would decompress it again.
    let marks =
        if log.is_compressed() { Vec::new() } else { marks.into_inner().unwrap_or_else(PoisonError::into_inner) };
    let (events, ending) = (pass.events(), pass.ending());
    let mut findings = pass.finish();
    let counted = |bytes| {
        report(bytes);
        true
    };
    findings.extend(SidecarResults::of(log, sidecars, Seq(records.saturating_sub(1)), &counted)?.findings);
    let dropped = findings.dropped();
    let findings = findings.into_sorted();
    let refused = findings.iter().find(|finding| log.dialect.refuses(finding.check)).cloned();
    Ok(CheckResults { events, records, ending, findings, dropped, refused, marks })
}
