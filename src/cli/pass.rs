//! One pass of every check over an open log.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::open::Opened;
use super::progress::Progress;
use crate::loader;
use crate::loader::held::event_in;
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError};
use crate::replay::finding::Finding;
use crate::replay::{Place, Seq};

/// What the checks have to say of a log.
pub struct Judged {
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

pub fn judge(opened: &Opened, progress: &Progress) -> Result<Judged, LogError> {
    let log = &opened.log;
    let mut judge = loader::judging(log, &opened.beside);
    let mut records = 0;
    walk_log(log, |at, met| {
        records = records.max(at.0 + u32::from(met.takes_a_number()));
        match met {
            Met::Record(place, bytes) => {
                judge.event(at, place, event_in(log, bytes));
                progress.add(bytes.len() as u64 + 1);
            }
            Met::Torn(_, place, bytes) if !bytes.is_empty() => {
                judge.damage((opened.dialect().torn_tail)(at, place, bytes.len()));
            }
            Met::Torn(finding, ..) | Met::Damage(finding, _) => judge.damage(finding),
        }
        ControlFlow::Continue(())
    })?;
    let events = judge.events();
    let mut findings = judge.finish();
    let told = |bytes| {
        progress.add(bytes);
        true
    };
    findings.extend(loader::found_beside(log, &opened.beside, Seq(records.saturating_sub(1)), &told)?.findings);
    let dropped = findings.dropped();
    let findings = findings.into_sorted();
    let refused = findings.iter().find(|finding| opened.dialect().refuses(finding.check)).cloned();
    Ok(Judged { events, records, findings, dropped, refused })
}

/// Visits all that a log holds, until told to stop.
pub fn walk_log(log: &Log, mut visit: impl FnMut(Seq, Met<'_>) -> ControlFlow<()>) -> Result<(), LogError> {
    let mut walk = Walk::new(log)?;
    while let Some((at, met)) = walk.step()? {
        if visit(at, met).is_break() {
            break;
        }
    }
    Ok(())
}

/// Visits every record, until told to stop.
pub fn walk_records(log: &Log, mut visit: impl FnMut(Seq, (Place, &[u8])) -> ControlFlow<()>) -> Result<(), LogError> {
    walk_log(log, |at, met| met.record().map_or(ControlFlow::Continue(()), |record| visit(at, record)))
}

/// A few records and their places, read again.
pub fn excerpt(log: &Log, wanted: &BTreeSet<u32>) -> Result<BTreeMap<u32, (Place, Vec<u8>)>, LogError> {
    let mut found = BTreeMap::new();
    let Some(last) = wanted.last().copied() else { return Ok(found) };
    walk_records(log, |at, (place, bytes)| {
        if wanted.contains(&at.0) {
            found.insert(at.0, (place, bytes.to_vec()));
        }
        if at.0 < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}
