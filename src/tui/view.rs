//! Draws a model. It never changes one.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::action::Pane;
use super::key::{self, KEYS, Where};
use super::layout::{LEAST_COLUMNS, LEAST_ROWS, areas};
use super::model::{Asks, Mode, Model};
use super::pane::{coherence, detail, effects, events, projection, strip};
use super::theme::Role;
use crate::replay::check::Severity;
use crate::text::{clean, count, fit, glyph, grouped, pad};

pub fn draw(model: &Model, frame: &mut Frame<'_>) {
    let screen = frame.area();
    let Some(areas) = areas(screen, model.focus, model.beside(), model.zoomed) else {
        let text = format!("this screen is too small; {LEAST_COLUMNS}x{LEAST_ROWS} will do");
        frame.render_widget(Paragraph::new(fit(&text, screen.width as usize)), screen);
        return;
    };
    header(model, frame, areas.header);
    strip::draw(model, frame, areas.strip);
    for (pane, area) in &areas.panes {
        draw_pane(model, frame, *pane, *area);
    }
    footer(model, frame, areas.footer);
    if let Mode::Help { scroll } = model.mode {
        help(model, frame, screen, scroll);
    }
}

fn draw_pane(model: &Model, frame: &mut Frame<'_>, pane: Pane, area: Rect) {
    let is_focus = pane == model.focus;
    let role = if is_focus { Role::Focus } else { Role::Border };
    let title = match pane {
        Pane::Detail => format!(" Event {} ", model.at()),
        pane => format!(" {} ", pane.name()),
    };
    let title_style = model.theme.style(if is_focus { Role::Focus } else { Role::Strong });
    let block = Block::bordered().border_style(model.theme.style(role)).title(Span::styled(title, title_style));
    let block = if pane == Pane::Detail { detail::dress(model, block, area.width) } else { block };
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let lines = match (&model.moment, pane) {
        (Err(reason), Pane::Detail) => {
            vec![Line::styled(clean(reason), model.theme.style(Role::Finding(Severity::Error)))]
        }
        (_, Pane::Events) => events::lines(model, inside),
        (Ok(Some(moment)), Pane::Projection) => projection::lines(model, moment, inside),
        (Ok(Some(moment)), Pane::Effects) => effects::lines(model, moment, inside),
        (Ok(Some(moment)), Pane::Coherence) => coherence::lines(model, moment, inside),
        (Ok(Some(_)), Pane::Detail) => detail::lines(model, inside),
        _ => vec![Line::styled("nothing here yet", model.theme.style(Role::Dim))],
    };
    frame.render_widget(Paragraph::new(lines), inside);
}

/// File, dialect, turn, position; the verdict at the right. What does not fit goes, the least telling first.
fn header(model: &Model, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| model.theme.style(role);
    let last = model.replay().len().saturating_sub(1);
    let at = model.at().0;
    let percent = if last == 0 { 100.0 } else { f64::from(at) * 100.0 / f64::from(last) };
    let moment = model.moment.as_ref().ok().and_then(Option::as_ref);
    let more = if model.progress.at_end { "" } else { "…" };
    let place = format!("seq {}/{}{more}", grouped(u64::from(at)), grouped(u64::from(last)));
    let step = format!("step {}", grouped(u64::from(moment.map_or(0, |moment| moment.step))));
    let turn = moment.and_then(|moment| moment.turn.as_deref()).map(|turn| format!("turn {}", fit(turn, 24)));
    let (verdict, role) = verdict(model);
    // The name of the file says more than the folders before it.
    let name = clean(model.name.rsplit('/').next().unwrap_or(&model.name));
    let percent = format!("{percent:.1} %");
    let mut parts = vec![
        (0, name),
        (4, model.dialect.to_owned()),
        (3, turn.unwrap_or_default()),
        (0, place),
        (1, step),
        (2, percent),
    ];
    parts.retain(|(_, part)| !part.is_empty());
    let room = (area.width as usize).saturating_sub(verdict.width() + 1);
    let width = |parts: &[(u8, String)]| parts.iter().map(|(_, part)| part.width() + 3).sum::<usize>();
    for least in (1..=4).rev() {
        if width(&parts) > room {
            parts.retain(|(rank, _)| *rank < least);
        }
    }
    let mut spans = Vec::new();
    for (number, (_, part)) in parts.iter().enumerate() {
        if number > 0 {
            spans.push(Span::styled(" · ", style(Role::Dim)));
        }
        spans.push(Span::styled(part.clone(), style(if number == 0 { Role::Strong } else { Role::Text })));
    }
    let columns = [Constraint::Min(0), Constraint::Length(verdict.width() as u16)];
    let [left_area, right_area] = Layout::horizontal(columns).areas(area);
    frame.render_widget(Paragraph::new(Line::from(spans)), left_area);
    frame.render_widget(Paragraph::new(Span::styled(verdict, style(role))), right_area);
}

