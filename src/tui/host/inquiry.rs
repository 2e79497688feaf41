//! The thread on which a question about the whole log is answered.

use crate::tui::inquiry::state::{Inquire, Question, Reply};
use crate::tui::job::{Job, JobError};
use crate::tui::news::News;
use crate::tui::sentence::Sentence;

#[derive(Default)]
pub(super) struct Inquiries {
    pub inquire: Option<Inquire>,
    job: Option<Job<(), Result<Reply, Sentence>>>,
}

impl Inquiries {
    /// Begins to answer. A question that is still being answered is dropped.
    pub(super) fn ask(&mut self, question: Question) -> Option<News> {
        let inquire = self.inquire.clone()?;
        match Job::spawn("reading the log", move |_| Ok::<_, JobError>(inquire(&question))) {
            Ok(job) => {
                self.job = Some(job);
                None
            }
            Err(error) => Some(News::Message(error.to_string())),
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    pub(super) fn look(&mut self) -> Option<News> {
        let result = self.job.as_mut()?.take_result()?;
        self.job = None;
        Some(News::Reply(result.unwrap_or_else(|error| Err(error.to_string().into()))))
    }
}
