//! Export of a finding as a crashpack: the review, its options, and where to write it.

use std::path::PathBuf;

use super::state::{ExportNews, ExportReview, ExportStage, WrittenPack};
use crate::tui::action::Action;
use crate::tui::model::permission::Intent;
use crate::tui::model::{InputMode, Model};
use crate::tui::request::Request;
use crate::tui::typing::PromptKind;

/// Opens the review for the selected finding; with a path, the crashpack is written there.
pub(crate) fn ask(model: &mut Model, path: Option<PathBuf>) -> Request {
    if let Some(reason) = model.refusal(Intent::Export) {
        model.message = Some(reason);
        return Request::Nothing;
    }
    if model.exporting.as_ref().is_some_and(ExportReview::is_busy) {
        model.mode = InputMode::Export;
        return Request::Nothing;
    }
    let findings = model.replay().findings();
    let chosen = model.chosen_finding().and_then(|number| Some((number, findings.list.get(number)?)));
    let Some((number, finding)) = chosen else {
        model.message = Some("the log has no finding to export".to_owned());
        return Request::Nothing;
    };
    model.exporting = Some(ExportReview::new(number, finding.check.id, path));
    model.mode = InputMode::Export;
    Request::LookForSecrets
}

/// A key while the review is open.
pub(crate) fn update(model: &mut Model, action: Action) -> Request {
    if action == Action::QuitAtOnce {
        model.is_over = true;
        return Request::Nothing;
    }
    let Some(exporting) = &mut model.exporting else {
        model.mode = InputMode::Normal;
        return Request::Nothing;
    };
    let last = exporting.secrets.len().saturating_sub(1);
    match (&exporting.stage, action) {
        (ExportStage::Writing, Action::Escape) => exporting.gives_up = true,
        (ExportStage::Done(_), Action::Escape | Action::Choose)
        | (ExportStage::Looking | ExportStage::Reviewing, Action::Escape) => {
            (model.exporting, model.mode) = (None, InputMode::Normal);
        }
        (ExportStage::Reviewing, _) => return reviewing(model, action, last),
        _ => {}
    }
    Request::Nothing
}

fn reviewing(model: &mut Model, action: Action, last: usize) -> Request {
    let Some(exporting) = &mut model.exporting else { return Request::Nothing };
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
        Action::HidePattern if exporting.redacts => model.ask(PromptKind::Pattern),
        Action::PackMinimized => exporting.minimizes = !exporting.minimizes,
        Action::Choose => return write(model),
        _ => {}
    }
    Request::Nothing
}

fn look_again(exporting: &mut ExportReview) -> Request {
    if !exporting.redacts {
        exporting.secrets.clear();
        return Request::Nothing;
    }
    exporting.stage = ExportStage::Looking;
    Request::LookForSecrets
}

/// Toggles a pattern of the user: its matches are masked, too.
pub(crate) fn pattern(model: &mut Model, pattern: &str) -> Request {
    let Some(exporting) = &mut model.exporting else { return Request::Nothing };
    let patterns = &mut exporting.redaction.options.patterns;
    match patterns.iter().position(|known| known == pattern) {
        Some(at) => {
            patterns.remove(at);
        }
        None => patterns.push(pattern.to_owned()),
    }
    model.mode = InputMode::Export;
    look_otherwise(exporting)
}

/// With other rules, the same masks may belong to other texts.
fn look_otherwise(exporting: &mut ExportReview) -> Request {
    exporting.redaction.spared.clear();
    look_again(exporting)
}

/// Asks for the folder's name, or writes at once if it is known.
fn write(model: &mut Model) -> Request {
    let Some(exporting) = &mut model.exporting else { return Request::Nothing };
    if let Some(target) = exporting.target.clone() {
        exporting.stage = ExportStage::Writing;
        return Request::Export(target);
    }
    let name = proposed_name(&model.opening.name);
    model.ask_with(PromptKind::Pack, &name);
    Request::Nothing
}

/// Writes to the folder that the user named.
pub(crate) fn named(model: &mut Model, path: PathBuf) -> Request {
    let Some(exporting) = &mut model.exporting else { return Request::Nothing };
    exporting.stage = ExportStage::Writing;
    model.mode = InputMode::Export;
    Request::Export(path)
}

/// A name in the current folder: `runs/turn.json` becomes `turn.pack`.
fn proposed_name(log: &str) -> String {
    let name = log.trim_end_matches('/').rsplit('/').next().unwrap_or(log);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_plain = !stem.is_empty() && stem != "-" && !stem.contains(' ');
    format!("{}.pack", if is_plain { stem } else { "failed-turn" })
}

pub(crate) fn news(model: &mut Model, news: ExportNews) {
    match news {
        ExportNews::Refused(reason) => {
            (model.exporting, model.mode) = (None, InputMode::Normal);
            model.message = Some(reason);
        }
        ExportNews::Reviewed(secrets) => {
            if let Some(exporting) = &mut model.exporting {
                exporting.reviewed(secrets);
            }
        }
        ExportNews::NotReviewed(reason) => {
            if let Some(exporting) = &mut model.exporting {
                // The pattern that was added last has failed.
                exporting.redaction.options.patterns.pop();
                exporting.reviewed(Vec::new());
            }
            not_written(model, reason);
        }
        ExportNews::Written(pack) => written(model, pack),
        ExportNews::NotWritten(reason) => not_written(model, reason),
    }
}

fn written(model: &mut Model, pack: Box<WrittenPack>) {
    let Some(exporting) = &mut model.exporting else { return };
    let text = format!("written to {}", pack.folder.display());
    exporting.stage = ExportStage::Done(pack);
    report(model, &text);
}

/// Returns to the review, so that the user can change something and try again.
fn not_written(model: &mut Model, reason: String) {
    let Some(exporting) = &mut model.exporting else { return };
    if exporting.gives_up {
        (model.exporting, model.mode) = (None, InputMode::Normal);
        model.message = Some(reason);
        return;
    }
    exporting.stage = ExportStage::Reviewing;
    // Perhaps another name is enough.
    exporting.target = None;
    exporting.trouble = Some(reason.clone());
    report(model, &reason);
}

/// Reports it in the last line if the review is not open.
fn report(model: &mut Model, text: &str) {
    if !matches!(model.mode, InputMode::Export) {
        let key = model.key(Action::Export);
        model.message = Some(format!("{text}; {key} shows it"));
    }
}
