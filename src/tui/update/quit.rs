//! Leaving the program or the log, with a warning about unsaved work.

use crate::tui::family::state::Visit;
use crate::tui::model::Model;
use crate::tui::request::Request;

/// Ends the program. The user is first warned about unsaved work.
pub(crate) fn quit(model: &mut Model) {
    model.is_over = !warns(model);
}

/// Leaves this log for another one of its family. The user is first warned about unsaved work.
pub(crate) fn visit(model: &mut Model, visit: Visit) {
    quit(model);
    model.family.visit = model.is_over.then_some(visit);
}

/// Returns to the log from which this one was entered.
pub(crate) fn leave_log(model: &mut Model) {
    if model.opening.trail.is_empty() {
        model.message = Some("this log was not entered from another one".to_owned());
    } else {
        visit(model, Visit::Back);
    }
}

/// The request, unless it would lose unsaved work and the user has not been warned yet.
pub(crate) fn unless_lost(model: &mut Model, request: Request) -> Request {
    if warns(model) { Request::Nothing } else { request }
}

/// Warns about work that would be lost. Returns false if there is none, or the user was warned before.
fn warns(model: &mut Model) -> bool {
    let Some(lost) = model.would_lose().filter(|_| !model.warned) else { return false };
    model.warned = true;
    model.message = Some(format!("{lost}; the same key again discards it"));
    true
}
