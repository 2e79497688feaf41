//! Actions on the panes: pin, explain, fold, resize.

use crate::compare::run::{How, Side};
use crate::crashpack::evidence::weight_text;
use crate::tui::action::Action;
use crate::tui::compare::update as compare;
use crate::tui::detail::Tab;
use crate::tui::layout::Areas;
use crate::tui::layout::sizes::{MovableBorder, PaneSizes, is_lower, position, side_border};
use crate::tui::model::{Model, PopupBody};

pub(crate) fn pin(model: &mut Model) {
    let Some(field) = model.chosen_field() else { return };
    model.pinned.0 ^= 1 << field.0;
    let name = model.replay().vocabulary().field_name(field);
    let whether = if model.pinned.contains(field) { "is pinned" } else { "is no longer pinned" };
    model.message = Some(format!("{name} {whether}"));
    // The same field stays selected.
    model.choose_field(field);
}

/// Toggles whether the projection lists also the fields that still have their initial value.
pub(crate) fn list_all_fields(model: &mut Model) {
    let (field, first_folded) = (model.chosen_field(), model.fields().len());
    model.lists_all_fields = !model.lists_all_fields;
    match field.filter(|field| model.fields().contains(field)) {
        Some(field) => model.choose_field(field),
        None => model.field = first_folded.min(model.fields().len().saturating_sub(1)),
    }
}

/// Makes the focused pane wider by a number of columns.
pub(crate) fn widen(model: &mut Model, by: i64) {
    let Some(areas) = model.areas() else { return };
    match side_border(&areas, model.focus).filter(|_| model.compared().is_none()) {
        Some((border, is_right)) => shift(model, &areas, border, if is_right { by } else { -by }),
        None => model.message = Some("the width of this pane cannot be changed here".to_owned()),
    }
}

/// Makes the focused pane taller by a number of rows.
pub(crate) fn heighten(model: &mut Model, by: i64) {
    let Some(areas) = model.areas() else { return };
    match is_lower(&areas, model.focus) {
        Some(is_lower) => shift(model, &areas, MovableBorder::Row, if is_lower { -by } else { by }),
        None => model.message = Some("this pane has the whole screen".to_owned()),
    }
}

fn shift(model: &mut Model, areas: &Areas, border: MovableBorder, by: i64) {
    let Some(now) = position(areas, border) else { return };
    let to = (i64::from(now) + by).clamp(0, i64::from(u16::MAX)) as u16;
    model.sizes.move_to(areas, border, to);
}

pub(crate) fn usual_sizes(model: &mut Model) {
    model.sizes = PaneSizes { rows: model.opening.detail_rows, ..PaneSizes::default() };
    model.message = Some("the panes have their usual sizes".to_owned());
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
