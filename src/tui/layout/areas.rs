//! Where everything is on the screen.

use ratatui::layout::Rect;

use crate::tui::action::Pane;

#[derive(Clone, Debug)]
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
