//! News from the host, applied to the model.

use super::after::after;
use crate::replay::Seq;
use crate::replay::target::Target;
use crate::tui::action::Action;
use crate::tui::compare::update as compare;
use crate::tui::export::state::ExportStage;
use crate::tui::export::update as export;
use crate::tui::family::list as family;
use crate::tui::inquiry::update as inquiry;
use crate::tui::minimize::update as minimize;
use crate::tui::model::{InputMode, Model, PopupBody};
use crate::tui::news::News;
use crate::tui::sentence::Sentence;
use crate::tui::tour::Task;
use crate::tui::whatif::update as whatif;

pub(crate) fn apply(model: &mut Model, news: impl IntoIterator<Item = News>) {
    news.into_iter().for_each(|news| apply_one(model, news));
    after(model);
}

fn apply_one(model: &mut Model, news: News) {
    match news {
        News::Message(text) => model.message = Some(text),
        News::Text { title, lines } => model.show_text(&title, PopupBody::Lines(lines)),
        News::Clock(now) => model.clock = Some(now),
        News::Progressed => model.progressed(),
        News::Bookmarks { bookmarks, notes } => {
            if let Err(gone) = model.debugger.set_bookmarks(&bookmarks) {
                model.message = Some(gone.reason);
            }
            model.debugger.set_notes(notes);
        }
        News::NotKept { draft, reason } => {
            // The tour goes on where nothing can be saved.
            model.tour.iter_mut().for_each(|tour| tour.excuse(Task::Bookmark));
            model.drafts.extend(draft);
            model.message = Some(reason);
        }
        News::LeftAt(at) => {
            model.debugger.offer(at);
            if model.message.is_none() {
                let back = model.key(Action::Back);
                model.message = Some(format!("you left this log at event {at}; {back} returns there"));
            }
        }
        News::GoTo(target) => go_to(model, &target),
        News::Reopened { replay, form } => {
            forget_derived(model);
            let at = model.at();
            model.shown_log.set_form(form);
            model.show_replay(replay, at);
        }
        News::Family(tree) => family::show(model, tree),
        News::Reply(reply) => inquiry::news(model, reply),
        News::WhatIf(news) => whatif::news(model, news),
        News::Compare(news) => compare::news(model, news),
        News::Minimize(news) => minimize::news(model, news),
        News::Export(news) => export::news(model, news),
    }
}

/// The event of a place.
fn resolve(model: &Model, target: &Target) -> Result<Seq, Sentence> {
    let marks = model.debugger.bookmarks();
    let mark = |name: &str| marks.iter().find(|(mark, _)| mark.name == name).and_then(|(_, found)| found.at());
    Ok(target.resolve(model.replay(), &mark).map_err(|error| error.to_string())?)
}

fn go_to(model: &mut Model, target: &Target) {
    match resolve(model, target) {
        Ok(at) => {
            model.debugger.jump(at);
            model.look();
        }
        Err(reason) => model.message = Some(reason.into()),
    }
}

/// Drops everything derived from the old log: changes, minimized log and review.
fn forget_derived(model: &mut Model) {
    (model.whatif, model.minimizing, model.inquiry.time) = (None, None, None);
    // A crashpack that is being written is not cancelled: its job has the old log.
    if !model.exporting.as_ref().is_some_and(|exporting| matches!(exporting.stage, ExportStage::Writing)) {
        model.exporting = None;
    }
    let is_gone = match &model.mode {
        InputMode::Export => model.exporting.is_none(),
        InputMode::Text(text) => text.body == PopupBody::Minimized,
        _ => false,
    };
    if is_gone {
        model.mode = InputMode::Normal;
    }
}
