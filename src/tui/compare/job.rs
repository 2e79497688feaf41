//! The background jobs of a comparison: opening the other log, reading it, comparing both.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::state::{CompareNews, Compared};
use crate::compare::verdict::ComparisonVerdict;
use crate::compare::{CompareOptions, Comparison, Trouble};
use crate::loader::{FileChange, Loaded};
use crate::replay::timeline::Replay;
use crate::text::grouped;
use crate::tui::job::{Job, JobControl, JobError};
use crate::tui::model::Model;

/// Another log that was opened.
pub(crate) struct OtherLog {
    /// The name as the user gave it.
    pub name: String,
    /// The name, quoted for a shell.
    pub word: String,
    pub loaded: Loaded,
}

/// Opens another log in the same way as the open one.
pub(crate) type Open = Arc<dyn Fn(&Path) -> Result<OtherLog, Box<dyn Error + Send + Sync>> + Send + Sync>;

/// The job of a comparison; its progress is the number of events compared so far.
type Comparing = Job<u64, Compared>;

enum CompareStage {
    Opening(Job<(), OtherLog>),
    Reading(Loaded),
    Comparing(Loaded, Comparing),
    Compared(Loaded),
    Ended,
}

pub(crate) struct CompareJob {
    pub path: PathBuf,
    stage: CompareStage,
}

impl CompareJob {
    pub(crate) fn open(open: &Open, path: PathBuf) -> Result<Self, JobError> {
        let (open, target) = (Arc::clone(open), path.clone());
        let job = Job::spawn("comparing", move |_: &JobControl<()>| open(&target).map_err(JobError::Failed))?;
        Ok(CompareJob { path, stage: CompareStage::Opening(job) })
    }

    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.stage, CompareStage::Opening(_) | CompareStage::Reading(_) | CompareStage::Comparing(..))
    }

    /// Advances if a thread has finished, and reports what is new. An error ends the comparison.
    pub(crate) fn look(&mut self, model: &Model) -> Vec<CompareNews> {
        let mut news = Vec::new();
        if let Err(error) = self.advance(model, &mut news) {
            self.stage = CompareStage::Ended;
            news.push(CompareNews::Failed(error.to_string()));
        }
        // A frame is drawn only for news that it does not show yet.
        let doing = model.shown_log.comparison().and_then(|comparison| comparison.doing.as_deref());
        news.retain(|news| !matches!(news, CompareNews::Doing(text) if Some(text.as_str()) == doing));
        news
    }

    fn advance(&mut self, model: &Model, news: &mut Vec<CompareNews>) -> Result<(), JobError> {
        let name = model.shown_log.comparison().map_or("", |comparison| &comparison.name);
        self.stage = match std::mem::replace(&mut self.stage, CompareStage::Ended) {
            CompareStage::Opening(mut job) => match job.take_result() {
                None => CompareStage::Opening(job),
                Some(opened) => {
                    let OtherLog { name, word, loaded } = opened?;
                    if !std::ptr::eq(loaded.replay().vocabulary(), model.replay().vocabulary()) {
                        return Err(JobError::failed(format!("{name}: {}", Trouble::OtherDialect)));
                    }
                    news.push(CompareNews::Opened { name: name.clone(), word });
                    read(loaded, &name, model, news)?
                }
            },
            CompareStage::Reading(loaded) => read(loaded, name, model, news)?,
            CompareStage::Comparing(loaded, mut job) => match job.take_result() {
                Some(compared) => {
                    news.push(CompareNews::Compared(Box::new(compared?)));
                    CompareStage::Compared(loaded)
                }
                None => {
                    let all = u64::from(model.replay().len()) + u64::from(loaded.replay().len());
                    let percent = job.progress() * 100 / all.max(1);
                    news.push(CompareNews::Doing(format!("comparing with {name}… {percent} %")));
                    CompareStage::Comparing(loaded, job)
                }
            },
            CompareStage::Compared(loaded) if matches!(loaded.standing().news, Some(FileChange::Other(_))) => {
                return Err(JobError::failed("the other log has changed; `:compare FILE` compares it as it is now"));
            }
            CompareStage::Compared(loaded) => match model.compared() {
                Some(compared) if !compared.is_of(model.debugger.replay()) => {
                    return Err(JobError::failed("another log is shown now; `:compare FILE` compares it"));
                }
                Some(compared) if compared.is_outgrown() && model.replay().progress().at_end => {
                    read(loaded, name, model, news)?
                }
                _ => CompareStage::Compared(loaded),
            },
            CompareStage::Ended => CompareStage::Ended,
        };
        Ok(())
    }
}

/// Starts to compare once both logs have been read.
fn read(loaded: Loaded, name: &str, model: &Model, news: &mut Vec<CompareNews>) -> Result<CompareStage, JobError> {
    let standing = loaded.standing();
    if standing.stopped && !loaded.replay().progress().at_end {
        let unknown = || "the other log could not be read to its end".to_owned();
        return Err(JobError::failed(standing.trouble.unwrap_or_else(unknown)));
    }
    let progress = loaded.replay().progress();
    if !progress.at_end || !model.replay().progress().at_end {
        let events = grouped(u64::from(progress.events));
        let which = if progress.at_end { "the open log" } else { name };
        news.push(CompareNews::Doing(format!("reading {which} to compare with {name} ({events} events so far)…")));
        return Ok(CompareStage::Reading(loaded));
    }
    news.push(CompareNews::Doing(format!("comparing with {name}… 0 %")));
    let (left, right) = (Arc::clone(model.debugger.replay()), Arc::clone(loaded.replay()));
    let job = Job::spawn("comparing", move |control: &JobControl<u64>| compared(left, right, control))?;
    Ok(CompareStage::Comparing(loaded, job))
}

fn compared(left: Arc<dyn Replay>, right: Arc<dyn Replay>, control: &JobControl<u64>) -> Result<Compared, JobError> {
    let watch = |events| {
        control.report(|progress| *progress = events);
        if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let failed = |trouble: Trouble| JobError::failed(trouble.to_string());
    let comparison = Comparison::made(&*left, &*right, CompareOptions { watch: &watch, ..CompareOptions::default() })
        .map_err(failed)?;
    let verdict = comparison.verdict(&*left, &*right).map_err(failed)?;
    let (sentence, is_same) = (verdict.sentence(&*left, &*right), verdict == ComparisonVerdict::Same);
    Ok(Compared::new(comparison, (left, right), sentence, is_same))
}
