//! The lists over the panes: bookmarks, events with findings, breakpoints.

use super::{quit, stops};
use crate::replay::bookmark::BookmarkEdit;
use crate::replay::direction::Direction;
use crate::tui::action::{Action, ListKind};
use crate::tui::family::list::{self as family, Destination};
use crate::tui::finding_order::divergent_events;
use crate::tui::inquiry::list as inquiry;
use crate::tui::model::permission::Intent;
use crate::tui::model::{InputMode, List, Model};
use crate::tui::request::Request;
use crate::tui::typing::{PromptKind, Purpose};

/// Opens a list at the first entry at or after the playhead.
pub(crate) fn open(model: &mut Model, of: ListKind) {
    let at = model.at();
    let row = match of {
        ListKind::Bookmarks => {
            model.debugger.bookmarks().iter().position(|(_, found)| found.at().is_some_and(|place| place >= at))
        }
        ListKind::Divergences => {
            divergent_events(&model.replay().findings()).iter().position(|(place, _)| *place >= at)
        }
        ListKind::Breakpoints | ListKind::Family | ListKind::Reply => None,
    };
    model.mode = InputMode::List(List { of, row: row.unwrap_or(0) });
}

pub(crate) fn length(model: &Model, of: ListKind) -> usize {
    match of {
        ListKind::Bookmarks => model.debugger.bookmarks().len(),
        ListKind::Divergences => divergent_events(&model.replay().findings()).len(),
        ListKind::Breakpoints => model.debugger.breakpoints.iter().count(),
        ListKind::Family => model.family.tree.rows.len(),
        ListKind::Reply => model.inquiry.list.rows.len(),
    }
}

pub(crate) fn update(model: &mut Model, list: List, action: Action) -> Request {
    let last = length(model, list.of).saturating_sub(1);
    let row = list.row.min(last);
    let to = |row: usize| InputMode::List(List { of: list.of, row });
    match action {
        Action::Cursor(by) => model.mode = to(row.saturating_add_signed(by as isize).min(last)),
        // A reply is not one of the lists of the log.
        Action::NextList(_) if list.of == ListKind::Reply => {}
        Action::Page(pages) if list.of == ListKind::Reply => {
            let by = pages as isize * model.screen().height.saturating_sub(6) as isize;
            model.mode = to(row.saturating_add_signed(by).min(last));
        }
        Action::NextList(direction) => {
            let here = ListKind::ALL.iter().position(|of| *of == list.of).unwrap_or(0);
            open(model, ListKind::ALL[direction.next_in(here, ListKind::ALL.len())]);
        }
        Action::List(of) => open(model, of),
        Action::Choose => choose(model, list.of, row),
        Action::Remove => return remove(model, list.of, row),
        Action::Switch => {
            if let Some(id) = breakpoint(model, list.of, row) {
                model.debugger.breakpoints.toggle(id);
            }
        }
        Action::Add if list.of == ListKind::Breakpoints => model.ask(PromptKind::Break),
        Action::Add if list.of == ListKind::Bookmarks => ask_note(model),
        Action::EditNote => {
            let chosen = model.debugger.bookmarks().get(row).filter(|_| list.of == ListKind::Bookmarks);
            if let Some((name, note)) = chosen.map(|(mark, _)| (mark.name.clone(), mark.note.clone())) {
                let title = format!("The note of {name}");
                model.edit(Purpose::Note(name), title, &note);
            }
        }
        Action::QuitAtOnce => model.is_over = true,
        Action::Escape => model.mode = InputMode::Normal,
        _ => {}
    }
    Request::Nothing
}

fn breakpoint(model: &Model, of: ListKind, row: usize) -> Option<u32> {
    model.debugger.breakpoints.iter().nth(row).filter(|_| of == ListKind::Breakpoints).map(|known| known.id)
}

fn choose(model: &mut Model, of: ListKind, row: usize) {
    model.mode = InputMode::Normal;
    match of {
        ListKind::Bookmarks => {
            let Some((mark, found)) = model.debugger.bookmarks().get(row) else { return };
            match found.at() {
                Some(at) => {
                    model.debugger.jump(at);
                }
                None => {
                    let was = mark.anchor.at;
                    model.message = Some(format!(
                        "this bookmark is lost: no event matches the one that it was set at (event {was})"
                    ));
                }
            }
        }
        ListKind::Divergences => {
            if let Some((at, finding)) = divergent_events(&model.replay().findings()).get(row).copied() {
                model.debugger.jump(at);
                model.finding = Some(finding);
            }
        }
        // Enter on a breakpoint runs to its next hit.
        ListKind::Breakpoints => stops::begin_run(model, Direction::Forward, 1),
        ListKind::Family => match family::destination(model, row) {
            Some(Destination::Log(visit)) => quit::visit(model, visit),
            Some(Destination::Event(at)) => {
                model.debugger.jump(at);
            }
            None => {}
        },
        ListKind::Reply => {
            if let Some(at) = inquiry::event(model, row) {
                model.debugger.jump(at);
            }
        }
    }
}

fn remove(model: &mut Model, of: ListKind, row: usize) -> Request {
    if let Some(id) = breakpoint(model, of, row) {
        model.debugger.breakpoints.remove(id);
    }
    match model.debugger.bookmarks().get(row) {
        Some((mark, _)) if of == ListKind::Bookmarks => Request::Keep(BookmarkEdit::Remove(mark.name.clone())),
        _ => Request::Nothing,
    }
}

/// Opens an editor for the note of a new bookmark at this event.
pub(crate) fn ask_note(model: &mut Model) {
    if let Some(reason) = model.refusal(Intent::Bookmark) {
        model.message = Some(reason);
        return;
    }
    let title = format!("Bookmark event {}", model.at());
    model.edit(Purpose::NewNote(model.at()), title, "");
}

/// Sets a bookmark at the playhead.
pub(crate) fn mark(model: &mut Model, name: &str, note: &str) -> Request {
    if let Some(reason) = model.refusal(Intent::Bookmark) {
        model.message = Some(reason);
        return Request::Nothing;
    }
    match model.debugger.mark(name, note.trim_end()) {
        Ok(Some(edit)) => Request::Keep(edit),
        Ok(None) => {
            model.message = Some("the log has no event to bookmark".to_owned());
            Request::Nothing
        }
        Err(gone) => {
            model.message = Some(gone.reason);
            Request::Nothing
        }
    }
}

pub(crate) fn note(name: &str, note: &str) -> Request {
    Request::Keep(BookmarkEdit::Note(name.to_owned(), note.trim_end().to_owned()))
}
