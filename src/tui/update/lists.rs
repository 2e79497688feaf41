//! The lists over the panes: bookmarks, divergent steps, breakpoints.

use super::{Wish, typing};
use crate::replay::Seq;
use crate::replay::bookmark::BookmarkEdit;
use crate::replay::check::Severity;
use crate::tui::action::{Action, Listed};
use crate::tui::model::{List, Mode, Model};
use crate::tui::typing::{Asks, Purpose};
use crate::tui::whatif::WhatIf;

/// Opens a list at what stands nearest behind the playhead.
pub fn open(model: &mut Model, of: Listed) {
    let at = model.at();
    let row = match of {
        Listed::Bookmarks => {
            model.debugger.bookmarks().iter().position(|(_, found)| found.at().is_some_and(|place| place >= at))
        }
        Listed::Divergences => divergences(model).iter().position(|(place, _)| *place >= at),
        Listed::Breakpoints => None,
    };
    model.mode = Mode::List(List { of, row: row.unwrap_or(0) });
}

/// The events that findings touch, information left aside: each once, with the first of its findings.
pub fn divergences(model: &Model) -> Vec<(Seq, usize)> {
    let findings = model.replay().findings();
    let serious = findings.list.iter().enumerate().filter(|(_, finding)| finding.severity > Severity::Info);
    let mut all: Vec<(Seq, usize)> =
        serious.flat_map(|(number, finding)| finding.at.iter().map(move |at| (*at, number))).collect();
    all.sort_unstable();
    all.dedup_by_key(|entry| entry.0);
    all
}

pub fn length(model: &Model, of: Listed) -> usize {
    match of {
        Listed::Bookmarks => model.debugger.bookmarks().len(),
        Listed::Divergences => divergences(model).len(),
        Listed::Breakpoints => model.debugger.breakpoints.iter().count(),
    }
}

pub fn update(model: &mut Model, list: List, action: Action) -> Wish {
    let last = length(model, list.of).saturating_sub(1);
    let row = list.row.min(last);
    let to = |row: usize| Mode::List(List { of: list.of, row });
    match action {
        Action::Cursor(by) => model.mode = to(row.saturating_add_signed(by as isize).min(last)),
        Action::NextList(forward) => {
            let here = Listed::ALL.iter().position(|of| *of == list.of).unwrap_or(0);
            let next = (here + if forward { 1 } else { Listed::ALL.len() - 1 }) % Listed::ALL.len();
            open(model, Listed::ALL[next]);
        }
        Action::Choose => choose(model, list.of, row),
        Action::Remove => return remove(model, list.of, row),
        Action::Switch => {
            if let Some(id) = breakpoint(model, list.of, row) {
                model.debugger.breakpoints.toggle(id);
            }
        }
        Action::Add if list.of == Listed::Breakpoints => typing::ask(model, Asks::Break),
        Action::Add if list.of == Listed::Bookmarks => ask_note(model),
        Action::EditNote => {
            let chosen = model.debugger.bookmarks().get(row).filter(|_| list.of == Listed::Bookmarks);
            if let Some((name, note)) = chosen.map(|(mark, _)| (mark.name.clone(), mark.note.clone())) {
                let title = format!("The note of {name}");
                typing::edit(model, Purpose::Note(name), title, &note);
            }
        }
        Action::QuitAtOnce => model.is_over = true,
        Action::Escape => model.mode = Mode::Normal,
        _ => {}
    }
    Wish::Nothing
}

fn breakpoint(model: &Model, of: Listed, row: usize) -> Option<u32> {
    model.debugger.breakpoints.iter().nth(row).filter(|_| of == Listed::Breakpoints).map(|known| known.id)
}

fn choose(model: &mut Model, of: Listed, row: usize) {
    model.mode = Mode::Normal;
    match of {
        Listed::Bookmarks => {
            let Some((mark, found)) = model.debugger.bookmarks().get(row) else { return };
            match found.at() {
                Some(at) => {
                    model.debugger.jump(at);
                }
                None => {
                    let was = mark.anchor.at;
                    model.message =
                        Some(format!("it is lost: no event of this log is like the one it stood on, event {was}"));
                }
            }
        }
        Listed::Divergences => {
            if let Some((at, finding)) = divergences(model).get(row).copied() {
                model.debugger.jump(at);
                model.finding = Some(finding);
            }
        }
        // Running to it is what a breakpoint is for.
        Listed::Breakpoints => super::stops::begin_run(model, true, 1),
    }
}

fn remove(model: &mut Model, of: Listed, row: usize) -> Wish {
    if let Some(id) = breakpoint(model, of, row) {
        model.debugger.breakpoints.remove(id);
    }
    match model.debugger.bookmarks().get(row) {
        Some((mark, _)) if of == Listed::Bookmarks => Wish::Keep(BookmarkEdit::Remove(mark.name.clone())),
        _ => Wish::Nothing,
    }
}

/// Asks for the note of a bookmark that is to be set here.
pub fn ask_note(model: &mut Model) {
    let title = format!("Bookmark event {}", model.at());
    typing::edit(model, Purpose::NewNote(model.at()), title, "");
}

/// A bookmark of the event under the playhead.
pub fn mark(model: &mut Model, name: &str, note: &str) -> Wish {
    if model.whatif.as_ref().is_some_and(WhatIf::shows_variant) {
        let key = model.key(Action::Original);
        model.message = Some(format!("bookmarks belong to the log as it is; {key} shows it"));
        return Wish::Nothing;
    }
    match model.debugger.mark(name, note.trim_end()) {
        Ok(Some(edit)) => Wish::Keep(edit),
        Ok(None) => {
            model.message = Some("the log holds no event to bookmark".to_owned());
            Wish::Nothing
        }
        Err(gone) => {
            model.message = Some(gone.reason);
            Wish::Nothing
        }
    }
}

pub fn note(name: &str, note: &str) -> Wish {
    Wish::Keep(BookmarkEdit::Note(name.to_owned(), note.trim_end().to_owned()))
}
