//! Keys while something is typed, and what becomes of it.

use std::path::PathBuf;

use crossterm::event::KeyEvent;

use super::{Wish, command, exporting, lists, look_further, stops, update, whatif};
use crate::replay::debugger::Stop;
use crate::replay::search::{Pattern, Scope, Search};
use crate::tui::action::{Action, Listed};
use crate::tui::command::{break_offers, offers};
use crate::tui::model::{Mode, Model};
use crate::tui::typing::{Asks, Draft, Editor, Prompt, Purpose};

pub fn ask(model: &mut Model, asks: Asks) {
    model.mode = Mode::Prompt(Box::new(Prompt::new(asks)));
}

/// Opens a text to be edited. What was left of it the last time is there again.
pub fn edit(model: &mut Model, purpose: Purpose, title: String, text: &str) {
    let draft = model.drafts.iter().position(|draft| draft.purpose == purpose);
    let text = match draft {
        Some(at) => model.drafts.remove(at).text,
        None => text.to_owned(),
    };
    model.mode = Mode::Editor(Box::new(Editor::new(purpose, title, &text)));
}

pub fn press(model: &mut Model, event: KeyEvent, action: Option<Action>) -> Wish {
    match std::mem::replace(&mut model.mode, Mode::Normal) {
        Mode::Prompt(prompt) => in_prompt(model, prompt, event, action),
        Mode::Editor(editor) => in_editor(model, editor, event, action),
        other => {
            model.mode = other;
            Wish::Nothing
        }
    }
}

/// Keys would take a line break for Enter and a capital letter for an action.
pub fn paste(model: &mut Model, text: &str) {
    match &mut model.mode {
        Mode::Prompt(prompt) => {
            prompt.offers = None;
            prompt.text.insert_str(text.replace(['\r', '\n'], " "));
        }
        Mode::Editor(editor) => {
            editor.text.insert_str(text.replace("\r\n", "\n").replace('\r', "\n"));
        }
        _ => {}
    }
}

fn in_prompt(model: &mut Model, mut prompt: Box<Prompt>, event: KeyEvent, action: Option<Action>) -> Wish {
    match action {
        Some(Action::Escape) => {
            leave(model, prompt.asks);
            return Wish::Nothing;
        }
        Some(Action::Submit) => {
            let before = model.at();
            let answered = answer(model, prompt.asks, prompt.typed().trim());
            if model.at() != before {
                model.look();
            }
            match answered {
                Ok(wish) => return wish,
                // It stays to be mended.
                Err(trouble) => prompt.trouble = Some(trouble),
            }
        }
        Some(Action::ClearLine) => {
            (prompt.offers, prompt.trouble) = (None, None);
            prompt.set("");
        }
        Some(Action::Complete(forward)) => complete(model, &mut prompt, forward),
        Some(Action::Older(older)) => match prompt.asks {
            Asks::Search | Asks::SearchWithin => prompt.recall(&model.searches, older),
            Asks::Command | Asks::Break => prompt.recall(&model.commands, older),
            Asks::Minimized | Asks::Pack | Asks::Pattern => {}
        },
        _ => {
            (prompt.offers, prompt.trouble) = (None, None);
            prompt.text.input(event);
        }
    }
    model.mode = Mode::Prompt(prompt);
    Wish::Nothing
}

fn complete(model: &Model, prompt: &mut Prompt, forward: bool) {
    let next = match prompt.offers.take() {
        Some((all, at)) => {
            let count = all.len();
            let step = if forward { 1 } else { count - 1 };
            (all, (at + step) % count)
        }
        None => {
            let line = prompt.typed();
            let names: Vec<&str> = model.debugger.bookmarks().iter().map(|(mark, _)| mark.name.as_str()).collect();
            let all = match prompt.asks {
                Asks::Command => offers(&line, model.replay(), &names),
                Asks::Break => break_offers(&line, model.replay()),
                Asks::Search | Asks::SearchWithin | Asks::Minimized | Asks::Pack | Asks::Pattern => Vec::new(),
            };
            if all.is_empty() {
                return;
            }
            let at = if forward { 0 } else { all.len() - 1 };
            (all, at)
        }
    };
    prompt.set(&next.0[next.1]);
    // A single offer is taken; what comes after it may be completed in its turn.
    prompt.offers = (next.0.len() > 1).then_some(next);
}

