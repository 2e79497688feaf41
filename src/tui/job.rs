//! A job on a background thread, so that the screen stays responsive: spawn, progress, cancel, result.

use std::error::Error;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Why a job has no result. The message is a sentence for the user.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JobError {
    #[error("{job} needs a thread, and none could be started: {source}")]
    Spawn { job: &'static str, source: io::Error },
    #[error("{0} ended unexpectedly; this is a bug in stepback")]
    Panicked(&'static str),
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
}

impl JobError {
    pub(crate) fn failed(reason: impl Into<Box<dyn Error + Send + Sync>>) -> JobError {
        JobError::Failed(reason.into())
    }
}

/// What the thread and the screen share.
pub(crate) struct JobControl<Progress> {
    is_cancelled: AtomicBool,
    progress: Mutex<Progress>,
}

impl<Progress> JobControl<Progress> {
    /// Whether the work should stop as soon as it can.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Changes the progress that the screen sees.
    pub(crate) fn report(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A running job. Dropping it cancels the work and does not wait for it.
pub(crate) struct Job<Progress, Outcome> {
    /// What the job does, as the subject of a sentence: "comparing".
    name: &'static str,
    control: Arc<JobControl<Progress>>,
    thread: Option<JoinHandle<Result<Outcome, JobError>>>,
}

impl<Progress, Outcome> Job<Progress, Outcome>
where
    Progress: Clone + Default + Send + 'static,
    Outcome: Send + 'static,
{
    pub(crate) fn spawn(
        name: &'static str,
        work: impl FnOnce(&JobControl<Progress>) -> Result<Outcome, JobError> + Send + 'static,
    ) -> Result<Self, JobError> {
        let control =
            Arc::new(JobControl { is_cancelled: AtomicBool::new(false), progress: Mutex::new(Progress::default()) });
        let shared = Arc::clone(&control);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&shared));
        let thread = thread.map_err(|source| JobError::Spawn { job: name, source })?;
        Ok(Job { name, control, thread: Some(thread) })
    }

    pub(crate) fn progress(&self) -> Progress {
        self.control.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<Progress, Outcome> Job<Progress, Outcome> {
    /// Asks the work to stop. Its result, if it has one, can still be taken.
    pub(crate) fn cancel(&self) {
        self.control.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// The result, once: `None` while the work continues, and after the result was taken.
    pub(crate) fn take_result(&mut self) -> Option<Result<Outcome, JobError>> {
        let thread = self.thread.take_if(|thread| thread.is_finished())?;
        Some(thread.join().unwrap_or(Err(JobError::Panicked(self.name))))
    }

    /// Cancels the work and waits until its thread has ended.
    pub(crate) fn cancel_and_wait(&mut self) {
        self.cancel();
        if let Some(thread) = self.thread.take() {
            // The work was cancelled, so how it ended does not matter.
            let _ = thread.join();
        }
    }
}

impl<Progress, Outcome> Drop for Job<Progress, Outcome> {
    fn drop(&mut self) {
        self.cancel();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn result<P, T>(job: &mut Job<P, T>) -> Result<T, JobError> {
        loop {
            if let Some(result) = job.take_result() {
                return result;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_job_reports_progress_and_gives_its_result_once() {
        let (go, wait) = mpsc::channel();
        let mut job = Job::spawn("counting", move |control: &JobControl<u32>| {
            control.report(|progress| *progress = 7);
            wait.recv().map_err(JobError::failed)?;
            Ok("done")
        })
        .expect("a thread");
        while job.progress() != 7 {
            std::thread::yield_now();
        }
        assert!(job.take_result().is_none());
        go.send(()).expect("the job waits");
        assert_eq!(result(&mut job).expect("a result"), "done");
        assert!(job.take_result().is_none());
    }

    #[test]
    fn a_cancelled_job_notices_and_is_waited_for() {
        let mut job = Job::spawn("waiting", |control: &JobControl<()>| {
            while !control.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(())
        })
        .expect("a thread");
        job.cancel_and_wait();
        assert!(job.take_result().is_none());
    }

    #[test]
    fn errors_and_panics_become_sentences() {
        let mut failing: Job<(), ()> = Job::spawn("failing", |_| Err(JobError::failed("no luck"))).expect("a thread");
        assert_eq!(result(&mut failing).map_err(|error| error.to_string()), Err("no luck".to_owned()));
        let mut panicking: Job<(), ()> =
            Job::spawn("panicking", |_| std::panic::resume_unwind(Box::new(()))).expect("a thread");
        let sentence = "panicking ended unexpectedly; this is a bug in stepback".to_owned();
        assert_eq!(result(&mut panicking).map_err(|error| error.to_string()), Err(sentence));
    }
}
