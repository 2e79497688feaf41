//! The walk of a pass without a timeline over all records of a log.

use super::parallel::{Watch, pass_lines};
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError};
use crate::replay::Seq;
use crate::replay::chunk::ChunkStart;
use crate::replay::record_pass::RecordPass;

/// What happens besides the pass.
pub(super) struct Watching<'w> {
    pub threads: usize,
    /// Gets places in the log with the numbers of their records, in order.
    pub started: &'w (dyn Fn(ChunkStart) + Sync),
    /// Gets the number of bytes that were read.
    pub report: &'w (dyn Fn(u64) + Sync),
    pub is_cancelled: &'w (dyn Fn() -> bool + Sync),
}

/// Passes on all records and returns the number after the last one. Lines are decoded in chunks, everything else record by
/// record.
pub(super) fn pass_records(log: &Log, pass: &mut dyn RecordPass, watching: &Watching<'_>) -> Result<Seq, LogError> {
    let Some(mut place) = log.start_of_lines() else {
        let mut walk = Walk::new(log)?;
        while pass_next(log, pass, &mut walk, watching)? {}
        return Ok(walk.next());
    };
    let watch = Watch {
        unwrap: &|record| log.wrapping.event_in(record),
        started: watching.started,
        passed: watching.report,
        is_cancelled: watching.is_cancelled,
    };
    let mut seq = Seq(0);
    loop {
        let rest = pass_lines(log.lines_from(place)?, &mut *pass, ChunkStart { seq, place }, watching.threads, &watch);
        let rest = rest.map_err(|error| LogError::io(&log.name, error))?;
        let mut walk = log.walk_lines_from(rest.place, rest.seq)?;
        seq = pass_rest(log, pass, &mut walk, watching)?;
        match walk.place_after_long_line() {
            Some(after) if !(watching.is_cancelled)() => place = after,
            _ => return Ok(seq),
        }
    }
}

/// Passes on records one by one, up to the end of the log or of a line that is too long. Returns the next number.
fn pass_rest(log: &Log, pass: &mut dyn RecordPass, walk: &mut Walk, watching: &Watching<'_>) -> Result<Seq, LogError> {
    while pass_next(log, pass, walk, watching)? && walk.place_after_long_line().is_none() {}
    Ok(walk.next())
}

/// Passes on the next record. Returns false at the end of the log, and if the pass was cancelled.
fn pass_next(log: &Log, pass: &mut dyn RecordPass, walk: &mut Walk, watching: &Watching<'_>) -> Result<bool, LogError> {
    if (watching.is_cancelled)() {
        return Ok(false);
    }
    let Some((at, met)) = walk.step()? else { return Ok(false) };
    match met {
        Met::Record(place, bytes) => {
            pass.event(at, place, bytes, log.wrapping.event_in(bytes));
            (watching.report)(bytes.len() as u64 + 1);
        }
        Met::Torn(_, place, bytes) if !bytes.is_empty() => {
            pass.damage((log.dialect.torn_tail)(at, place, bytes.len()), Some((at, bytes)));
        }
        Met::Torn(finding, ..) => pass.damage(finding, None),
        Met::Damage(finding, taken) => pass.damage(finding, taken.map(|_| (at, &b""[..]))),
    }
    Ok(true)
}
