//! What-if changes: applying, undoing, redoing, and comparing with the original log.

use std::sync::Arc;

use super::state::{WhatIf, WhatIfNews, describe, place_before, place_of};
use crate::json::pretty::{compact, pretty};
use crate::replay::Seq;
use crate::replay::direction::Direction;
use crate::replay::finding::is_hostile;
use crate::replay::variant::VariantChange;
use crate::tui::action::Action;
use crate::tui::form::LogForm;
use crate::tui::model::permission::Intent;
use crate::tui::model::{InputMode, Model};
use crate::tui::request::Request;
use crate::tui::typing::{Editor, Purpose};

/// A larger count is taken for a typing error.
const MOST_TIMES: u32 = 1000;

pub(crate) fn update(model: &mut Model, action: Action, times: u32) -> Request {
    if let Some(reason) = model.refusal(Intent::Vary) {
        model.message = Some(reason);
        return Request::Nothing;
    }
    let Some(at) = place(model) else { return Request::Nothing };
    match action {
        Action::EditEvent => {
            edit(model, at);
            Request::Nothing
        }
        Action::Undo | Action::Redo => {
            let retraced = (0..times.min(MOST_TIMES)).map_while(|_| retrace(model, action)).last();
            retraced.map_or(Request::Nothing, Request::Vary)
        }
        _ => change(model, action, at, times.min(MOST_TIMES)),
    }
}

/// Makes the same change several times, each at the place that results from the one before.
fn change(model: &mut Model, action: Action, mut at: Seq, times: u32) -> Request {
    let mut request = Request::Nothing;
    for _ in 0..times {
        let change = match action {
            Action::SkipEvent => VariantChange::Skip(at),
            Action::DuplicateEvent => VariantChange::Duplicate(at),
            Action::MoveEvent(Direction::Forward) => VariantChange::Move { from: at, to: Seq(at.0 + 1) },
            Action::MoveEvent(Direction::Backward) if at.0 > 0 => VariantChange::Move { from: at, to: Seq(at.0 - 1) },
            Action::MoveEvent(Direction::Backward) => {
                model.message = Some("this is the first event already".to_owned());
                break;
            }
            _ => break,
        };
        let Some(place) = apply(model, change) else { break };
        at = place;
        request = Request::Vary(place);
    }
    request
}

/// The event of the variant under the playhead.
fn place(model: &mut Model) -> Option<Seq> {
    let whatif = model.whatif.as_ref().filter(|whatif| whatif.changed().is_some());
    match whatif.filter(|_| model.shown_log.form() != LogForm::Variant) {
        Some(whatif) => {
            let found = whatif.variant.find(model.at());
            if found.is_none() {
                let key = model.key(Action::Original);
                model.message = Some(format!("this event is not in the variant; {key} shows the variant"));
            }
            found
        }
        None => Some(model.at()),
    }
}

fn edit(model: &mut Model, at: Seq) {
    let Ok(Some(moment)) = &model.moment else { return };
    let text = match moment.malformed {
        None => escaped(&pretty(moment.event())),
        Some(_) => escaped(&String::from_utf8_lossy(moment.event())),
    };
    model.edit(Purpose::Event(at), format!("What if event {at} were"), &text);
}

/// Writes hostile characters as JSON escapes: they become visible, cannot control the terminal, and keep their meaning.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hostile(character) && character != '\n' {
            let mut units = [0; 2];
            out.extend(character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(character);
        }
    }
    out
}

/// Replaces the event by the edited text if that is JSON; otherwise the editor stays open and shows the error.
pub(crate) fn replace(model: &mut Model, mut editor: Box<Editor>, at: Seq) -> Request {
    if !editor.is_changed() {
        model.message = Some("nothing was changed".to_owned());
        return Request::Nothing;
    }
    let text = editor.typed();
    match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
        Ok(_) => {
            let change = VariantChange::Replace { at, event: compact(text.as_bytes()) };
            apply(model, change).map_or(Request::Nothing, Request::Vary)
        }
        Err(error) => {
            editor.trouble = Some(format!("not valid JSON: {error}"));
            model.mode = InputMode::Editor(editor);
            Request::Nothing
        }
    }
}

