//! The host of the screen: files, background jobs and the clipboard.
//!
//! It fulfils requests and watches the background jobs. It never changes the model: it reports what has happened as
//! [`News`], which `update` applies.

mod bookmarks;
mod inquiry;
mod memory;

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::action::Action;
use super::clipboard::{self, CopyResult};
use super::compare::job::CompareJob;
pub(crate) use super::compare::job::{Open, OtherLog};
use super::compare::state::CompareNews;
use super::export::job::{ExportJob, PackOrder};
use super::export::state::{ExportNews, ExportReview};
use super::family::state::FindFamily;
use super::form::{LogForm, PackTrace};
use super::inquiry::state::Inquire;
use super::minimize::job::MinimizeJob;
use super::minimize::state::MinimizeNews;
use super::model::Model;
use super::news::News;
use super::picture::PictureTheme;
use super::request::Request;
use super::view;
use super::whatif::state::WhatIfNews;
use crate::bookmark::memory::ScreenMemory;
use crate::loader::{FileChange, Loaded};
use crate::replay::Seq;
use crate::replay::bookmark::Bookmarks;
use crate::replay::target::Target;
use crate::text::harmless;
use crate::wholefile::WholeFile;
use bookmarks::KeptBookmarks;
use inquiry::Inquiries;

/// How long to wait for a pass before the screen continues without it. Most passes end within this time.
const AT_ONCE: Duration = Duration::from_millis(100);
/// How long the first events may take before the screen opens without them.
pub(crate) const FIRST_WAIT: Duration = Duration::from_secs(2);

/// Why a log cannot be opened. The message is a sentence for the user.
pub(crate) type OpenError = Box<dyn Error + Send + Sync>;

/// Opens the log again, as it is now.
pub(crate) type Reopen = Box<dyn Fn() -> Result<Loaded, OpenError>>;

/// Opens a trace of the crashpack, and finds the place of its finding.
pub(crate) type OpenTrace = Box<dyn Fn(PackTrace) -> Result<(Loaded, Option<Target>), OpenError>>;

/// What the crashpack of the log provides besides the trace that is shown.
pub(crate) struct FromPack {
    /// `None` if there is only one trace.
    pub open_trace: Option<OpenTrace>,
    pub trace: PackTrace,
    pub bookmarks: Bookmarks,
}

impl Default for FromPack {
    fn default() -> Self {
        FromPack { open_trace: None, trace: PackTrace::Recorded, bookmarks: Bookmarks::default() }
    }
}

impl FromPack {
    /// The form in which the log is shown first.
    pub(crate) fn form(&self) -> LogForm {
        if self.open_trace.is_some() { LogForm::PackTrace(self.trace) } else { LogForm::Log }
    }
}

pub(crate) struct Host {
    loaded: Loaded,
    /// The pass over the what-if variant.
    variant: Option<Loaded>,
    compare: Option<CompareJob>,
    minimize: Option<MinimizeJob>,
    export: Option<ExportJob>,
    reopen: Reopen,
    open: Open,
    pack: FromPack,
    bookmarks: KeptBookmarks,
    follows: bool,
    /// Finds the family of the log, if its dialect has families.
    family: Option<FindFamily>,
    inquiries: Inquiries,
    /// Where to go as soon as the place is known.
    target: Option<Target>,
    /// Where logs were left. Looked at once, when this log has been read.
    memory: Option<ScreenMemory>,
    /// The last reported change of the log's file.
    reported: Option<FileChange>,
}

impl Host {
    pub(crate) fn new(loaded: Loaded, reopen: Reopen, follows: bool, target: Option<Target>) -> Self {
        Host {
            loaded,
            variant: None,
            compare: None,
            minimize: None,
            export: None,
            family: None,
            inquiries: Inquiries::default(),
            reopen,
            open: Arc::new(|_| Err("no other log can be opened here".into())),
            pack: FromPack::default(),
            bookmarks: KeptBookmarks::default(),
            follows,
            target,
            memory: None,
            reported: None,
        }
    }

    /// Sets the function that opens other logs.
    #[must_use]
    pub(crate) fn opening(mut self, open: Open) -> Self {
        self.open = open;
        self
    }

    /// Sets how the family of the log is found.
    #[must_use]
    pub(crate) fn with_family(mut self, family: Option<FindFamily>) -> Self {
        self.family = family;
        self
    }

    /// Sets how questions about the whole log are answered.
    #[must_use]
    pub(crate) fn inquiring(mut self, inquire: Option<Inquire>) -> Self {
        self.inquiries.inquire = inquire;
        self
    }

    /// Sets the crashpack of the log.
    #[must_use]
    pub(crate) fn with_pack(mut self, pack: FromPack) -> Self {
        self.pack = pack;
        self
    }

