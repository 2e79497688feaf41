//! The Event pane: draws the lines of the current tab that are on the screen.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;

use crate::text::{fit, grouped};
use crate::tui::action::Pane;
use crate::tui::detail::Detail;
use crate::tui::detail::lines::{TabLine, Tint};
use crate::tui::highlight;
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;
use crate::tui::theme::selected;

/// The frame: the tabs above, the position of the cursor below.
pub(crate) fn dress<'b>(model: &Model, block: Block<'b>, width: u16) -> Block<'b> {
    let style = |role| model.theme().style(role);
    let (detail, is_focus) = (&model.detail, model.focus == Pane::Detail);
    let mut tabs = Vec::new();
    for tab in detail.tabs().iter().copied() {
        // Brackets make it readable without colour.
        let (text, role) = match tab == detail.tab() {
            true => (format!("[{}]", tab.name()), if is_focus { ScreenRole::Focus } else { ScreenRole::Strong }),
            false => (format!(" {} ", tab.name()), ScreenRole::Dim),
        };
        tabs.push(Span::styled(text, style(role)));
    }
    let mut corner = String::new();
    if let Some(pattern) = detail.pattern() {
        let more = if detail.has_more_hits() { "+" } else { "" };
        corner.push_str(&format!(" /{} {}{more} ·", fit(pattern, 20), grouped(detail.hit_count() as u64)));
    }
    let line = (detail.line() + 1).min(detail.len());
    corner.push_str(&format!(" {}/{} ", grouped(line as u64), grouped(detail.len() as u64)));
    let room = (width as usize).saturating_sub(corner.chars().count() + 6);
    let path = detail.path().filter(|_| is_focus).map(|path| format!(" {} ", fit(&path, room))).unwrap_or_default();
    block
        .title(Line::from(tabs))
        .title_bottom(Line::styled(path, style(ScreenRole::Name)))
        .title_bottom(Line::styled(corner, style(ScreenRole::Dim)).right_aligned())
}

/// The lines of the pane, or of its companion.
pub(crate) fn lines(model: &Model, detail: &Detail, area: Rect) -> Vec<Line<'static>> {
    let is_focus = model.focus == Pane::Detail && std::ptr::eq(detail, &model.detail);
    let visible = detail.visible(area.height as usize);
    let lines = visible.map(|(number, drawn)| {
        let is_chosen = is_focus && number == detail.line();
        let line = selected(line(model, &drawn, area.width as usize), is_chosen, area.width as usize);
        // Marks are in bytes of the text without its indent, which is blanks.
        let indent = drawn.indent.min(area.width as usize);
        let hits: Vec<_> = detail.marks(number).iter().map(|mark| mark.from + indent..mark.to + indent).collect();
        if hits.is_empty() { line } else { highlight::mark(line, &hits, model.theme()) }
    });
    lines.collect()
}

fn line(model: &Model, drawn: &TabLine, width: usize) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(drawn.indent.min(width)))];
    for piece in &drawn.pieces {
        let role = if drawn.is_dim { ScreenRole::Dim } else { role(piece.tint) };
        spans.push(Span::styled(piece.text.clone(), model.theme().style(role)));
    }
    Line::from(spans)
}

const fn role(tint: Tint) -> ScreenRole {
    match tint {
        Tint::Key => ScreenRole::Name,
        Tint::String => ScreenRole::Written,
        Tint::Scalar => ScreenRole::Number,
        Tint::Text => ScreenRole::Text,
        Tint::Dim => ScreenRole::Dim,
        Tint::Strong => ScreenRole::Strong,
        Tint::Error => ScreenRole::Bad,
        Tint::Expected => ScreenRole::Expected,
        Tint::Actual => ScreenRole::Actual,
        Tint::Heading => ScreenRole::Heading,
        Tint::Emphasis => ScreenRole::Emphasis,
        Tint::Code => ScreenRole::Code,
        Tint::Keyword => ScreenRole::Keyword,
        Tint::Literal => ScreenRole::Literal,
        Tint::Added => ScreenRole::Added,
        Tint::Removed => ScreenRole::Removed,
    }
}
