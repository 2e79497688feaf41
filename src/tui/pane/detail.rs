//! The Event pane: draws the lines of the current tab that are on the screen.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;

use crate::replay::check::Severity;
use crate::text::{fit, grouped};
use crate::tui::action::Pane;
use crate::tui::detail::lines::{HitSpan, TabLine, Tint};
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

pub(crate) fn lines(model: &Model, area: Rect) -> Vec<Line<'static>> {
    let is_focus = model.focus == Pane::Detail;
    let visible = model.detail.visible(area.height as usize);
    let lines = visible.map(|(number, drawn)| {
        let line = line(model, &drawn, model.detail.marks(number), area.width as usize);
        selected(line, is_focus && number == model.detail.line(), area.width as usize)
    });
    lines.collect()
}

fn line(model: &Model, drawn: &TabLine, marks: &[HitSpan], width: usize) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(drawn.indent.min(width)))];
    let mut from = 0;
    for piece in &drawn.pieces {
        let role = if drawn.is_dim { ScreenRole::Dim } else { role(piece.tint) };
        cut(&piece.text, from, marks, model.theme().style(role), &mut spans);
        from += piece.text.len();
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
        Tint::Error => ScreenRole::Finding(Severity::Error),
    }
}

/// Splits a piece of a line, which begins at byte `from`, where hits begin and end.
fn cut(text: &str, from: usize, marks: &[HitSpan], style: Style, spans: &mut Vec<Span<'static>>) {
    let mut at = 0;
    for mark in marks {
        let begin = mark.from.saturating_sub(from).clamp(at, text.len());
        let end = mark.to.saturating_sub(from).clamp(begin, text.len());
        let (Some(before), Some(hit)) = (text.get(at..begin), text.get(begin..end)) else { continue };
        spans.push(Span::styled(before.to_owned(), style));
        spans.push(Span::styled(hit.to_owned(), style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED)));
        at = end;
    }
    if let Some(rest) = text.get(at..) {
        spans.push(Span::styled(rest.to_owned(), style));
    }
}
