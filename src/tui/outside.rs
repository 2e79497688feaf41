//! What the screen wishes of the world: bookmarks kept, texts copied, pictures saved, the log opened again.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::clipboard::{self, Copied};
use super::model::{Body, Model};
use super::outline::Outline;
use super::picture::Look;
use super::update::{self, Wish, show_text};
use super::view;
use crate::bookmark::Store;
use crate::loader::{Loaded, News};
use crate::wholefile::WholeFile;

/// Opens the log again, as it is now.
pub type Reopen = Box<dyn Fn() -> Result<Loaded, String>>;

pub struct Outside {
    loaded: Loaded,
    reopen: Reopen,
    /// Where the log's bookmarks are kept, once that is known: when the pass has come to the end.
    store: Option<Store>,
    follows: bool,
    told: Option<News>,
}

impl Outside {
    pub fn new(loaded: Loaded, reopen: Reopen, follows: bool) -> Self {
        Outside { loaded, reopen, store: None, follows, told: None }
    }

    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Looks at what the pass has done meanwhile.
    pub fn look(&mut self, model: &mut Model) {
        if model.replay().progress() != model.progress {
            update::progressed(model);
        }
        if self.store.is_none() && model.progress.at_end && model.progress.events > 0 {
            self.find_bookmarks(model);
        }
        let standing = self.loaded.standing();
        if standing.news != self.told {
            self.told = standing.news;
            match &self.told {
                Some(News::Other(_)) if self.follows => self.open_again(model),
                Some(News::Other(reason)) => model.message = Some(format!("{reason}; Ctrl-r opens it again")),
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

    /// Whether the pass goes on, or has gone on since the last look.
    pub fn is_busy(&self, model: &Model) -> bool {
        !self.loaded.standing().stopped || model.replay().progress() != model.progress
    }

    fn find_bookmarks(&mut self, model: &mut Model) {
        let found = Store::of(model.replay()).and_then(|store| {
            let bookmarks = store.load()?;
            Ok((store, bookmarks))
        });
        match found {
            Ok((store, bookmarks)) => {
                self.store = Some(store);
                if let Err(gone) = model.debugger.set_bookmarks(&bookmarks) {
                    model.message = Some(gone.reason);
                }
            }
            // Said when somebody wants to set one: it keeps nobody from looking at the log.
            Err(_) => self.store = None,
        }
    }

    pub fn fulfil(&mut self, model: &mut Model, wish: Wish) {
        match wish {
            Wish::Nothing | Wish::Suspend | Wish::Redraw => {}
            Wish::Keep(edit) => self.keep(model, edit),
            Wish::Copy(what, text) => copy(model, &what, text),
            Wish::Picture(path) => picture(model, &path),
            Wish::Reopen => self.open_again(model),
        }
    }

    fn keep(&mut self, model: &mut Model, edit: crate::replay::bookmark::Edit) {
        if !model.progress.at_end {
            model.message = Some("bookmarks can be set when the log has been read to its end".to_owned());
            return;
        }
        let kept = match &self.store {
            Some(store) => Ok(store.clone()),
            None => Store::of(model.replay()),
        };
        let edited = kept.and_then(|store| {
            let edited = store.edit([edit])?;
            self.store = Some(store);
            Ok(edited)
        });
        model.message = Some(match edited {
            Ok(edited) => match model.debugger.set_bookmarks(&edited.bookmarks) {
                Ok(()) => format!("kept: {}; ' lists the bookmarks", edited.names.join(", ")),
                Err(gone) => gone.reason,
            },
            Err(error) => error.to_string(),
        });
    }

    /// The log as it is now, at the same event.
    fn open_again(&mut self, model: &mut Model) {
        match (self.reopen)() {
            Ok(loaded) => {
                loaded.wait(super::FIRST_WAIT, |replay| replay.progress().events > model.at().0);
                model.debugger.reopened(Arc::clone(loaded.replay()));
                self.loaded = loaded;
                self.told = None;
                self.store = None;
                // As many events as before may still be others.
                model.outline = Outline::default();
                update::progressed(model);
                model.message = Some("the log was opened again".to_owned());
            }
            Err(reason) => model.message = Some(reason),
        }
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
