//! Actions on the panes: pin, explain, fold, help.

use crate::compare::run::{How, Side};
use crate::crashpack::evidence::weight_text;
use crate::tui::action::Action;
use crate::tui::compare::update as compare;
use crate::tui::detail::Tab;
use crate::tui::model::{Model, PopupBody};

pub(crate) fn pin(model: &mut Model) {
    let Some(field) = model.chosen_field() else { return };
    model.pinned.0 ^= 1 << field.0;
    let name = model.replay().vocabulary().field_name(field);
    let whether = if model.pinned.contains(field) { "is pinned" } else { "is no longer pinned" };
    model.message = Some(format!("{name} {whether}"));
    // The same field stays selected.
    model.field = model.fields().iter().position(|known| *known == field).unwrap_or(0);
}

/// Explains the check of the selected finding.
pub(crate) fn explain(model: &mut Model) {
    let findings = model.replay().findings();
    let Some(finding) = model.chosen_finding().and_then(|number| findings.list.get(number)) else {
        model.message = Some("the log has no finding to explain".to_owned());
        return;
    };
    let check = finding.check;
    let places: Vec<String> = finding.at.iter().map(ToString::to_string).collect();
    let mut lines = vec![
        finding.message(),
        String::new(),
        format!("expected  {}", finding.expected),
        format!("actual    {}", finding.actual),
        format!("at        {}", places.join(", ")),
        format!("weight    {}", weight_text(finding.severity)),
        String::new(),
        check.explains.to_owned(),
    ];
    if model.inquiry.is_open {
        let key = model.key(Action::Health);
        lines.push(String::new());
        lines.push(format!("{key} tells whether the session can be resumed, and offers a repair."));
    }
    let title = format!("{} ({})", check.id, finding.severity.name());
    model.show_text(&title, PopupBody::Explanation(lines));
}

pub(crate) fn fold_calls(model: &mut Model) {
    let folds = &mut model.debugger.filter.folds;
    *folds = !*folds;
    let is_folded = *folds;
    let key = model.key(Action::FoldCalls);
    model.message = Some(match is_folded {
        true => format!("a row per call and per run of routine events; {key} unfolds them"),
        false => format!("a row per event; {key} folds calls and routine events"),
    });
}

/// Folds the value under the cursor. In the conversation, goes to the event of another message.
pub(crate) fn fold(model: &mut Model) {
    match (model.detail.tab(), model.detail.event()) {
        _ if model.detail.folds() => model.detail.toggle_fold(),
        (Tab::Conversation, Some(at)) => match model.compared().filter(|compared| compared.how() == How::OnlyRight) {
            Some(compared) => {
                let spot = compared.comparison().spot(Side::Right, at);
                spot.into_iter().for_each(|spot| compare::go(model, spot, true));
            }
            None => {
                model.debugger.jump(at);
            }
        },
        _ => model.detail.toggle_fold(),
    }
}

/// Toggles whether the program or the terminal handles the mouse.
pub(crate) fn free_mouse(model: &mut Model) {
    model.mouse = !model.mouse;
    let key = model.key(Action::FreeMouse);
    model.message = Some(match model.mouse {
        true => "stepback uses the mouse again".to_owned(),
        false => format!("the terminal has the mouse, to select text; {key} takes it back"),
    });
}
