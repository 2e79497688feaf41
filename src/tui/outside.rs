//! What the screen wishes of the world: bookmarks kept, texts copied, pictures saved, the log opened again, another one
//! opened beside it, a finding minimized.

mod beside;
mod marks;
mod packing;
mod proof;
mod smaller;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use beside::Beside;
pub use beside::{Open, Other};
use marks::{draft_of, with_markers};
use packing::Packing;
use smaller::Smaller;

use super::action::{Action, Listed};
use super::clipboard::{self, Copied};
use super::exporting::{Exporting, Stage};
use super::minimizing::Minimizing;
use super::model::{Body, Mode, Model};
use super::picture::Look;
use super::update::{self, Wish, show_text};
use super::view;
use crate::bookmark::BookmarkFile;
use crate::loader::{Loaded, News};
use crate::replay::Seq;
use crate::replay::bookmark::{BookmarkEdit, Bookmarks};
use crate::replay::target::Target;
use crate::replay::timeline::Replay;
use crate::wholefile::WholeFile;

/// A variant of a log that is not huge is there before anybody notices that it was not.
const AT_ONCE: Duration = Duration::from_millis(100);

/// Opens the log again, as it is now.
pub type Reopen = Box<dyn Fn() -> Result<Loaded, String>>;

/// Opens the one or the other trace of a pack, and says where its finding is there.
pub type Traces = Box<dyn Fn(bool) -> Result<(Loaded, Option<Target>), String>>;

/// What a pack brings besides the trace that is shown.
#[derive(Default)]
pub struct FromPack {
    pub traces: Option<Traces>,
    pub minimized: bool,
    pub bookmarks: Bookmarks,
}

pub struct Outside {
    loaded: Loaded,
    /// The pass over the what-if variant.
    variant: Option<Loaded>,
    /// The log to compare with.
    beside: Option<Beside>,
    /// The finding that is minimized.
    smaller: Option<Smaller>,
    /// The pack that is looked through or written.
    packing: Option<Packing>,
    reopen: Reopen,
    open: Open,
    pack: FromPack,
    /// Where the log's bookmarks are kept, once that is known: when the pass has come to the end.
    store: Option<BookmarkFile>,
    /// As they are kept, and in which log they have been looked up.
    bookmarks: Bookmarks,
    found_in: Option<Arc<dyn Replay>>,
    follows: bool,
    /// Where to go as soon as that place is known.
    wanted: Option<Target>,
    told: Option<News>,
}

impl Outside {
    pub fn new(loaded: Loaded, reopen: Reopen, follows: bool, wanted: Option<Target>) -> Self {
        Outside {
            loaded,
            variant: None,
            beside: None,
            smaller: None,
            packing: None,
            reopen,
            open: Arc::new(|_| Err("no other log can be opened here".to_owned())),
            pack: FromPack::default(),
            store: None,
            bookmarks: Bookmarks::default(),
            found_in: None,
            follows,
            wanted,
            told: None,
        }
    }

    /// The same with a way to open other logs.
    #[must_use]
    pub fn opening(mut self, open: Open) -> Self {
        self.open = open;
        self
    }

    /// The same for a log that came in a pack.
    #[must_use]
    pub fn of_pack(mut self, pack: FromPack) -> Self {
        self.pack = pack;
        self
    }

    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Looks at what the pass has done meanwhile. True if there is something new to be seen.
    pub fn look(&mut self, model: &mut Model) -> bool {
        let before = seen(model);
        self.take_in(model);
        before != seen(model)
    }

    fn take_in(&mut self, model: &mut Model) {
        update::whatif::look(model);
        self.give_up_on_variant(model);
        if model.replay().progress() != model.progress {
            update::progressed(model);
        }
        let are_found = self.found_in.as_ref().is_some_and(|known| Arc::ptr_eq(known, model.debugger.replay()));
        if !are_found && model.progress.at_end && model.progress.events > 0 {
            self.found_in = Some(Arc::clone(model.debugger.replay()));
            self.find_bookmarks(model);
        }
        self.go_to_wanted(model);
        self.look_beside(model);
        self.look_at_smaller(model);
        self.look_at_packing(model);
        let standing = self.loaded.standing();
        if standing.news != self.told {
            self.told = standing.news;
            match &self.told {
                Some(News::Other(_)) if self.follows => self.open_again(model),
                Some(News::Other(reason)) => {
                    let key = model.key(Action::Reload);
                    model.message = Some(format!("{reason}; {key} opens it again"));
                }
                Some(News::Missing) => {
                    model.message = Some("the file is gone; what was read can still be looked at".to_owned());
                }
                None => {}
            }
        }
        if let Some(trouble) = standing.trouble.filter(|_| model.progress.events == 0) {
            model.message = Some(trouble);
        }
    }

