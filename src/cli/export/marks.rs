//! The investigator's bookmarks, on the events of the packed trace.

use color_eyre::eyre;
use serde_json::Value;

use super::redaction::masked;
use crate::bookmark::Store;
use crate::cli::open::Opened;
use crate::cli::print;
use crate::loader::Loaded;
use crate::log::{Log, Options};
use crate::replay::bookmark::anchor::Anchor;
use crate::replay::bookmark::find::find;
use crate::replay::bookmark::{Bookmark, Bookmarks, Edit};
use crate::replay::timeline::Replay;
use crate::turn::report::Beside;

/// The bookmarks of a log as a file of its pack. `None` if there are none.
pub fn of(opened: &Opened, packed: &Opened, is_redacted: bool) -> eyre::Result<Option<Vec<u8>>> {
    let Some(target) = loaded(packed) else { return Ok(None) };
    // What was redacted is another log, with bookmarks of its own: those that are meant are the original's.
    let original = if is_redacted { loaded(opened) } else { None };
    let source = original.as_ref().unwrap_or(&target);
    // Whoever has no folder for bookmarks has none of them.
    let Ok(kept) = Store::of(&**source.replay()).and_then(|store| store.load()) else { return Ok(None) };
    let from_pack = opened.pack.as_ref().and_then(|pack| Bookmarks::from_json(&pack.bookmarks()?).ok());
    let all: Vec<Bookmark> =
        kept.as_slice().iter().chain(from_pack.iter().flat_map(Bookmarks::as_slice)).cloned().collect();
    let mut moved = Bookmarks::default();
    let found = find(&all, &**source.replay()).unwrap_or_default();
    for (bookmark, found) in all.into_iter().zip(found) {
        let anchor = found.at().and_then(|at| Anchor::of(at, &**target.replay()).ok().flatten());
        let Some(anchor) = anchor else { continue };
        let hidden = |text: String| if is_redacted { without_secrets(text) } else { text };
        let (name, note) = (hidden(bookmark.name), hidden(bookmark.note));
        // One that cannot be kept under its name is kept already.
        let _ = moved.apply(Edit::Add(Bookmark { name, note, anchor }));
    }
    if moved.as_slice().is_empty() {
        return Ok(None);
    }
    Ok(Some(print::harmless(String::from_utf8(moved.to_json()?)?).into_bytes()))
}

fn without_secrets(text: String) -> String {
    match masked(&Value::String(text)).0 {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// The replay of a log that stands in a file, gone over to its end.
fn loaded(opened: &Opened) -> Option<Loaded> {
    let path = opened.log.path.as_deref()?;
    let options = Options { turn: opened.log.turn().map(str::to_owned), dialect: Some(opened.log.dialect) };
    let loaded = Loaded::begin(Log::open(path, &options).ok()?, Beside::default(), false).ok()?;
    loaded.wait_to_end(|_| {}).ok()?;
    let is_there = |replay: &dyn Replay| replay.progress().events > 0;
    is_there(&**loaded.replay()).then_some(loaded)
}
