//! The sizes of the panes: the usual ones, and those that the user has chosen with keys or the mouse.

use ratatui::layout::{Position, Rect};

use super::areas::Areas;
use crate::replay::vocabulary::Vocabulary;
use crate::tui::action::Pane;

/// No pane becomes narrower or lower than this, its borders included.
const LEAST_COLUMNS: u16 = 11;
const LEAST_ROWS: u16 = 4;
/// A width is kept as thousandths, so that it fits every terminal.
const WHOLE: u32 = 1000;

/// What the user has chosen. `None` is the usual size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaneSizes {
    /// The borders between the four panes, in thousandths of the width.
    pub wide: Option<[u16; 3]>,
    /// The border between the two panes of a narrow screen.
    pub narrow: Option<u16>,
    /// The height of the lower pane.
    pub rows: Option<u16>,
}

/// A border that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MovableBorder {
    /// The border at the right of this pane of the upper row, counted from the left.
    Column(usize),
    /// The border above the lower pane.
    Row,
}

/// The least columns of the count of an effect, with the blank after it.
pub(crate) const COUNT_COLUMNS: usize = 3;

/// The columns that the Effects pane needs, its borders included.
pub(crate) fn effects_columns(vocabulary: &Vocabulary) -> u16 {
    let longest = vocabulary.effects.iter().map(|name| name.len()).max().unwrap_or_default();
    (longest + COUNT_COLUMNS + 2) as u16
}

/// The usual borders between the four panes. Effects takes what it needs; the list of events gets the most of the rest.
pub(super) fn usual_borders(width: u16, effects: u16) -> [u16; 3] {
    let effects = effects.clamp(LEAST_COLUMNS, (width * 9 / 50).max(LEAST_COLUMNS));
    let rest = u32::from(width.saturating_sub(effects));
    let part = |percent: u32| (rest * percent / 100) as u16;
    let (events, projection) = (part(41), part(25));
    [events, events + projection, events + projection + effects.saturating_sub(1)]
}

/// The borders of panes side by side, in columns from the left, each with enough room around it.
pub(super) fn borders<const N: usize>(width: u16, wanted: [u16; N]) -> [u16; N] {
    let mut at = wanted;
    for (number, border) in at.iter_mut().enumerate() {
        let before = LEAST_COLUMNS * (number as u16 + 1);
        let after = LEAST_COLUMNS * (N - number) as u16;
        *border = (*border).clamp(before, width.saturating_sub(after).max(before));
    }
    for number in 1..N {
        at[number] = at[number].max(at[number - 1] + LEAST_COLUMNS - 1);
    }
    at
}

pub(super) fn columns_of(width: u16, thousandths: u16) -> u16 {
    (u32::from(width) * u32::from(thousandths) / WHOLE) as u16
}

fn thousandths_of(width: u16, columns: u16) -> u16 {
    // Rounded up, so that the way back ends at the same column.
    (u32::from(columns) * WHOLE).div_ceil(u32::from(width.max(1))).min(WHOLE) as u16
}

/// The panes side by side in the upper row, from left to right.
fn upper(areas: &Areas) -> Vec<(Pane, Rect)> {
    let top = areas.panes.iter().map(|(_, area)| area.y).min().unwrap_or_default();
    areas.panes.iter().filter(|(_, area)| area.y == top).copied().collect()
}

/// The lower pane, or the first of them.
fn lower(areas: &Areas) -> Option<Rect> {
    let top = upper(areas).first()?.1.y;
    areas.panes.iter().map(|(_, area)| *area).find(|area| area.y > top)
}

/// The border at a position of the screen.
pub(crate) fn border_at(areas: &Areas, at: Position) -> Option<MovableBorder> {
    let upper = upper(areas);
    let is_at = |(_, area): &(Pane, Rect)| area.right() == at.x + 1 && at.y > area.y && at.y + 1 < area.bottom();
    // The right border of the last pane is the edge of the screen.
    let column = upper.iter().take(upper.len().saturating_sub(1)).position(is_at);
    column.map(MovableBorder::Column).or_else(|| {
        let below = lower(areas)?;
        (below.y == at.y).then_some(MovableBorder::Row)
    })
}

/// The border that makes a pane wider if it is moved, and whether it must be moved to the right for that.
pub(crate) fn side_border(areas: &Areas, pane: Pane) -> Option<(MovableBorder, bool)> {
    let upper = upper(areas);
    let number = upper.iter().position(|(known, _)| *known == pane)?;
    match upper.len() {
        0 | 1 => None,
        count if number + 1 == count => Some((MovableBorder::Column(number - 1), false)),
        _ => Some((MovableBorder::Column(number), true)),
    }
}

/// Whether a pane is in the lower row. `None` if there is only one row.
pub(crate) fn is_lower(areas: &Areas, pane: Pane) -> Option<bool> {
    lower(areas)?;
    Some(!upper(areas).iter().any(|(known, _)| *known == pane))
}

/// Where a border is now.
pub(crate) fn position(areas: &Areas, border: MovableBorder) -> Option<u16> {
    match border {
        MovableBorder::Column(number) => upper(areas).get(number).map(|(_, area)| area.right().saturating_sub(1)),
        MovableBorder::Row => lower(areas).map(|area| area.y),
    }
}

impl PaneSizes {
    /// Moves a border to a column or row of the screen, as far as there is room.
    pub(crate) fn move_to(&mut self, areas: &Areas, border: MovableBorder, to: u16) {
        let (upper, Some(below)) = (upper(areas), lower(areas)) else { return };
        let (Some((_, first)), Some((_, last))) = (upper.first(), upper.last()) else { return };
        let width = last.right().saturating_sub(first.x);
        match border {
            MovableBorder::Row => {
                let all = below.bottom().saturating_sub(first.y);
                let rows = below.bottom().saturating_sub(to);
                self.rows = Some(rows.clamp(LEAST_ROWS, all.saturating_sub(LEAST_ROWS).max(LEAST_ROWS)));
            }
            MovableBorder::Column(number) => {
                let columns = to.saturating_sub(first.x);
                let now =
                    |number: usize| upper.get(number).map_or(0, |(_, area)| area.right().saturating_sub(first.x + 1));
                if upper.len() == 2 {
                    self.narrow = Some(thousandths_of(width, borders(width, [columns])[0]));
                } else if upper.len() == 4 && number < 3 {
                    let mut at = [now(0), now(1), now(2)];
                    let least = number.checked_sub(1).map_or(0, |before| at[before]) + LEAST_COLUMNS - 1;
                    let most = at.get(number + 1).copied().unwrap_or(width) - LEAST_COLUMNS.min(width) + 1;
                    at[number] = columns.clamp(least, most.max(least));
                    self.wide = Some(borders(width, at).map(|column| thousandths_of(width, column)));
                }
            }
        }
    }
}