    /// A variant whose pass stopped on the way will not be there: the log may have been cut under it.
    fn give_up_on_variant(&mut self, model: &mut Model) {
        let Some(whatif) = model.whatif.as_mut().filter(|whatif| whatif.pending.is_some()) else { return };
        let standing = self.variant.as_ref().map(Loaded::standing).unwrap_or_default();
        if standing.stopped && !standing.at_end {
            whatif.pending = None;
            let reason = standing.trouble.unwrap_or_else(|| "its pass ended early".to_owned());
            model.message = Some(format!("the variant cannot be replayed: {reason}"));
        }
    }

    /// Goes where somebody wanted to begin. The screen does not wait for that: the place may be at the far end.
    fn go_to_wanted(&mut self, model: &mut Model) {
        let Some(target) = &self.wanted else { return };
        let is_known = match target {
            Target::Event(at) => *at < model.progress.events,
            _ => false,
        };
        if !is_known && !model.progress.at_end {
            // Whoever goes elsewhere meanwhile does not want to be taken away from there.
            if model.at().0 > 0 {
                self.wanted = None;
            }
            return;
        }
        let marks = model.debugger.bookmarks();
        let mark = |name: &str| marks.iter().find(|(mark, _)| mark.name == name).and_then(|(_, found)| found.at());
        let place = target.resolve(model.replay(), &mark);
        self.wanted = None;
        match place {
            Ok(at) => {
                model.debugger.jump(at);
                model.look();
            }
            Err(reason) => model.message = Some(reason),
        }
    }

    /// Whether the pass goes on, or has gone on since the last look.
    pub fn is_busy(&self, model: &Model) -> bool {
        let goes_on = |loaded: &Loaded| !loaded.standing().stopped;
        goes_on(&self.loaded)
            || self.variant.as_ref().is_some_and(goes_on)
            || self.is_comparing()
            || self.is_minimizing()
            || self.is_packing()
            || self.smaller.as_ref().and_then(Smaller::opened).is_some_and(goes_on)
            || model.replay().progress() != model.progress
            || model.whatif.as_ref().is_some_and(|whatif| whatif.pending.is_some())
    }

    /// Looks the kept bookmarks up in what is shown. Those of a variant are those of its log.
    fn find_bookmarks(&mut self, model: &mut Model) {
        if self.store.is_none() {
            // Why there are none is said when somebody wants to set one: it keeps nobody from looking at the log.
            let Ok(store) = BookmarkFile::of(&**self.loaded.replay()) else { return };
            match store.load() {
                Ok(bookmarks) => self.bookmarks = bookmarks,
                Err(error) => model.message = Some(error.to_string()),
            }
            self.store = Some(store);
        }
        // Those of the pack are there as long as nobody has others under their names.
        for packed in self.pack.bookmarks.as_slice() {
            let _ = self.bookmarks.apply(BookmarkEdit::Add(packed.clone()));
        }
        let is_log = Arc::ptr_eq(model.debugger.replay(), self.loaded.replay());
        // Notes name events by their numbers, and in a variant those are other ones.
        let notes = if is_log { self.loaded.notes() } else { Arc::default() };
        let marked = with_markers(&self.bookmarks, &notes, &**self.loaded.replay());
        if let Err(gone) = marked.and_then(|marked| model.debugger.set_bookmarks(&marked)) {
            model.message = Some(gone.reason);
        }
        model.debugger.set_notes(notes);
    }

