//! The background jobs of an export: looking for secrets, then writing the crashpack.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::state::{ExportNews, WrittenPack};
use crate::exporter::masks::{Reviewed, review};
use crate::exporter::{self, Given, OnSignal, Order, PackWriter, Redaction, marks};
use crate::loader::Loaded;
use crate::minimize::Extent;
use crate::minimize::tester::{MinimizeProgress, Observer};
use crate::replay::bookmark::Bookmarks;
use crate::replay::finding::Finding;
use crate::tui::job::{Job, JobControl, JobError};
use crate::tui::model::Model;

pub(crate) enum ExportJob {
    Looking(Job<(), Vec<Reviewed>>),
    Writing(Job<(), WrittenPack>),
    Over,
}

/// What to write, apart from the log itself.
pub(crate) struct PackOrder {
    pub finding: Arc<Finding>,
    pub bookmarks: Bookmarks,
    /// `None` keeps the secrets.
    pub redaction: Option<Redaction>,
    pub minimizes: bool,
    pub target: PathBuf,
}

/// Ends minimizing with the best so far when the export is cancelled.
struct UntilCancelled<'c>(&'c JobControl<()>);

impl Observer for UntilCancelled<'_> {
    fn report(&mut self, _: MinimizeProgress) {}

    fn is_over(&self) -> bool {
        self.0.is_cancelled()
    }
}

impl ExportJob {
    /// Looks for secrets in everything that would be packed.
    pub(crate) fn look_for_secrets(
        loaded: &Loaded,
        redaction: Redaction,
        bookmarks: Bookmarks,
    ) -> Result<Self, JobError> {
        let log = exporter::log_of(loaded).map_err(JobError::failed)?;
        let job = Job::spawn("looking for secrets", move |control: &JobControl<()>| {
            let (marks, given) = (marks::of(&log, &bookmarks), Given::default());
            review(&log, &redaction, &marks, &given, &|| control.is_cancelled()).map_err(JobError::failed)
        })?;
        Ok(ExportJob::Looking(job))
    }

    pub(crate) fn write(loaded: &Loaded, order: PackOrder) -> Result<Self, JobError> {
        let log = exporter::log_of(loaded).map_err(JobError::failed)?;
        let PackOrder { finding, bookmarks, redaction, minimizes, target } = order;
        if let Some(reason) = exporter::refusal_of_folder(&target, log.path.as_deref()) {
            return Err(JobError::failed(format!("{}: {reason}", target.display())));
        }
        // A signal ends the screen, which drops this job, which removes the unfinished pack.
        let writer = PackWriter::begin(&target, false, OnSignal::Nothing).map_err(JobError::failed)?;
        let job = Job::spawn("exporting", move |control: &JobControl<()>| {
            let given = Given::default();
            let order = Order {
                log: &log,
                finding: &finding,
                minimize: minimizes.then_some(Extent::Payloads),
                redaction: redaction.as_ref(),
                given: &given,
                bookmarks: &bookmarks,
                is_cancelled: &|| control.is_cancelled(),
            };
            let packed = exporter::export(&order, writer, &mut UntilCancelled(control)).map_err(JobError::failed)?;
            Ok(written(packed, &target))
        })?;
        Ok(ExportJob::Writing(job))
    }

    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self, ExportJob::Over)
    }

    /// Reports the result, once there is one.
    pub(crate) fn look(&mut self, model: &Model) -> Vec<ExportNews> {
        let is_cancelled = model.exporting.as_ref().is_some_and(|exporting| exporting.gives_up);
        let news = match self {
            ExportJob::Looking(job) => job.take_result().map(|result| match result {
                Ok(secrets) => ExportNews::Reviewed(secrets),
                Err(error) => ExportNews::NotReviewed(error.to_string()),
            }),
            ExportJob::Writing(job) => {
                if is_cancelled {
                    job.cancel();
                }
                job.take_result().map(|result| match result {
                    Ok(pack) => ExportNews::Written(Box::new(pack)),
                    Err(error) => ExportNews::NotWritten(error.to_string()),
                })
            }
            ExportJob::Over => None,
        };
        if news.is_some() {
            *self = ExportJob::Over;
        }
        news.into_iter().collect()
    }
}

impl Drop for ExportJob {
    fn drop(&mut self) {
        // A pack is written as a whole or not at all, even if the program ends meanwhile.
        if let ExportJob::Writing(job) = self {
            job.cancel_and_wait();
        }
    }
}

fn written(packed: exporter::Packed, target: &Path) -> WrittenPack {
    let exporter::Packed { id, fingerprint, events, names, removals, .. } = packed;
    WrittenPack {
        folder: target.to_owned(),
        fingerprint: fingerprint.unwrap_or_default(),
        id,
        events,
        files: names.len() + 1,
        removals,
    }
}
