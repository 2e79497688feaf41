//! One pass of all checks over an open log.

use std::collections::{BTreeMap, BTreeSet};

use super::open::Opened;
use super::progress::ByteProgress;
use crate::loader::check_results;
pub(super) use crate::loader::check_results::CheckResults;
use crate::log::walk::Walk;
use crate::log::{Log, LogError};
use crate::replay::Place;
use crate::replay::chunk::ChunkStart;

pub(super) fn check_opened(opened: &Opened, progress: &ByteProgress) -> Result<CheckResults, LogError> {
    check_results::check_log(&opened.log, &*opened.sidecars, &|bytes| progress.add(bytes))
}

/// Reads a few records again, with their places. `marks` are places from which reading may start.
pub(super) fn excerpt(
    log: &Log,
    marks: &[ChunkStart],
    wanted: &BTreeSet<u32>,
) -> Result<BTreeMap<u32, (Place, Vec<u8>)>, LogError> {
    let mut found = BTreeMap::new();
    let mut wanted = wanted.iter().copied().peekable();
    while let Some(first) = wanted.peek().copied() {
        let after = marks.partition_point(|mark| mark.seq.0 <= first);
        let mut walk = match after.checked_sub(1).map(|before| marks[before]) {
            Some(mark) => log.walk_lines_from(mark.place, mark.seq)?,
            None => Walk::new(log)?,
        };
        let end = marks.get(after).map_or(u32::MAX, |mark| mark.seq.0);
        while let Some(next) = wanted.peek().copied().filter(|next| *next < end) {
            let Some((at, met)) = walk.step()? else { return Ok(found) };
            if let Some((place, bytes)) = met.record()
                && at.0 == next
            {
                found.insert(next, (place, bytes.to_vec()));
            }
            while wanted.next_if(|wanted| *wanted <= at.0).is_some() {}
        }
    }
    Ok(found)
}
