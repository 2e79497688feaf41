//! One pass of all checks over an open log, without a replay.

use super::SidecarResults;
use crate::dialect::sidecar::Sidecars;
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError};
use crate::replay::Seq;
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
    let dialect = log.dialect;
    let mut pass = sidecars.check_pass();
    let mut records = 0;
    let mut walk = Walk::new(log)?;
    while let Some((at, met)) = walk.step()? {
        records = records.max(at.0 + u32::from(met.takes_a_number()));
        match met {
            Met::Record(place, bytes) => {
                pass.event(at, place, bytes, log.wrapping.event_in(bytes));
                report(bytes.len() as u64 + 1);
            }
            Met::Torn(_, place, bytes) if !bytes.is_empty() => {
                pass.damage((dialect.torn_tail)(at, place, bytes.len()));
            }
            Met::Torn(finding, ..) | Met::Damage(finding, _) => pass.damage(finding),
        }
    }
    let events = pass.events();
    let mut findings = pass.finish();
    let counted = |bytes| {
        report(bytes);
        true
    };
    findings.extend(SidecarResults::of(log, sidecars, Seq(records.saturating_sub(1)), &counted)?.findings);
    let dropped = findings.dropped();
    let findings = findings.into_sorted();
    let refused = findings.iter().find(|finding| dialect.refuses(finding.check)).cloned();
    Ok(CheckResults { events, records, findings, dropped, refused })
}
