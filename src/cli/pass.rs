//! One pass of every check over an open log.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::open::Opened;
use super::progress::Progress;
use crate::loader::cover;
use crate::loader::held::decode_next;
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError};
use crate::replay::finding::Finding;
use crate::replay::{Place, Seq, damage};
use crate::turn::decode::Decoder;
use crate::turn::judge::Judge;

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
    /// Something in it is no event.
    pub rejected: bool,
}

pub fn judge(opened: &Opened, progress: &Progress) -> Result<Judged, LogError> {
    let log = &opened.log;
    let mut judge = Judge::new(opened.beside.live.clone());
    let mut decoder = Decoder::default();
    let (mut records, mut rejected) = (0, false);
    walk_log(log, |at, met| {
        records = records.max(at.0 + u32::from(met.takes_a_number()));
        match met {
            Met::Record(place, bytes) => {
                match decode_next(log, bytes, &mut decoder) {
                    Ok(event) => judge.see(at, &event),
                    Err(malformed) => {
                        rejected = true;
                        let place = Place { byte: place.byte + malformed.byte as u64, ..place };
                        judge.see_malformed(at, place, &malformed);
                    }
                }
                progress.add(bytes.len() as u64 + 1);
            }
            Met::Torn(finding, ..) | Met::Damage(finding, _) => {
                rejected = true;
                judge.findings.push(finding);
            }
        }
        ControlFlow::Continue(())
    })?;
    if judge.events() == 0 {
        judge.findings.push(damage::empty());
    }
    let events = judge.events();
    let mut findings = judge.finish();
    findings.extend(cover::findings(log, &opened.beside, Seq(records.saturating_sub(1)))?);
    let dropped = findings.dropped();
    Ok(Judged { events, records, findings: findings.into_sorted(), dropped, rejected })
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