fn in_editor(model: &mut Model, mut editor: Box<Editor>, event: KeyEvent, action: Option<Action>) -> Wish {
    let is_enter = event.code == crossterm::event::KeyCode::Enter;
    match action {
        Some(Action::Escape) => {
            let text = editor.typed();
            if editor.is_changed() && !text.trim().is_empty() {
                model.message = Some("not kept; it is there again when it is edited again".to_owned());
                model.drafts.push(Draft { purpose: editor.purpose, text });
            }
            return Wish::Nothing;
        }
        Some(Action::Submit) if !is_enter || editor.ends_with_enter() => return keep(model, editor),
        Some(Action::NewLine | Action::Submit) => editor.text.insert_newline(),
        _ => {
            editor.trouble = None;
            editor.text.input(event);
        }
    }
    model.mode = Mode::Editor(editor);
    Wish::Nothing
}

fn keep(model: &mut Model, editor: Box<Editor>) -> Wish {
    match editor.purpose {
        Purpose::NewNote(_) => lists::mark(model, "", &editor.typed()),
        Purpose::Note(ref name) => lists::note(name, &editor.typed()),
        Purpose::Event(at) => whatif::replace(model, editor, at),
    }
}

/// Back to what the prompt was opened from.
fn leave(model: &mut Model, asks: Asks) {
    if matches!(asks, Asks::Pack | Asks::Pattern) {
        model.mode = Mode::Export;
    }
}

/// What was typed is done, or it is said why it cannot be.
fn answer(model: &mut Model, asks: Asks, text: &str) -> Result<Wish, String> {
    if text.is_empty() {
        leave(model, asks);
        return Ok(Wish::Nothing);
    }
    match asks {
        Asks::Search | Asks::SearchWithin => model.searches.add(text),
        Asks::Command | Asks::Break => model.commands.add(text),
        Asks::Minimized | Asks::Pack | Asks::Pattern => {}
    }
    match asks {
        Asks::Search => search(model, text)?,
        Asks::SearchWithin => search_within(model, text)?,
        Asks::Break => {
            stops::set(model, text)?;
            lists::open(model, Listed::Breakpoints);
        }
        Asks::Command => return command::run(model, text),
        Asks::Minimized => return Ok(Wish::SaveMinimized(PathBuf::from(text))),
        Asks::Pack => return Ok(exporting::named(model, PathBuf::from(text))),
        Asks::Pattern => return Ok(exporting::pattern(model, text)),
    }
    Ok(Wish::Nothing)
}

fn search_within(model: &mut Model, text: &str) -> Result<(), String> {
    if model.detail.search(text).map_err(|error| last_line(&error))? == 0 {
        model.message = Some("no hit in this event; on the list of events the whole log is searched".to_owned());
    }
    model.settle();
    Ok(())
}

fn search(model: &mut Model, text: &str) -> Result<(), String> {
    let pattern = Pattern::parse(text, Scope::EVERYTHING).map_err(|error| last_line(&error))?;
    model.debugger.search = Some(Search::new(pattern, model.at()));
    look_further(model);
    let is_done = model.debugger.search.as_ref().is_some_and(|search| search.is_done(model.replay()));
    if model.debugger.find(Stop::Hit, true).is_some() || is_done {
        update(model, Action::Hit(true));
    }
    Ok(())
}

/// The regex tells what is wrong over several lines; the last says it.
fn last_line(error: &str) -> String {
    error.lines().last().unwrap_or_default().to_owned()
}