fn verdict(model: &Model) -> (String, Role) {
    let findings = model.replay().findings();
    let worst = findings.list.iter().map(|finding| finding.severity).max();
    let serious = findings.list.iter().filter(|finding| finding.severity > Severity::Info).count() as u64;
    match worst.filter(|worst| *worst > Severity::Info) {
        Some(worst) => (format!(" {} {}", glyph(worst), count(serious, "finding")), Role::Finding(worst)),
        None if model.progress.at_end => (" ✓ coherent".to_owned(), Role::Good),
        None => (" reading…".to_owned(), Role::Dim),
    }
}

fn footer(model: &Model, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| model.theme.style(role);
    if let Mode::Prompt(prompt) = &model.mode {
        let mark = match prompt.asks {
            Asks::Search => "/",
            Asks::Command => ":",
        };
        let [lead, rest] = Layout::horizontal([Constraint::Length(1), Constraint::Min(0)]).areas(area);
        frame.render_widget(Paragraph::new(Span::styled(mark, style(Role::Key))), lead);
        frame.render_widget(&prompt.text, rest);
        return;
    }
    if let Some(message) = &model.message {
        frame.render_widget(Paragraph::new(fit(message, area.width as usize)), area);
        return;
    }
    let mut spans = Vec::new();
    let mut used = 0;
    if let Some(count) = model.count {
        spans.push(Span::styled(format!("{count} "), style(Role::Strong)));
    }
    if let Some(search) = &model.debugger.search {
        let more = if search.is_done(model.replay()) { "" } else { "…" };
        let text = format!("/{} {}{more}  ", fit(&search.pattern.text, 20), count_hits(search.count()));
        used += text.width();
        spans.push(Span::styled(text, style(Role::Name)));
    }
    for (key, word) in key::footer(model.focus) {
        used += key.width() + word.width() + 3;
        if used > area.width as usize {
            break;
        }
        spans.push(Span::styled(key, style(Role::Key)));
        spans.push(Span::styled(format!(" {word}  "), style(Role::Dim)));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

fn count_hits(hits: u32) -> String {
    count(u64::from(hits), "hit")
}

fn help(model: &Model, frame: &mut Frame<'_>, screen: Rect, scroll: u16) {
    let width = screen.width.saturating_sub(4).min(100);
    let height = screen.height.saturating_sub(2).min(KEYS.len() as u16 + 2);
    let area = Rect::new((screen.width - width) / 2, (screen.height - height) / 2, width, height);
    let block = Block::bordered()
        .border_style(model.theme.style(Role::Focus))
        .title(Span::styled(" Keys ", model.theme.style(Role::Focus)))
        .title_bottom(Span::styled(" j k scroll, any other key closes ", model.theme.style(Role::Dim)));
    let inside = block.inner(area);
    let line = |binding: &'static key::Binding| {
        let place = match binding.applies {
            Where::Everywhere => String::new(),
            Where::Pane(pane) => format!("{}: ", pane.name()),
        };
        let keys = pad(&binding.keys.join(" "), 18);
        let room = (inside.width as usize).saturating_sub(19);
        Line::from(vec![
            Span::styled(keys, model.theme.style(Role::Key)),
            Span::raw(fit(&format!(" {place}{}", binding.describes), room)),
        ])
    };
    let most = (KEYS.len() as u16).saturating_sub(inside.height);
    let lines: Vec<Line<'_>> = KEYS.iter().skip(scroll.min(most) as usize).map(line).collect();
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    frame.render_widget(Paragraph::new(lines), inside);
}

/// Marks a chosen line.
pub fn chosen(line: Line<'static>, is_chosen: bool) -> Line<'static> {
    if is_chosen { line.patch_style(Modifier::REVERSED) } else { line }
}
