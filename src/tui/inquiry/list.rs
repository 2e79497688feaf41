//! The rows of a reply as a list.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::state::ReplyRow;
use crate::replay::Seq;
use crate::text::fit;
use crate::text::styled::Tone;
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;

/// The event of a row.
pub(crate) fn event(model: &Model, row: usize) -> Option<Seq> {
    model.inquiry.list.rows.get(row)?.at
}

pub(crate) fn lines(model: &Model, room: usize) -> Vec<Line<'static>> {
    model.inquiry.list.rows.iter().map(|row| line(model, row, room)).collect()
}

/// What is said about all rows.
pub(crate) fn heads(model: &Model, room: usize) -> Vec<Line<'static>> {
    let style = model.theme().style(ScreenRole::Dim);
    model.inquiry.list.heads.iter().map(|head| Line::styled(fit(head, room), style)).collect()
}

fn line(model: &Model, row: &ReplyRow, room: usize) -> Line<'static> {
    let mut used = 0;
    let mut spans = Vec::new();
    for span in &row.spans {
        let text = fit(&span.text, room.saturating_sub(used));
        used += text.width();
        spans.push(match role(span.tone) {
            Some(role) => Span::styled(text, model.theme().style(role)),
            None => Span::raw(text),
        });
    }
    Line::from(spans)
}

const fn role(tone: Tone) -> Option<ScreenRole> {
    match tone {
        Tone::Plain => None,
        Tone::Strong => Some(ScreenRole::Strong),
        Tone::Dim => Some(ScreenRole::Dim),
        Tone::Name => Some(ScreenRole::Name),
        Tone::Good => Some(ScreenRole::Good),
        Tone::Bad => Some(ScreenRole::Bad),
        Tone::Of(severity) => Some(ScreenRole::Finding(severity)),
    }
}
