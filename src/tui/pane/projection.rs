//! The Projection pane: pinned fields, fields that this event changed, and fields that differ from their first value. The
//! others are folded into one row.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::replay::moment::Moment;
use crate::replay::vocabulary::FieldId;
use crate::text::{fit, fit_middle, grouped, pad};
use crate::tui::action::Pane;
use crate::tui::compare::panes as both;
use crate::tui::glyph::{DIFFERENT, PINNED};
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;
use crate::tui::theme::selected;

const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

pub(crate) fn lines(model: &Model, area: Rect) -> Vec<Line<'static>> {
    if let Some(compared) = model.compared() {
        return both::field_lines_shown(model, compared, area);
    }
    let Some(moment) = model.shown() else { return Vec::new() };
    let fields = model.fields();
    let width = area.width as usize;
    let first = first_row(model, area, fields.len());
    let longest = fields.iter().map(|field| model.replay().vocabulary().field_name(*field).width()).max();
    let name_columns = longest.unwrap_or(0).min(width / 2);
    let rows = fields.iter().map(|field| line(model, moment, *field, (name_columns, width)));
    let rows = rows.chain(fold_line(model)).enumerate().skip(first).take(area.height as usize);
    let is_focus = model.focus == Pane::Projection;
    rows.map(|(row, line)| selected(line, is_focus && row == chosen_row(model, fields.len()), width)).collect()
}

/// The row that stands for the fields that are not listed.
pub(crate) fn fold_line(model: &Model) -> Option<Line<'static>> {
    let folded = model.folded_fields();
    let text = format!("  {folded} unchanged");
    (folded > 0).then(|| Line::styled(text, model.theme().style(ScreenRole::Dim)))
}

fn line(model: &Model, moment: &Moment, field: FieldId, (name_columns, width): (usize, usize)) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let name = model.replay().vocabulary().field_name(field);
    let room = width.saturating_sub(name_columns + 3);
    let is_changed = moment.sides.changed().contains(field);
    let is_departed = moment.sides.departed().contains(field);
    let gap = moment.sides.origin(field).gap().map(|reason| format!("not recorded: {reason}"));
    let (text, role) = match (is_changed, is_departed) {
        _ if gap.is_some() => (gap.unwrap_or_default(), ScreenRole::Dim),
        (true, _) => (moment.sides.change(field), ScreenRole::Changed),
        (false, true) => (moment.sides.brief(field, room.max(8)), ScreenRole::Text),
        (false, false) => (moment.sides.brief(field, room.max(8)), ScreenRole::Dim),
    };
    // A short value leaves its room to a long name.
    let name_columns = name_columns.max(name.width().min(width.saturating_sub(text.width() + 3)));
    let room = width.saturating_sub(name_columns + 3);
    let name = pad(&fit_middle(name, name_columns), name_columns);
    let differs = model.whatif.as_ref().and_then(|whatif| whatif.step.as_ref());
    let differs = differs.is_some_and(|step| step.fields.contains(field));
    let mark = match (model.pinned.contains(field), is_changed) {
        (true, _) => PINNED,
        (false, true) => "→",
        (false, false) => " ",
    };
    // In a variant: the original has another value here.
    let mark = if differs { DIFFERENT } else { mark };
    Line::from(vec![
        Span::styled(format!("{mark} "), style(if differs { ScreenRole::Mark } else { ScreenRole::Changed })),
        Span::styled(name, style(if is_changed { ScreenRole::Strong } else { ScreenRole::Dim })),
        Span::raw(" "),
        Span::styled(fit(&text, room), style(role)),
    ])
}

fn chosen_row(model: &Model, fields: usize) -> usize {
    match model.field {
        Model::FOLD_ROW if model.folded_fields() > 0 => fields,
        field => field.min(fields.saturating_sub(1)),
    }
}

/// The pane scrolls only as far as needed to show the selection.
fn first_row(model: &Model, area: Rect, fields: usize) -> usize {
    chosen_row(model, fields).saturating_sub((area.height as usize).saturating_sub(1))
}

/// How many fields are below the pane.
pub(crate) fn below(model: &Model, inside: Rect) -> usize {
    if let Some(compared) = model.compared() {
        let rows = both::fields(model, compared, inside.width as usize);
        let first = both::first_row(model, &rows, inside.height as usize);
        let mut below: Vec<usize> = rows.iter().skip(first + inside.height as usize).map(|(_, field)| *field).collect();
        below.dedup();
        return below.len();
    }
    let fields = model.fields().len();
    (fields + usize::from(model.folded_fields() > 0))
        .saturating_sub(first_row(model, inside, fields) + inside.height as usize)
}

/// The field on a row of the pane, or the row that stands for those that are not listed.
pub(crate) fn at_row(model: &Model, inside: Rect, row: usize) -> Option<usize> {
    if let Some(compared) = model.compared() {
        let rows = both::fields(model, compared, inside.width as usize);
        return rows.get(both::first_row(model, &rows, inside.height as usize) + row).map(|(_, field)| *field);
    }
    let fields = model.fields().len();
    match first_row(model, inside, fields) + row {
        row if row < fields => Some(row),
        row if row == fields && model.folded_fields() > 0 => Some(Model::FOLD_ROW),
        _ => None,
    }
}

/// When the selected field changed over the whole log, for the border of the pane.
pub(crate) fn sparkline(model: &Model, width: usize) -> Option<Line<'static>> {
    let field = model.chosen_field()?;
    let name = model.replay().vocabulary().field_name(field);
    let events = model.replay().len();
    let (mut writes, mut changes) = (Vec::new(), 0);
    let columns = width.saturating_sub(name.len() + 12).min(40);
    if columns < 4 {
        return None;
    }
    model.replay().writers(field, &mut |writers| {
        writes = writers.density(events, columns);
        changes = writers.len();
    });
    let most = writes.iter().copied().max().filter(|most| *most > 0)?;
    let bar = |count: &u32| if *count == 0 { " " } else { BARS[(*count as usize * 7).div_ceil(most as usize)] };
    let bars: String = writes.iter().map(bar).collect();
    Some(Line::from(vec![
        Span::styled(format!(" {name} "), model.theme().style(ScreenRole::Dim)),
        Span::styled(bars, model.theme().style(ScreenRole::Changed)),
        Span::styled(format!(" {}× ", grouped(u64::from(changes))), model.theme().style(ScreenRole::Dim)),
    ]))
}
