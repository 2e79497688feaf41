//! The Projection pane: a recap of the run at both ends of the log; pinned fields, fields that this event changed, fields that differ from their first value, the rest.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::replay::check::Severity;
use crate::replay::machine::Origin;
use crate::replay::moment::Moment;
use crate::replay::recap::RecapLine;
use crate::replay::vocabulary::FieldId;
use crate::text::{fit, fit_middle, grouped, pad};
use crate::tui::action::Pane;
use crate::tui::compare::panes as both;
use crate::tui::glyph::{BARS, DIFFERENT, PINNED};
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;
use crate::tui::theme::selected;

/// The value stands in no record; it was computed from several.
const DERIVED: &str = "~";

pub(crate) fn lines(model: &Model, area: Rect) -> Vec<Line<'static>> {
    if let Some(compared) = model.compared() {
        return both::field_lines_shown(model, compared, area);
    }
    let Some(moment) = model.shown() else { return Vec::new() };
    let recap = model.shown_recap().iter().map(|line| recap_line(model, line, area.width as usize));
    let recap = recap.take(area.height as usize);
    let area = of_fields(model, area);
    let fields = model.fields();
    let first = first_row(model, area, fields.len());
    let rows = fields.iter().enumerate().skip(first).take(area.height as usize);
    let rows = rows.map(|(row, field)| {
        let is_chosen = row == chosen_row(model, fields.len()) && model.focus == Pane::Projection;
        selected(line(model, moment, *field, area.width as usize), is_chosen, area.width as usize)
    });
    recap.chain(rows).collect()
}

/// The part of the pane below the recap.
fn of_fields(model: &Model, inside: Rect) -> Rect {
    let recap = (model.shown_recap().len() as u16).min(inside.height);
    Rect { y: inside.y + recap, height: inside.height - recap, ..inside }
}

fn recap_line(model: &Model, line: &RecapLine, width: usize) -> Line<'static> {
    const LABEL_COLUMNS: usize = 8;
    let style = |role| model.theme().style(role);
    let role = if line.is_alarming { ScreenRole::Finding(Severity::Warning) } else { ScreenRole::Text };
    Line::from(vec![
        Span::styled(format!("  {} ", pad(line.label, LABEL_COLUMNS)), style(ScreenRole::Name)),
        Span::styled(fit(&line.text, width.saturating_sub(LABEL_COLUMNS + 3)), style(role)),
    ])
}

fn line(model: &Model, moment: &Moment, field: FieldId, width: usize) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let name_columns = (width * 3 / 5).min(36);
    let name = pad(&fit_middle(model.replay().vocabulary().field_name(field), name_columns), name_columns);
    let room = width.saturating_sub(name_columns + 3);
    let is_changed = moment.sides.changed().contains(field);
    let is_departed = moment.sides.departed().contains(field);
    let is_derived = is_departed && moment.sides.origin(field) == Origin::Derived;
    let gap = moment.sides.origin(field).gap().map(|reason| format!("not recorded: {reason}"));
    let (text, role) = match (is_changed, is_departed) {
        _ if gap.is_some() => (gap.unwrap_or_default(), ScreenRole::Dim),
        (true, _) => (moment.sides.change(field), ScreenRole::Changed),
        (false, true) => (moment.sides.brief(field, room.max(8)), ScreenRole::Text),
        (false, false) => (moment.sides.brief(field, room.max(8)), ScreenRole::Dim),
    };
    let differs = model.whatif.as_ref().and_then(|whatif| whatif.step.as_ref());
    let differs = differs.is_some_and(|step| step.fields.contains(field));
    let mark = match (model.pinned.contains(field), is_changed) {
        (true, _) => PINNED,
        (false, true) => "→",
        (false, false) if is_derived => DERIVED,
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
    model.field.min(fields.saturating_sub(1))
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
        let last = rows.get(first + inside.height as usize).map(|(_, field)| *field);
        return last.map_or(0, |last| model.fields().len() - last);
    }
    let (inside, fields) = (of_fields(model, inside), model.fields().len());
    fields.saturating_sub(first_row(model, inside, fields) + inside.height as usize)
}

/// The field on a row of the pane.
pub(crate) fn at_row(model: &Model, inside: Rect, row: usize) -> Option<usize> {
    if let Some(compared) = model.compared() {
        let rows = both::fields(model, compared, inside.width as usize);
        return rows.get(both::first_row(model, &rows, inside.height as usize) + row).map(|(_, field)| *field);
    }
    let row = row.checked_sub(model.shown_recap().len())?;
    let (inside, fields) = (of_fields(model, inside), model.fields().len());
    Some(first_row(model, inside, fields) + row).filter(|row| *row < fields)
}

/// When the selected field changed over the whole log, for the lower border of the pane.
pub(crate) fn sparkline(model: &Model, width: usize) -> Option<Line<'static>> {
    let field = model.chosen_field()?;
    let name = model.replay().vocabulary().field_name(field);
    let events = model.replay().len();
    let (mut writes, mut changes) = (Vec::new(), 0);
    // The number of fields below the pane needs room too.
    let columns = width.saturating_sub(name.len() + 22).min(40);
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
