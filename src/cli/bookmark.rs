//! `stepback bookmark`: lists, adds and removes the bookmarks of a log.

use std::io::Write;
use std::path::Path;

use color_eyre::eyre::{self, eyre};
use serde_json::{Value, json};

use super::args::{BookmarkAction, BookmarkArgs};
use super::exit::Exit;
use super::open::shell_word;
use super::paint::{Paint, clean, columns, count, fit, pad};
use super::print;
use super::replayed::ReplayedLog;
use crate::bookmark::{BookmarkError, BookmarkFile};
use crate::replay::Seq;
use crate::replay::bookmark::anchor::Anchor;
use crate::replay::bookmark::find::{BookmarkPlace, find};
use crate::replay::bookmark::{Bookmark, BookmarkEdit, Bookmarks};
use crate::replay::note::{Note, Notes};
use crate::replay::timeline::{EventLine, Replay};

pub(super) fn run(args: &BookmarkArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let replayed = ReplayedLog::whole(&args.input)?;
    let replay = replayed.replay();
    let of_this_log = |error: BookmarkError| of_log(&replayed.name, error);
    let store = BookmarkFile::of(replay).map_err(of_this_log)?;
    let notes = replayed.loaded.notes();
    let packed = &replayed.bookmarks;
    let command = BookmarkCommand {
        file: &args.input.file,
        replay,
        store: &store,
        packed,
        notes: &notes,
        json: args.json,
        paint: *paint,
    };
    let edit = match &args.action {
        None | Some(BookmarkAction::List) => return command.list(out),
        Some(BookmarkAction::Add { place, name, note }) => command.addition(replayed.resolve(place)?, name, note)?,
        Some(BookmarkAction::Remove { name }) => BookmarkEdit::Remove(name.clone()),
        Some(BookmarkAction::Note { name, text }) => BookmarkEdit::Note(name.clone(), text.clone()),
    };
    let is_removal = matches!(edit, BookmarkEdit::Remove(_));
    let edited = store.edit([edit]).map_err(of_this_log)?;
    let touched = edited.names.iter().filter_map(|name| edited.bookmarks.get(name));
    match (is_removal, args.json) {
        (true, true) => print::pretty(&json!({"removed": edited.names}), out)?,
        (true, false) => edited.names.iter().try_for_each(|name| writeln!(out, "removed {}", clean(name)))?,
        (false, _) => command.write(&touched.cloned().collect::<Vec<_>>(), out)?,
    }
    Ok(Exit::Clean)
}

/// Adds the name of the log to errors about the log; errors about the bookmark file name that file already.
fn of_log(name: &str, error: BookmarkError) -> eyre::Report {
    match error {
        BookmarkError::Gone(_) | BookmarkError::NoEvent | BookmarkError::Lost { .. } | BookmarkError::Refused(_) => {
            eyre!("{name}: {error}")
        }
        error => error.into(),
    }
}

struct BookmarkCommand<'d> {
    file: &'d Path,
    replay: &'d dyn Replay,
    store: &'d BookmarkFile,
    /// The bookmarks in a crashpack. The user's own bookmarks with the same names win.
    packed: &'d Bookmarks,
    /// Notes from a sidecar; its markers are listed with the bookmarks.
    notes: &'d Notes,
    json: bool,
    paint: Paint,
}

/// A bookmark, where it is now, and the line of its event.
type Placed = (Bookmark, BookmarkPlace, Option<EventLine>);

