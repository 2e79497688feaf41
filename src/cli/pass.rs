//! One pass of every check over an open log.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::open::Opened;
use super::progress::ByteProgress;
use crate::loader::judged;
pub use crate::loader::judged::Judged;
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError};
use crate::replay::{Place, Seq};

pub fn judge(opened: &Opened, progress: &ByteProgress) -> Result<Judged, LogError> {
    judged::judge(&opened.log, &opened.beside, &|bytes| progress.add(bytes))
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
