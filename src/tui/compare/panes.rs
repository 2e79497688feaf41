//! The Projection and Effects panes while two logs are compared: fields with both values, effects of both logs.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::compare::run::{How, Side};
use crate::replay::check::Severity;
use crate::replay::moment::{Emitted, Moment, value_text};
use crate::replay::vocabulary::FieldId;
use crate::text::{fit, fit_middle, grouped, pad, paragraph};
use crate::tui::action::Pane;
use crate::tui::compare::state::Compared;
use crate::tui::glyph::{DIFFERENT, PINNED, RENAMED};
use crate::tui::model::Model;
use crate::tui::pane::fold_row::fold_line;
use crate::tui::theme::ScreenRole;
use crate::tui::theme::selected;

/// From this width on, both values are on one line.
const SIDE_BY_SIDE_COLUMNS: usize = 66;
/// Shown if a log has no event up to here.
const NOTHING: &str = "—";

/// The lines of the projection, each with the number of its field in the list.
pub(crate) fn fields(model: &Model, compared: &Compared, width: usize) -> Vec<(Line<'static>, usize)> {
    let fields = model.fields();
    let chosen_row = match model.field {
        Model::FOLD_ROW if model.folded_fields() > 0 => Model::FOLD_ROW,
        field => field.min(fields.len().saturating_sub(1)),
    };
    let mut rows = Vec::new();
    for (number, field) in fields.into_iter().enumerate() {
        let is_chosen = number == chosen_row && model.focus == Pane::Projection;
        let lines = field_lines(model, compared, field, width);
        rows.extend(lines.into_iter().map(|line| (selected(line, is_chosen, width), number)));
    }
    let is_chosen = model.field == Model::FOLD_ROW && model.focus == Pane::Projection;
    let fold = fold_line(model).map(|line| (selected(line, is_chosen, width), Model::FOLD_ROW));
    rows.extend(fold);
    rows
}

/// The pane scrolls only as far as needed to show the selection.
pub(crate) fn first_row(model: &Model, rows: &[(Line<'static>, usize)], height: usize) -> usize {
    let last = rows.iter().rposition(|(_, field)| *field == model.field).unwrap_or(0);
    (last + 1).saturating_sub(height)
}

pub(crate) fn field_lines_shown(model: &Model, compared: &Compared, area: Rect) -> Vec<Line<'static>> {
    let rows = fields(model, compared, area.width as usize);
    let first = first_row(model, &rows, area.height as usize);
    rows.into_iter().skip(first).take(area.height as usize).map(|(line, _)| line).collect()
}

fn value(moment: Option<&Moment>, field: FieldId, room: usize) -> String {
    moment.map_or_else(|| NOTHING.to_owned(), |moment| moment.sides.brief(field, room.max(8)))
}

fn field_lines(model: &Model, compared: &Compared, field: FieldId, width: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let name = model.replay().vocabulary().field_name(field);
    let (left, right) = (model.shown().filter(|_| compared.has_begun(Side::Left)), compared.right_moment());
    let differs = compared.fields().contains(field) || left.is_some() != right.is_some();
    if compared.renamed().contains(field) {
        return vec![renamed(model, name, (&value(left, field, width), &value(right, field, width)), width)];
    }
    let mark = match (differs, model.pinned.contains(field)) {
        (true, _) => DIFFERENT,
        (false, true) => PINNED,
        (false, false) => " ",
    };
    let lead = Span::styled(
        format!("{mark} "),
        style(if differs { ScreenRole::Finding(Severity::Warning) } else { ScreenRole::Changed }),
    );
    if !differs {
        let name_columns = (width * 3 / 5).min(36);
        let room = width.saturating_sub(name_columns + 3);
        return vec![Line::from(vec![
            lead,
            Span::styled(pad(&fit_middle(name, name_columns), name_columns), style(ScreenRole::Dim)),
            Span::raw(" "),
            Span::styled(fit(&value(left.or(right), field, room), room), style(ScreenRole::Dim)),
        ])];
    }
    let roles = [ScreenRole::Expected, ScreenRole::Actual];
    if width >= SIDE_BY_SIDE_COLUMNS {
        let name_columns = (width / 3).min(32);
        let room = width.saturating_sub(name_columns + 6) / 2;
        return vec![Line::from(vec![
            lead,
            Span::styled(pad(&fit_middle(name, name_columns), name_columns), style(ScreenRole::Strong)),
            Span::raw(" "),
            Span::styled(pad(&fit(&value(left, field, room), room), room), style(roles[0])),
            Span::styled(" │ ", style(ScreenRole::Border)),
            Span::styled(fit(&value(right, field, room), room), style(roles[1])),
        ])];
    }
    let room = width.saturating_sub(4);
    let side = |sign: &str, moment, role| {
        Line::styled(format!("  {sign} {}", fit(&value(moment, field, room), room)), style(role))
    };
    vec![
        Line::from(vec![lead, Span::styled(fit_middle(name, width.saturating_sub(2)), style(ScreenRole::Strong))]),
        side("−", left, roles[0]),
        side("+", right, roles[1]),
    ]
}

/// The line of a field that differs only in generated names, which is not a difference.
fn renamed(model: &Model, name: &str, (left, right): (&str, &str), width: usize) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let name_columns = (width * 2 / 5).min(36);
    let room = width.saturating_sub(name_columns + 3);
    let half = room.saturating_sub(3) / 2;
    let both = format!("{} │ {}", fit_middle(left, half), fit_middle(right, half));
    Line::from(vec![
        Span::styled(format!("{RENAMED} "), style(ScreenRole::Dim)),
        Span::styled(pad(&fit_middle(name, name_columns), name_columns), style(ScreenRole::Dim)),
        Span::raw(" "),
        Span::styled(fit(&both, room), style(ScreenRole::Dim)),
    ])
}