    /// Checks all background work, and reports what is new.
    pub(crate) fn look(&mut self, model: &Model) -> Vec<News> {
        let mut news = self.look_at_variant(model);
        let progress = model.replay().progress();
        if progress != model.progress {
            news.push(News::Progressed);
        }
        if progress.at_end && progress.events > 0 && !self.bookmarks.are_found_in(model.debugger.replay()) {
            news.extend(self.bookmarks.find(&self.loaded, &self.pack.bookmarks, model.debugger.replay()));
        }
        news.extend(self.look_for_left(model));
        news.extend(self.look_for_target(model));
        news.extend(self.look_at_comparison(model));
        news.extend(self.look_at_minimizing(model));
        news.extend(self.look_at_export(model));
        news.extend(self.look_at_file(model));
        news.extend(self.inquiries.look());
        news
    }

    /// Whether there is work in progress, or progress that the screen does not show yet.
    pub(crate) fn is_busy(&self, model: &Model) -> bool {
        let goes_on = |loaded: &Loaded| !loaded.standing().stopped;
        goes_on(&self.loaded)
            || self.variant.as_ref().is_some_and(goes_on)
            || self.is_comparing()
            || self.is_minimizing()
            || self.is_exporting()
            || self.inquiries.is_busy()
            || self.minimize.as_ref().and_then(MinimizeJob::opened).is_some_and(goes_on)
            || model.replay().progress() != model.progress
            || model.whatif.as_ref().is_some_and(|whatif| whatif.pending.is_some())
    }

    pub(crate) fn fulfil(&mut self, model: &Model, request: Request) -> Vec<News> {
        match request {
            Request::Nothing | Request::Suspend | Request::Redraw => Vec::new(),
            Request::Keep(edit) => {
                if !model.progress.at_end {
                    let reason = "bookmarks have to wait until the whole log has been read";
                    return vec![News::Message(reason.to_owned())];
                }
                let lists = model.key(Action::List(super::action::ListKind::Bookmarks));
                self.bookmarks.edit(edit, lists, &self.loaded, &self.pack.bookmarks, model.debugger.replay())
            }
            Request::Copy(what, text) => vec![copy(&what, &text)],
            Request::Picture(path) => vec![save_picture(model, &expand_home(path))],
            Request::Reopen => self.open_again(model),
            Request::Family => vec![self.family()],
            Request::Ask(question) => self.inquiries.ask(question).into_iter().collect(),
            Request::Trace(trace) => self.show_trace(model, trace),
            Request::Vary(at) => self.vary(model, at).into_iter().collect(),
            Request::SaveVariant(path) => self.save_variant(model, &expand_home(path)).into_iter().collect(),
            Request::Compare(path) => vec![self.compare(expand_home(path), Some(model.at()))],
            Request::Minimize(number, path) => {
                self.minimize(model, number, path.map(expand_home)).into_iter().collect()
            }
            Request::SaveMinimized(path) => {
                let saved = self.minimize.as_ref().map(|job| job.save(&expand_home(path)));
                saved.into_iter().map(News::from).collect()
            }
            Request::OpenMinimized => self.open_minimized().into_iter().collect(),
            Request::LookForSecrets => self.look_for_secrets(model).into_iter().collect(),
            Request::Export(path) => self.export(model, expand_home(path)).into_iter().collect(),
        }
    }

    /// Reports a variant whose pass has reached the user's event, or has stopped before it.
    pub(crate) fn look_at_variant(&self, model: &Model) -> Vec<News> {
        let Some(whatif) = model.whatif.as_ref().filter(|whatif| whatif.pending.is_some()) else { return Vec::new() };
        if whatif.is_pending_ready() {
            return vec![WhatIfNews::Ready.into()];
        }
        let standing = self.variant.as_ref().map(Loaded::standing).unwrap_or_default();
        if !standing.stopped || standing.at_end {
            return Vec::new();
        }
        // The log may have been truncated since.
        let reason = standing.trouble.unwrap_or_else(|| "its pass ended early".to_owned());
        vec![WhatIfNews::Failed(format!("the variant cannot be replayed: {reason}")).into()]
    }

    fn look_at_file(&mut self, model: &Model) -> Vec<News> {
        let standing = self.loaded.standing();
        let mut news = Vec::new();
        if standing.news != self.reported {
            self.reported = standing.news;
            match &self.reported {
                Some(FileChange::Other(_)) if self.follows => news.extend(self.open_again(model)),
                Some(FileChange::Other(reason)) => {
                    news.push(News::Message(format!("{reason}; {} opens it again", model.key(Action::Reload))));
                }
                Some(FileChange::Missing) => {
                    let text = "the file is gone; everything read so far stays on the screen";
                    news.push(News::Message(text.to_owned()));
                }
                None => {}
            }
        }
        let trouble = standing.trouble.filter(|_| model.replay().is_empty());
        news.extend(trouble.filter(|trouble| model.message.as_ref() != Some(trouble)).map(News::Message));
        news
    }

