//! Copying: the event, a value, where it stands, or the command that comes back here.

use super::Wish;
use crate::tui::action::{Copied, Pane};
use crate::tui::model::Model;

pub fn copy(model: &mut Model, what: Copied) -> Wish {
    let found = match what {
        Copied::Value => value(model),
        Copied::Path => path(model),
        Copied::Command if model.minimizing.as_ref().is_some_and(|minimizing| minimizing.shows_least) => {
            model.message =
                Some("no command opens a minimized log that is no file; :minimize FILE saves it".to_owned());
            return Wish::Nothing;
        }
        Copied::Command => Some(("the command".to_owned(), command(model))),
    };
    match found {
        Some((what, text)) => Wish::Copy(what, text),
        None => {
            model.message = Some("there is nothing to copy here".to_owned());
            Wish::Nothing
        }
    }
}

/// What opens this very place again.
pub fn command(model: &Model) -> String {
    let compared = model.versus.as_ref().map(|versus| format!(" --compare {}", versus.word)).unwrap_or_default();
    format!("{}{compared} --at {}", model.opening.command, model.at())
}

fn value(model: &Model) -> Option<(String, String)> {
    let moment = model.moment.as_ref().ok()?.as_ref()?;
    // Beside another log the event may be one that only that has.
    let shown = model.compared().map_or(Some(moment), |compared| compared.event(Some(moment))).unwrap_or(moment);
    let event = || ("the event".to_owned(), String::from_utf8_lossy(shown.event()).into_owned());
    match model.focus {
        Pane::Projection => {
            let field = model.chosen_field()?;
            let name = model.replay().vocabulary().field_name(field);
            Some((name.to_owned(), moment.sides.after(field).to_string()))
        }
        Pane::Effects => {
            let payloads: Vec<String> = moment.effects.iter().map(|effect| effect.payload.to_string()).collect();
            (!payloads.is_empty()).then(|| ("the effects".to_owned(), payloads.join("\n")))
        }
        Pane::Coherence => {
            let findings = model.replay().findings();
            let finding = findings.list.get(model.chosen_finding()?)?;
            Some(("the finding".to_owned(), finding.to_json().to_string()))
        }
        Pane::Detail => match model.detail.value_text() {
            Some(text) => Some(("the value".to_owned(), text)),
            None => Some(event()),
        },
        Pane::Events => Some(event()),
    }
}

/// A path that `stepback query` and jq understand.
fn path(model: &Model) -> Option<(String, String)> {
    match model.focus {
        Pane::Projection => {
            let name = model.replay().vocabulary().field_name(model.chosen_field()?);
            Some(("the path".to_owned(), format!(".after.{name}")))
        }
        Pane::Detail => model.detail.path().map(|path| ("the path".to_owned(), path)),
        Pane::Events | Pane::Effects | Pane::Coherence => None,
    }
}
