//! Asking a question, and showing its reply.

use std::path::PathBuf;

use super::state::{Question, Reply};
use crate::replay::target::Target;
use crate::tui::action::ListKind;
use crate::tui::model::{InputMode, List, Model, PopupBody};
use crate::tui::request::Request;
use crate::tui::sentence::Sentence;
use crate::tui::typing::PromptKind;

/// Asks what the model saw at the playhead. With a place, asks how that differs from what it saw there; with `dropped`,
/// what a compaction dropped.
pub(crate) fn ask_context(model: &mut Model, against: &str) -> Result<Request, Sentence> {
    if let Some(number) = against.strip_prefix("dropped") {
        let number = match number.trim() {
            "" => None,
            number => Some(number.parse().map_err(|_| format!("{number:?} is not the number of a compaction"))?),
        };
        return Ok(ask(model, Question::Dropped(number)));
    }
    let against = match against {
        "" => None,
        place => {
            let target = place.parse::<Target>().map_err(|reason| reason.to_string())?;
            let marks = model.debugger.bookmarks();
            let mark = |name: &str| marks.iter().find(|(mark, _)| mark.name == name).and_then(|(_, found)| found.at());
            Some(target.resolve(model.replay(), &mark).map_err(|error| error.to_string())?)
        }
    };
    Ok(ask(model, Question::Context { at: model.at(), against }))
}

pub(crate) fn ask(model: &mut Model, question: Question) -> Request {
    if !model.inquiry.is_open {
        model.message = Some(format!("a {} does not say this; sessions of coding agents do", model.opening.dialect));
        return Request::Nothing;
    }
    model.message = Some("reading the log …".to_owned());
    Request::Ask(question)
}

pub(crate) fn news(model: &mut Model, reply: Result<Reply, Sentence>) {
    model.message = None;
    match reply {
        Err(reason) => model.message = Some(reason.into()),
        Ok(Reply::Done(text)) => model.message = Some(text),
        Ok(Reply::Time(shares)) => model.inquiry.time = Some(shares),
        // The user has gone on to something else.
        Ok(_) if !matches!(model.mode, InputMode::Normal) => {}
        Ok(Reply::List(list)) => {
            let row = if list.begins_at_end { list.rows.len().saturating_sub(1) } else { 0 };
            model.inquiry.list = list;
            model.mode = InputMode::List(List { of: ListKind::Reply, row });
        }
        Ok(Reply::Text { title, lines, repaired }) => {
            model.inquiry.repaired = repaired;
            model.show_text(&title, PopupBody::Answer(lines));
        }
    }
}

/// Toggle: shows in the strip who took the time.
pub(crate) fn toggle_time(model: &mut Model) -> Request {
    match model.inquiry.time.take() {
        Some(_) => Request::Nothing,
        None => ask(model, Question::Time),
    }
}

/// Asks for the name of the repaired session.
pub(crate) fn ask_name(model: &mut Model) {
    match model.inquiry.repaired.clone() {
        Some(name) => model.ask_with(PromptKind::Repaired, &name),
        None => model.message = Some("there is nothing to repair".to_owned()),
    }
}

pub(crate) fn repair(model: &mut Model, name: &str) -> Request {
    ask(model, Question::Repair(PathBuf::from(name)))
}
