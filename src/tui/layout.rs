//! The layout of a screen of a given size. Update and view use the same.

mod areas;
pub(crate) mod companion;
pub(crate) mod sizes;

pub(crate) use areas::Areas;

use ratatui::layout::{Constraint, Layout, Rect};

use super::action::Pane;
use sizes::PaneSizes;

/// A smaller screen shows only one line that reports this.
pub(crate) const LEAST_COLUMNS: u16 = 60;
pub(crate) const LEAST_ROWS: u16 = 15;
/// From this height on, the strip has one row for marks and one for the amount of data.
const TALL_ROWS: u16 = 30;
/// From this height on, a chart in the strip has two rows more.
const CHART_ROWS: u16 = 40;
/// From this width on, all four panes are side by side.
const WIDE_COLUMNS: u16 = 120;
const VERY_WIDE_COLUMNS: u16 = 160;
/// The part of a narrow screen that the list of events has, in thousandths.
const USUAL_SHARE: u16 = 520;

/// What the layout depends on.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    pub focus: Pane,
    /// The pane next to the events, if there is room for one.
    pub beside: Pane,
    pub zoomed: bool,
    pub sizes: PaneSizes,
    /// The columns that the Effects pane needs.
    pub effects: u16,
    /// A comparison needs a line for its verdict.
    pub tells_verdict: bool,
    /// The strip shows a chart.
    pub charts: bool,
    /// Two logs are compared: the list of events needs the whole width.
    pub compares: bool,
    /// The strip has a row that shows who took the time.
    pub shows_time: bool,
}

/// The areas of a screen; `None` if it is too small.
pub(crate) fn areas(screen: Rect, arrangement: &Arrangement) -> Option<Areas> {
    let Arrangement { focus, zoomed, tells_verdict, charts, compares, shows_time, .. } = *arrangement;
    if screen.width < LEAST_COLUMNS || screen.height < LEAST_ROWS {
        return None;
    }
    let chart_rows = match screen.height {
        CHART_ROWS.. if charts => 4,
        TALL_ROWS.. => 2,
        _ => 1,
    };
    let strip_rows = chart_rows + u16::from(shows_time);
    let rows = [1, u16::from(tells_verdict), strip_rows].map(Constraint::Length);
    let rows = rows.into_iter().chain([Constraint::Min(1), Constraint::Length(1)]);
    let [header, verdict, strip, body, footer] = Layout::vertical(rows).areas(screen);
    let panes = match (zoomed, compares) {
        (true, _) => vec![(focus, body)],
        (false, true) => one_above_others(body, arrangement),
        (false, false) => side_by_side(body, arrangement),
    };
    Some(Areas { header, verdict: tells_verdict.then_some(verdict), strip, panes, footer })
}

/// An upper and a lower part, which share a border. The upper one keeps some rows, whatever was chosen.
fn above_and_below(body: Rect, below_rows: u16) -> (Rect, Rect) {
    let below_rows = below_rows.min(body.height.saturating_sub(5)).max(4);
    let above_rows = (body.height + 1).saturating_sub(below_rows).max(1);
    let above = Rect { height: above_rows.min(body.height), ..body };
    let below = Rect { y: above.bottom().saturating_sub(1), height: below_rows.min(body.height), ..body };
    (above, below.intersection(body))
}

/// Panes side by side, which share their borders. `borders` are the columns of the borders between them.
fn in_columns(panes: &[Pane], row: Rect, borders: &[u16]) -> Vec<(Pane, Rect)> {
    let starts = std::iter::once(0).chain(borders.iter().copied());
    let ends = borders.iter().copied().chain([row.width.saturating_sub(1)]);
    let areas = starts.zip(ends).map(|(start, end)| {
        let area = Rect { x: row.x + start, width: (end + 1).saturating_sub(start), ..row };
        area.intersection(row)
    });
    panes.iter().copied().zip(areas).collect()
}

/// The events of two logs over the whole width; below them the difference in the event, then in states and effects.
fn one_above_others(body: Rect, arrangement: &Arrangement) -> Vec<(Pane, Rect)> {
    let (above, below) = above_and_below(body, arrangement.sizes.rows.unwrap_or(body.height / 2));
    let part = |percent: u16| (u32::from(body.width) * u32::from(percent) / 100) as u16;
    let below = if body.width >= VERY_WIDE_COLUMNS {
        let panes = [Pane::Detail, Pane::Projection, Pane::Effects, Pane::Coherence];
        in_columns(&panes, below, &[part(38), part(65), part(80)])
    } else if body.width >= WIDE_COLUMNS {
        let third = if arrangement.focus == Pane::Coherence { Pane::Coherence } else { Pane::Effects };
        in_columns(&[Pane::Detail, Pane::Projection, third], below, &[part(42), part(78)])
    } else {
        in_columns(&[Pane::Detail, arrangement.beside], below, &[part(52)])
    };
    std::iter::once((Pane::Events, above)).chain(below).collect()
}

