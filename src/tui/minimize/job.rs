//! The background job that minimizes a finding, and its result: a log that can be saved or opened.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::state::{MinimizeNews, MinimizeStage, MinimizedSummary, Size, Trying};
use crate::loader::Loaded;
use crate::minimize::Extent;
use crate::minimize::candidate::Candidate;
use crate::minimize::curve::Curve;
use crate::minimize::tester::{MinimizeProgress, Observer};
use crate::minimize_io::task::{MinimizeOutcome, MinimizeTask, report_path};
use crate::replay::finding::Finding;
use crate::text::harmless;
use crate::tui::job::{Job, JobControl, JobError};
use crate::tui::model::Model;
use crate::wholefile::{Destination, DestinationError, Existing};

/// How far the job has come.
#[derive(Clone)]
struct JobProgress {
    whole: Size,
    begun: Instant,
    progress: MinimizeProgress,
    curve: Curve,
}

/// `None` until the log has been read.
type Control = JobControl<Option<JobProgress>>;

/// Passes the progress of minimizing on to the screen.
struct Reporter<'c>(&'c Control);

impl Observer for Reporter<'_> {
    fn report(&mut self, progress: MinimizeProgress) {
        self.0.report(|known| {
            if let Some(known) = known {
                known.progress = progress;
                known.curve.push(progress.events);
            }
        });
    }

    fn is_over(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// The minimized log, and the log that it was made from.
struct MinimizedLog {
    subject: MinimizeTask,
    outcome: MinimizeOutcome,
}

/// Why the minimized log cannot be saved or opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MinimumError {
    #[error("nothing has been minimized yet")]
    NotReady,
    #[error(transparent)]
    Destination(#[from] DestinationError),
    #[error("{}: cannot be written: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Open(Box<dyn Error + Send + Sync>),
}

pub(crate) struct MinimizeJob {
    begun: Instant,
    job: Job<Option<JobProgress>, MinimizedLog>,
    minimized: Option<Box<MinimizedLog>>,
    /// The pass over the minimized log, once the user has opened it.
    opened: Option<Loaded>,
    is_over: bool,
}

impl MinimizeJob {
    pub(crate) fn begin(loaded: &Loaded, finding: Arc<Finding>) -> Result<Self, JobError> {
        let no_log = "a what-if variant cannot be minimized; `:save FILE` makes it a log";
        let (log, sidecars) = loaded.log().ok_or_else(|| JobError::failed(no_log))?;
        let shown = loaded.replay().len() as usize;
        let job = Job::spawn("minimizing", move |control: &Control| {
            let subject = MinimizeTask::new(log, sidecars).map_err(JobError::failed)?;
            // The file is opened again by its name, and may have been truncated or replaced since.
            if subject.gathered.parts.len() < shown {
                let reason = "the file has fewer events than the screen shows; open it again before minimizing";
                return Err(JobError::failed(reason));
            }
            minimized(subject, &finding, control)
        })?;
        Ok(MinimizeJob { begun: Instant::now(), job, minimized: None, opened: None, is_over: false })
    }

    pub(crate) fn is_busy(&self) -> bool {
        !self.is_over
    }

    pub(crate) fn opened(&self) -> Option<&Loaded> {
        self.opened.as_ref()
    }

    /// Reports what is new. The result is saved at once if the user has already named a file.
    pub(crate) fn look(&mut self, model: &Model) -> Vec<MinimizeNews> {
        let Some(minimizing) = &model.minimizing else { return Vec::new() };
        if minimizing.ends {
            self.job.cancel();
        }
        match self.job.take_result() {
            None if self.is_over => Vec::new(),
            None => self.trying(&minimizing.stage).into_iter().collect(),
            Some(Err(error)) => {
                self.is_over = true;
                vec![MinimizeNews::Failed(error.to_string())]
            }
            Some(Ok(minimized)) => {
                self.is_over = true;
                let outcome = outcome(&minimized, self.begun.elapsed());
                self.minimized = Some(Box::new(minimized));
                let mut news = vec![MinimizeNews::Done(Box::new(outcome))];
                news.extend(minimizing.save_to.as_deref().map(|path| self.save(path)));
                news
            }
        }
    }

    /// The progress, unless the screen shows it already.
    fn trying(&self, shown: &MinimizeStage) -> Option<MinimizeNews> {
        let JobProgress { whole, begun, progress, curve } = self.job.progress()?;
        let elapsed = self.begun.elapsed();
        let is_shown = match shown {
            MinimizeStage::Trying(shown) => {
                let tenths = |elapsed: Duration| elapsed.as_millis() / 100;
                shown.progress.tests == progress.tests && tenths(shown.elapsed) == tenths(elapsed)
            }
            MinimizeStage::Reading | MinimizeStage::Done(_) => false,
        };
        let left = progress.seconds_left(begun.elapsed().as_secs_f64());
        let left = left.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        (!is_shown).then(|| MinimizeNews::Trying(Box::new(Trying { whole, progress, curve, elapsed, left })))
    }

    pub(crate) fn save(&self, path: &Path) -> MinimizeNews {
        match self.write(path) {
            Ok(()) => MinimizeNews::Saved(path.to_owned()),
            Err(error) => MinimizeNews::NotSaved(error.to_string()),
        }
    }

    /// Writes the minimized log and its certificate. Existing files are never replaced, and the log is verified by
    /// reading it again.
    fn write(&self, path: &Path) -> Result<(), MinimumError> {
        let MinimizedLog { subject, outcome } = self.minimized.as_deref().ok_or(MinimumError::NotReady)?;
        let report = report_path(path);
        let log = subject.log.path.as_deref();
        let check = |path: &Path| Destination::new(path, log, Existing::Keep);
        let (target, report_target) = (check(path)?, check(&report)?);
        let failed = |path: &Path, error| MinimumError::Write { path: path.to_owned(), error };
        subject.save(outcome, &target).map_err(|error| failed(path, error))?;
        let written = subject.document(outcome, None).and_then(|document| {
            let text = harmless(serde_json::to_string_pretty(&document)?) + "\n";
            report_target.write(text.as_bytes(), |_| Ok(()))
        });
        written.map_err(|error| failed(&report, error))
    }

    /// Begins the pass over the minimized log.
    pub(crate) fn open(&mut self) -> Result<&Loaded, MinimumError> {
        let MinimizedLog { subject, outcome } = self.minimized.as_deref().ok_or(MinimumError::NotReady)?;
        let log = subject.opened(outcome).map_err(|error| MinimumError::Open(error.into()))?;
        let sidecars = subject.sidecars_of(&log).map_err(|error| MinimumError::Open(error.into()))?;
        let loaded = Loaded::begin(log, sidecars, false).map_err(|error| MinimumError::Open(error.into()))?;
        Ok(self.opened.insert(loaded))
    }
}

fn minimized(subject: MinimizeTask, finding: &Finding, control: &Control) -> Result<MinimizedLog, JobError> {
    let trial = subject.checker();
    let all = Candidate::all(&subject.gathered.parts);
    let found = trial.findings(&all);
    if let Some(reason) = subject.refusal(finding, &found) {
        return Err(JobError::failed(format!("{}: {reason}", subject.log.name)));
    }
    let whole = size(&all, &subject);
    let progress =
        MinimizeProgress { phase: "closure", events: whole.events, bytes: whole.bytes, ..MinimizeProgress::default() };
    let curve = Curve::from(whole.events);
    control.report(|known| *known = Some(JobProgress { whole, begun: Instant::now(), progress, curve }));
    let outcome = subject.keeping(&*trial, (finding, &found), (None, Extent::Payloads), &mut Reporter(control));
    drop(trial);
    Ok(MinimizedLog { subject, outcome })
}

fn size(candidate: &Candidate, subject: &MinimizeTask) -> Size {
    Size { events: candidate.len(), bytes: candidate.bytes(&subject.gathered.parts) }
}

fn outcome(minimized: &MinimizedLog, elapsed: Duration) -> MinimizedSummary {
    let MinimizedLog { subject, outcome } = minimized;
    let minimized = &outcome.minimized;
    MinimizedSummary {
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
