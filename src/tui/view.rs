//! Draws the model without changing it.

use std::path::Path;

use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};
use ratatui::{Frame, Terminal};
use unicode_width::UnicodeWidthStr;

use super::action::{Action, Pane};
use super::compare::events as aligned;
use super::compare::state::LogComparison;
use super::events::list;
use super::footer;
use super::header;
use super::highlight;
use super::layout::{LEAST_COLUMNS, LEAST_ROWS};
use super::model::Model;
use super::pane::{coherence, detail, effects, projection, strip};
use super::picture::{self, PictureTheme};
use super::popup;
use super::theme::{self, ScreenRole};
use crate::compare::run::{AlignedPair, How, Side};
use crate::replay::check::Severity;
use crate::text::{count, fit, grouped, pad, paragraph};

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>) {
    let screen = frame.area();
    match model.areas() {
        Some(areas) => {
            header::draw(model, frame, areas.header);
            if let (Some(comparison), Some(area)) = (model.shown_log.comparison(), areas.verdict) {
                against(model, comparison, frame, area);
            }
            strip::draw(model, frame, areas.strip);
            for (pane, area) in &areas.panes {
                draw_pane(model, frame, *pane, *area);
            }
            footer::draw(model, frame, areas.footer);
            popup::draw(model, frame, model.room());
        }
        None => {
            let text = format!("this screen is too small: at least {LEAST_COLUMNS}x{LEAST_ROWS} is needed");
            frame.render_widget(Paragraph::new(fit(&text, screen.width as usize)), screen);
        }
    }
    if model.theme().ascii {
        theme::in_ascii(frame.buffer_mut());
    }
}

/// The screen as the content of a file: SVG if its name ends in `.svg`, else text.
pub(crate) fn picture(model: &Model, path: &Path, look: PictureTheme) -> String {
    let buffer = buffer(model);
    if picture::is_svg(path) { picture::svg(&buffer, look) } else { picture::text(&buffer) }
}

/// The screen, drawn in memory.
pub(crate) fn buffer(model: &Model) -> Buffer {
    let Rect { width, height, .. } = model.screen();
    // A backend in memory cannot fail.
    let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
    let Ok(_) = terminal.draw(|frame| draw(model, frame));
    terminal.backend().buffer().clone()
}

fn draw_pane(model: &Model, frame: &mut Frame<'_>, pane: Pane, area: Rect) {
    let is_focus = pane == model.focus;
    let style = |role| model.theme().style(role);
    let title = match pane {
        Pane::Detail if model.replay().is_empty() && model.compared().is_none() => " Event ".to_owned(),
        Pane::Detail => event_title(model, area.width),
        pane => format!(" {} ", pane.name()),
    };
    let title = match (pane, model.compared()) {
        (Pane::Events, Some(compared)) => aligned::title(model, compared, area.width as usize, is_focus),
        _ => Line::styled(title, style(if is_focus { ScreenRole::Focus } else { ScreenRole::Strong })),
    };
    let mut block = Block::bordered()
        .border_style(style(if is_focus { ScreenRole::Focus } else { ScreenRole::Border }))
        .title(title);
    match pane {
        Pane::Events => {
            if let Some(text) = left_out(model) {
                block = block.title_bottom(Span::styled(text, style(ScreenRole::Name)));
            }
        }
        Pane::Projection => {
            if let Some(line) = projection::sparkline(model, area.width as usize) {
                block = block.title_bottom(line);
            }
        }
        Pane::Detail => block = detail::dress(model, block, area.width),
        Pane::Effects | Pane::Coherence => {}
    }
    let inside = block.inner(area);
    let lines = match (&model.moment, pane) {
        (_, Pane::Events) if model.compared().is_some() => {
            model.compared().map_or_else(Vec::new, |compared| aligned::lines(model, compared, inside))
        }
        // The other log may have an event where this one has none.
        (Ok(None), Pane::Projection | Pane::Effects | Pane::Detail) if model.compared().is_some() => match pane {
            Pane::Projection => projection::lines(model, inside),
            Pane::Effects => effects::lines(model, inside),
            _ => detail::lines(model, inside),
        },
        (Err(reason), Pane::Detail) => {
            let text = format!("{reason} (press {})", model.key(Action::Reload));
            let pieces = paragraph(&text, inside.width as usize).into_iter();
            pieces.map(|piece| Line::styled(piece, style(ScreenRole::Finding(Severity::Error)))).collect()
        }
        (_, Pane::Events) if model.replay().len() > 0 => list::lines(model, inside),
        (Ok(Some(_)), Pane::Projection) => projection::lines(model, inside),
        (Ok(Some(_)), Pane::Effects) => effects::lines(model, inside),
        (Ok(_), Pane::Coherence) => coherence::lines(model, inside),
        (Ok(Some(_)), Pane::Detail) => detail::lines(model, inside),
        _ => vec![Line::styled(nothing(model), style(ScreenRole::Dim))],
    };
    let lines = match &model.debugger.search {
        Some(search) if pane != Pane::Detail => {
            lines.into_iter().map(|line| highlight::matches(line, &search.pattern, model.theme())).collect()
        }
        _ => lines,
    };
    let hidden = match pane {
        Pane::Projection => projection::below(model, inside),
        Pane::Effects | Pane::Coherence => lines.len().saturating_sub(inside.height as usize),
        Pane::Events | Pane::Detail => 0,
    };
    if hidden > 0 {
        let more = Line::styled(format!(" {hidden} more "), style(ScreenRole::Dim));
        block = block.title_bottom(more.right_aligned());
    }
    frame.render_widget(block, area);
    frame.render_widget(Paragraph::new(lines), inside);
}

