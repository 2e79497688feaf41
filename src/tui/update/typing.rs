//! Keys in a prompt or an editor, and the handling of the text.

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent};

use super::{command, lists, search, stops};
use crate::replay::direction::Direction;
use crate::replay::finding::is_hostile;
use crate::tui::action::{Action, ListKind};
use crate::tui::command::{break_offers, offers};
use crate::tui::export::update as export;
use crate::tui::inquiry::update as inquiry;
use crate::tui::model::{InputMode, Model};
use crate::tui::palette;
use crate::tui::request::Request;
use crate::tui::sentence::Sentence;
use crate::tui::typing::{Draft, Editor, Prompt, PromptKind, Purpose};
use crate::tui::whatif::update as whatif;

pub(crate) fn press(model: &mut Model, event: KeyEvent, action: Option<Action>) -> Request {
    // A character that steers the terminal would do so when the text is drawn.
    if matches!(event.code, KeyCode::Char(character) if is_hostile(character)) {
        return Request::Nothing;
    }
    match std::mem::replace(&mut model.mode, InputMode::Normal) {
        InputMode::Prompt(prompt) => in_prompt(model, prompt, event, action),
        InputMode::Editor(editor) => in_editor(model, editor, event, action),
        other => {
            model.mode = other;
            Request::Nothing
        }
    }
}

/// Inserts pasted text as it is: as keys, its line breaks would be Enter.
pub(crate) fn paste(model: &mut Model, text: &str) {
    match &mut model.mode {
        InputMode::Prompt(prompt) => {
            prompt.offers = None;
            prompt.text.insert_str(harmless(&text.replace(['\r', '\n'], " ")));
            let (kind, typed) = (prompt.kind, prompt.typed());
            search::preview(model, kind, typed.trim());
        }
        InputMode::Editor(editor) => {
            editor.text.insert_str(harmless(&text.replace("\r\n", "\n").replace('\r', "\n")));
        }
        _ => {}
    }
}

/// A pasted text without the characters that steer a terminal.
fn harmless(text: &str) -> String {
    text.chars().filter(|character| matches!(character, '\n' | '\t') || !is_hostile(*character)).collect()
}

fn in_prompt(model: &mut Model, mut prompt: Box<Prompt>, event: KeyEvent, action: Option<Action>) -> Request {
    match action {
        Some(Action::Escape) => {
            search::cancel(model, prompt.kind);
            leave(model, prompt.kind);
            return Request::Nothing;
        }
        Some(Action::Complete(direction)) if prompt.kind == PromptKind::Palette => {
            palette::step(model, &mut prompt, direction.is_forward());
        }
        Some(action @ (Action::Older | Action::Newer)) if prompt.kind == PromptKind::Palette => {
            palette::step(model, &mut prompt, action == Action::Newer);
        }
        Some(Action::Submit) => {
            let before = model.at();
            let answered = answer(model, prompt.kind, prompt.typed().trim());
            if model.at() != before {
                model.look();
            }
            match answered {
                Ok(request) => return request,
                // The prompt stays open, so that the user can correct the text.
                Err(trouble) => prompt.trouble = Some(trouble.into()),
            }
        }
        Some(Action::ClearLine) => {
            (prompt.offers, prompt.trouble) = (None, None);
            prompt.set("");
            search::preview(model, prompt.kind, "");
        }
        Some(Action::Complete(direction)) => complete(model, &mut prompt, direction),
        Some(action @ (Action::Older | Action::Newer)) => match prompt.kind {
            PromptKind::Search | PromptKind::SearchWithin => {
                prompt.recall(&model.searches, action == Action::Older);
                search::preview(model, prompt.kind, prompt.typed().trim());
            }
            PromptKind::Command | PromptKind::Break => prompt.recall(&model.commands, action == Action::Older),
            PromptKind::Palette
            | PromptKind::Minimized
            | PromptKind::Repaired
            | PromptKind::Pack
            | PromptKind::Pattern => {}
        },
        _ => {
            (prompt.offers, prompt.trouble, prompt.row) = (None, None, 0);
            prompt.text.input(event);
            search::preview(model, prompt.kind, prompt.typed().trim());
        }
    }
    model.mode = InputMode::Prompt(prompt);
    Request::Nothing
}

