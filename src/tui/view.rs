//! Draws the model without changing it.

use std::path::Path;

use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use ratatui::{Frame, Terminal};
use unicode_width::UnicodeWidthStr;

use super::action::Action;
use super::compare::state::LogComparison;
use super::footer;
use super::header;
use super::layout::{LEAST_COLUMNS, LEAST_ROWS};
use super::model::Model;
use super::pane::{self, strip};
use super::picture::{self, PictureTheme};
use super::popup;
use super::theme::{self, ScreenRole};
use crate::compare::run::How;
use crate::replay::check::Severity;
use crate::text::{count, fit, grouped, pad};

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>) {
    let screen = frame.area();
    match model.areas() {
        Some(areas) => {
            header::draw(model, frame, areas.header);
            if let (Some(comparison), Some(area)) = (model.shown_log.comparison(), areas.verdict) {
                against(model, comparison, frame, area);
            }
            strip::draw(model, frame, areas.strip);
            pane::frame::draw(model, frame, &areas);
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
