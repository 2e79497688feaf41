//! One pass of all checks over an open log, without a replay.

use super::SidecarResults;
use super::parallel::{Watch, pass_lines, threads_for};
use crate::dialect::sidecar::Sidecars;
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError};
use crate::replay::Seq;
use crate::replay::check_pass::CheckPass;
use crate::replay::chunk::ChunkStart;
use crate::replay::finding::Finding;

/// The results of all checks of a log.
pub struct CheckResults {
    /// The number of records that are events.
    pub events: u32,
    /// The number of all records, including undecodable ones.
    pub records: u32,
    /// The findings, in the order of the catalogue.
    pub findings: Vec<Finding>,
    /// The number of findings that were counted but not kept.
    pub dropped: u64,
    /// The first finding for which `--strict` rejects the log.
    pub refused: Option<Finding>,
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
    let records = check_records(log, &mut *pass, threads, report)?.0;
    let events = pass.events();
    let mut findings = pass.finish();
    let counted = |bytes| {
        report(bytes);
        true
    };
    findings.extend(SidecarResults::of(log, sidecars, Seq(records.saturating_sub(1)), &counted)?.findings);
    let dropped = findings.dropped();
    let findings = findings.into_sorted();
    let refused = findings.iter().find(|finding| log.dialect.refuses(finding.check)).cloned();
    Ok(CheckResults { events, records, findings, dropped, refused })
}

/// Checks all records and returns the number after the last one. Lines are decoded in chunks, everything else record by
/// record.
fn check_records(
    log: &Log,
    pass: &mut dyn CheckPass,
    threads: usize,
    report: &(dyn Fn(u64) + Sync),
) -> Result<Seq, LogError> {
    let Some(mut place) = log.start_of_lines() else {
        let mut walk = Walk::new(log)?;
        while check_next(log, pass, &mut walk, report)? {}
        return Ok(walk.next());
    };
    let watch = Watch { unwrap: &|record| log.wrapping.event_in(record), passed: report, is_cancelled: &|| false };
    let mut seq = Seq(0);
    loop {
        let rest = pass_lines(log.lines_from(place)?, &mut *pass, ChunkStart { seq, place }, threads, &watch);
        let rest = rest.map_err(|error| LogError::io(&log.name, error))?;
        let mut walk = log.walk_lines_from(rest.place, rest.seq)?;
        seq = check_rest(log, pass, &mut walk, report)?;
        match walk.place_after_long_line() {
            Some(after) => place = after,
            None => return Ok(seq),
        }
    }
}

/// Checks records one by one, up to the end of the log or of a line that is too long. Returns the next number.
fn check_rest(
    log: &Log,
    pass: &mut dyn CheckPass,
    walk: &mut Walk,
    report: &(dyn Fn(u64) + Sync),
) -> Result<Seq, LogError> {
    while check_next(log, pass, walk, report)? && walk.place_after_long_line().is_none() {}
    Ok(walk.next())
}

/// Checks the next record. Returns false at the end of the log.
fn check_next(
    log: &Log,
    pass: &mut dyn CheckPass,
    walk: &mut Walk,
    report: &(dyn Fn(u64) + Sync),
) -> Result<bool, LogError> {
    let Some((at, met)) = walk.step()? else { return Ok(false) };
    match met {
        Met::Record(place, bytes) => {
            pass.event(at, place, bytes, log.wrapping.event_in(bytes));
            report(bytes.len() as u64 + 1);
        }
        Met::Torn(_, place, bytes) if !bytes.is_empty() => {
            pass.damage((log.dialect.torn_tail)(at, place, bytes.len()));
        }
        Met::Torn(finding, ..) | Met::Damage(finding, _) => pass.damage(finding),
    }
    Ok(true)
}