    /// Replays the variant. The screen shows it when the pass has reached the event.
    fn vary(&mut self, model: &Model, at: Seq) -> Option<News> {
        let whatif = model.whatif.as_ref()?;
        self.variant = None;
        if !whatif.variant.is_changed() {
            return Some(WhatIfNews::Unchanged(at).into());
        }
        Some(match self.loaded.begin_variant(&whatif.variant) {
            Ok(loaded) => {
                loaded.wait(AT_ONCE, |replay| replay.progress().events > at.0);
                let replay = Arc::clone(loaded.replay());
                self.variant = Some(loaded);
                WhatIfNews::Pending(replay, at).into()
            }
            Err(error) => News::Message(error.to_string()),
        })
    }

    fn save_variant(&self, model: &Model, path: &Path) -> Option<News> {
        let whatif = model.whatif.as_ref()?;
        Some(match self.loaded.save_variant(&whatif.variant, path) {
            Ok(saved) => {
                let left_out = match saved.left_out {
                    0 => String::new(),
                    records => format!("; {records} left out because they are not JSON"),
                };
                let text = format!("{} events saved as {}{left_out}", saved.records, path.display());
                WhatIfNews::Saved(text).into()
            }
            Err(error) => News::Message(error.to_string()),
        })
    }

    /// Begins to compare with another log. If the playhead is still at `from` when both have been compared, it goes to
    /// the first difference.
    pub(crate) fn compare(&mut self, path: PathBuf, from: Option<Seq>) -> News {
        let name = path.display().to_string();
        // A comparison in progress is cancelled first, since its thread would only use time.
        self.compare = None;
        match CompareJob::open(&self.open, path) {
            Ok(job) => {
                self.compare = Some(job);
                CompareNews::Begun { name, from }.into()
            }
            Err(error) => News::Message(error.to_string()),
        }
    }

    /// Whether the other log is still being read or compared.
    pub(crate) fn is_comparing(&self) -> bool {
        self.compare.as_ref().is_some_and(CompareJob::is_busy)
    }

    pub(crate) fn look_at_comparison(&mut self, model: &Model) -> Vec<News> {
        if model.shown_log.comparison().is_none() {
            self.compare = None;
        }
        let news = self.compare.as_mut().map(|job| job.look(model)).unwrap_or_default();
        if news.iter().any(|news| matches!(news, CompareNews::Failed(_))) {
            self.compare = None;
        }
        news.into_iter().map(News::from).collect()
    }

    fn minimize(&mut self, model: &Model, number: usize, save_to: Option<PathBuf>) -> Option<News> {
        let findings = model.replay().findings();
        let finding = findings.list.get(number)?;
        Some(match MinimizeJob::begin(&self.loaded, Arc::clone(finding)) {
            Ok(job) => {
                self.minimize = Some(job);
                MinimizeNews::Begun { finding: Arc::clone(finding), save_to }.into()
            }
            Err(error) => News::Message(error.to_string()),
        })
    }

    pub(crate) fn is_minimizing(&self) -> bool {
        self.minimize.as_ref().is_some_and(MinimizeJob::is_busy)
    }

    pub(crate) fn look_at_minimizing(&mut self, model: &Model) -> Vec<News> {
        if model.minimizing.is_none() {
            self.minimize = None;
        }
        let news = self.minimize.as_mut().map(|job| job.look(model)).unwrap_or_default();
        if news.iter().any(|news| matches!(news, MinimizeNews::Failed(_))) {
            self.minimize = None;
        }
        news.into_iter().map(News::from).collect()
    }

    fn open_minimized(&mut self) -> Option<News> {
        Some(match self.minimize.as_mut()?.open() {
            Ok(loaded) => {
                loaded.wait(AT_ONCE, |_| false);
                MinimizeNews::Opened(Arc::clone(loaded.replay())).into()
            }
            Err(error) => News::Message(error.to_string()),
        })
    }

    fn look_for_secrets(&mut self, model: &Model) -> Option<News> {
        let exporting = model.exporting.as_ref()?;
        let bookmarks = self.pack.bookmarks.clone();
        match ExportJob::look_for_secrets(&self.loaded, exporting.redaction.clone(), bookmarks) {
            Ok(job) => {
                self.export = Some(job);
                None
            }
            Err(error) => Some(ExportNews::Refused(error.to_string()).into()),
        }
    }

