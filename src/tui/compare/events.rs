//! The events of two logs side by side: a pair shares a row, an event without a counterpart faces a gap.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::compare::run::{AlignedPair, How, Side};
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::timeline;
use crate::replay::vocabulary::{KindWord, Vocabulary};
use crate::text::{fit, fit_middle, glyph, pad, paragraph};
use crate::tui::compare::state::{Compared, sign};
use crate::tui::model::Model;
use crate::tui::pane::events::{gutter, is_bookmarked, worst};
use crate::tui::theme::{ScreenRole, lane_glyph};

/// From this width on, columns show the full names of kinds.
const WIDE_KIND_COLUMNS: usize = 20;
const WIDE_FROM_COLUMNS: usize = 62;
/// Narrower columns omit the step.
const STEP_FROM_COLUMNS: usize = 50;
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
        compared.replay(side).lines(&wanted).map_err(|gone| format!("the {} log: {}", side.name(), gone.reason))
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
        How::OnlyLeft => ScreenRole::Finding(Severity::Error),
        How::OnlyRight => ScreenRole::Good,
    }
}

fn row(
    model: &Model,
    compared: &Compared,
    spot: AlignedPair,
    (left, right): (Option<&timeline::EventLine>, Option<&timeline::EventLine>),
    width: usize,
) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let is_here = Some(spot) == compared.spot();
    let (left_columns, right_columns) = columns(width);
    let mut spans = vec![
        Span::styled(if is_here { "▶" } else { " " }, style(ScreenRole::Strong)),
        Span::styled(sign(spot.how), style(role(spot.how))),
    ];
    spans.extend(cell(model, compared, (Side::Left, spot.how), left, left_columns));
    spans.push(Span::styled(BETWEEN, style(ScreenRole::Border)));
    spans.extend(cell(model, compared, (Side::Right, spot.how), right, right_columns));
    let line = Line::from(spans);
    if is_here { line.patch_style(style(ScreenRole::Strong)) } else { line }
}

/// One event of one log in its column, or a gap.
fn cell(
    model: &Model,
    compared: &Compared,
    (side, how): (Side, How),
    line: Option<&timeline::EventLine>,
    width: usize,
) -> Vec<Span<'static>> {
    let style = |role| model.theme().style(role);
    let Some(line) = line else {
        return vec![Span::styled(pad(&" ·".repeat(width / 2), width), style(ScreenRole::Dim))];
    };
    let replay = compared.replay(side);
    let vocabulary = replay.vocabulary();
    let (mark, mark_role) = match side {
        Side::Left => match is_bookmarked(model, line.at) {
            true => ("★", ScreenRole::Mark),
            false => gutter(model, line.at, &replay.findings()),
        },
        Side::Right => match worst(line.at, &replay.findings()) {
            Some(worst) => (glyph(worst), ScreenRole::Finding(worst)),
            None => (" ", ScreenRole::Text),
        },
    };
    let digits = replay.len().saturating_sub(1).to_string().len().max(2);
    let number = format!("{:>digits$} ", line.at);
    let has_step = vocabulary.has_steps && width >= STEP_FROM_COLUMNS;
    let step = if has_step { format!("s{:<3}", line.row.step) } else { String::new() };
    let kind = kind(vocabulary, line, width);
    let room = width.saturating_sub(number.width() + step.width() + kind.width() + 4);
    let lane = vocabulary.lane(line.row.kind);
    // An event on one side only has one colour; in a pair, the kind has the colour of its lane.
    let is_alone = matches!(how, How::OnlyLeft | How::OnlyRight);
    let kind_role = if is_alone { role(how) } else { ScreenRole::Lane(lane) };
    vec![
        Span::styled(mark, style(mark_role)),
        Span::styled(number, style(ScreenRole::Dim)),
        Span::styled(step, style(ScreenRole::Dim)),
        Span::styled(lane_glyph(lane), style(ScreenRole::Lane(lane))),
        Span::raw(" "),
        Span::styled(kind, style(kind_role)),
        Span::raw(" "),
        Span::styled(pad(&fit(&line.summary, room), room), style(role(how))),
    ]
}

fn kind(vocabulary: &Vocabulary, line: &timeline::EventLine, width: usize) -> String {
    if width >= WIDE_FROM_COLUMNS {
        pad(&fit(vocabulary.kind_name(line.row.kind), WIDE_KIND_COLUMNS), WIDE_KIND_COLUMNS)
    } else {
        pad(vocabulary.short_name(line.row.kind), KindWord::SHORT_COLUMNS)
    }
}
