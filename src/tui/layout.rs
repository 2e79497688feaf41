//! The layout of a screen of a given size. Update and view use the same.

use ratatui::layout::{Constraint, Layout, Rect};

use super::action::Pane;

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

pub(crate) struct Areas {
    pub header: Rect,
    /// The verdict of a comparison.
    pub verdict: Option<Rect>,
    pub strip: Rect,
    pub panes: Vec<(Pane, Rect)>,
    pub footer: Rect,
}

impl Areas {
    pub(crate) fn of(&self, pane: Pane) -> Option<Rect> {
        self.panes.iter().find(|(known, _)| *known == pane).map(|(_, area)| *area)
    }
}

/// What the layout depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrangement {
    pub focus: Pane,
    /// The pane next to the events, if there is room for one.
    pub beside: Pane,
    pub zoomed: bool,
    /// The configured height of the Event pane.
    pub detail_rows: Option<u16>,
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
pub(crate) fn areas(screen: Rect, arrangement: Arrangement) -> Option<Areas> {
    let Arrangement { focus, beside, zoomed, detail_rows, tells_verdict, charts, compares, shows_time } = arrangement;
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
        (false, true) => one_above_others(body, focus, beside, detail_rows),
        (false, false) => side_by_side(body, beside, detail_rows),
    };
    Some(Areas { header, verdict: tells_verdict.then_some(verdict), strip, panes, footer })
}

/// The events of two logs over the whole width; below them the difference in the event, then in states and effects.
fn one_above_others(body: Rect, focus: Pane, beside: Pane, wanted_rows: Option<u16>) -> Vec<(Pane, Rect)> {
    let below_rows = wanted_rows.unwrap_or(body.height / 2).min(body.height.saturating_sub(6)).max(4);
    let [above, below] = Layout::vertical([Constraint::Min(1), Constraint::Length(below_rows)]).areas(body);
    let panes: Vec<(Pane, u16)> = if body.width >= VERY_WIDE_COLUMNS {
        vec![(Pane::Detail, 38), (Pane::Projection, 27), (Pane::Effects, 15), (Pane::Coherence, 20)]
    } else if body.width >= WIDE_COLUMNS {
        let third = if focus == Pane::Coherence { Pane::Coherence } else { Pane::Effects };
        vec![(Pane::Detail, 42), (Pane::Projection, 36), (third, 22)]
    } else {
        vec![(Pane::Detail, 52), (beside, 48)]
    };
    let columns = Layout::horizontal(panes.iter().map(|(_, share)| Constraint::Percentage(*share))).split(below);
    let below = panes.iter().zip(columns.iter()).map(|((pane, _), area)| (*pane, *area));
    std::iter::once((Pane::Events, above)).chain(below).collect()
}

fn side_by_side(body: Rect, beside: Pane, wanted_rows: Option<u16>) -> Vec<(Pane, Rect)> {
    let usual = (body.height / 5 * 2).clamp(4, 24);
    // The panes above keep some rows, whatever is configured.
    let detail_rows = wanted_rows.unwrap_or(usual).min(body.height.saturating_sub(6)).max(4);
    let [above, below] = Layout::vertical([Constraint::Min(1), Constraint::Length(detail_rows)]).areas(body);
    let mut panes = if body.width >= WIDE_COLUMNS {
        // Event summaries need more room than the rest.
        let shares = if body.width >= VERY_WIDE_COLUMNS { [36, 24, 14, 26] } else { [31, 25, 14, 30] };
        let columns = shares.map(Constraint::Percentage);
        let areas: [Rect; 4] = Layout::horizontal(columns).areas(above);
        Pane::ALL.into_iter().zip(areas).collect::<Vec<_>>()
    } else {
        let [left, right] = Layout::horizontal([Constraint::Percentage(52), Constraint::Percentage(48)]).areas(above);
        vec![(Pane::Events, left), (beside, right)]
    };
    panes.push((Pane::Detail, below));
    panes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_a_layout_or_is_too_small() {
        for width in (0..140).chain((140..240).step_by(9)) {
            for height in (0..45).chain((45..80).step_by(7)) {
                let screen = Rect::new(0, 0, width, height);
                for focus in Pane::ALL {
                    for (zoomed, detail_rows) in [(false, None), (true, None), (false, Some(100)), (false, Some(4))] {
                        let beside = if matches!(focus, Pane::Events | Pane::Detail) { Pane::Coherence } else { focus };
                        for (tells_verdict, compares) in [(false, false), (true, false), (true, true)] {
                            let (charts, room) = (!compares, detail_rows);
                            let arrangement = Arrangement {
                                focus,
                                beside,
                                zoomed,
                                detail_rows: room,
                                tells_verdict,
                                charts,
                                compares,
                                shows_time: !compares,
                            };
                            let Some(areas) = areas(screen, arrangement) else {
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
}
