//! A finding minimized on a thread of its own, and what can be done with what comes out.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::loader::Loaded;
use crate::minimize::candidate::Candidate;
use crate::minimize::curve::Curve;
use crate::minimize::tester::{MinimizeProgress, Observer};
use crate::minimize_io::task::{MinimizeOutcome, MinimizeTask, report_path};
use crate::replay::finding::Finding;
use crate::text::harmless;
use crate::tui::minimizing::{Done, Size, Stage, Trying};
use crate::tui::model::Model;
use crate::tui::update::minimizing::arrived;
use crate::wholefile::{Destination, Existing};

/// What the thread tells of itself, and whether anybody still waits for it.
#[derive(Default)]
struct Watched {
    is_over: AtomicBool,
    seen: Mutex<Option<Seen>>,
}

/// How far it is.
#[derive(Clone)]
struct Seen {
    whole: Size,
    begun: Instant,
    progress: MinimizeProgress,
    curve: Curve,
}

impl Watched {
    fn seen(&self) -> MutexGuard<'_, Option<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes down how far it is, for whoever looks.
struct Reporter<'w>(&'w Watched);

impl Observer for Reporter<'_> {
    fn report(&mut self, progress: MinimizeProgress) {
        if let Some(seen) = self.0.seen().as_mut() {
            seen.progress = progress;
            seen.curve.push(progress.events);
        }
    }

    fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::Relaxed)
    }
}

/// The smaller log, and what it was made of.
struct Made {
    subject: MinimizeTask,
    outcome: MinimizeOutcome,
}

enum Work {
    Going(JoinHandle<Result<Made, String>>),
    Made(Box<Made>),
    Over,
}

pub struct Smaller {
    begun: Instant,
    watched: Arc<Watched>,
    work: Work,
    /// The smaller log as it is shown.
    opened: Option<Loaded>,
}

impl Smaller {
    pub fn begin(loaded: &Loaded, finding: Arc<Finding>) -> Result<Self, String> {
        let (log, sidecars) = loaded.log().ok_or("a what-if variant cannot be minimized; :save FILE makes it a log")?;
        let shown = loaded.replay().len() as usize;
        let watched = Arc::new(Watched::default());
        let seen = Arc::clone(&watched);
        let thread = std::thread::Builder::new().name("minimize".to_owned());
        let thread = thread.spawn(move || {
            let subject = MinimizeTask::new(log, sidecars).map_err(|error| error.to_string())?;
            // The file is read by its name again, and may have been cut or replaced since.
            if subject.gathered.parts.len() < shown {
                return Err("the file has fewer events than are shown; open it again before it is minimized".to_owned());
            }
            made(subject, &finding, &seen)
        });
        let thread = thread.map_err(|error| format!("no thread to minimize on: {error}"))?;
        Ok(Smaller { begun: Instant::now(), watched, work: Work::Going(thread), opened: None })
    }

    pub fn is_busy(&self) -> bool {
        matches!(self.work, Work::Going(_))
    }

    /// Tells the model how far it is. An error says why it is over.
    pub fn look(&mut self, model: &mut Model) -> Result<(), String> {
        let Some(minimizing) = &mut model.minimizing else { return Ok(()) };
        if minimizing.ends {
            self.watched.is_over.store(true, Ordering::Relaxed);
        }
        self.work = match std::mem::replace(&mut self.work, Work::Over) {
            Work::Going(thread) if !thread.is_finished() => {
                if let Some(seen) = self.watched.seen().clone() {
                    minimizing.stage = Stage::Trying(Box::new(trying(seen, self.begun.elapsed())));
                }
                Work::Going(thread)
            }
            Work::Going(thread) => {
                let fault = || "minimizing came to a sudden end; that is a fault of stepback".to_owned();
                let made = thread.join().unwrap_or_else(|_| Err(fault()))?;
                arrived(model, done(&made, self.begun.elapsed()));
                Work::Made(Box::new(made))
            }
            other => other,
        };
        Ok(())
    }

    /// Writes the smaller log and how it became so: never over another file, and proven by reading it again.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        let Work::Made(made) = &self.work else { return Err("nothing is minimized yet".to_owned()) };
        let report = report_path(path);
        let log = made.subject.log.path.as_deref();
        let check = |path: &Path| Destination::new(path, log, Existing::Keep).map_err(|error| error.to_string());
        let (target, report_target) = (check(path)?, check(&report)?);
        let failed = |path: &Path, error: io::Error| format!("{}: cannot be written: {error}", path.display());
        made.subject.save(&made.outcome, &target).map_err(|error| failed(path, error))?;
        let written = made.subject.document(&made.outcome, None).and_then(|document| {
            let text = harmless(serde_json::to_string_pretty(&document)?) + "\n";
            report_target.write(text.as_bytes(), |_| Ok(()))
        });
        written.map_err(|error| failed(&report, error))
    }

    /// Begins the pass over the smaller log.
    pub fn open(&mut self) -> Result<&Loaded, String> {
        let Work::Made(made) = &self.work else { return Err("nothing is minimized yet".to_owned()) };
        let log = made.subject.opened(&made.outcome).map_err(|error| error.to_string())?;
        let sidecars = made.subject.sidecars_of(&log).map_err(|error| error.to_string())?;
        let loaded = Loaded::begin(log, sidecars, false).map_err(|error| error.to_string())?;
        Ok(self.opened.insert(loaded))
    }

    pub fn opened(&self) -> Option<&Loaded> {
        self.opened.as_ref()
    }
}

impl Drop for Smaller {
    fn drop(&mut self) {
        // Nobody waits for it: it ends at its next test.
        self.watched.is_over.store(true, Ordering::Relaxed);
    }
}

fn made(subject: MinimizeTask, finding: &Finding, watched: &Watched) -> Result<Made, String> {
    let trial = subject.checker();
    let all = Candidate::all(&subject.gathered.parts);
    let found = trial.findings(&all);
    if let Some(reason) = subject.refusal(finding, &found) {
        return Err(format!("{}: {reason}", subject.log.name));
    }
    let whole = size(&all, &subject);
    let progress =
        MinimizeProgress { phase: "closure", events: whole.events, bytes: whole.bytes, ..MinimizeProgress::default() };
    *watched.seen() = Some(Seen { whole, begun: Instant::now(), progress, curve: Curve::from(whole.events) });
    let outcome = subject.keeping(&*trial, (finding, &found), None, &mut Reporter(watched));
    drop(trial);
    Ok(Made { subject, outcome })
}

fn size(candidate: &Candidate, subject: &MinimizeTask) -> Size {
    Size { events: candidate.len(), bytes: candidate.bytes(&subject.gathered.parts) }
}

fn trying(seen: Seen, elapsed: Duration) -> Trying {
    let Seen { whole, begun, progress, curve } = seen;
    let left = progress.seconds_left(begun.elapsed().as_secs_f64());
    let left = left.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Trying { whole, progress, curve, elapsed, left }
}

fn done(made: &Made, elapsed: Duration) -> Done {
    let Made { subject, outcome } = made;
    let minimized = &outcome.minimized;
    Done {
        complete: minimized.complete,
        whole: size(&Candidate::all(&subject.gathered.parts), subject),
        least: size(&minimized.best, subject),
        tests: minimized.tests,
        cached: minimized.cached,
        elapsed,
        certificate: minimized.certificate.clone(),
        kept: Arc::clone(&minimized.best.kept),
        also_reported: outcome.also_reported.iter().map(Finding::fingerprint).collect(),
        saved: None,
    }
}
