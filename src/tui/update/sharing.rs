//! Copying: the event, a value, its path, or the command that opens this place.

use crate::tui::action::{CopySource, Pane};
use crate::tui::model::Model;
use crate::tui::model::permission::Intent;
use crate::tui::request::Request;

pub(crate) fn copy(model: &mut Model, what: CopySource) -> Request {
    let refusal = model.refusal(Intent::CopyCommand).filter(|_| what == CopySource::Command);
    if let Some(reason) = refusal {
        model.message = Some(reason);
        return Request::Nothing;
    }
    let found = match what {
        CopySource::Value => value(model),
        CopySource::Path => path(model),
        CopySource::Command => Some(("the command".to_owned(), command(model))),
    };
    match found {
        Some((what, text)) => Request::Copy(what, text),
        None => {
            model.message = Some("there is nothing to copy here".to_owned());
            Request::Nothing
        }
    }
}

/// The command that opens this log at this event.
pub(crate) fn command(model: &Model) -> String {
    let other = model.shown_log.comparison();
    let compared = other.map(|other| format!(" --compare {}", other.word)).unwrap_or_default();
    format!("{}{compared} --at {}", model.opening.command, model.at())
}

fn value(model: &Model) -> Option<(String, String)> {
    let moment = model.moment.as_ref().ok()?.as_ref()?;
    // While comparing, the event may be one of the other log.
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
