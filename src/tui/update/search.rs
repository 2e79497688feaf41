//! Search in the log and in the shown event.

use std::sync::Arc;

use super::moving;
use crate::replay::Seq;
use crate::replay::debugger::Stop;
use crate::replay::direction::Direction;
use crate::replay::search::{Pattern, Scope, Search};
use crate::tui::action::Action;
use crate::tui::model::search_start::SearchStart;
use crate::tui::model::{InputMode, Model};
use crate::tui::sentence::Sentence;
use crate::tui::typing::PromptKind;

/// How many events are searched before the keyboard is read again.
const SEARCH_SLICE: u32 = 16_384;
/// How many events are searched while the user types a letter.
const PREVIEW_SLICE: u32 = 2048;

/// Continues the search for one slice.
pub(crate) fn advance(model: &mut Model) {
    let is_new = model.debugger.search.as_ref().is_some_and(|search| !search.is_done(model.replay()));
    advance_by(model, SEARCH_SLICE);
    if is_new && matches!(&model.mode, InputMode::Prompt(prompt) if prompt.kind == PromptKind::Search) {
        follow_preview(model);
    }
}

fn advance_by(model: &mut Model, most: u32) {
    let replay = Arc::clone(model.debugger.replay());
    let Some(search) = &mut model.debugger.search else { return };
    if let Err(gone) = search.advance(&*replay, most) {
        model.message = Some(gone.reason);
        model.debugger.search = None;
    }
}

/// Remembers where the user begins to type a pattern.
pub(crate) fn begin(model: &mut Model, kind: PromptKind) {
    let within = model.detail.pattern().map(str::to_owned);
    model.search_start = Some(SearchStart { at: model.at(), search: model.debugger.search.clone(), within });
    model.ask(kind);
}

/// Shows what the pattern finds so far, while it is typed.
pub(crate) fn preview(model: &mut Model, kind: PromptKind, text: &str) {
    let Some(start) = model.search_start.clone() else { return };
    match kind {
        PromptKind::SearchWithin => {
            // A pattern that is not complete yet may be wrong.
            let _ = model.detail.search(text);
            model.settle();
        }
        PromptKind::Search if text.is_empty() => return_to_start(model, &start),
        PromptKind::Search => {
            let Ok(pattern) = Pattern::parse(text, Scope::EVERYTHING) else { return };
            model.debugger.search = Some(Search::new(pattern, start.at));
            advance_by(model, PREVIEW_SLICE);
            follow_preview(model);
        }
        _ => {}
    }
}

/// Moves the playhead to the first hit of the pattern that is being typed, or back to where the search began.
fn follow_preview(model: &mut Model) {
    let Some(start) = model.search_start.as_ref().map(|start| start.at) else { return };
    let found = model.debugger.search.as_ref().and_then(|search| search.next(start, Direction::Forward));
    go(model, found.unwrap_or(start));
}

/// Moves without an entry in the history of jumps.
fn go(model: &mut Model, to: Seq) {
    if to != model.at() {
        model.debugger.step(i64::from(to.0) - i64::from(model.at().0));
        model.look();
    }
}

fn return_to_start(model: &mut Model, start: &SearchStart) {
    model.debugger.search = start.search.clone();
    go(model, start.at);
}

/// The prompt was cancelled: everything is as before.
pub(crate) fn cancel(model: &mut Model, kind: PromptKind) {
    let Some(start) = model.search_start.take() else { return };
    match kind {
        PromptKind::Search => return_to_start(model, &start),
        PromptKind::SearchWithin => {
            let _ = model.detail.search(start.within.as_deref().unwrap_or_default());
            model.settle();
        }
        _ => {}
    }
}

/// Begins a search of the whole log, and goes to its first hit.
pub(crate) fn in_log(model: &mut Model, text: &str) -> Result<(), Sentence> {
    let pattern = Pattern::parse(text, Scope::EVERYTHING).map_err(|error| last_line(&error.to_string()))?;
    // The jump begins where the user began to type.
    if let Some(start) = model.search_start.take() {
        go(model, start.at);
    }
    model.debugger.search = Some(Search::new(pattern, model.at()));
    advance(model);
    let is_done = model.debugger.search.as_ref().is_some_and(|search| search.is_done(model.replay()));
    if model.debugger.find(Stop::Hit, Direction::Forward).is_some() || is_done {
        moving::update(model, Action::Hit(Direction::Forward), None);
        model.look();
    }
    Ok(())
}

/// Searches the event that is shown.
pub(crate) fn in_event(model: &mut Model, text: &str) -> Result<(), Sentence> {
    model.search_start = None;
    if model.detail.search(text).map_err(|error| last_line(&error.to_string()))? == 0 {
        model.message = Some("no hit in this event; search from another pane to search the whole log".to_owned());
    }
    model.settle();
    Ok(())
}

/// The regex library reports an error on several lines; the last one is the reason.
fn last_line(error: &str) -> String {
    error.lines().last().unwrap_or_default().to_owned()
}