fn side_by_side(body: Rect, arrangement: &Arrangement) -> Vec<(Pane, Rect)> {
    let PaneSizes { wide, narrow, rows } = &arrangement.sizes;
    let usual = (body.height / 5 * 2).clamp(4, 24);
    let (above, below) = above_and_below(body, rows.unwrap_or(usual));
    let width = body.width;
    let mut panes = if width >= WIDE_COLUMNS {
        let wanted = match wide {
            Some(wide) => wide.map(|thousandths| sizes::columns_of(width, thousandths)),
            None => sizes::usual_borders(width, arrangement.effects),
        };
        let panes = [Pane::Events, Pane::Projection, Pane::Effects, Pane::Coherence];
        in_columns(&panes, above, &sizes::borders(width, wanted))
    } else {
        let wanted = sizes::columns_of(width, narrow.unwrap_or(USUAL_SHARE));
        in_columns(&[Pane::Events, arrangement.beside], above, &sizes::borders(width, [wanted]))
    };
    panes.push((Pane::Detail, below));
    panes
}

#[cfg(test)]
mod tests {
    use super::sizes::{MovableBorder, border_at, position};
    use super::*;
    use ratatui::layout::Position;

    fn arrangement(focus: Pane, zoomed: bool, rows: Option<u16>, compares: bool) -> Arrangement {
        let beside = if matches!(focus, Pane::Events | Pane::Detail) { Pane::Coherence } else { focus };
        let sizes = PaneSizes { rows, ..PaneSizes::default() };
        let (charts, shows_time) = (!compares, !compares);
        Arrangement { focus, beside, zoomed, sizes, effects: 20, tells_verdict: compares, charts, compares, shows_time }
    }

    #[test]
    fn every_size_has_a_layout_or_is_too_small() {
        for width in (0..140).chain((140..240).step_by(9)) {
            for height in (0..45).chain((45..80).step_by(7)) {
                let screen = Rect::new(0, 0, width, height);
                for focus in Pane::ALL {
                    for (zoomed, rows) in [(false, None), (true, None), (false, Some(100)), (false, Some(4))] {
                        for compares in [false, true] {
                            let Some(areas) = areas(screen, &arrangement(focus, zoomed, rows, compares)) else {
                                assert!(width < LEAST_COLUMNS || height < LEAST_ROWS);
                                continue;
                            };
                            assert!(
                                areas.of(focus).is_some_and(|area| area.width > 2 && area.height > 2),
                                "{width}x{height}"
                            );
                            assert!(areas.panes.iter().all(|(_, area)| screen.intersection(*area) == *area));
                        }
                    }
                }
            }
        }
    }

    /// Wherever a border is moved to, it is found there again or as near as there is room, and no pane is lost.
    #[test]
    fn borders_can_be_moved_anywhere() {
        for (width, height) in [(60, 15), (80, 24), (120, 40), (220, 55)] {
            let screen = Rect::new(0, 0, width, height);
            let columns = if width < WIDE_COLUMNS { 1 } else { 3 };
            let borders = (0..columns).map(MovableBorder::Column).chain([MovableBorder::Row]);
            for border in borders {
                let mut arrangement = arrangement(Pane::Events, false, None, false);
                for to in (0..width.max(height)).chain((0..width.max(height)).rev()) {
                    let before = areas(screen, &arrangement).expect("room");
                    arrangement.sizes.move_to(&before, border, to);
                    let after = areas(screen, &arrangement).expect("room");
                    assert!(after.panes.iter().all(|(_, area)| area.width > 8 && area.height > 3), "{after:?}");
                    let now = position(&after, border).expect("a border");
                    let at = match border {
                        MovableBorder::Column(_) => Position::new(now, after.panes[0].1.y + 1),
                        MovableBorder::Row => Position::new(1, now),
                    };
                    assert_eq!(border_at(&after, at), Some(border), "{width}x{height} to {to}");
                }
            }
        }
    }
}