    pub fn fulfil(&mut self, model: &mut Model, wish: Wish) {
        match wish {
            Wish::Nothing | Wish::Suspend | Wish::Redraw => {}
            Wish::Keep(edit) => self.keep(model, edit),
            Wish::Copy(what, text) => copy(model, &what, text),
            Wish::Picture(path) => picture(model, &at_home(path)),
            Wish::Reopen if model.would_lose().is_some() && !model.warned => update::warn(model),
            Wish::Trace { .. } if model.would_lose().is_some() && !model.warned => update::warn(model),
            Wish::Reopen => self.open_again(model),
            Wish::Trace { minimized } => self.show_trace(model, minimized),
            Wish::Vary(at) => self.vary(model, at),
            Wish::SaveVariant(path) => self.save_variant(model, &at_home(path)),
            Wish::Compare(path) => {
                let from = Some(model.at());
                self.compare(model, at_home(path), from);
            }
            Wish::Minimize(number, path) => self.minimize(model, number, path.map(at_home)),
            Wish::SaveMinimized(path) => self.save_minimized(model, &at_home(path)),
            Wish::OpenMinimized => self.open_minimized(model),
            Wish::LookForSecrets => self.look_for_secrets(model),
            Wish::Export(path) => self.export(model, at_home(path)),
        }
    }

    fn keep(&mut self, model: &mut Model, edit: BookmarkEdit) {
        if !model.progress.at_end {
            model.message = Some("bookmarks can be set when the log has been read to its end".to_owned());
            return;
        }
        let kept = match &self.store {
            Some(store) => Ok(store.clone()),
            None => BookmarkFile::of(&**self.loaded.replay()),
        };
        let draft = draft_of(&edit);
        let edited = kept.and_then(|store| {
            let edited = store.edit([edit])?;
            self.store = Some(store);
            Ok(edited)
        });
        match edited {
            Ok(edited) => {
                let key = model.key(Action::List(Listed::Bookmarks));
                model.message = Some(format!("kept: {}; {key} lists the bookmarks", edited.names.join(", ")));
                self.bookmarks = edited.bookmarks;
                self.find_bookmarks(model);
            }
            Err(error) => {
                // What was written is there again when the note is edited again.
                model.drafts.extend(draft);
                model.message = Some(error.to_string());
            }
        }
    }

    /// Replays the variant as it stands now. What is shown changes when the pass has come to the event.
    fn vary(&mut self, model: &mut Model, at: Seq) {
        let Some(whatif) = &mut model.whatif else { return };
        self.variant = None;
        whatif.is_saved = false;
        if !whatif.variant.is_changed() {
            whatif.back_to_original();
            let original = Arc::clone(whatif.original());
            update::reopened(model, original, at);
            return;
        }
        match self.loaded.begin_variant(&whatif.variant) {
            Ok(loaded) => {
                loaded.wait(AT_ONCE, |replay| replay.progress().events > at.0);
                whatif.pending = Some((Arc::clone(loaded.replay()), at));
                self.variant = Some(loaded);
                update::whatif::look(model);
            }
            Err(error) => model.message = Some(error.to_string()),
        }
    }

    fn save_variant(&mut self, model: &mut Model, path: &Path) {
        let Some(whatif) = &mut model.whatif else { return };
        model.message = Some(match self.loaded.save_variant(&whatif.variant, path) {
            Ok(saved) => {
                whatif.is_saved = true;
                let left_out = match saved.left_out {
                    0 => String::new(),
                    records => format!(", {records} that are no JSON left out"),
                };
                format!("{} events saved as {}{left_out}", saved.records, path.display())
            }
            Err(error) => error.to_string(),
        });
    }

    /// Begins to compare with another log. From where somebody stands he is taken to the first difference.
    pub fn compare(&mut self, model: &mut Model, path: PathBuf, from: Option<Seq>) {
        let name = path.display().to_string();
        // The one before is given up first: it would only take time.
        self.beside = None;
        match Beside::open(&self.open, path) {
            Ok(beside) => {
                self.beside = Some(beside);
                update::versus::begin(model, name, from);
            }
            Err(reason) => model.message = Some(reason),
        }
    }

    /// Whether another log is still being read or compared.
    pub fn is_comparing(&self) -> bool {
        self.beside.as_ref().is_some_and(Beside::is_busy)
    }

    /// Looks at how far comparing is. Whoever has ended it on the screen has ended it here.
    pub fn look_beside(&mut self, model: &mut Model) {
        let goes_on = self.beside.as_mut().is_some_and(|beside| model.versus.is_some() && beside.look(model));
        if !goes_on {
            self.beside = None;
        }
    }

