//! What the guided tour needs of the screen: rows for its box, and whether the user is where a lesson leads.

use ratatui::layout::Rect;

use super::{InputMode, Model, PopupBody};
use crate::text::paragraph;
use crate::tui::action::ListKind;
use crate::tui::layout::LEAST_ROWS;
use crate::tui::tour::{LESSONS, Task};
use crate::tui::typing::{PromptKind, Purpose};

impl Model {
    /// The screen without the rows of the tour.
    pub(crate) fn room(&self) -> Rect {
        let screen = self.screen();
        let rows = self.tour_area().map_or(0, |area| area.height);
        // On a low screen the box of the tour is over the panes.
        if screen.height.saturating_sub(rows) < LEAST_ROWS {
            return screen;
        }
        Rect { height: screen.height - rows, ..screen }
    }

    /// The box of the tour, at the bottom of the screen. Its height does not depend on the lesson.
    pub(crate) fn tour_area(&self) -> Option<Rect> {
        self.tour?;
        let screen = self.screen();
        let columns = screen.width.saturating_sub(4).max(1) as usize;
        let words = LESSONS.iter().flat_map(|lesson| [lesson.words, lesson.open_words]);
        let rows = words.map(|words| paragraph(words, columns).len()).max().unwrap_or(1) as u16 + 2;
        let height = rows.min(screen.height);
        Some(Rect::new(screen.x, screen.bottom() - height, screen.width, height))
    }

    /// Whether the mode is the one that a lesson asks for.
    pub(crate) fn is_at_task(&self, task: Task) -> bool {
        match (task, &self.mode) {
            (Task::Explain, InputMode::Text(text)) => matches!(text.body, PopupBody::Explanation(_)),
            (Task::Help, InputMode::Text(text)) => text.body == PopupBody::Help,
            (Task::List, InputMode::List(list)) => list.of == ListKind::Divergences,
            (Task::Search, InputMode::Prompt(prompt)) => {
                matches!(prompt.kind, PromptKind::Search | PromptKind::SearchWithin)
            }
            (Task::Bookmark, InputMode::Editor(editor)) => {
                matches!(editor.purpose, Purpose::NewNote(_) | Purpose::Note(_))
            }
            _ => false,
        }
    }
}
