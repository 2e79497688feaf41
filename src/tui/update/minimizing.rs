//! Minimizing a finding: what begins and ends it, what came out of it, and the smaller log beside the whole one.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Wish, show_text, typing};
use crate::replay::finding::Finding;
use crate::replay::timeline::Replay;
use crate::text::count;
use crate::tui::action::Action;
use crate::tui::minimizing::{Done, Minimizing, Stage};
use crate::tui::model::{Body, Mode, Model};
use crate::tui::typing::Asks;

/// Minimizes the chosen finding, or shows what came out of it; with a path it is saved there.
pub fn ask(model: &mut Model, path: Option<PathBuf>) -> Wish {
    if let Some(reason) = refusal(model, "minimizing") {
        model.message = Some(reason);
        return Wish::Nothing;
    }
    let findings = model.replay().findings();
    let chosen = model.chosen_finding().and_then(|number| Some((number, findings.list.get(number)?)));
    let fingerprint = chosen.map(|(_, finding)| finding.fingerprint());
    let escape = model.key(Action::Escape).to_owned();
    if let Some(minimizing) = &mut model.minimizing {
        let is_it = minimizing.shows_least || Some(&minimizing.fingerprint) == fingerprint.as_ref();
        if minimizing.is_running() {
            let check = minimizing.check;
            model.message = Some(format!("{check} is being minimized; {escape} ends that with the best so far"));
            minimizing.save_to = path.or(minimizing.save_to.take());
            return Wish::Nothing;
        }
        match path {
            Some(path) if is_it => return Wish::SaveMinimized(path),
            None if is_it => {
                show(model);
                return Wish::Nothing;
            }
            _ => {}
        }
    }
    match chosen {
        Some((number, _)) => Wish::Minimize(number, path),
        None => {
            model.message = Some("the log reports nothing, so there is nothing to minimize".to_owned());
            Wish::Nothing
        }
    }
}

/// Why nothing can be made of the log now; `what` says what somebody wants to do.
pub fn refusal(model: &Model, what: &str) -> Option<String> {
    if model.versus.is_some() {
        return Some(format!("no {what} while two logs are compared; :compare alone ends that"));
    }
    if is_varied(model) {
        let undo = model.key(Action::Undo);
        return Some(format!("no {what} while there is a what-if variant; :save FILE keeps it, {undo} takes it back"));
    }
    (!model.progress.at_end).then(|| format!("no {what} before the log has been read to its end"))
}

fn is_varied(model: &Model) -> bool {
    model.whatif.as_ref().is_some_and(|whatif| whatif.variant.is_changed() || whatif.pending.is_some())
}

/// The log is being taken apart from now on.
pub fn begin(model: &mut Model, finding: &Finding, path: Option<PathBuf>) {
    model.minimizing = Some(Minimizing::new(finding, Arc::clone(model.debugger.replay()), path));
}

/// Ends what goes on: what is there already is kept. False if nothing does.
pub fn end(model: &mut Model) -> bool {
    let Some(minimizing) = model.minimizing.as_mut().filter(|minimizing| minimizing.is_running()) else { return false };
    if matches!(minimizing.stage, Stage::Reading) {
        model.minimizing = None;
        model.message = Some("minimizing was given up".to_owned());
    } else {
        minimizing.ends = true;
        model.message = Some("ending; the best so far is kept".to_owned());
    }
    true
}

/// It is done. Whoever is not in the middle of something else sees at once what came out.
pub fn arrived(model: &mut Model, done: Done) {
    let Some(minimizing) = &mut model.minimizing else { return };
    let left = count(done.least.events as u64, "event");
    let text = format!("{} is minimized to {left}", minimizing.check);
    minimizing.stage = Stage::Done(Box::new(done));
    if matches!(model.mode, Mode::Normal) {
        (model.playing, model.running) = (None, None);
        show(model);
    } else {
        let key = model.key(Action::Minimize);
        model.message = Some(format!("{text}; {key} shows it"));
    }
}

/// What came out, over the panes.
pub fn show(model: &mut Model) {
    let Some(minimizing) = &model.minimizing else { return };
    let title = format!("Minimized: {}", minimizing.check);
    show_text(model, &title, Body::Minimized);
}

/// What can be done with what came out, while it is shown.
pub fn in_text(model: &mut Model, action: Action) -> Wish {
    match action {
        Action::SaveMinimized => {
            typing::ask(model, Asks::Minimized);
            let name = proposed_name(&model.opening.name);
            if let Mode::Prompt(prompt) = &mut model.mode {
                prompt.set(&name);
            }
        }
        _ if model.versus.is_some() || is_varied(model) => {
            model.mode = Mode::Normal;
            let text = "the minimized log cannot be shown while there is a what-if variant or a log to compare with";
            model.message = Some(text.to_owned());
        }
        _ => {
            model.mode = Mode::Normal;
            match &model.minimizing {
                Some(minimizing) if minimizing.shows_least => {}
                Some(minimizing) if minimizing.is_opened() => turn_over(model),
                _ => return Wish::OpenMinimized,
            }
        }
    }
    Wish::Nothing
}

/// `runs/turn.json` may become `turn.min.json`, here.
fn proposed_name(log: &str) -> String {
    let name = log.rsplit('/').next().unwrap_or(log);
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && !ending.contains(' ') => format!("{stem}.min.{ending}"),
        _ if name.contains(' ') || name == "-" => "minimized.json".to_owned(),
        _ => format!("{name}.min"),
    }
}

/// The smaller log has been opened, and is shown from now on.
pub fn opened(model: &mut Model, least: Arc<dyn Replay>) {
    if let Some(minimizing) = &mut model.minimizing {
        minimizing.opened(least);
        turn_over(model);
    }
}

/// Whether the key that shows the original means the whole log and the minimized one.
pub fn turns_over(model: &Model) -> bool {
    let is_opened = model.minimizing.as_ref().is_some_and(Minimizing::is_opened);
    is_opened && !is_varied(model)
}

/// The whole log instead of the minimized one, or the other way round.
pub fn turn_over(model: &mut Model) {
    let at = model.at();
    let Some(minimizing) = &mut model.minimizing else { return };
    let Some((replay, to)) = minimizing.turn_over(at) else { return };
    let (shows_least, fingerprint) = (minimizing.shows_least, minimizing.fingerprint.clone());
    super::reopened(model, replay, to);
    // What was chosen in the one is what it is about in the other.
    let findings = model.replay().findings();
    model.finding = findings.list.iter().position(|finding| finding.fingerprint() == fingerprint);
    let key = model.key(Action::Original);
    model.message = Some(match shows_least {
        true => format!("the minimized log; {key} shows the whole one"),
        false => format!("the whole log; {key} shows the minimized one"),
    });
}

/// That what-if has to wait: its changes are laid over the whole log.
pub fn refuses(model: &mut Model, action: Action) -> bool {
    let refuses = action.varies() && model.minimizing.as_ref().is_some_and(|minimizing| minimizing.shows_least);
    if refuses {
        let key = model.key(Action::Original);
        model.message =
            Some(format!("no what-if in a minimized log that is not opened from a file; {key} shows the whole one"));
    }
    refuses
}
