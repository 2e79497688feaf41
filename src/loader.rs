//! Loading: the forward pass over an open log on its own thread, which makes the replay.
//!
//! What the pass has read can be looked at while it goes on; the first moment is there before the file has been read.
//! When following, the pass waits at the end for more, and notices when the log is replaced.
//!
//! A variant of a loaded log has its own pass, and can be saved as a log.

pub(crate) mod check_results;
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

/// Where the pass stands, for whoever waits for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// It has come to the end of the log, and perhaps waits there for more.
    pub at_end: bool,
    /// It does nothing any more.
    pub stopped: bool,
    /// Why it stopped before the end.
    pub trouble: Option<String>,
    /// The log is another one now, or its name means nothing: what happened, for a person.
    pub news: Option<FileChange>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileChange {
    /// It must be opened again to see what it is now.
    Other(String),
    /// Nothing stands under its name. What was read can still be looked at.
    Missing,
}

#[derive(Default)]
struct Status {
    cancelled: AtomicBool,
    standing: Mutex<Standing>,
    moved: Condvar,
    /// The notes of the log's reviewers. Known when the pass is at the end.
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

    /// Sleeps, unless it is cancelled meanwhile.
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
    /// What a variant of it needs; a variant itself has none.
    origin: Option<Arc<Origin>>,
}

/// A log and its sidecars, as they were opened.
struct Origin {
    log: Arc<Log>,
    sidecars: Arc<dyn Sidecars>,
}

/// The sidecars of a log that count without anyone naming or looking for them: those that its records refer to.
pub(crate) fn own_sidecars(log: &Log) -> Result<Arc<dyn Sidecars>, LogError> {
    let request = SidecarRequest { log, named: &NamedSidecars::default(), finds: false };
    Ok((log.dialect.sidecars)(&request)?)
}

/// What the sidecars of a log say about it.
#[derive(Default)]
pub(crate) struct SidecarResults {
    pub findings: Vec<Finding>,
    pub notes: Notes,
}

impl SidecarResults {
    /// Compares a log with its sidecars. `last` is its last event. What was found when it was opened is included.
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
    /// Starts the pass. With `follow` it goes on whenever the log grows.
    pub(crate) fn begin(log: Log, sidecars: Arc<dyn Sidecars>, follow: bool) -> Result<Loaded, LogError> {
        Loaded::begin_pass(log, sidecars, follow, true)
    }

    /// Starts the pass over a log without sidecars other than those that its records refer to.
    pub fn begin_alone(log: Log, follow: bool) -> Result<Loaded, LogError> {
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

    /// The log and its sidecars, for reading it again on another thread. A variant has none.
    pub(crate) fn log(&self) -> Option<(Arc<Log>, Arc<dyn Sidecars>)> {
        self.origin.as_ref().map(|origin| (Arc::clone(&origin.log), Arc::clone(&origin.sidecars)))
    }

    /// The notes of the log's reviewers. None before the pass has come to the end.
    pub(crate) fn notes(&self) -> Arc<Notes> {
        Arc::clone(&self.status.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn standing(&self) -> Standing {
        self.status.standing().clone()
    }

    /// Waits until `done` says so, the pass comes to the end, or the time is over; true unless it is over.
    pub fn wait(&self, time: Duration, done: impl Fn(&dyn Replay) -> bool) -> bool {
        let standing = self.status.standing();
        let waits = |standing: &mut Standing| !standing.at_end && !standing.stopped && !done(&*self.replay);
        let result = self.status.moved.wait_timeout_while(standing, time, waits);
        !result.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// The same for a log that is followed: the end is no reason to stop waiting.
    pub(crate) fn wait_for_news(&self, time: Duration, done: impl Fn(&dyn Replay) -> bool) {
        let standing = self.status.standing();
        let waits = |standing: &mut Standing| !standing.stopped && !done(&*self.replay);
        let _ = self.status.moved.wait_timeout_while(standing, time, waits);
    }

    /// Waits until the pass has come to the end of the log. `tell` is asked to show how far it is meanwhile.
    pub fn wait_to_end(&self, mut tell: impl FnMut(u64)) -> Result<(), String> {
        while !self.wait(Duration::from_millis(100), |_| false) {
            tell(self.replay.progress().passed);
        }
        self.standing().trouble.map_or(Ok(()), Err)
    }

    /// Tells the pass to stop where it is. What it has gone over can still be looked at.
    pub fn cancel(&self) {
        self.status.cancelled.store(true, Ordering::Relaxed);
        self.status.moved.notify_all();
    }
}

fn spawn(pass: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, LogError> {
    let thread = std::thread::Builder::new().name("pass".to_owned()).spawn(pass);
    thread.map_err(|error| LogError::io("the thread of the pass", error))
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
