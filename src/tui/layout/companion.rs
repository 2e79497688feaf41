//! The Event pane with two tabs of the same event next to each other: JSON and conversation.

use ratatui::layout::Rect;

use crate::tui::detail::{Detail, Tab};

/// From this width on, the pane shows two tabs.
const TWO_TABS_COLUMNS: u16 = 120;
/// The part of the width that JSON has next to a conversation, in percent.
const JSON_SHARE: u16 = 45;

/// The tab that is shown next to another one, if the area is wide enough for both.
pub(crate) fn tab_beside(tab: Tab, area: Rect) -> Option<Tab> {
    let beside = match tab {
        Tab::Json => Tab::Conversation,
        Tab::Conversation => Tab::Json,
        Tab::Raw | Tab::Diff => return None,
    };
    (area.width >= TWO_TABS_COLUMNS).then_some(beside)
}

/// The inside of the current tab, and that of its companion. The tab that the log opens with is on the left.
pub(crate) fn split(detail: &Detail, inside: Rect) -> [Rect; 2] {
    let left_is_json = detail.home() != Tab::Conversation;
    let share = if left_is_json { JSON_SHARE } else { 100 - JSON_SHARE };
    let left = Rect { width: (inside.width - 1) * share / 100, ..inside };
    let right = Rect { x: left.right() + 1, width: inside.width.saturating_sub(left.width + 1), ..inside };
    if (detail.tab() == Tab::Json) == left_is_json { [left, right] } else { [right, left] }
}