/// The effects at this place: those of one log, then those of both, then how often each occurred so far.
pub(crate) fn effects(model: &Model, compared: &Compared, width: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let vocabulary = model.replay().vocabulary();
    let left = model.shown().filter(|_| compared.has_begun(Side::Left));
    let (gone, new) = compared.effects(left);
    let mut lines = Vec::new();
    let mut push = |sign: &str, effect: &Emitted, role| {
        let text = format!("{sign}{} {}", vocabulary.effect_name(effect.kind), effect.detail);
        lines.extend(paragraph(&text, width).into_iter().map(|piece| Line::styled(piece, style(role))));
    };
    gone.iter().for_each(|effect| push("− ", effect, ScreenRole::Expected));
    new.iter().for_each(|effect| push("+ ", effect, ScreenRole::Actual));
    if let Some(moment) = compared.right_event() {
        let same = moment.effects.iter().filter(|effect| !new.contains(effect));
        same.for_each(|effect| push("  ", effect, ScreenRole::Text));
    }
    lines.extend(halts(model, compared, left, width));
    if lines.is_empty() {
        lines.push(Line::styled("none", style(ScreenRole::Dim)));
    }
    lines.push(Line::raw(""));
    lines.push(Line::styled(fit("so far, expected and actual", width), style(ScreenRole::Dim)));
    let count = |moment: Option<&Moment>, effect| moment.map_or(0, |moment| moment.tally.of(effect));
    for effect in vocabulary.effect_ids() {
        let (one, two) = (count(left, effect), count(compared.right_moment(), effect));
        if one + two > 0 {
            let (mark, role) = match one == two {
                true => ("  ", ScreenRole::Dim),
                false => ("≠ ", ScreenRole::Finding(Severity::Warning)),
            };
            let counts = format!("{mark}{:>4} {:>4} ", grouped(u64::from(one)), grouped(u64::from(two)));
            let name = fit(vocabulary.effect_name(effect), width.saturating_sub(counts.len()));
            lines.push(Line::from(vec![Span::styled(counts, style(role)), Span::styled(name, style(ScreenRole::Dim))]));
        }
    }
    lines
}

/// The outcomes, if an event ends its turn.
fn halts(model: &Model, compared: &Compared, left: Option<&Moment>, width: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let is_pair_or_left = compared.how() != How::OnlyRight;
    let one = left.filter(|_| is_pair_or_left).and_then(|moment| moment.halt.as_ref());
    let two = compared.right_event().and_then(|moment| moment.halt.as_ref());
    let halt_line = |sign: &str, halt: Option<&serde_json::Value>, role| {
        halt.map(|halt| Line::styled(fit(&format!("{sign}halt {}", value_text(halt)), width), style(role)))
    };
    if one == two {
        return halt_line("  ", one, ScreenRole::Strong).into_iter().collect();
    }
    let lines = [halt_line("− ", one, ScreenRole::Expected), halt_line("+ ", two, ScreenRole::Actual)];
    lines.into_iter().flatten().collect()
}
