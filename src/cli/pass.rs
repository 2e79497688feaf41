//! One pass of all checks over an open log.

use std::collections::{BTreeMap, BTreeSet};

use super::open::Opened;
use super::progress::ByteProgress;
use crate::loader::check_results;
pub(super) use crate::loader::check_results::CheckResults;
use crate::log::walk::Walk;
use crate::log::{Log, LogError};
use crate::replay::Place;

pub(super) fn check_opened(opened: &Opened, progress: &ByteProgress) -> Result<CheckResults, LogError> {
    check_results::check_log(&opened.log, &*opened.sidecars, &|bytes| progress.add(bytes))
}

/// Reads a few records again, with their places.
pub(super) fn excerpt(log: &Log, wanted: &BTreeSet<u32>) -> Result<BTreeMap<u32, (Place, Vec<u8>)>, LogError> {
    let mut found = BTreeMap::new();
    let Some(last) = wanted.last().copied() else { return Ok(found) };
    let mut walk = Walk::new(log)?;
    while let Some((at, met)) = walk.step()? {
        if let Some((place, bytes)) = met.record()
            && wanted.contains(&at.0)
        {
            found.insert(at.0, (place, bytes.to_vec()));
        }
        if at.0 >= last {
            break;
        }
    }
    Ok(found)
}
