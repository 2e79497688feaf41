//! Loading a log: the forward pass on its own thread, which fills the replay.
//!
//! Everything that the pass has read is available while it continues; the first moment is available before the whole
//! file has been read. With `follow`, the pass waits at the end for more records and notices when the log is replaced.
//!
//! A variant of a loaded log has its own pass and can be saved as a log.

pub(crate) mod check_results;
pub(crate) mod event_hits;
mod parallel;
mod record_walk;
pub(crate) mod save;
mod variant;
mod worker;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::dialect::sidecar::{NamedSidecars, SidecarProgress, SidecarRequest, Sidecars};
use crate::log::{Log, LogError};
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::note::Notes;
use crate::replay::timeline::Replay;

/// How far the pass is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// It has reached the end of the log. It may be waiting there for more.
    pub at_end: bool,
    /// It has stopped and will not continue.
    pub stopped: bool,
    /// Why it stopped before the end.
    pub trouble: Option<String>,
    /// The file was replaced or is gone.
    pub news: Option<FileChange>,
}

/// Why the pass stopped before the end of the log: the log could not be read any longer, or it changed meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PassError {
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileChange {
    /// The file changed in a way that requires opening it again; the text says how.
    Other(String),
    /// No file has this name at the moment. Everything that was read is still available.
    Missing,
}

#[derive(Default)]
struct Status {
    cancelled: AtomicBool,
    standing: Mutex<Standing>,
    moved: Condvar,
    /// The notes of the log's reviewers, available at the end of the pass.
    notes: Mutex<Arc<Notes>>,
}

impl Status {
    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Standing)) {
        change(&mut self.standing());
        self.moved.notify_all();
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Sleeps until the time is over or the pass is cancelled.
    fn rest(&self, time: Duration) {
        let standing = self.standing();
        let _ = self.moved.wait_timeout_while(standing, time, |_| !self.is_cancelled());
    }
}

/// A log with its pass.
pub struct Loaded {
    replay: Arc<dyn Replay>,
    status: Arc<Status>,
    thread: Option<JoinHandle<()>>,
    /// What a variant of the log needs; `None` if this is itself a variant.
    origin: Option<Arc<Origin>>,
}

/// A log and its sidecars, as they were opened.
struct Origin {
    log: Arc<Log>,
    sidecars: Arc<dyn Sidecars>,
}

/// The sidecars that belong to a log even if the user does not name them: those that its records refer to.
pub(crate) fn own_sidecars(log: &Log) -> Result<Arc<dyn Sidecars>, LogError> {
    let request = SidecarRequest { log, named: &NamedSidecars::default(), finds: false };
    Ok((log.dialect.sidecars)(&request)?)
}

/// The findings and notes that come from a log's sidecars.
#[derive(Default)]
pub(crate) struct SidecarResults {
    pub findings: Vec<Finding>,
    pub notes: Notes,
}

impl SidecarResults {
    /// Compares a log with its sidecars. `last` is its last event. Includes the findings made when the log was opened.
    pub(crate) fn of(
        log: &Log,
        sidecars: &dyn Sidecars,
        last: Seq,
        progress: &SidecarProgress<'_>,
    ) -> Result<SidecarResults, LogError> {
        let mut findings = sidecars.findings(log, last, progress)?;
        let (notes, unfit) = sidecars.notes(log)?;
        findings.extend(unfit);
        findings.extend(log.found.iter().cloned());
        Ok(SidecarResults { findings, notes })
    }
}

impl Loaded {
    /// Starts the pass. With `follow` it continues whenever the log grows.
    pub(crate) fn begin(log: Log, sidecars: Arc<dyn Sidecars>, follow: bool) -> Result<Loaded, LogError> {
        Loaded::begin_pass(log, sidecars, follow, true)
    }

    /// Starts the pass over a log without sidecars, except for those that its records refer to.
    pub fn begin_log_only(log: Log, follow: bool) -> Result<Loaded, LogError> {
        let sidecars = own_sidecars(&log)?;
        Loaded::begin_pass(log, sidecars, follow, true)
    }

    /// Starts a pass without checks, which a comparison does not need.
    pub(crate) fn begin_without_checks(log: Log) -> Result<Loaded, LogError> {
        let sidecars = own_sidecars(&log)?;
        Loaded::begin_pass(log, sidecars, false, false)
    }

    fn begin_pass(log: Log, sidecars: Arc<dyn Sidecars>, follow: bool, runs_checks: bool) -> Result<Loaded, LogError> {
        let holding = log.hold()?;
        let (replay, mut feed) = sidecars.begin(Arc::clone(&holding.source) as _);
        let origin = Arc::new(Origin { log: Arc::new(log), sidecars });
        if !runs_checks {
            feed.without_checks();
        }
        let status = Arc::new(Status::default());
        let (shared, seen) = (Arc::clone(&origin), Arc::clone(&status));
        let pass = worker::PassThread { origin: shared, holding, feed, status: seen, follow, runs_checks };
        let thread = Some(spawn(move || pass.run())?);
        Ok(Loaded { replay, status, thread, origin: Some(origin) })
    }

    pub fn replay(&self) -> &Arc<dyn Replay> {
        &self.replay
    }

    /// The log and its sidecars, to read it again on another thread. `None` for a variant.
    pub(crate) fn log(&self) -> Option<(Arc<Log>, Arc<dyn Sidecars>)> {
        self.origin.as_ref().map(|origin| (Arc::clone(&origin.log), Arc::clone(&origin.sidecars)))
    }

    /// The notes of the log's reviewers; empty until the pass reaches the end.
    pub(crate) fn notes(&self) -> Arc<Notes> {
        Arc::clone(&self.status.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn standing(&self) -> Standing {
        self.status.standing().clone()
    }

    /// Waits until `done` is true or the pass reaches the end. Returns false if the time ran out first.
    pub fn wait(&self, time: Duration, done: impl Fn(&dyn Replay) -> bool) -> bool {
        let standing = self.status.standing();
        let waits = |standing: &mut Standing| !standing.at_end && !standing.stopped && !done(&*self.replay);
        let result = self.status.moved.wait_timeout_while(standing, time, waits);
        !result.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Waits like `wait`, but does not return at the end of a log that is followed.
    pub(crate) fn wait_for_news(&self, time: Duration, done: impl Fn(&dyn Replay) -> bool) {
        let standing = self.status.standing();
        let waits = |standing: &mut Standing| !standing.stopped && !done(&*self.replay);
        let _ = self.status.moved.wait_timeout_while(standing, time, waits);
    }

    /// Waits until the pass reaches the end of the log. Meanwhile `report` gets the number of bytes read so far.
    pub fn wait_to_end(&self, mut report: impl FnMut(u64)) -> Result<(), PassError> {
        while !self.wait(Duration::from_millis(100), |_| false) {
            report(self.replay.progress().passed);
        }
        self.standing().trouble.map_or(Ok(()), |reason| Err(PassError { reason }))
    }

    /// Stops the pass. Everything that it has read is still available.
    pub fn cancel(&self) {
        self.status.cancelled.store(true, Ordering::Relaxed);
        self.status.moved.notify_all();
    }
}

fn spawn(pass: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, LogError> {
    let thread = std::thread::Builder::new().name("pass".to_owned()).spawn(pass);
    thread.map_err(|error| LogError::io("the thread that reads the log", error))
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
