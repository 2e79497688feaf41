//! One pass of every check over an open log, for whoever wants the verdict and no replay.

use super::SidecarResults;
use crate::dialect::sidecar::Sidecars;
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError};
use crate::replay::Seq;
use crate::replay::finding::Finding;

/// What the checks have to say of a log.
pub struct CheckResults {
    /// Records that are events.
    pub events: u32,
    /// All records, undecodable ones too.
    pub records: u32,
    /// In the catalogue's order.
    pub findings: Vec<Finding>,
    /// Findings that were counted but not kept.
    pub dropped: u64,
    /// What `--strict` refuses it for.
    pub refused: Option<Finding>,
}

/// Checks a log and its sidecars. `tell` hears of every byte that was read.
pub(crate) fn check_log(
    log: &Log,
    sidecars: &dyn Sidecars,
    tell: &(dyn Fn(u64) + Sync),
) -> Result<CheckResults, LogError> {
    let dialect = log.dialect;
    let mut pass = sidecars.check_pass();
    let mut records = 0;
    let mut walk = Walk::new(log)?;
    while let Some((at, met)) = walk.step()? {
        records = records.max(at.0 + u32::from(met.takes_a_number()));
        match met {
            Met::Record(place, bytes) => {
                pass.event(at, place, log.wrapping.event_in(bytes));
                tell(bytes.len() as u64 + 1);
            }
            Met::Torn(_, place, bytes) if !bytes.is_empty() => {
                pass.damage((dialect.torn_tail)(at, place, bytes.len()));
            }
            Met::Torn(finding, ..) | Met::Damage(finding, _) => pass.damage(finding),
        }
    }
    let events = pass.events();
    let mut findings = pass.finish();
    let told = |bytes| {
        tell(bytes);
        true
    };
    findings.extend(SidecarResults::of(log, sidecars, Seq(records.saturating_sub(1)), &told)?.findings);
    let dropped = findings.dropped();
    let findings = findings.into_sorted();
    let refused = findings.iter().find(|finding| dialect.refuses(finding.check)).cloned();
    Ok(CheckResults { events, records, findings, dropped, refused })
}
