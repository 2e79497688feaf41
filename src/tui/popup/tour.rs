//! The box of the guided tour. It has rows of its own below the rest of the screen, so that it hides nothing.

use ratatui::Frame;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::window::{open, title};
use crate::text::paragraph;
use crate::tui::action::Action;
use crate::tui::model::{InputMode, Model};
use crate::tui::theme::ScreenRole;
use crate::tui::tour::{LESSONS, Tour};

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>) {
    let (Some((number, _)), Some(words)) = (model.tour.and_then(Tour::lesson), words(model)) else { return };
    let Some(area) = model.tour_area() else { return };
    let head = format!("Tour, {number} of {}", LESSONS.len());
    let below = format!(" {} next lesson  {} leave the tour ", model.key(Action::NextLesson), model.key(Action::Tour));
    let inside = open(model, frame, area, title(model, &head, area.width), &below);
    let lines = paragraph(&words, inside.width.saturating_sub(2) as usize);
    let lines = lines.iter().scan(false, |is_key, line| Some(styled(model, line, is_key)));
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), inside);
}

/// A line with its keys in colour; a key may be on two lines.
fn styled(model: &Model, line: &str, is_key: &mut bool) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    for (number, piece) in line.split('`').enumerate() {
        *is_key ^= number > 0;
        let role = if *is_key { ScreenRole::Key } else { ScreenRole::Text };
        spans.push(Span::styled(piece.to_owned(), model.theme().style(role)));
    }
    Line::from(spans)
}

/// What the user should do now, with the keys between backticks.
pub(crate) fn words(model: &Model) -> Option<String> {
    let tour = model.tour?;
    let (_, lesson) = tour.lesson()?;
    let words = match &model.mode {
        InputMode::Normal => lesson.words,
        _ if model.is_at_task(lesson.task) => lesson.open_words,
        _ => {
            let key = model.keymap().key_in(model.key_context(), Action::Escape);
            return Some(format!("Press `{key}` to close what is open. The tour goes on then."));
        }
    };
    let mut out = String::new();
    for (number, piece) in words.split('`').enumerate() {
        out.push_str(if number > 0 { "`" } else { "" });
        match piece.strip_prefix('@').filter(|_| number % 2 == 1) {
            Some(row) => out.push_str(model.keymap().keys_of(row).first().map_or("(no key)", String::as_str)),
            None => out.push_str(&piece.replace("{}", &tour.jumped_from.to_string())),
        }
    }
    Some(out)
}
