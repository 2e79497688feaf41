//! Bookmarks on their way between the screen and where they are kept.

use crate::replay::bookmark::anchor::Anchor;
use crate::replay::bookmark::{Bookmark, BookmarkEdit, Bookmarks};
use crate::replay::note::Notes;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::tui::typing::{Draft, Purpose};

/// The places that somebody marked beside the log are bookmarks too. Where the person has one of that name, it stands.
pub fn with_markers(bookmarks: &Bookmarks, notes: &Notes, replay: &dyn Replay) -> Result<Bookmarks, Gone> {
    let mut marked = bookmarks.clone();
    for note in notes.stops() {
        if let Some(anchor) = Anchor::of(note.at, replay)? {
            let name = if note.id.is_empty() { format!("marker-{}", note.at) } else { note.id.clone() };
            let note = format!("{} (beside the log)", note.text);
            // A name that cannot be one is no bookmark; the note is shown at its event all the same.
            let _ = marked.apply(BookmarkEdit::Add(Bookmark { name, note, anchor }));
        }
    }
    Ok(marked)
}

/// The note of a change that may fail.
pub fn draft_of(edit: &BookmarkEdit) -> Option<Draft> {
    match edit {
        BookmarkEdit::Add(mark) if !mark.note.is_empty() => {
            Some(Draft { purpose: Purpose::NewNote(mark.anchor.at), text: mark.note.clone() })
        }
        BookmarkEdit::Note(name, text) => Some(Draft { purpose: Purpose::Note(name.clone()), text: text.clone() }),
        BookmarkEdit::Add(_) | BookmarkEdit::Remove(_) => None,
    }
}
