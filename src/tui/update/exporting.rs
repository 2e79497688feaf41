//! Exporting a pack: what is looked at before, what is left as it is, and where it goes.

use std::path::PathBuf;

use super::{Wish, minimizing, typing};
use crate::tui::action::Action;
use crate::tui::exporting::{Done, Exporting, Stage};
use crate::tui::model::{Mode, Model};
use crate::tui::typing::Asks;

/// Opens the review before the chosen finding is packed; with a path it goes there.
pub fn ask(model: &mut Model, path: Option<PathBuf>) -> Wish {
    if let Some(reason) = minimizing::refusal(model, "exporting") {
        model.message = Some(reason);
        return Wish::Nothing;
    }
    if model.minimizing.as_ref().is_some_and(|minimizing| minimizing.shows_least) {
        let key = model.key(Action::Original);
        model.message = Some(format!("a pack holds the whole log; {key} shows it"));
        return Wish::Nothing;
    }
    if model.exporting.as_ref().is_some_and(Exporting::is_busy) {
        model.mode = Mode::Export;
        return Wish::Nothing;
    }
    let findings = model.replay().findings();
    let chosen = model.chosen_finding().and_then(|number| Some((number, findings.list.get(number)?)));
    let Some((number, finding)) = chosen else {
        model.message = Some("the log reports nothing, so there is no failure to pack".to_owned());
        return Wish::Nothing;
    };
    model.exporting = Some(Exporting::new(number, finding.check.id, path));
    model.mode = Mode::Export;
    Wish::LookForSecrets
}

/// A key while the review is open.
pub fn update(model: &mut Model, action: Action) -> Wish {
    if action == Action::QuitAtOnce {
        model.is_over = true;
        return Wish::Nothing;
    }
    let Some(exporting) = &mut model.exporting else {
        model.mode = Mode::Normal;
        return Wish::Nothing;
    };
    let last = exporting.secrets.len().saturating_sub(1);
    match (&exporting.stage, action) {
        (Stage::Writing, Action::Escape) => exporting.gives_up = true,
        (Stage::Done(_), Action::Escape | Action::Choose) | (Stage::Looking | Stage::Reviewing, Action::Escape) => {
            (model.exporting, model.mode) = (None, Mode::Normal);
        }
        (Stage::Reviewing, _) => return reviewing(model, action, last),
        _ => {}
    }
    Wish::Nothing
}

fn reviewing(model: &mut Model, action: Action, last: usize) -> Wish {
    let Some(exporting) = &mut model.exporting else { return Wish::Nothing };
    exporting.trouble = None;
    match action {
        Action::Cursor(by) => exporting.row = exporting.row.saturating_add_signed(by as isize).min(last),
        Action::Page(by) => exporting.row = exporting.row.saturating_add_signed(by as isize * 10).min(last),
        Action::Switch if exporting.redacts => exporting.switch(),
        Action::Redact => {
            exporting.redacts = !exporting.redacts;
            return look_again(exporting);
        }
        Action::HideEmails if exporting.redacts => {
            exporting.redaction.options.emails = !exporting.redaction.options.emails;
            return look_otherwise(exporting);
        }
        Action::HidePattern if exporting.redacts => typing::ask(model, Asks::Pattern),
        Action::PackMinimized => exporting.minimizes = !exporting.minimizes,
        Action::Choose => return write(model),
        _ => {}
    }
    Wish::Nothing
}

fn look_again(exporting: &mut Exporting) -> Wish {
    if !exporting.redacts {
        exporting.secrets.clear();
        return Wish::Nothing;
    }
    exporting.stage = Stage::Looking;
    Wish::LookForSecrets
}

/// Hides what a pattern of the person's matches, too; the same one again no longer.
pub fn pattern(model: &mut Model, pattern: &str) -> Wish {
    let Some(exporting) = &mut model.exporting else { return Wish::Nothing };
    let patterns = &mut exporting.redaction.options.patterns;
    match patterns.iter().position(|known| known == pattern) {
        Some(at) => {
            patterns.remove(at);
        }
        None => patterns.push(pattern.to_owned()),
    }
    model.mode = Mode::Export;
    look_otherwise(exporting)
}

/// With other rules there may be other texts under the same masks.
fn look_otherwise(exporting: &mut Exporting) -> Wish {
    exporting.redaction.spared.clear();
    look_again(exporting)
}

/// Asks for the folder's name, or writes at once where it is known.
fn write(model: &mut Model) -> Wish {
    let Some(exporting) = &mut model.exporting else { return Wish::Nothing };
    if let Some(target) = exporting.target.clone() {
        exporting.stage = Stage::Writing;
        return Wish::Export(target);
    }
    let name = proposed_name(&model.opening.name);
    typing::ask(model, Asks::Pack);
    if let Mode::Prompt(prompt) = &mut model.mode {
        prompt.set(&name);
    }
    Wish::Nothing
}

/// The folder's name is known now.
pub fn named(model: &mut Model, path: PathBuf) -> Wish {
    let Some(exporting) = &mut model.exporting else { return Wish::Nothing };
    exporting.stage = Stage::Writing;
    model.mode = Mode::Export;
    Wish::Export(path)
}

/// `runs/turn.json` may become `turn.pack`, here.
fn proposed_name(log: &str) -> String {
    let name = log.trim_end_matches('/').rsplit('/').next().unwrap_or(log);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_plain = !stem.is_empty() && stem != "-" && !stem.contains(' ');
    format!("{}.pack", if is_plain { stem } else { "failed-turn" })
}

/// It is written, or it cannot be: then the review stays open, to change something and try again.
pub fn arrived(model: &mut Model, result: Result<Done, String>) {
    let Some(exporting) = &mut model.exporting else { return };
    let told = match result {
        Ok(done) => {
            let told = format!("packed into {}", done.folder.display());
            exporting.stage = Stage::Done(Box::new(done));
            told
        }
        Err(reason) if exporting.gives_up => {
            (model.exporting, model.mode) = (None, Mode::Normal);
            model.message = Some(reason);
            return;
        }
        Err(reason) => {
            exporting.stage = Stage::Reviewing;
            // Another name may be what it takes.
            exporting.target = None;
            exporting.trouble = Some(reason.clone());
            reason
        }
    };
    if !matches!(model.mode, Mode::Export) {
        let key = model.key(Action::Export);
        model.message = Some(format!("{told}; {key} shows it"));
    }
}
