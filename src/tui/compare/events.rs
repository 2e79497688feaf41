//! The events of two logs side by side: a pair shares a row, an event without a counterpart faces a gap.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::compare::run::{AlignedPair, How, Side};
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::source::Gone;
use crate::text::{fit_middle, glyph, pad, paragraph};
use crate::tui::action::Pane;
use crate::tui::compare::state::{Compared, sign};
use crate::tui::events::gutter::{self, is_bookmarked, worst};
use crate::tui::events::row::RowText;
use crate::tui::glyph::{BOOKMARK, PLAYHEAD};
use crate::tui::model::Model;
use crate::tui::theme::{ScreenRole, selected};

/// The width of the playhead and the sign before both columns, and of the separator.
const LEAD_COLUMNS: usize = 2;
const BETWEEN: &str = " │ ";

/// The widths of the left and the right column.
fn columns(width: usize) -> (usize, usize) {
    let both = width.saturating_sub(LEAD_COLUMNS + BETWEEN.width());
    (both - both / 2, both / 2)
}

/// The title: the names of both logs, each above its column.
pub(crate) fn title(model: &Model, compared: &Compared, width: usize, is_focus: bool) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let other = model.shown_log.comparison().map(|comparison| comparison.name.as_str()).unwrap_or_default();
    let (left, right) = columns(width.saturating_sub(2));
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let expected = format!(" Expected: {} ", fit_middle(&name(&model.opening.name), left.saturating_sub(12)));
    let actual = format!(" Actual: {} ", fit_middle(&name(other), right.saturating_sub(12)));
    let role = if is_focus { ScreenRole::Focus } else { ScreenRole::Strong };
    let border = if is_focus { ScreenRole::Focus } else { ScreenRole::Border };
    let gap = (left + LEAD_COLUMNS + 1).saturating_sub(expected.width());
    let mut spans = vec![
        Span::styled(expected, style(role)),
        Span::styled("─".repeat(gap), style(border)),
        Span::styled("┬", style(border)),
        Span::styled(actual, style(role)),
    ];
    if compared.has_own_names() && right > 56 {
        spans.push(Span::styled("· each run has its own ids ", style(ScreenRole::Dim)));
    }
    Line::from(spans)
}

pub(crate) fn lines(model: &Model, compared: &Compared, area: Rect) -> Vec<Line<'static>> {
    let spots = window(compared, area.height as usize);
    let texts = [Side::Left, Side::Right].map(|side| {
        let wanted: Vec<Seq> = spots.iter().filter_map(|spot| spot.event(side)).collect();
        rows_of(compared, side, &wanted).map_err(|gone| format!("the {} log: {}", side.name(), gone.reason))
    });
    let [left, right] = match texts {
        [Ok(left), Ok(right)] => [left, right],
        [Err(reason), _] | [_, Err(reason)] => {
            let style = model.theme().style(ScreenRole::Finding(Severity::Error));
            let pieces = paragraph(&reason, area.width as usize).into_iter();
            return pieces.map(|piece| Line::styled(piece, style)).collect();
        }
    };
    let (mut left, mut right) = (left.iter(), right.iter());
    let row = |spot: &AlignedPair| {
        let mut line = |side| match side {
            Side::Left => spot.event(side).and_then(|_| left.next()),
            Side::Right => spot.event(side).and_then(|_| right.next()),
        };
        let (one, two) = (line(Side::Left), line(Side::Right));
        row(model, compared, *spot, (one, two), area.width as usize)
    };
    spots.iter().map(row).collect()
}

/// An event of one log, and what its row says.
type RowOfLog = (Seq, RowText);

fn rows_of(compared: &Compared, side: Side, wanted: &[Seq]) -> Result<Vec<RowOfLog>, Gone> {
    let replay = compared.replay(side);
    let rows = replay.lines(wanted)?.into_iter().zip(replay.stories(wanted)?);
    Ok(rows.map(|(line, story)| (line.at, RowText::of(replay.vocabulary(), &line, story.as_ref(), false))).collect())
}

/// The places on the screen, with the playhead a third from the top unless the logs begin or end here.
fn window(compared: &Compared, rows: usize) -> Vec<AlignedPair> {
    let Some(here) = compared.spot() else { return Vec::new() };
    let (before, after) = compared.comparison().around(here, rows as u32);
    let place = before.len();
    let around: Vec<AlignedPair> = before.into_iter().chain([here]).chain(after).collect();
    let from = place.saturating_sub(rows / 3).min(around.len().saturating_sub(rows));
    around.into_iter().skip(from).take(rows).collect()
}

/// The place on a row of the pane.
pub(crate) fn at_row(compared: &Compared, inside: Rect, row: usize) -> Option<AlignedPair> {
    window(compared, inside.height as usize).get(row).copied()
}

pub(crate) const fn role(how: How) -> ScreenRole {
    match how {
        How::Same => ScreenRole::Text,
        How::Changed => ScreenRole::Finding(Severity::Warning),
        How::OnlyLeft => ScreenRole::Expected,
        How::OnlyRight => ScreenRole::Actual,
    }
}

fn row(
    model: &Model,
    compared: &Compared,
    spot: AlignedPair,
    (left, right): (Option<&RowOfLog>, Option<&RowOfLog>),
    width: usize,
) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let is_here = Some(spot) == compared.spot();
    let (left_columns, right_columns) = columns(width);
    let mut spans = vec![
        Span::styled(if is_here { PLAYHEAD } else { " " }, style(ScreenRole::Strong)),
        Span::styled(sign(spot.how), style(role(spot.how))),
    ];
    spans.extend(cell(model, compared, (Side::Left, spot.how), left, left_columns));
    spans.push(Span::styled(BETWEEN, style(ScreenRole::Border)));
    spans.extend(cell(model, compared, (Side::Right, spot.how), right, right_columns));
    let line = Line::from(spans);
    match (is_here, model.focus == Pane::Events) {
        (true, true) => selected(line, true, width),
        (true, false) => line.patch_style(style(ScreenRole::Here)),
        (false, _) => line,
    }
}

/// One event of one log in its column, or a gap.
fn cell(
    model: &Model,
    compared: &Compared,
    (side, how): (Side, How),
    row: Option<&RowOfLog>,
    width: usize,
) -> Vec<Span<'static>> {
    let style = |role| model.theme().style(role);
    let Some((at, row)) = row else {
        return vec![Span::styled(pad(&" ·".repeat(width / 2), width), style(ScreenRole::Dim))];
    };
    let replay = compared.replay(side);
    let (mark, mark_role) = match side {
        Side::Left => match is_bookmarked(model, *at) {
            true => (BOOKMARK, ScreenRole::Mark),
            false => gutter::finding(model, *at, &replay.findings()),
        },
        Side::Right => match worst(*at, &replay.findings()) {
            Some(worst) => (glyph(worst), ScreenRole::Finding(worst)),
            None => (" ", ScreenRole::Text),
        },
    };
    let digits = replay.len().saturating_sub(1).to_string().len().max(2);
    let number = format!("{at:>digits$} ");
    let taken = mark.width() + number.width();
    let mut spans = vec![Span::styled(mark, style(mark_role)), Span::styled(number, style(ScreenRole::Dim))];
    // An event that only one log has takes the colour of its log; so does a pair that differs.
    let colour = match (how, side) {
        (How::Same, _) => None,
        (_, Side::Left) => Some(ScreenRole::Expected),
        (_, Side::Right) => Some(ScreenRole::Actual),
    };
    spans.extend(row.spans(model.theme(), width.saturating_sub(taken), colour));
    spans
}
