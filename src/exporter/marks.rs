//! The user's bookmarks, for the events of the packed trace.

use super::masks::Masks;
use crate::bookmark::BookmarkFile;
use crate::loader::Loaded;
use crate::log::{Log, Options};
use crate::replay::Seq;
use crate::replay::bookmark::anchor::Anchor;
use crate::replay::bookmark::find::find;
use crate::replay::bookmark::{Bookmark, BookmarkEdit, Bookmarks};
use crate::text::harmless;

/// A bookmark and its event.
pub(crate) struct PackedBookmark {
    pub bookmark: Bookmark,
    at: Seq,
}

/// The bookmarks of a log, including those in its crashpack, that refer to one of its events.
pub(crate) fn of(log: &Log, packed: &Bookmarks) -> Vec<PackedBookmark> {
    let Some(loaded) = loaded(log) else { return Vec::new() };
    let replay = &**loaded.replay();
    // Without a folder for bookmarks there are none.
    let kept = BookmarkFile::of(replay).and_then(|store| store.load()).unwrap_or_default();
    let all: Vec<Bookmark> = kept.as_slice().iter().chain(packed.as_slice()).cloned().collect();
    let found = find(&all, replay).unwrap_or_default();
    all.into_iter()
        .zip(found)
        .filter_map(|(bookmark, found)| Some(PackedBookmark { bookmark, at: found.at()? }))
        .collect()
}

/// The bookmarks as a file of a pack. `None` if there are none.
pub(crate) fn file(marks: &[PackedBookmark], packed: &Log, mut masks: Option<&mut Masks>) -> Option<Vec<u8>> {
    if marks.is_empty() {
        return None;
    }
    let target = loaded(packed)?;
    let mut moved = Bookmarks::default();
    for PackedBookmark { bookmark, at } in marks {
        let Ok(Some(anchor)) = Anchor::of(*at, &**target.replay()) else { continue };
        let mut hidden = |text: &str| match &mut masks {
            Some(masks) => masks.hidden("bookmarks", text),
            None => text.to_owned(),
        };
        let (name, note) = (hidden(&bookmark.name), hidden(&bookmark.note));
        // A bookmark whose name is taken is already there.
        let _ = moved.apply(BookmarkEdit::Add(Bookmark { name, note, anchor }));
    }
    let text = String::from_utf8(moved.to_json().ok()?).ok()?;
    (!moved.as_slice().is_empty()).then(|| harmless(text).into_bytes())
}

/// The replay of a log, after the pass.
fn loaded(log: &Log) -> Option<Loaded> {
    let path = log.path.as_deref()?;
    let options = Options { turn: log.turn().map(str::to_owned), dialect: Some(log.dialect), ..log.options() };
    let loaded = Loaded::begin_log_only(Log::open(path, &options).ok()?, false).ok()?;
    loaded.wait_to_end(|_| {}).ok()?;
    let events = loaded.replay().progress().events;
    (events > 0).then_some(loaded)
}