    /// The log as it is now, at the same event.
    fn open_again(&mut self, model: &mut Model) {
        let opened = match &self.pack.traces {
            Some(traces) => traces(self.pack.minimized).map(|(loaded, _)| loaded),
            None => (self.reopen)(),
        };
        match opened {
            Ok(loaded) => self.show_again(model, loaded, "the log was opened again"),
            Err(reason) => model.message = Some(reason),
        }
    }

    /// The one or the other trace of a pack, at its finding.
    fn show_trace(&mut self, model: &mut Model, minimized: bool) {
        let Some(traces) = &self.pack.traces else {
            model.message = Some("this log came in no pack, so there is only one trace of it".to_owned());
            return;
        };
        match traces(minimized) {
            Ok((loaded, finding)) => {
                self.pack.minimized = minimized;
                model.shows_minimized = Some(minimized);
                let told = if minimized { "the minimized trace" } else { "the trace as it was recorded" };
                self.show_again(model, loaded, told);
                self.wanted = finding;
                self.go_to_wanted(model);
            }
            Err(reason) => model.message = Some(reason),
        }
    }

    fn show_again(&mut self, model: &mut Model, loaded: Loaded, told: &str) {
        loaded.wait(super::FIRST_WAIT, |replay| replay.progress().events > model.at().0);
        // Changes of another log mean nothing in this one.
        (self.variant, model.whatif) = (None, None);
        (self.smaller, model.minimizing) = (None, None);
        // What is being written goes on: it has the log as it was.
        if !model.exporting.as_ref().is_some_and(|exporting| matches!(exporting.stage, Stage::Writing)) {
            model.exporting = None;
        }
        if matches!(model.mode, Mode::Export) && model.exporting.is_none() {
            model.mode = Mode::Normal;
        }
        if matches!(&model.mode, Mode::Text(text) if text.body == Body::Minimized) {
            model.mode = Mode::Normal;
        }
        let at = model.at();
        update::reopened(model, Arc::clone(loaded.replay()), at);
        self.loaded = loaded;
        self.told = None;
        (self.store, self.found_in) = (None, None);
        if let Some(beside) = self.beside.take() {
            self.compare(model, beside.path.clone(), None);
        }
        model.message = Some(told.to_owned());
    }
}

/// What a frame shows of all that goes on beside the screen.
fn seen(model: &Model) -> impl PartialEq + use<> {
    let is_compared = model.whatif.as_ref().map(|whatif| whatif.is_compared());
    let doing = model.versus.as_ref().map(|versus| (versus.doing.clone(), versus.compared.is_some()));
    let smaller = model.minimizing.as_ref().map(Minimizing::seen);
    let packing = model.exporting.as_ref().map(Exporting::seen);
    (model.progress, model.message.clone(), is_compared, doing, (smaller, packing))
}

/// `~/x` as a shell would read it: whoever types a path here does not know that there is none.
fn at_home(path: PathBuf) -> PathBuf {
    match (path.strip_prefix("~"), std::env::var_os("HOME")) {
        (Ok(rest), Some(home)) => Path::new(&home).join(rest),
        _ => path,
    }
}

fn copy(model: &mut Model, what: &str, text: String) {
    match clipboard::copy(&text) {
        Copied::Tmux => model.message = Some(format!("copied to tmux and the clipboard: {what}")),
        Copied::Terminal => model.message = Some(format!("copied: {what} ({} bytes)", text.len())),
        // Nobody can take it from here but the person.
        Copied::Shown(why) => {
            let title = format!("{what}: {}", why.sentence());
            show_text(model, &title, Body::Lines(text.lines().map(str::to_owned).collect()));
        }
    }
}

/// The screen as it is now, without the line that asked for it.
fn picture(model: &mut Model, path: &Path) {
    model.message = None;
    let text = view::picture(model, path, Look::Dark);
    let saved = WholeFile::create_new(path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.finish_new()
    });
    model.message = Some(match saved {
        Ok(()) => format!("saved as {}", path.display()),
        Err(error) => format!("{}: cannot be written: {error}", path.display()),
    });
}
