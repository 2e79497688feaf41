//! The progress of the guided tour: a lesson is over when the screen shows that its task is done, however it was done.

use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::tui::action::{Action, Pane};
use crate::tui::finding_order::divergent_events;
use crate::tui::key::KeyContext;
use crate::tui::model::permission::Intent;
use crate::tui::model::{InputMode, Model};
use crate::tui::tour::{Task, Tour, named};

/// Starts the tour at the first event.
pub(crate) fn start(model: &mut Model) {
    model.mode = InputMode::Normal;
    model.debugger.jump(Seq(0));
    model.tour = Some(Tour::new(model.debugger.bookmarks().len()));
    model.look();
    follow(model);
}

/// Starts the tour, or ends it.
pub(crate) fn toggle(model: &mut Model) {
    match model.tour {
        Some(_) => {
            model.tour = None;
            model.message = Some(format!("the tour has ended; {} starts it again", model.key(Action::Tour)));
            model.look();
        }
        None => start(model),
    }
}

/// Goes to the next lesson, whether or not the task is done.
pub(crate) fn skip(model: &mut Model) {
    match &mut model.tour {
        Some(tour) => {
            tour.advance(model.debugger.bookmarks().len());
            follow(model);
        }
        None => model.message = Some(format!("the tour is not on; {} starts it", model.key(Action::Tour))),
    }
}

/// Handles the two keys of the tour, which work wherever the user is while the tour is on. Any other key of the lesson
/// closes a popup that is in its way. Returns whether the key was handled.
pub(crate) fn press(model: &mut Model, key: &str) -> bool {
    let Some((_, lesson)) = model.tour.and_then(Tour::lesson) else { return false };
    match model.keymap().lookup(key, KeyContext::Everywhere) {
        Some(Action::Tour) => toggle(model),
        Some(Action::NextLesson) => skip(model),
        _ => {
            let is_in_the_way =
                matches!(model.mode, InputMode::List(_) | InputMode::Text(_)) && !model.is_at_task(lesson.task);
            let mut rows = named(lesson.words).filter_map(|name| name.strip_prefix('@'));
            let is_of_lesson = rows.any(|row| model.keymap().keys_of(row).iter().any(|known| known == key));
            if is_in_the_way && is_of_lesson && model.keymap().lookup(key, model.key_context()).is_none() {
                model.mode = InputMode::Normal;
            }
            return false;
        }
    }
    true
}

/// Looks whether the task is done, after anything that has changed the model.
pub(crate) fn follow(model: &mut Model) {
    let Some(mut tour) = model.tour else { return };
    while let Some((_, lesson)) = tour.lesson() {
        tour.was_open |= model.is_at_task(lesson.task);
        if !is_done(model, &tour, lesson.task) && is_possible(model, lesson.task) {
            break;
        }
        if lesson.task == Task::Blame {
            tour.jumped_from = tour.last;
        }
        tour.advance(model.debugger.bookmarks().len());
        tour.last = model.at();
    }
    tour.last = model.at();
    model.tour = Some(tour);
    if tour.lesson().is_none() {
        model.tour = None;
        model.message = Some(format!("that was the tour; {} starts it again", model.key(Action::Tour)));
        model.look();
    }
}

fn is_done(model: &Model, tour: &Tour, task: Task) -> bool {
    let at = model.at();
    let was_closed = tour.was_open && !model.is_at_task(task);
    let types = matches!(model.mode, InputMode::Prompt(_));
    match task {
        Task::Forward => at > tour.last,
        Task::Backward => at < tour.last,
        Task::Finding => model.replay().findings().at(at).any(|(_, finding)| finding.severity > Severity::Info),
        Task::Explain | Task::List | Task::Help => was_closed,
        Task::Projection => model.focus == Pane::Projection,
        Task::Blame => {
            let wrote = model.chosen_field().is_some_and(|field| model.replay().blame(field, at) == Some(at));
            tour.is_excused || (at != tour.last && wrote)
        }
        // A what-if may have left fewer events.
        Task::Return => at == tour.jumped_from.min(model.debugger.last()),
        Task::Search => !types && (model.debugger.search.is_some() || model.detail.pattern().is_some()),
        Task::Bookmark => tour.is_excused || model.debugger.bookmarks().len() > tour.bookmarks,
        Task::Skip => model.shown_variant().is_some(),
        Task::Undo => !model.is_varied(),
    }
}

/// Whether this log allows the task. The tour is made for the demo, but starts on any log.
fn is_possible(model: &Model, task: Task) -> bool {
    match task {
        // What is not there yet may come.
        _ if !model.progress.at_end => true,
        Task::Forward | Task::Backward | Task::Blame | Task::Return if model.replay().len() < 2 => false,
        Task::Finding | Task::Explain | Task::List => !divergent_events(&model.replay().findings()).is_empty(),
        Task::Projection | Task::Blame => !model.replay().vocabulary().fields.is_empty(),
        Task::Bookmark => !model.replay().is_empty() && model.refusal(Intent::Bookmark).is_none(),
        Task::Skip => model.refusal(Intent::Vary).is_none(),
        _ => true,
    }
}