fn complete(model: &Model, prompt: &mut Prompt, direction: Direction) {
    let next = match prompt.offers.take() {
        Some((all, at)) => {
            let next = direction.next_in(at, all.len());
            (all, next)
        }
        None => {
            let line = prompt.typed();
            let names: Vec<&str> = model.debugger.bookmarks().iter().map(|(mark, _)| mark.name.as_str()).collect();
            let all = match prompt.kind {
                PromptKind::Command => offers(&line, model.replay(), &names),
                PromptKind::Break => break_offers(&line, model.replay()),
                PromptKind::Search
                | PromptKind::SearchWithin
                | PromptKind::Palette
                | PromptKind::Minimized
                | PromptKind::Repaired
                | PromptKind::Pack
                | PromptKind::Pattern => Vec::new(),
            };
            if all.is_empty() {
                return;
            }
            let at = if direction.is_forward() { 0 } else { all.len() - 1 };
            (all, at)
        }
    };
    prompt.set(&next.0[next.1]);
    // A single completion is accepted at once, so that Tab completes the next part.
    prompt.offers = (next.0.len() > 1).then_some(next);
}

fn in_editor(model: &mut Model, mut editor: Box<Editor>, event: KeyEvent, action: Option<Action>) -> Request {
    let is_enter = event.code == KeyCode::Enter;
    match action {
        Some(Action::Escape) => {
            let text = editor.typed();
            if editor.is_changed() && !text.trim().is_empty() {
                model.message = Some("not saved; the text comes back when you edit this again".to_owned());
                model.drafts.push(Draft { purpose: editor.purpose, text });
            }
            return Request::Nothing;
        }
        Some(Action::Submit) if !is_enter || editor.ends_with_enter() => return keep(model, editor),
        Some(Action::NewLine | Action::Submit) => editor.text.insert_newline(),
        _ => {
            editor.trouble = None;
            editor.text.input(event);
        }
    }
    model.mode = InputMode::Editor(editor);
    Request::Nothing
}

fn keep(model: &mut Model, editor: Box<Editor>) -> Request {
    match editor.purpose {
        Purpose::NewNote(_) => lists::mark(model, "", &editor.typed()),
        Purpose::Note(ref name) => lists::note(name, &editor.typed()),
        Purpose::Event(at) => whatif::replace(model, editor, at),
    }
}

/// Returns to the mode from which the prompt was opened.
fn leave(model: &mut Model, kind: PromptKind) {
    if matches!(kind, PromptKind::Pack | PromptKind::Pattern) {
        model.mode = InputMode::Export;
    }
}

/// Executes the typed text, or returns why it cannot be executed.
fn answer(model: &mut Model, kind: PromptKind, text: &str) -> Result<Request, Sentence> {
    if text.is_empty() {
        search::cancel(model, kind);
        leave(model, kind);
        return Ok(Request::Nothing);
    }
    match kind {
        PromptKind::Search | PromptKind::SearchWithin => model.searches.add(text),
        PromptKind::Command | PromptKind::Break => model.commands.add(text),
        PromptKind::Palette | PromptKind::Minimized | PromptKind::Repaired | PromptKind::Pack | PromptKind::Pattern => {
        }
    }
    match kind {
        PromptKind::Search => search::in_log(model, text)?,
        PromptKind::SearchWithin => search::in_event(model, text)?,
        PromptKind::Break => {
            stops::set(model, text)?;
            lists::open(model, ListKind::Breakpoints);
        }
        // The palette does what is selected, not what was typed.
        PromptKind::Palette => {}
        PromptKind::Command => return command::run(model, text),
        PromptKind::Minimized => return Ok(Request::SaveMinimized(PathBuf::from(text))),
        PromptKind::Repaired => return Ok(inquiry::repair(model, text)),
        PromptKind::Pack => return Ok(export::named(model, PathBuf::from(text))),
        PromptKind::Pattern => return Ok(export::pattern(model, text)),
    }
    Ok(Request::Nothing)
}