/// Makes a change, and returns the event to show.
fn apply(model: &mut Model, change: VariantChange) -> Option<Seq> {
    let form = model.shown_log.form();
    let whatif = model.whatif.get_or_insert_with(|| WhatIf::new(Arc::clone(model.debugger.replay()), form));
    let (place, text) = (place_of(&change), describe(&change));
    match whatif.variant.apply(change) {
        Ok(()) => {
            whatif.is_saved = false;
            let (undo, original) = (model.key(Action::Undo), model.key(Action::Original));
            model.message = Some(format!("what if: {text}; {undo} undoes it, {original} shows the original log"));
            Some(place)
        }
        Err(error) => {
            model.message = Some(error.to_string());
            None
        }
    }
}

/// Undoes or redoes one change, and returns the event to show.
fn retrace(model: &mut Model, action: Action) -> Option<Seq> {
    let variant = model.whatif.as_mut().map(|whatif| &mut whatif.variant);
    let (changed, verb, done) = match action {
        Action::Undo => {
            let change = variant.and_then(|variant| variant.undo());
            (change.map(|change| (describe(change), place_before(change))), "undo", "undone")
        }
        _ => {
            let change = variant.and_then(|variant| variant.redo());
            (change.map(|change| (describe(change), place_of(change))), "redo", "redone")
        }
    };
    match changed {
        Some((text, place)) => {
            model.whatif.iter_mut().for_each(|whatif| whatif.is_saved = false);
            model.message = Some(format!("{done}: {text}"));
            Some(place)
        }
        None => {
            model.message = Some(format!("there is no what-if change to {verb}"));
            None
        }
    }
}

/// Toggles between the original log and the variant.
pub(crate) fn switch_form(model: &mut Model) {
    let at = model.at();
    let whatif = model.whatif.as_ref().filter(|whatif| whatif.variant.is_changed() && whatif.pending.is_none());
    let Some((whatif, changed)) = whatif.and_then(|whatif| Some((whatif, whatif.changed()?))) else {
        let (edit, skip) = (model.key(Action::EditEvent), model.key(Action::SkipEvent));
        model.message = Some(format!("there is no variant; {edit} edits this event, {skip} skips it"));
        return;
    };
    let (replay, form, to) = match model.shown_log.form() {
        LogForm::Variant => {
            let to = whatif.variant.origin(at).map_or(at, |origin| origin.original);
            (whatif.original(), whatif.original_form, to)
        }
        _ => (changed, LogForm::Variant, whatif.variant.nearest(at)),
    };
    let replay = Arc::clone(replay);
    model.shown_log.set_form(form);
    model.show_replay(replay, to);
    let key = model.key(Action::Original);
    model.message = Some(match form {
        LogForm::Variant => format!("this is the variant; {key} shows the original log"),
        _ => format!("this is the original log; {key} shows the variant"),
    });
}

pub(crate) fn news(model: &mut Model, news: WhatIfNews) {
    let Some(whatif) = &mut model.whatif else { return };
    match news {
        WhatIfNews::Unchanged(at) => {
            whatif.back_to_original();
            let (original, form) = (Arc::clone(whatif.original()), whatif.original_form);
            model.shown_log.set_form(form);
            model.show_replay(original, at);
        }
        WhatIfNews::Pending(replay, at) => {
            whatif.pending = Some((replay, at));
            show_pending(model);
        }
        WhatIfNews::Ready => show_pending(model),
        WhatIfNews::Failed(reason) => {
            whatif.pending = None;
            model.message = Some(reason);
        }
        WhatIfNews::Saved(text) => {
            whatif.is_saved = true;
            model.message = Some(text);
        }
    }
}

/// Shows the pending variant if its pass has reached its event.
fn show_pending(model: &mut Model) {
    if let Some((replay, at)) = model.whatif.as_mut().and_then(WhatIf::take_pending) {
        model.shown_log.set_form(LogForm::Variant);
        model.show_replay(replay, at);
    }
}
