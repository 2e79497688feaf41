//! The Projection pane: a recap of the run at both ends of the log; pinned fields, fields that this event changed, and fields
//! that differ from their first value. The others are folded into one row.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::replay::check::Severity;
use crate::replay::machine::Origin;
use crate::replay::moment::Moment;
use crate::replay::recap::RecapLine;
use crate::replay::vocabulary::FieldId;
use crate::text::{fit, fit_middle, grouped, pad, paragraph};
use crate::tui::action::Pane;
use crate::tui::compare::panes as both;
use crate::tui::glyph::{BARS, DIFFERENT, PINNED};
use crate::tui::model::Model;
use crate::tui::pane::fold_row::fold_line;
use crate::tui::theme::ScreenRole;
use crate::tui::theme::selected;

/// A change that needs more lines is cut.
const CHANGE_LINES: usize = 3;
/// A change is wrapped next to its name if there is this much room, else below it.
const HANGING_COLUMNS: usize = 14;
/// The value stands in no record; it was computed from several.
const DERIVED: &str = "~";
/// The number of the rows of the recap, which cannot be selected.
const RECAP_ROW: usize = Model::FOLD_ROW - 1;

pub(crate) fn lines(model: &Model, area: Rect) -> Vec<Line<'static>> {
    if let Some(compared) = model.compared() {
        return both::field_lines_shown(model, compared, area);
    }
    let rows = rows(model, area.width as usize);
    let first = first_row(model, &rows, area.height as usize);
    rows.into_iter().skip(first).take(area.height as usize).map(|(line, _)| line).collect()
}

/// The lines of the pane, each with the number of its field, or [`Model::FOLD_ROW`].
fn rows(model: &Model, width: usize) -> Vec<(Line<'static>, usize)> {
    let Some(moment) = model.shown() else { return Vec::new() };
    let fields = model.fields();
    let longest = fields.iter().map(|field| model.replay().vocabulary().field_name(*field).width()).max();
    let name_columns = longest.unwrap_or(0).min(width / 2);
    let numbered = fields.iter().enumerate();
    let rows = numbered.flat_map(|(number, field)| {
        let lines = field_lines(model, moment, *field, (name_columns, width));
        lines.into_iter().map(move |line| (line, number))
    });
    let chosen = chosen_row(model, fields.len());
    let is_focus = model.focus == Pane::Projection;
    let rows = rows.chain(fold_line(model).map(|line| (line, Model::FOLD_ROW)));
    let recap = model.shown_recap().iter().map(|line| (recap_line(model, line, width), RECAP_ROW));
    let rows = recap.chain(rows);
    rows.map(|(line, number)| (selected(line, is_focus && number == chosen, width), number)).collect()
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

/// The lines of a field: one, or more if it has changed here and does not fit into one.
fn field_lines(model: &Model, moment: &Moment, field: FieldId, (names, width): (usize, usize)) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let name = model.replay().vocabulary().field_name(field);
    let is_changed = moment.sides.changed().contains(field);
    let is_departed = moment.sides.departed().contains(field);
    let is_derived = is_departed && moment.sides.origin(field) == Origin::Derived;
    let gap = moment.sides.origin(field).gap().map(|reason| format!("not recorded: {reason}"));
    let room = width.saturating_sub(names + 3).max(8);
    let (text, role) = match (is_changed, is_departed) {
        _ if gap.is_some() => (gap.unwrap_or_default(), ScreenRole::Dim),
        (true, _) => (moment.sides.change(field), ScreenRole::Changed),
        (false, true) => (moment.sides.brief(field, room), ScreenRole::Text),
        (false, false) => (moment.sides.brief(field, room), ScreenRole::Dim),
    };
    let differs = model.whatif.as_ref().and_then(|whatif| whatif.step.as_ref());
    let differs = differs.is_some_and(|step| step.fields.contains(field));
    let mark = match (model.pinned.contains(field), is_changed) {
        // In a variant: the original has another value here.
        _ if differs => DIFFERENT,
        (true, _) => PINNED,
        (false, true) => "→",
        (false, false) if is_derived => DERIVED,
        (false, false) => " ",
    };
    let mark = Span::styled(format!("{mark} "), style(if differs { ScreenRole::Mark } else { ScreenRole::Changed }));
    let name_role = if is_changed { ScreenRole::Strong } else { ScreenRole::Dim };
    let fits = name.width().max(names) + text.width() + 3 <= width || name.width() + text.width() + 3 <= width;
    let hanging = width.saturating_sub(names + 3);
    if is_changed && !fits && name.width() <= names && hanging >= HANGING_COLUMNS {
        let pieces = cut_pieces(&text, hanging);
        let line = |(number, piece): (usize, String)| {
            let name = if number == 0 { name } else { "" };
            let mark = if number == 0 { mark.clone() } else { Span::raw("  ") };
            let name = Span::styled(pad(name, names), style(name_role));
            Line::from(vec![mark, name, Span::raw(" "), Span::styled(piece, style(role))])
        };
        return pieces.into_iter().enumerate().map(line).collect();
    }
    if is_changed && !fits {
        let name = Span::styled(fit(name, width.saturating_sub(2)), style(name_role));
        let pieces = cut_pieces(&text, width.saturating_sub(4)).into_iter();
        let pieces = pieces.map(|piece| Line::styled(format!("    {piece}"), style(role)));
        return std::iter::once(Line::from(vec![mark, name])).chain(pieces).collect();
    }
    // A short value leaves its room to a long name.
    let names = names.max(name.width().min(width.saturating_sub(text.width() + 3)));
    let name = Span::styled(pad(&fit_middle(name, names), names), style(name_role));
    let text = Span::styled(fit(&text, width.saturating_sub(names + 3)), style(role));
    vec![Line::from(vec![mark, name, Span::raw(" "), text])]
}

