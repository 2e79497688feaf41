//! The state that replaying rebuilds: what this event changed on top, then all that left its first value.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::replay::moment::Moment;
use crate::text::{fit, pad};
use crate::tui::action::Pane;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::view::chosen;

pub fn lines(model: &Model, moment: &Moment, area: Rect) -> Vec<Line<'static>> {
    let style = |role| model.theme.style(role);
    let (fields, changed) = (model.fields(), moment.sides.changed());
    let chosen_row = model.field.min(fields.len().saturating_sub(1));
    let first = chosen_row.saturating_sub((area.height as usize).saturating_sub(1));
    let name_columns = (area.width as usize * 3 / 5).min(36);
    let line = |(row, field): (usize, &crate::replay::vocabulary::FieldId)| {
        let name = pad(&fit(model.replay().vocabulary().field_name(*field), name_columns), name_columns);
        let room = (area.width as usize).saturating_sub(name_columns + 3);
        let is_changed = changed.contains(*field);
        let (mark, text, role) = if is_changed {
            ("▶ ", moment.sides.change(*field), Role::Changed)
        } else {
            ("  ", moment.sides.brief(*field, room.max(8)), Role::Text)
        };
        let name_role = if is_changed { Role::Strong } else { Role::Dim };
        let spans = vec![
            Span::styled(mark, style(Role::Changed)),
            Span::styled(name, style(name_role)),
            Span::raw(" "),
            Span::styled(fit(&text, room), style(role)),
        ];
        chosen(Line::from(spans), row == chosen_row && model.focus == Pane::Projection)
    };
    let all = fields.iter().enumerate().skip(first).take(area.height as usize);
    all.map(line).collect()
}