impl BookmarkCommand<'_> {
    fn addition(&self, at: Seq, name: &Option<String>, note: &Option<String>) -> eyre::Result<BookmarkEdit> {
        // An empty name on the command line is a mistake, such as an unset variable, not a request for a generated name.
        eyre::ensure!(
            name.as_deref() != Some(""),
            "the name of a bookmark must not be empty; omit --name to get m1, m2, …"
        );
        let anchor = Anchor::of(at, self.replay).map_err(BookmarkError::from)?;
        let anchor = anchor.ok_or_else(|| eyre!("{}: event {at} no longer exists", self.file.display()))?;
        let (name, note) = (name.clone().unwrap_or_default(), note.clone().unwrap_or_default());
        Ok(BookmarkEdit::Add(Bookmark { name, note, anchor }))
    }

    fn list(&self, out: &mut dyn Write) -> eyre::Result<Exit> {
        let mut bookmarks = self.store.load()?;
        for packed in self.packed.as_slice() {
            let _ = bookmarks.apply(BookmarkEdit::Add(packed.clone()));
        }
        if bookmarks.as_slice().is_empty() && self.notes.stops().next().is_none() && !self.json {
            let file = clean(&shell_word(&self.file.display().to_string()));
            writeln!(out, "no bookmarks; add one with `stepback bookmark {file} add PLACE`")?;
        } else if self.json {
            let placed = self.placed(bookmarks.as_slice())?;
            let rows: Vec<Value> = placed.iter().map(|placed| self.to_json(placed)).collect();
            let marker = |note: &Note| json!({"id": note.id, "at": note.at.0, "text": note.text});
            let markers: Vec<Value> = self.notes.stops().map(marker).collect();
            let file = self.store.path().display().to_string();
            print::pretty(&json!({"file": file, "bookmarks": rows, "markers": markers}), out)?;
        } else {
            self.write(bookmarks.as_slice(), out)?;
            for note in self.notes.stops() {
                let line = format!("{} event {}, marker from the annotations: {}", note.id, note.at, note.text);
                writeln!(out, "{}", fit(&line, columns()))?;
            }
        }
        Ok(Exit::Clean)
    }

    fn write(&self, bookmarks: &[Bookmark], out: &mut dyn Write) -> eyre::Result<()> {
        let placed = self.placed(bookmarks)?;
        if self.json {
            let rows: Vec<Value> = placed.iter().map(|placed| self.to_json(placed)).collect();
            print::pretty(&json!({"file": self.store.path().display().to_string(), "bookmarks": rows}), out)?;
            return Ok(());
        }
        for placed in &placed {
            self.write_text(placed, out)?;
        }
        let lost = placed.iter().filter(|placed| placed.1 == BookmarkPlace::Lost).count() as u64;
        if lost > 0 {
            let line =
                format!("{} lost: this log has no similar event; lost bookmarks are kept", count(lost, "bookmark"));
            writeln!(out, "{}", self.paint.dim(&line))?;
        }
        Ok(())
    }

    /// The bookmarks with their events, in the order of the log, lost ones last.
    fn placed(&self, bookmarks: &[Bookmark]) -> eyre::Result<Vec<Placed>> {
        let found = find(bookmarks, self.replay).map_err(BookmarkError::from)?;
        let mut placed = Vec::new();
        for (bookmark, found) in bookmarks.iter().zip(found) {
            placed.push((bookmark.clone(), found, None));
        }
        placed.sort_by_key(|(bookmark, found, _): &Placed| (found.at().is_none(), found.at(), bookmark.anchor.at));
        for (_, found, line) in &mut placed {
            if let Some(at) = found.at() {
                let lines = self.replay.lines(&[at]).map_err(BookmarkError::from)?;
                *line = lines.into_iter().next();
            }
        }
        Ok(placed)
    }

    fn to_json(&self, (bookmark, found, line): &Placed) -> Value {
        let kind = line.as_ref().map(|line| self.replay.vocabulary().kind_name(line.row.kind));
        json!({
            "name": bookmark.name,
            "note": bookmark.note,
            "found": found.word(),
            "at": found.at().map(|at| at.0),
            "was": bookmark.anchor.at.0,
            "kind": kind.unwrap_or(&bookmark.anchor.kind),
            "step": line.as_ref().map_or(bookmark.anchor.step, |line| line.row.step),
            "summary": line.as_ref().map(|line| &line.summary),
        })
    }

    fn write_text(&self, (bookmark, found, line): &Placed, out: &mut dyn Write) -> eyre::Result<()> {
        let was = bookmark.anchor.at;
        let whereabouts = match found {
            BookmarkPlace::Exact(at) => format!("event {at}"),
            BookmarkPlace::Moved(at) => format!("event {at}, moved from event {was}"),
            BookmarkPlace::Near(at) => format!("probably event {at}, was event {was}"),
            BookmarkPlace::Lost => format!("lost, was event {was}"),
        };
        writeln!(out, "{} {}", self.paint.strong(&clean(&bookmark.name)), self.paint.dim(&whereabouts))?;
        let kind = match line {
            Some(line) => self.replay.vocabulary().kind_name(line.row.kind),
            None => &bookmark.anchor.kind,
        };
        let summary = line.as_ref().map_or("", |line| &line.summary);
        let room = columns().saturating_sub(24).max(20);
        let shown = format!("  {} {}", self.paint.name(&pad(&clean(kind), 20)), fit(summary, room));
        writeln!(out, "{}", shown.trim_end())?;
        for line in bookmark.note.lines() {
            writeln!(out, "  {}", clean(line))?;
        }
        Ok(())
    }
}
