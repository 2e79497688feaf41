//! The state of minimizing: its progress, its outcome, and the minimized log.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::minimize::certificate::CertificateRow;
use crate::minimize::curve::Curve;
use crate::minimize::tester::MinimizeProgress;
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::timeline::Replay;
use crate::text::{count, fit, grouped, pad, paragraph};
use crate::tui::form::LogForm;
use crate::tui::theme::ScreenRole;

/// The size of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub events: usize,
    pub bytes: u64,
}

impl Size {
    fn text(self) -> String {
        format!("{}, {} bytes", count(self.events as u64, "event"), grouped(self.bytes))
    }
}

/// The progress while smaller logs are tried.
pub(crate) struct Trying {
    pub whole: Size,
    pub progress: MinimizeProgress,
    pub curve: Curve,
    pub elapsed: Duration,
    /// The upper bound for the rest of this phase, once it is known.
    pub left: Option<Duration>,
}

/// The outcome of minimizing.
pub(crate) struct MinimizedSummary {
    /// The certificate proves that nothing more can be removed.
    pub complete: bool,
    pub whole: Size,
    pub least: Size,
    pub tests: u64,
    pub cached: u64,
    pub elapsed: Duration,
    pub certificate: Vec<CertificateRow>,
    /// The numbers of the remaining events in the whole log.
    pub kept: Arc<[u32]>,
    /// The other findings of the minimized log, as fingerprints.
    pub also_reported: Vec<String>,
    pub saved: Option<PathBuf>,
}

pub(crate) enum MinimizeStage {
    /// The log is being read.
    Reading,
    Trying(Box<Trying>),
    Done(Box<MinimizedSummary>),
}

/// What the host reports about minimizing.
pub(crate) enum MinimizeNews {
    Begun {
        finding: Arc<Finding>,
        save_to: Option<PathBuf>,
    },
    Trying(Box<Trying>),
    Done(Box<MinimizedSummary>),
    Failed(String),
    Saved(PathBuf),
    NotSaved(String),
    /// The minimized log can be shown.
    Opened(Arc<dyn Replay>),
}

pub(crate) struct Minimizing {
    pub check: &'static str,
    pub fingerprint: String,
    pub stage: MinimizeStage,
    /// The user has stopped it; it ends with the best result so far.
    pub ends: bool,
    /// Where to save the minimized log when it is done.
    pub save_to: Option<PathBuf>,
    whole: Arc<dyn Replay>,
    /// The form of the whole log.
    whole_form: LogForm,
    /// The minimized log, once the user has opened it.
    least: Option<Arc<dyn Replay>>,
}