    fn export(&mut self, model: &Model, target: PathBuf) -> Option<News> {
        let exporting = model.exporting.as_ref()?;
        let findings = model.replay().findings();
        let finding = Arc::clone(findings.list.get(exporting.finding)?);
        let redaction = exporting.redacts.then(|| exporting.redaction.clone());
        let bookmarks = self.pack.bookmarks.clone();
        let order = PackOrder { finding, bookmarks, redaction, minimizes: exporting.minimizes, target };
        match ExportJob::write(&self.loaded, order) {
            Ok(job) => {
                self.export = Some(job);
                None
            }
            Err(error) => Some(ExportNews::NotWritten(error.to_string()).into()),
        }
    }

    /// Whether secrets are still being searched for, or a crashpack is being written.
    pub(crate) fn is_exporting(&self) -> bool {
        self.export.as_ref().is_some_and(ExportJob::is_busy)
    }

    pub(crate) fn look_at_export(&mut self, model: &Model) -> Vec<News> {
        // Leaving the review cancels the search for secrets, but not a crashpack that is being written.
        if !model.exporting.as_ref().is_some_and(ExportReview::is_busy) {
            self.export = None;
        }
        let news = self.export.as_mut().map(|job| job.look(model)).unwrap_or_default();
        news.into_iter().map(News::from).collect()
    }

    fn family(&self) -> News {
        match &self.family {
            Some(find) => News::Family(find()),
            None => News::Message("logs of this kind are on their own: none has started another".to_owned()),
        }
    }

    /// Opens the log as it is now, at the same event.
    fn open_again(&mut self, model: &Model) -> Vec<News> {
        let opened = match &self.pack.open_trace {
            Some(open_trace) => open_trace(self.pack.trace).map(|(loaded, _)| loaded),
            None => (self.reopen)(),
        };
        match opened {
            Ok(loaded) => self.show_again(model, loaded, "the log was opened again"),
            Err(error) => vec![News::Message(error.to_string())],
        }
    }

    /// Opens a trace of the crashpack at its finding.
    fn show_trace(&mut self, model: &Model, trace: PackTrace) -> Vec<News> {
        let Some(open_trace) = &self.pack.open_trace else {
            let text = "this log is not from a crashpack, so it has no second trace";
            return vec![News::Message(text.to_owned())];
        };
        match open_trace(trace) {
            Ok((loaded, finding)) => {
                self.pack.trace = trace;
                let text = match trace {
                    PackTrace::Minimized => "this is the minimized trace",
                    PackTrace::Recorded => "this is the trace as it was recorded",
                };
                let mut news = self.show_again(model, loaded, text);
                let is_read = self.loaded.replay().progress().at_end;
                match finding {
                    Some(finding) if is_read => news.push(News::GoTo(finding)),
                    finding => self.target = finding,
                }
                news
            }
            Err(error) => vec![News::Message(error.to_string())],
        }
    }

    fn show_again(&mut self, model: &Model, loaded: Loaded, message: &str) -> Vec<News> {
        loaded.wait(FIRST_WAIT, |replay| replay.progress().events > model.at().0);
        // Everything derived from the old log is dropped. A crashpack that is being written is not cancelled.
        (self.variant, self.minimize) = (None, None);
        let mut news = vec![News::Reopened { replay: Arc::clone(loaded.replay()), form: self.pack.form() }];
        self.loaded = loaded;
        self.reported = None;
        self.bookmarks = KeptBookmarks::default();
        if let Some(path) = self.compare.take().map(|job| job.path) {
            news.push(self.compare(path, None));
        }
        news.push(News::Message(message.to_owned()));
        news
    }
}

/// Expands `~/x` like a shell, since users expect that when they type paths.
fn expand_home(path: PathBuf) -> PathBuf {
    match (path.strip_prefix("~"), std::env::var_os("HOME")) {
        (Ok(rest), Some(home)) => Path::new(&home).join(rest),
        _ => path,
    }
}

fn copy(what: &str, text: &str) -> News {
    // A paste must not control a terminal. In JSON the escapes have the same meaning.
    let text = &harmless(text.to_owned());
    match clipboard::copy(text) {
        CopyResult::Tmux => News::Message(format!("copied to tmux and the clipboard: {what}")),
        CopyResult::Terminal => News::Message(format!("copied: {what} ({} bytes)", text.len())),
        CopyResult::Shown(why) => News::Text {
            title: format!("{what}: {}", why.sentence()),
            lines: text.lines().map(str::to_owned).collect(),
        },
    }
}

/// Saves the screen as it is now.
fn save_picture(model: &Model, path: &Path) -> News {
    let text = view::picture(model, path, PictureTheme::Dark);
    let write = || -> io::Result<()> {
        let mut file = WholeFile::create_new(path)?;
        file.write_all(text.as_bytes())?;
        file.finish_new()
    };
    News::Message(match write() {
        Ok(()) => format!("saved as {}", path.display()),
        Err(error) => format!("{}: cannot be written: {error}", path.display()),
    })
}
