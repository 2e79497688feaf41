//! From an open log to a replay: the forward pass on a thread of its own, beside whoever looks at the log.
//!
//! What the pass has gone over can be looked at while it goes on; the first moment is there before it has read the
//! file. With following it waits at the end for more, and notices when the log becomes another one.
//!
//! A variant of a loaded log has a pass of its own beside the original's, and can be saved as a log.

mod annotated;
mod cover;
pub mod held;
pub mod judged;
pub mod save;
mod stored;
mod variant;
mod worker;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::dialect::{Dialect, Start};
use crate::log::{Log, LogError};
use crate::minimize::checker::CandidateChecker;
use crate::minimize::parts::Parts;
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::judging::Judging;
use crate::replay::note::Notes;
use crate::replay::source::Head;
use crate::replay::timeline::Replay;
use crate::tape;
use crate::tape_store::Store;
use crate::turn::report::Beside;
pub use annotated::content_hash as tape_content_hash;
pub use stored::{Tell, each_reference};

/// Where the pass stands, for whoever waits for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// It has come to the end of the log, and perhaps waits there for more.
    pub at_end: bool,
    /// It does nothing any more.
    pub stopped: bool,
    /// Why it stopped before the end.
    pub trouble: Option<String>,
    /// The log is another one now, or its name means nothing: what happened, for a person.
    pub news: Option<News>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
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
    /// What others wrote beside the log. Known when the pass is at the end.
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
    opened: Option<Arc<Opened>>,
}

/// What is known of a log besides its records.
struct Opened {
    log: Arc<Log>,
    dialect: &'static Dialect,
    beside: Arc<Beside>,
}

impl Opened {
    fn of(log: Log, beside: Beside) -> Opened {
        Opened { dialect: log.dialect, log: Arc::new(log), beside: Arc::new(beside) }
    }

    fn store(&self) -> Option<Store> {
        store_beside(self.dialect, self.log.path.as_deref())
    }

    fn start(&self) -> Start<'_> {
        start(self.store(), self.log.head.as_ref(), &self.beside)
    }
}

/// The payloads beside a tape. One that came through a pipe has none.
fn store_beside(dialect: &Dialect, path: Option<&Path>) -> Option<Store> {
    path.filter(|_| *dialect == tape::dialect::DIALECT).map(Store::beside)
}

fn start<'s>(store: Option<Store>, head: Option<&'s Head>, beside: &'s Beside) -> Start<'s> {
    Start { beside, head, payloads: store.map(|store| Arc::new(store) as _), stored: None }
}

/// The checks of a log alone, without a replay.
pub fn judging(log: &Log, beside: &Beside) -> Box<dyn Judging> {
    let dialect = log.dialect;
    (dialect.judge)(&start(store_beside(dialect, log.path.as_deref()), log.head.as_ref(), beside))
}

/// The store that a log has beside it.
pub fn store_of(log: &Log) -> Option<Store> {
    store_beside(log.dialect, log.path.as_deref())
}

/// The records of a log, for whoever makes it smaller.
pub fn trial<'p>(log: &Log, beside: &Beside, parts: &'p Parts) -> Box<dyn CandidateChecker + 'p> {
    let dialect = log.dialect;
    let stored = store_of(log).map(|store| Arc::new(stored::survey(&store, parts)));
    (dialect.trial)(parts, &Start { stored, ..start(None, log.head.as_ref(), beside) })
}

/// What stands beside a log against it. Belongs to its last event, or to those that refer to it.
pub fn found_beside(log: &Log, beside: &Beside, last: Seq, tell: &Tell<'_>) -> Result<FoundBeside, LogError> {
    let dialect = log.dialect;
    let (Some(store), Some(path)) = (store_beside(dialect, log.path.as_deref()), &log.path) else {
        let mut findings = cover::findings(log, beside, last)?;
        findings.extend(log.found.iter().cloned());
        return Ok(FoundBeside { findings, notes: Notes::default() });
    };
    let mut findings = stored::findings(log, &store, last, tell)?;
    let (notes, unfit) = annotated::read(log, path)?;
    findings.extend(unfit);
    findings.extend(log.found.iter().cloned());
    Ok(FoundBeside { findings, notes })
}

/// What was found beside a log.
#[derive(Default)]
pub struct FoundBeside {
    pub findings: Vec<Finding>,
    pub notes: Notes,
}

impl Loaded {
    /// Starts the pass. With `follow` it goes on whenever the log grows.
    pub fn begin(log: Log, beside: Beside, follow: bool) -> Result<Loaded, LogError> {
        Loaded::begin_pass(log, beside, follow, true)
    }

    /// Starts a pass that finds nothing wrong with the log: for whoever compares it, that would only take time.
    pub fn begin_without_checks(log: Log) -> Result<Loaded, LogError> {
        Loaded::begin_pass(log, Beside::default(), false, false)
    }

    fn begin_pass(log: Log, beside: Beside, follow: bool, judges: bool) -> Result<Loaded, LogError> {
        let holding = log.hold()?;
        let opened = Arc::new(Opened::of(log, beside));
        let (replay, mut feed) = (opened.dialect.begin)(Arc::clone(&holding.source) as _, &opened.start());
        if !judges {
            feed.without_checks();
        }
        let status = Arc::new(Status::default());
        let worker =
            worker::Worker { opened: Arc::clone(&opened), holding, feed, status: Arc::clone(&status), follow, judges };
        let thread = Some(spawn(move || worker.run())?);
        Ok(Loaded { replay, status, thread, opened: Some(opened) })
    }

    pub fn replay(&self) -> &Arc<dyn Replay> {
        &self.replay
    }

    /// The log and what stands beside it, for whoever reads it again on a thread of his own. A variant has none.
    pub fn log(&self) -> Option<(Arc<Log>, Arc<Beside>)> {
        self.opened.as_ref().map(|opened| (Arc::clone(&opened.log), Arc::clone(&opened.beside)))
    }

    /// What others wrote beside the log. Nothing before the pass has come to the end.
    pub fn notes(&self) -> Arc<Notes> {
        Arc::clone(&self.status.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn standing(&self) -> Standing {
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
    pub fn wait_for_news(&self, time: Duration, done: impl Fn(&dyn Replay) -> bool) {
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