impl Minimizing {
    pub(crate) fn new(
        finding: &Finding,
        (whole, whole_form): (Arc<dyn Replay>, LogForm),
        save_to: Option<PathBuf>,
    ) -> Self {
        Minimizing {
            check: finding.check.id,
            fingerprint: finding.fingerprint(),
            stage: MinimizeStage::Reading,
            ends: false,
            save_to,
            whole,
            whole_form,
            least: None,
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.done().is_none()
    }

    pub(crate) fn done(&self) -> Option<&MinimizedSummary> {
        match &self.stage {
            MinimizeStage::Done(done) => Some(done),
            MinimizeStage::Reading | MinimizeStage::Trying(_) => None,
        }
    }

    pub(crate) fn done_mut(&mut self) -> Option<&mut MinimizedSummary> {
        match &mut self.stage {
            MinimizeStage::Done(done) => Some(done),
            MinimizeStage::Reading | MinimizeStage::Trying(_) => None,
        }
    }

    /// Whether the minimized log can be shown.
    pub(crate) fn is_opened(&self) -> bool {
        self.least.is_some()
    }

    pub(crate) fn opened(&mut self, least: Arc<dyn Replay>) {
        self.least = Some(least);
    }

    /// The form to switch to, its replay, and its event that is nearest to this one.
    pub(crate) fn switched(&self, from: LogForm, at: Seq) -> Option<(LogForm, Arc<dyn Replay>, Seq)> {
        let (least, done) = (self.least.as_ref()?, self.done()?);
        Some(match from {
            LogForm::Minimum => {
                let to = done.kept.get(at.0 as usize).copied().unwrap_or_default();
                (self.whole_form, Arc::clone(&self.whole), Seq(to))
            }
            _ => {
                let nearest = done.kept.partition_point(|kept| *kept < at.0).min(done.kept.len().saturating_sub(1));
                (LogForm::Minimum, Arc::clone(least), Seq(nearest as u32))
            }
        })
    }

    /// The outcome in lines of at most `columns` columns.
    pub(crate) fn report(&self, columns: usize) -> Vec<(ScreenRole, String)> {
        let Some(done) = self.done() else { return Vec::new() };
        let (mark, role) = if done.complete { ("✓", ScreenRole::Good) } else { ("!", ScreenRole::Mark) };
        let mut lines = paragraphs(ScreenRole::Strong, &format!("{mark} {}", self.fingerprint), columns);
        let sizes = format!("{} → {}", done.whole.text(), done.least.text());
        lines.extend(paragraphs(ScreenRole::Text, &sizes, columns));
        let tests = format!("{}, {} answered from the cache", count(done.tests, "test"), grouped(done.cached));
        lines.extend(paragraphs(ScreenRole::Dim, &format!("{tests}, {:.2} s", done.elapsed.as_secs_f64()), columns));
        let verdict = match done.complete {
            true => "this is minimal: without any one of these events the finding is not reported",
            false => "not minimal: it was stopped early, and this is the best so far",
        };
        lines.extend(paragraphs(role, verdict, columns));
        if let Some(path) = &done.saved {
            lines.extend(paragraphs(ScreenRole::Good, &format!("saved as {}", path.display()), columns));
        }
        if !done.certificate.is_empty() {
            lines.push((ScreenRole::Text, String::new()));
            lines.extend(table(&done.certificate, columns));
        }
        if !done.also_reported.is_empty() {
            lines.push((ScreenRole::Text, String::new()));
            lines.push((ScreenRole::Dim, fit("other findings of the minimized log", columns)));
            lines.extend(done.also_reported.iter().flat_map(|other| paragraphs(ScreenRole::Text, other, columns)));
        }
        lines
    }
}

fn paragraphs(role: ScreenRole, text: &str, columns: usize) -> Vec<(ScreenRole, String)> {
    paragraph(text, columns).into_iter().map(|piece| (role, piece)).collect()
}

/// With less room than this, the last column of the table is below the others.
const LEAST_COLUMNS_BESIDE: usize = 24;

/// A row per event: its number, its number in the whole log, its kind, and what is reported without it.
fn table(rows: &[CertificateRow], columns: usize) -> Vec<(ScreenRole, String)> {
    let kind_columns = rows.iter().map(|row| row.kind.len()).max().unwrap_or(0).max(4);
    let left =
        |event: &str, original: &str, kind: &str| format!("{event:>5}  {original:>8}  {}  ", pad(kind, kind_columns));
    let head = left("event", "original", "kind");
    let beside = columns.saturating_sub(head.chars().count());
    let stands_below = beside < LEAST_COLUMNS_BESIDE;
    let indent = if stands_below { 7 } else { head.chars().count() };
    let mut lines = vec![(ScreenRole::Dim, fit(&format!("{head}without it"), columns))];
    for row in rows {
        let first = left(&row.event.to_string(), &row.original.to_string(), row.kind);
        let pieces = paragraph(&row.without.describe(), columns.saturating_sub(indent));
        let mut pieces = pieces.into_iter();
        let beside = if stands_below { String::new() } else { pieces.next().unwrap_or_default() };
        lines.push((ScreenRole::Text, fit(format!("{first}{beside}").trim_end(), columns)));
        lines.extend(pieces.map(|piece| (ScreenRole::Text, format!("{}{piece}", " ".repeat(indent)))));
    }
    lines
}
