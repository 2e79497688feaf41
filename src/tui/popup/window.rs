//! The box of every popup: its position, border, title and keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear};

use crate::text::fit;
use crate::tui::key::KeyContext;
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;

/// A box in the middle of the screen, at most this large.
pub(crate) fn middle(screen: Rect, columns: u16, rows: u16) -> Rect {
    let (width, height) = (columns.min(screen.width), rows.min(screen.height.saturating_sub(2)));
    Rect::new(screen.x + (screen.width - width) / 2, screen.y + (screen.height - height) / 2, width, height)
}

/// Draws an empty box, and returns the area inside it.
pub(crate) fn open(model: &Model, frame: &mut Frame<'_>, area: Rect, title: Line<'static>, below: &str) -> Rect {
    let style = |role| model.theme().style(role);
    let block = Block::bordered()
        .border_style(style(ScreenRole::Focus))
        .title(title)
        .title_bottom(Span::styled(fit(below, area.width.saturating_sub(2) as usize), style(ScreenRole::Dim)));
    let inside = block.inner(area);
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    inside
}

pub(crate) fn title(model: &Model, text: &str, columns: u16) -> Line<'static> {
    let text = fit(text, (columns as usize).saturating_sub(4));
    Line::styled(format!(" {text} "), model.theme().style(ScreenRole::Focus))
}

/// The keys of a context on one line, without those that have no effect here.
pub(crate) fn keys_of(model: &Model, place: KeyContext, useless: &[&str]) -> String {
    let keys = model.keymap().footer(place).filter(|(_, word)| !useless.contains(word));
    let words: Vec<String> = keys.map(|(key, word)| format!("{key} {word}")).collect();
    format!(" {} ", words.join("  "))
}
