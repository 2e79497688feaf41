//! Minimizing a finding: beginning and ending it, showing its outcome, and switching to the minimized log.

use std::path::PathBuf;
use std::sync::Arc;

use super::state::{MinimizeNews, MinimizeStage, MinimizedSummary, Minimizing};
use crate::text::count;
use crate::tui::action::Action;
use crate::tui::form::LogForm;
use crate::tui::model::permission::Intent;
use crate::tui::model::{InputMode, Model, PopupBody};
use crate::tui::request::Request;
use crate::tui::typing::PromptKind;

/// Minimizes the selected finding, or shows the outcome; with a path, the minimized log is saved there.
pub(crate) fn ask(model: &mut Model, path: Option<PathBuf>) -> Request {
    if let Some(reason) = model.refusal(Intent::Minimize) {
        model.message = Some(reason);
        return Request::Nothing;
    }
    let findings = model.replay().findings();
    let chosen = model.chosen_finding().and_then(|number| Some((number, findings.list.get(number)?)));
    let fingerprint = chosen.map(|(_, finding)| finding.fingerprint());
    let escape = model.key(Action::Escape).to_owned();
    let shows_minimum = model.shown_log.form() == LogForm::Minimum;
    if let Some(minimizing) = &mut model.minimizing {
        let is_it = shows_minimum || Some(&minimizing.fingerprint) == fingerprint.as_ref();
        if minimizing.is_running() {
            let check = minimizing.check;
            model.message = Some(format!("{check} is being minimized; {escape} stops with the best so far"));
            minimizing.save_to = path.or(minimizing.save_to.take());
            return Request::Nothing;
        }
        match path {
            Some(path) if is_it => return Request::SaveMinimized(path),
            None if is_it => {
                show(model);
                return Request::Nothing;
            }
            _ => {}
        }
    }
    match chosen {
        Some((number, _)) => Request::Minimize(number, path),
        None => {
            model.message = Some("the log has no finding to minimize".to_owned());
            Request::Nothing
        }
    }
}

/// Stops minimizing with the best result so far. Returns false if nothing is being minimized.
pub(crate) fn end(model: &mut Model) -> bool {
    let Some(minimizing) = model.minimizing.as_mut().filter(|minimizing| minimizing.is_running()) else { return false };
    if matches!(minimizing.stage, MinimizeStage::Reading) {
        model.minimizing = None;
        model.message = Some("minimizing was cancelled".to_owned());
    } else {
        minimizing.ends = true;
        model.message = Some("stopping with the best so far".to_owned());
    }
    true
}

pub(crate) fn news(model: &mut Model, news: MinimizeNews) {
    match news {
        MinimizeNews::Begun { finding, save_to } => {
            let whole = (Arc::clone(model.debugger.replay()), model.shown_log.form());
            model.minimizing = Some(Minimizing::new(&finding, whole, save_to));
        }
        MinimizeNews::Trying(trying) => {
            if let Some(minimizing) = &mut model.minimizing {
                minimizing.stage = MinimizeStage::Trying(trying);
            }
        }
        MinimizeNews::Done(outcome) => arrived(model, outcome),
        MinimizeNews::Failed(reason) => {
            model.minimizing = None;
            model.message = Some(reason);
        }
        MinimizeNews::Saved(path) => {
            model.message = Some(format!("saved as {}, with its certificate in a file next to it", path.display()));
            if let Some(outcome) = model.minimizing.as_mut().and_then(Minimizing::done_mut) {
                outcome.saved = Some(path);
            }
        }
        MinimizeNews::NotSaved(reason) => model.message = Some(reason),
        MinimizeNews::Opened(least) => {
            if let Some(minimizing) = &mut model.minimizing {
                minimizing.opened(least);
                switch_form(model);
            }
        }
    }
}

/// Shows the outcome at once, unless the user is busy with something else.
fn arrived(model: &mut Model, done: Box<MinimizedSummary>) {
    let Some(minimizing) = &mut model.minimizing else { return };
    let left = count(done.least.events as u64, "event");
    let text = format!("{} was minimized to {left}", minimizing.check);
    minimizing.stage = MinimizeStage::Done(done);
    minimizing.save_to = None;
    if matches!(model.mode, InputMode::Normal) {
        model.stop_moving();
        show(model);
    } else {
        let key = model.key(Action::Minimize);
        model.message = Some(format!("{text}; {key} shows it"));
    }
}

/// Shows the outcome over the panes.
fn show(model: &mut Model) {
    let Some(minimizing) = &model.minimizing else { return };
    let title = format!("Minimized: {}", minimizing.check);
    model.show_text(&title, PopupBody::Minimized);
}

/// Saves or opens the minimized log while the outcome is shown.
pub(crate) fn in_text(model: &mut Model, action: Action) -> Request {
    match action {
        Action::SaveMinimized => {
            let name = proposed_name(&model.opening.name);
            model.ask_with(PromptKind::Minimized, &name);
        }
        _ => {
            model.mode = InputMode::Normal;
            let is_opened = model.minimizing.as_ref().is_some_and(Minimizing::is_opened);
            match model.refusal(Intent::OpenMinimum) {
                Some(reason) => model.message = Some(reason),
                None if model.shown_log.form() == LogForm::Minimum => {}
                None if is_opened => switch_form(model),
                None => return Request::OpenMinimized,
            }
        }
    }
    Request::Nothing
}

/// A name in the current folder: `runs/turn.json` becomes `turn.min.json`.
fn proposed_name(log: &str) -> String {
    let name = log.rsplit('/').next().unwrap_or(log);
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && !ending.contains(' ') => format!("{stem}.min.{ending}"),
        _ if name.contains(' ') || name == "-" => "minimized.json".to_owned(),
        _ => format!("{name}.min"),
    }
}

/// Whether the user can switch between the whole log and the minimized one.
pub(crate) fn can_switch(model: &Model) -> bool {
    model.minimizing.as_ref().is_some_and(Minimizing::is_opened) && !model.is_varied()
}

/// Shows the whole log instead of the minimized one, or the minimized one again.
pub(crate) fn switch_form(model: &mut Model) {
    let (from, at) = (model.shown_log.form(), model.at());
    let Some(minimizing) = &model.minimizing else { return };
    let Some((form, replay, to)) = minimizing.switched(from, at) else { return };
    let fingerprint = minimizing.fingerprint.clone();
    model.shown_log.set_form(form);
    model.show_replay(replay, to);
    // The minimized finding is the selected one in both.
    let findings = model.replay().findings();
    model.finding = findings.list.iter().position(|finding| finding.fingerprint() == fingerprint);
    let key = model.key(Action::Original);
    model.message = Some(match form {
        LogForm::Minimum => format!("this is the minimized log; {key} shows the whole one"),
        _ => format!("this is the whole log; {key} shows the minimized one"),
    });
}
