//! The last line: a prompt, a message, or the keys that apply now.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::action::Action;
use super::model::{InputMode, Model};
use super::theme::ScreenRole;
use super::typing::Prompt;
use crate::replay::check::Severity;
use crate::text::{count, fit, paragraph};

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>, area: Rect) {
    if let InputMode::Prompt(prompt) = &model.mode {
        draw_prompt(model, prompt, frame, area);
        if let Some(trouble) = &prompt.trouble {
            let above = Rect { y: area.y.saturating_sub(1), ..area };
            say(frame, above, trouble, model.theme().style(ScreenRole::Finding(Severity::Error)));
        }
    } else if let Some(doing) = doing(model) {
        say(frame, area, &doing, model.theme().style(ScreenRole::Name));
    } else if let Some(message) = &model.message {
        say(frame, area, message, model.theme().style(ScreenRole::Text));
    } else if matches!(model.mode, InputMode::Normal) {
        // A popup lists its keys at its own border.
        draw_keys(model, frame, area);
    }
}

/// Draws a sentence on as many lines as it needs, ending at the given line.
fn say(frame: &mut Frame<'_>, area: Rect, text: &str, style: Style) {
    let pieces = paragraph(text, area.width as usize);
    let rows = (pieces.len() as u16).min(area.bottom());
    let area = Rect { y: area.bottom() - rows, height: rows, ..area };
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(pieces.into_iter().map(Line::raw).collect::<Vec<_>>()).style(style), area);
}

/// The activity in progress, with the key that stops it.
fn doing(model: &Model) -> Option<String> {
    if let Some(running) = model.running {
        let last = model.replay().len().max(1);
        let percent = f64::from(running.at.0) * 100.0 / f64::from(last);
        return Some(format!("running, at {percent:.0} %; {} stops", model.key(Action::Escape)));
    }
    if !model.playing {
        return None;
    }
    let glyph = if model.play_direction.is_forward() { "▶" } else { "◀" };
    let speed = model.events_per_second;
    let (pause, turn) = (model.key(Action::Play), model.key(Action::TurnAround));
    let (slower, faster) = (model.key(Action::Slower), model.key(Action::Faster));
    Some(format!(
        "{glyph} {speed} events per second; {pause} pauses, {slower} {faster} change the speed, {turn} turns around"
    ))
}

fn draw_prompt(model: &Model, prompt: &Prompt, frame: &mut Frame<'_>, area: Rect) {
    let lead = prompt.kind.lead();
    let columns = [Constraint::Length(lead.width() as u16), Constraint::Min(0)];
    let [lead_area, rest] = Layout::horizontal(columns).areas(area);
    frame.render_widget(Paragraph::new(Span::styled(lead, model.theme().style(ScreenRole::Key))), lead_area);
    frame.render_widget(&prompt.text, rest);
}

/// A key of the last line, with its word and its action.
pub(crate) struct FooterKey {
    pub key: String,
    pub word: &'static str,
    pub action: Action,
}

/// The keys that apply now, in the order of their importance; the last ones are shown always. While comparing, the key
/// for differences comes first and what-if is left out; otherwise, differences are left out.
fn keys(model: &Model) -> (Vec<FooterKey>, Vec<FooterKey>) {
    let compares = model.shown_log.comparison().is_some();
    let rows = model.keymap().footer_rows(model.key_context());
    let keys = rows.map(|(key, row)| {
        let is_back = row.action == Action::Quit && model.is_below_top();
        FooterKey { key: key.to_owned(), word: if is_back { "leave" } else { row.word }, action: row.action }
    });
    let (always, mut others): (Vec<_>, Vec<_>) = keys.partition(|key| {
        matches!(key.action, Action::Help | Action::Quit | Action::Escape) || key.action == Action::Focus(1)
    });
    others.retain(|key| match key.action {
        Action::EditEvent => !compares,
        Action::Difference(_) => compares,
        _ => true,
    });
    others.sort_by_key(|key| !matches!(key.action, Action::Difference(_)));
    (others, always)
}

/// What can be clicked in the last line: a text, and the action that it names.
pub(crate) fn labels(model: &Model) -> Vec<(String, Action)> {
    let (others, always) = keys(model);
    others.into_iter().chain(always).map(|key| (format!("{} {}", key.key, key.word), key.action)).collect()
}

/// Draws as many keys as fit, and some always.
fn draw_keys(model: &Model, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| model.theme().style(role);
    let (others, always) = keys(model);
    let width = |key: &FooterKey| key.key.width() + key.word.width() + 3;
    let mut room = (area.width as usize).saturating_sub(always.iter().map(width).sum::<usize>());
    let mut spans = Vec::new();
    if let Some(count) = model.count {
        spans.push(Span::styled(format!("{count} "), style(ScreenRole::Strong)));
    }
    if let Some(search) = &model.debugger.search {
        let more = if search.is_done(model.replay()) { "" } else { "…" };
        let number = search.number(model.at()).map(|number| format!("{number}/")).unwrap_or_default();
        let hits = count(u64::from(search.count()), "hit");
        let text = format!("/{} {number}{hits}{more}  ", fit(&search.pattern.text, 20));
        room = room.saturating_sub(text.width());
        spans.push(Span::styled(text, style(ScreenRole::Name)));
    }
    let mut shown = Vec::new();
    for entry in others {
        match room.checked_sub(width(&entry)) {
            Some(rest) => room = rest,
            None => break,
        }
        shown.push(entry);
    }
    for FooterKey { key, word, .. } in shown.into_iter().chain(always) {
        spans.push(Span::styled(key, style(ScreenRole::Key)));
        spans.push(Span::styled(format!(" {word}  "), style(ScreenRole::Dim)));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}
