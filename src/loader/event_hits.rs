//! The hits of a condition that reads only events, found in one pass without a replay.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;

use super::parallel::threads_for;
use super::record_walk::{Watching, pass_records};
use crate::dialect::sidecar::Sidecars;
use crate::log::{Log, LogError};
use crate::replay::event_search::{Hit, Sought};

/// How many runs of hits may wait for the caller.
const MOST_WAITING: usize = 8;

/// Calls `take` with runs of hits in the order of the log, until it breaks. Returns how many records were searched.
pub(crate) fn each_hit(
    log: &Log,
    sidecars: &dyn Sidecars,
    sought: Sought,
    report: &(dyn Fn(u64) + Sync),
    take: &mut dyn FnMut(Vec<Hit>) -> ControlFlow<()>,
) -> Result<u32, LogError> {
    let (sender, hits) = sync_channel(MOST_WAITING);
    let mut search = sidecars.event_search(sought, sender);
    let is_cancelled = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let walk = scope.spawn(|| {
            let is_cancelled = || is_cancelled.load(Ordering::Relaxed);
            let threads = threads_for(log.length_bytes());
            let searched = pass_records(
                log,
                &mut *search,
                &Watching { threads, started: &|_| {}, report, is_cancelled: &is_cancelled },
            );
            // The receiver waits until the search is gone.
            drop(search);
            searched
        });
        for run in &hits {
            if take(run).is_break() {
                is_cancelled.store(true, Ordering::Relaxed);
                break;
            }
        }
        // A search that sends on would wait forever.
        drop(hits);
        let lost =
            || Err(LogError::io(&log.name, std::io::Error::other("the thread that searches the log has failed")));
        walk.join().unwrap_or_else(|_| lost()).map(|searched| searched.0)
    })
}
