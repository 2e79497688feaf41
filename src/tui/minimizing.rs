//! A finding that is being minimized, or was: how far it is, what came out, and the smaller log to look at.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::theme::Role;
use crate::minimize::certificate::CertificateRow;
use crate::minimize::curve::Curve;
use crate::minimize::tester::MinimizeProgress;
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::timeline::Replay;
use crate::text::{count, fit, grouped, pad, paragraph};

/// Events and bytes of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub events: usize,
    pub bytes: u64,
}

impl Size {
    fn told(self) -> String {
        format!("{}, {} bytes", count(self.events as u64, "event"), grouped(self.bytes))
    }
}

/// Smaller logs are being tried.
pub struct Trying {
    pub whole: Size,
    pub progress: MinimizeProgress,
    pub curve: Curve,
    pub elapsed: Duration,
    /// How long this pass takes at most, once that can be told.
    pub left: Option<Duration>,
}

/// What came out.
pub struct Done {
    /// The table proves that nothing more can go.
    pub complete: bool,
    pub whole: Size,
    pub least: Size,
    pub tests: u64,
    pub cached: u64,
    pub elapsed: Duration,
    pub certificate: Vec<CertificateRow>,
    /// Numbers in the whole log of what is left.
    pub kept: Arc<[u32]>,
    /// What the smaller log reports besides, as fingerprints.
    pub also_reported: Vec<String>,
    pub saved: Option<PathBuf>,
}

pub enum Stage {
    /// The log is being taken apart.
    Reading,
    Trying(Box<Trying>),
    Done(Box<Done>),
}

pub struct Minimizing {
    pub check: &'static str,
    pub fingerprint: String,
    pub stage: Stage,
    /// Somebody wants it to end with the best so far.
    pub ends: bool,
    /// Where it is saved as soon as it is done.
    pub save_to: Option<PathBuf>,
    whole: Arc<dyn Replay>,
    /// The smaller log, once somebody has opened it.
    least: Option<Arc<dyn Replay>>,
    pub shows_least: bool,
}

impl Minimizing {
    pub fn new(finding: &Finding, whole: Arc<dyn Replay>, save_to: Option<PathBuf>) -> Self {
        Minimizing {
            check: finding.check.id,
            fingerprint: finding.fingerprint(),
            stage: Stage::Reading,
            ends: false,
            save_to,
            whole,
            least: None,
            shows_least: false,
        }
    }

    pub fn is_running(&self) -> bool {
        self.done().is_none()
    }

    pub fn done(&self) -> Option<&Done> {
        match &self.stage {
            Stage::Done(done) => Some(done),
            Stage::Reading | Stage::Trying(_) => None,
        }
    }

    pub fn done_mut(&mut self) -> Option<&mut Done> {
        match &mut self.stage {
            Stage::Done(done) => Some(done),
            Stage::Reading | Stage::Trying(_) => None,
        }
    }

    /// Whether the smaller log can be looked at.
    pub fn is_opened(&self) -> bool {
        self.least.is_some()
    }

    pub fn opened(&mut self, least: Arc<dyn Replay>) {
        self.least = Some(least);
    }

    /// The other one of the two logs from now on, and the event there that is nearest to this one.
    pub fn turn_over(&mut self, at: Seq) -> Option<(Arc<dyn Replay>, Seq)> {
        let (least, done) = (self.least.as_ref()?, self.done()?);
        let (replay, to) = match self.shows_least {
            true => (&self.whole, done.kept.get(at.0 as usize).copied().unwrap_or_default()),
            false => {
                let nearest = done.kept.partition_point(|kept| *kept < at.0).min(done.kept.len().saturating_sub(1));
                (least, nearest as u32)
            }
        };
        let turned = (Arc::clone(replay), Seq(to));
        self.shows_least = !self.shows_least;
        Some(turned)
    }

    /// What a frame shows of it, so that there is a new one when it changes: how far it is, and the time.
    pub fn seen(&self) -> impl PartialEq + use<> {
        match &self.stage {
            Stage::Reading => (0, 0, 0, false),
            Stage::Trying(trying) => (1, trying.progress.tests, trying.elapsed.as_millis() / 100, self.ends),
            Stage::Done(done) => (2, done.tests, 0, done.saved.is_some()),
        }
    }

    /// All that there is to tell of what came out, in lines of at most so many columns.
    pub fn told(&self, columns: usize) -> Vec<(Role, String)> {
        let Some(done) = self.done() else { return Vec::new() };
        let (mark, role) = if done.complete { ("✓", Role::Good) } else { ("!", Role::Mark) };
        let mut lines = paragraphs(Role::Strong, &format!("{mark} {}", self.fingerprint), columns);
        let sizes = format!("{} → {}", done.whole.told(), done.least.told());
        lines.extend(paragraphs(Role::Text, &sizes, columns));
        let tests = format!("{}, {} from memory", count(done.tests, "test"), grouped(done.cached));
        lines.extend(paragraphs(Role::Dim, &format!("{tests}, {:.2} s", done.elapsed.as_secs_f64()), columns));
        let verdict = match done.complete {
            true => "nothing more can go: without any one of these events it is no longer reported",
            false => "not minimal: it was ended early, and this is the best so far",
        };
        lines.extend(paragraphs(role, verdict, columns));
        if let Some(path) = &done.saved {
            lines.extend(paragraphs(Role::Good, &format!("saved as {}", path.display()), columns));
        }
        if !done.certificate.is_empty() {
            lines.push((Role::Text, String::new()));
            lines.extend(table(&done.certificate, columns));
        }
        if !done.also_reported.is_empty() {
            lines.push((Role::Text, String::new()));
            lines.push((Role::Dim, fit("reported by the minimized log besides", columns)));
            lines.extend(done.also_reported.iter().flat_map(|other| paragraphs(Role::Text, other, columns)));
        }
        lines
    }
}

fn paragraphs(role: Role, text: &str, columns: usize) -> Vec<(Role, String)> {
    paragraph(text, columns).into_iter().map(|piece| (role, piece)).collect()
}

/// Less room than this for what is reported without an event, and it stands below it.
const LEAST_COLUMNS_BESIDE: usize = 24;

/// Each event, its number in the whole log, its kind, and what is reported without it.
fn table(rows: &[CertificateRow], columns: usize) -> Vec<(Role, String)> {
    let kind_columns = rows.iter().map(|row| row.kind.len()).max().unwrap_or(0).max(4);
    let left =
        |event: &str, original: &str, kind: &str| format!("{event:>5}  {original:>8}  {}  ", pad(kind, kind_columns));
    let head = left("event", "original", "kind");
    let beside = columns.saturating_sub(head.chars().count());
    let stands_below = beside < LEAST_COLUMNS_BESIDE;
    let indent = if stands_below { 7 } else { head.chars().count() };
    let mut lines = vec![(Role::Dim, fit(&format!("{head}without it"), columns))];
    for row in rows {
        let first = left(&row.event.to_string(), &row.original.to_string(), row.kind);
        let pieces = paragraph(&row.without.describe(), columns.saturating_sub(indent));
        let mut pieces = pieces.into_iter();
        let beside = if stands_below { String::new() } else { pieces.next().unwrap_or_default() };
        lines.push((Role::Text, fit(format!("{first}{beside}").trim_end(), columns)));
        lines.extend(pieces.map(|piece| (Role::Text, format!("{}{piece}", " ".repeat(indent)))));
    }
    lines
}
