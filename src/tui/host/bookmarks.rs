//! The bookmarks of the log on disk, and those that the screen shows.

use std::sync::Arc;

use crate::bookmark::BookmarkFile;
use crate::loader::Loaded;
use crate::replay::bookmark::anchor::Anchor;
use crate::replay::bookmark::{Bookmark, BookmarkEdit, Bookmarks};
use crate::replay::note::Notes;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::tui::news::News;
use crate::tui::typing::{Draft, Purpose};

#[derive(Default)]
pub(crate) struct KeptBookmarks {
    /// Where they are saved. Known only after the whole log was read.
    store: Option<BookmarkFile>,
    saved: Bookmarks,
    /// The replay in which their events were looked up.
    found_in: Option<Arc<dyn Replay>>,
}

impl KeptBookmarks {
    pub(crate) fn are_found_in(&self, shown: &Arc<dyn Replay>) -> bool {
        self.found_in.as_ref().is_some_and(|known| Arc::ptr_eq(known, shown))
    }

    /// Loads the bookmarks, and reports their places in the current replay. A variant has the bookmarks of its log.
    pub(crate) fn find(&mut self, loaded: &Loaded, packed: &Bookmarks, shown: &Arc<dyn Replay>) -> Vec<News> {
        self.found_in = Some(Arc::clone(shown));
        let mut news = Vec::new();
        if self.store.is_none() {
            // If the store is not available, the log opens without it; setting a bookmark then reports the error.
            let Ok(store) = BookmarkFile::of(&**loaded.replay()) else { return news };
            match store.load() {
                Ok(bookmarks) => self.saved = bookmarks,
                Err(error) => news.push(News::Message(error.to_string())),
            }
            self.store = Some(store);
        }
        for bookmark in packed.as_slice() {
            // A bookmark of the user takes precedence over one of the crashpack with the same name.
            let _ = self.saved.apply(BookmarkEdit::Add(bookmark.clone()));
        }
        let is_log = Arc::ptr_eq(shown, loaded.replay());
        // Notes refer to events by their numbers, which differ in a variant.
        let notes = if is_log { loaded.notes() } else { Arc::default() };
        news.push(match with_markers(&self.saved, &notes, &**loaded.replay()) {
            Ok(bookmarks) => News::Bookmarks { bookmarks, notes },
            Err(gone) => News::Message(gone.reason),
        });
        news
    }

    /// Saves a change. `lists` is the key that lists the bookmarks.
    pub(crate) fn edit(
        &mut self,
        edit: BookmarkEdit,
        lists: &str,
        loaded: &Loaded,
        packed: &Bookmarks,
        shown: &Arc<dyn Replay>,
    ) -> Vec<News> {
        let store = match &self.store {
            Some(store) => Ok(store.clone()),
            None => BookmarkFile::of(&**loaded.replay()),
        };
        let draft = draft_of(&edit);
        let edited = store.and_then(|store| {
            let edited = store.edit([edit])?;
            self.store = Some(store);
            Ok(edited)
        });
        match edited {
            Ok(edited) => {
                let text = format!("saved: {}; {lists} lists the bookmarks", edited.names.join(", "));
                self.saved = edited.bookmarks;
                let mut news = vec![News::Message(text)];
                news.extend(self.find(loaded, packed, shown));
                news
            }
            Err(error) => vec![News::NotKept { draft, reason: error.to_string() }],
        }
    }
}

/// The bookmarks with the markers from the log's annotations. A bookmark takes precedence over a marker of the same
/// name.
fn with_markers(bookmarks: &Bookmarks, notes: &Notes, replay: &dyn Replay) -> Result<Bookmarks, Gone> {
    let mut marked = bookmarks.clone();
    for note in notes.stops() {
        if let Some(anchor) = Anchor::of(note.at, replay)? {
            let name = if note.id.is_empty() { format!("marker-{}", note.at) } else { note.id.clone() };
            let note = format!("{} (from the annotations)", note.text);
            // A marker whose id is not a valid name does not become a bookmark; its note is shown at the event anyway.
            let _ = marked.apply(BookmarkEdit::Add(Bookmark { name, note, anchor }));
        }
    }
    Ok(marked)
}

/// The note of an edit, kept as a draft in case the edit fails.
fn draft_of(edit: &BookmarkEdit) -> Option<Draft> {
    match edit {
        BookmarkEdit::Add(mark) if !mark.note.is_empty() => {
            Some(Draft { purpose: Purpose::NewNote(mark.anchor.at), text: mark.note.clone() })
        }
        BookmarkEdit::Note(name, text) => Some(Draft { purpose: Purpose::Note(name.clone()), text: text.clone() }),
        BookmarkEdit::Add(_) | BookmarkEdit::Remove(_) => None,
    }
}