/// Why a pane is empty.
fn nothing(model: &Model) -> &'static str {
    match model.moment {
        Err(_) => "can no longer be read",
        Ok(_) if model.progress.at_end => "the log has no events",
        Ok(_) => "nothing here yet",
    }
}

/// A note that the list does not show every event.
fn left_out(model: &Model) -> Option<String> {
    let filter = &model.debugger.filter;
    let compares = model.compared().is_some();
    let text = match (filter.findings.is_some(), filter.hits, filter.is_open()) {
        (_, _, true) if filter.folds || compares => return None,
        _ if compares => " all events of both logs; filters are off while comparing ",
        (true, ..) => " only events with findings ",
        (_, true, _) => " only search hits ",
        (_, _, true) => " calls unfolded ",
        _ => " some events are hidden ",
    };
    Some(text.to_owned())
}

/// The numbers of the event in both logs.
fn event_title(model: &Model, width: u16) -> String {
    // On a narrow screen the tabs need the room.
    let word = if width < 48 && model.compared().is_some() { "" } else { "Event " };
    let spot = model.compared().and_then(|compared| compared.spot());
    let numbers = |spot: AlignedPair| [Side::Left, Side::Right].map(|side| spot.event(side));
    match spot.map(numbers) {
        Some([Some(left), Some(right)]) => format!(" {word}{left} │ {right} "),
        Some([Some(left), None]) => format!(" {word}{left} │ — "),
        Some([None, Some(right)]) => format!(" {word}— │ {right} "),
        _ => format!(" Event #{} ", model.at()),
    }
}

/// The verdict of the comparison, or its progress; at the right the number of differences.
fn against(model: &Model, comparison: &LogComparison, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| model.theme().style(role);
    let width = area.width as usize;
    let Some(compared) = &comparison.compared else {
        let doing = comparison.doing.as_deref().unwrap_or_default();
        let text = fit(&format!("{doing} · {} cancels", model.key(Action::Escape)), width);
        frame.render_widget(Paragraph::new(Span::styled(text, style(ScreenRole::Name))), area);
        return;
    };
    let all = compared.comparison().divergence_count();
    let place = match (&comparison.doing, all) {
        (Some(_), _) => " comparing again…".to_owned(),
        (None, 0) => String::new(),
        (None, _) if compared.how() == How::Same => format!(" {}", count(all, "difference")),
        (None, _) => format!(" difference {} of {}", grouped(compared.number()), grouped(all)),
    };
    let crude = if compared.comparison().is_coarse { " (aligned approximately)" } else { "" };
    let (mark, role) = match compared.is_same {
        true => ("✓", ScreenRole::Good),
        false => ("≠", ScreenRole::Finding(Severity::Warning)),
    };
    let room = width.saturating_sub(place.width() + 2);
    let line = Line::from(vec![
        Span::styled(format!("{mark} "), style(role)),
        Span::styled(pad(&fit(&format!("{}{crude}", compared.sentence), room), room), style(ScreenRole::Text)),
        Span::styled(place, style(role)),
    ]);
    frame.render_widget(Paragraph::new(line), area);
}
