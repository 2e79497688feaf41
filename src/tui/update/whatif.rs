//! What-if changes: made, taken back, looked at beside the log as it is.

use std::sync::Arc;

use super::{Wish, typing};
use crate::json::pretty::{compact, pretty};
use crate::replay::Seq;
use crate::replay::finding::is_hostile;
use crate::replay::variant::VariantChange;
use crate::tui::action::Action;
use crate::tui::model::{Mode, Model};
use crate::tui::typing::{Editor, Purpose};
use crate::tui::whatif::{WhatIf, place_of, told};

/// More changes at a time than this are a slip of the finger.
const MOST_TIMES: u32 = 1000;

pub fn update(model: &mut Model, action: Action, times: u32) -> Wish {
    if action == Action::Original {
        show_other_side(model);
        return Wish::Nothing;
    }
    let Some(mut at) = place(model) else { return Wish::Nothing };
    if action == Action::EditEvent {
        edit(model, at);
        return Wish::Nothing;
    }
    let mut wish = Wish::Nothing;
    for _ in 0..times.min(MOST_TIMES) {
        let change = match action {
            Action::SkipEvent => VariantChange::Skip(at),
            Action::DuplicateEvent => VariantChange::Duplicate(at),
            Action::MoveEvent(true) => VariantChange::Move { from: at, to: Seq(at.0 + 1) },
            Action::MoveEvent(false) if at.0 > 0 => VariantChange::Move { from: at, to: Seq(at.0 - 1) },
            Action::MoveEvent(false) => {
                model.message = Some("it is the first event already".to_owned());
                break;
            }
            Action::Undo | Action::Redo => match retrace(model, action == Action::Undo) {
                Wish::Nothing => break,
                done => {
                    wish = done;
                    continue;
                }
            },
            _ => break,
        };
        match apply(model, change) {
            Wish::Vary(place) => {
                at = place;
                wish = Wish::Vary(place);
            }
            _ => break,
        }
    }
    wish
}

/// The event of the variant that is meant, if changes can be made now.
fn place(model: &mut Model) -> Option<Seq> {
    let refusal = match &model.whatif {
        Some(whatif) if whatif.pending.is_some() => "the variant is still being replayed".to_owned(),
        None if !model.progress.at_end => "what-if begins when the log has been read to its end".to_owned(),
        None if model.replay().is_empty() => "there is no event to change".to_owned(),
        Some(whatif) if whatif.shows_original => match whatif.variant.find(model.at()) {
            Some(at) => return Some(at),
            None => format!("this event is not in the variant; {} shows it", model.key(Action::Original)),
        },
        _ => return Some(model.at()),
    };
    model.message = Some(refusal);
    None
}

fn edit(model: &mut Model, at: Seq) {
    let Ok(Some(moment)) = &model.moment else { return };
    // What a terminal must not get is written as JSON writes it, so that it is seen and stays what it is.
    let text = match moment.malformed {
        None => escaped(&pretty(moment.event())),
        Some(_) => escaped(&String::from_utf8_lossy(moment.event())),
    };
    typing::edit(model, Purpose::Event(at), format!("What if event {at} were"), &text);
}

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

/// The edited text becomes the event, if it is JSON; else the editor stays and says where it is not.
pub fn replace(model: &mut Model, mut editor: Box<Editor>, at: Seq) -> Wish {
    if !editor.is_changed() {
        model.message = Some("nothing was changed".to_owned());
        return Wish::Nothing;
    }
    let text = editor.typed();
    match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
        Ok(_) => apply(model, VariantChange::Replace { at, event: compact(text.as_bytes()) }),
        Err(error) => {
            editor.trouble = Some(format!("this is no JSON: {error}"));
            model.mode = Mode::Editor(editor);
            Wish::Nothing
        }
    }
}

fn apply(model: &mut Model, change: VariantChange) -> Wish {
    let whatif = model.whatif.get_or_insert_with(|| WhatIf::new(Arc::clone(model.debugger.replay())));
    let (place, text) = (place_of(&change), told(&change));
    match whatif.variant.apply(change) {
        Ok(()) => {
            let (undo, original) = (model.key(Action::Undo), model.key(Action::Original));
            model.message = Some(format!("what if: {text}; {undo} takes it back, {original} shows the log as it is"));
            Wish::Vary(place)
        }
        Err(reason) => {
            model.message = Some(reason);
            Wish::Nothing
        }
    }
}

fn retrace(model: &mut Model, back: bool) -> Wish {
    let changed = match &mut model.whatif {
        Some(whatif) if back => whatif.variant.undo().map(|change| (told(change), change_begins(change))),
        Some(whatif) => whatif.variant.redo().map(|change| (told(change), place_of(change))),
        None => None,
    };
    match changed {
        Some((text, place)) => {
            let what = if back { "taken back" } else { "made again" };
            model.message = Some(format!("{what}: {text}"));
            Wish::Vary(place)
        }
        None => {
            let what = if back { "take back" } else { "make again" };
            model.message = Some(format!("there is no what-if change to {what}"));
            Wish::Nothing
        }
    }
}

/// Where the event stood before the change.
fn change_begins(change: &VariantChange) -> Seq {
    match change {
        VariantChange::Replace { at, .. } | VariantChange::Skip(at) | VariantChange::Duplicate(at) => *at,
        VariantChange::Move { from, .. } => *from,
    }
}

fn show_other_side(model: &mut Model) {
    let at = model.at();
    let Some(whatif) = model.whatif.as_mut().filter(|whatif| whatif.variant.is_changed() && whatif.pending.is_none())
    else {
        let (edit, skip) = (model.key(Action::EditEvent), model.key(Action::SkipEvent));
        model.message = Some(format!("there is no variant; {edit} edits this event, {skip} skips it"));
        return;
    };
    whatif.shows_original = !whatif.shows_original;
    let to = if whatif.shows_original {
        whatif.variant.origin(at).map_or(at, |origin| origin.original)
    } else {
        whatif.variant.nearest(at)
    };
    let (replay, side) = (Arc::clone(whatif.shown()), whatif.shows_original);
    super::reopened(model, replay, to);
    let key = model.key(Action::Original);
    model.message = Some(match side {
        true => format!("the log as it is; {key} shows the variant"),
        false => format!("the variant; {key} shows the log as it is"),
    });
}

/// A variant whose pass has come far enough is shown from now on.
pub fn look(model: &mut Model) {
    let Some(whatif) = &mut model.whatif else { return };
    if let Some(at) = whatif.take_pending() {
        let replay = Arc::clone(whatif.shown());
        super::reopened(model, replay, at);
    }
}
