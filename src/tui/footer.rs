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

/// While comparing, the key for differences comes first and what-if is left out; otherwise, differences are left out.
fn of_use<'k>(model: &Model, mut keys: Vec<(&'k str, &'static str)>) -> Vec<(&'k str, &'static str)> {
    const DIFFERENCE: &str = "difference";
    match model.shown_log.comparison().is_some() {
        true => {
            keys.retain(|(_, word)| *word != "what-if");
            keys.sort_by_key(|(_, word)| *word != DIFFERENCE);
        }
        false => keys.retain(|(_, word)| *word != DIFFERENCE),
    }
    keys
}

/// Draws help and quit always, and as many other keys as fit.
fn draw_keys(model: &Model, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| model.theme().style(role);
    let (always, others): (Vec<_>, Vec<_>) = model
        .keymap()
        .footer(model.key_context())
        .partition(|(_, word)| matches!(*word, "help" | "quit" | "close" | "cancel"));
    let others = of_use(model, others);
    let width = |(key, word): &(&str, &str)| key.width() + word.width() + 3;
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
    for (key, word) in shown.into_iter().chain(always) {
        spans.push(Span::styled(key, style(ScreenRole::Key)));
        spans.push(Span::styled(format!(" {word}  "), style(ScreenRole::Dim)));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}
