//! Leaving the program or the log, with a warning about unsaved work.

use crate::tui::model::Model;
use crate::tui::request::Request;

/// Ends the program. Unsaved work is warned about first.
pub(crate) fn quit(model: &mut Model) {
    model.is_over = !warns(model);
}

/// The request, unless it would lose unsaved work and the user has not been warned yet.
pub(crate) fn unless_lost(model: &mut Model, request: Request) -> Request {
    if warns(model) { Request::Nothing } else { request }
}

/// Says what would be lost. False if nothing would be, or the user was warned before.
fn warns(model: &mut Model) -> bool {
    let Some(lost) = model.would_lose().filter(|_| !model.warned) else { return false };
    model.warned = true;
    model.message = Some(format!("{lost}; the same key again discards it"));
    true
}
