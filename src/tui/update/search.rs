//! Search in the log and in the shown event.

use std::sync::Arc;

use super::moving;
use crate::replay::debugger::Stop;
use crate::replay::direction::Direction;
use crate::replay::search::{Pattern, Scope, Search};
use crate::tui::action::Action;
use crate::tui::model::Model;
use crate::tui::sentence::Sentence;

/// How many events are searched before the keyboard is read again.
const SEARCH_SLICE: u32 = 16_384;

/// Continues the search for one slice.
pub(crate) fn advance(model: &mut Model) {
    let replay = Arc::clone(model.debugger.replay());
    let Some(search) = &mut model.debugger.search else { return };
    if let Err(gone) = search.advance(&*replay, SEARCH_SLICE) {
        model.message = Some(gone.reason);
        model.debugger.search = None;
    }
}

/// Begins a search of the whole log, and goes to its first hit.
pub(crate) fn in_log(model: &mut Model, text: &str) -> Result<(), Sentence> {
    let pattern = Pattern::parse(text, Scope::EVERYTHING).map_err(|error| last_line(&error.to_string()))?;
    model.debugger.search = Some(Search::new(pattern, model.at()));
    advance(model);
    let is_done = model.debugger.search.as_ref().is_some_and(|search| search.is_done(model.replay()));
    if model.debugger.find(Stop::Hit, Direction::Forward).is_some() || is_done {
        moving::update(model, Action::Hit(Direction::Forward), None);
    }
    Ok(())
}

/// Searches the event that is shown.
pub(crate) fn in_event(model: &mut Model, text: &str) -> Result<(), Sentence> {
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