/// A text on a few lines.
fn cut_pieces(text: &str, columns: usize) -> Vec<String> {
    let mut pieces = paragraph(text, columns);
    if pieces.len() > CHANGE_LINES {
        pieces.truncate(CHANGE_LINES);
        pieces.last_mut().into_iter().for_each(|last| *last = fit(&format!("{last}…"), columns));
    }
    pieces
}

/// The number of the selected field, or [`Model::FOLD_ROW`].
fn chosen_row(model: &Model, fields: usize) -> usize {
    match model.field {
        Model::FOLD_ROW if model.folded_fields() > 0 => Model::FOLD_ROW,
        field => field.min(fields.saturating_sub(1)),
    }
}

/// The pane scrolls only as far as needed to show the selection.
fn first_row(model: &Model, rows: &[(Line<'static>, usize)], height: usize) -> usize {
    let chosen = chosen_row(model, model.fields().len());
    let last = rows.iter().rposition(|(_, field)| *field == chosen).unwrap_or(0);
    (last + 1).saturating_sub(height)
}

/// The lines of the pane and the first one that is shown, of one log or of both.
fn numbered(model: &Model, inside: Rect) -> (Vec<(Line<'static>, usize)>, usize) {
    let (width, height) = (inside.width as usize, inside.height as usize);
    match model.compared() {
        Some(compared) => {
            let rows = both::fields(model, compared, width);
            let first = both::first_row(model, &rows, height);
            (rows, first)
        }
        None => {
            let rows = rows(model, width);
            let first = first_row(model, &rows, height);
            (rows, first)
        }
    }
}

/// How many fields are below the pane.
pub(crate) fn below(model: &Model, inside: Rect) -> usize {
    let (rows, first) = numbered(model, inside);
    let mut below: Vec<usize> = rows.iter().skip(first + inside.height as usize).map(|(_, field)| *field).collect();
    below.retain(|number| *number != RECAP_ROW);
    below.dedup();
    below.len()
}

/// The field on a row of the pane, or the row that stands for those that are not listed.
pub(crate) fn at_row(model: &Model, inside: Rect, row: usize) -> Option<usize> {
    let (rows, first) = numbered(model, inside);
    rows.get(first + row).map(|(_, field)| *field).filter(|number| *number != RECAP_ROW)
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
