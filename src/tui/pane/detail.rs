//! The event itself, as JSON over lines.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::json::pretty::pretty;
use crate::replay::check::Severity;
use crate::replay::moment::Moment;
use crate::text::{clean, clean_lines, fit};
use crate::tui::model::Model;
use crate::tui::theme::Role;

pub fn lines(model: &Model, moment: &Moment, area: Rect) -> Vec<Line<'static>> {
    let width = area.width as usize;
    let mut lines = Vec::new();
    if let Some(reason) = &moment.malformed {
        let text = fit(&format!("no event: {reason}"), width);
        lines.push(Line::styled(text, model.theme().style(Role::Finding(Severity::Error))));
    }
    let text = match &moment.malformed {
        None => clean_lines(&pretty(&moment.record)),
        Some(_) => clean(&String::from_utf8_lossy(&moment.record)),
    };
    // Long lines go on below: nothing is cut.
    lines.extend(text.lines().flat_map(|line| pieces(line, width)).map(Line::raw));
    let most = lines.len().saturating_sub(area.height as usize);
    lines.into_iter().skip((model.detail_scroll as usize).min(most)).take(area.height as usize).collect()
}

/// A line in pieces of a width, each after the first indented like it.
fn pieces(line: &str, width: usize) -> Vec<String> {
    use unicode_width::UnicodeWidthChar;
    let indent = line.chars().take_while(|character| *character == ' ').count().min(width / 2);
    let (mut pieces, mut piece, mut used) = (Vec::new(), String::new(), 0);
    for character in line.chars() {
        let columns = character.width().unwrap_or(0);
        if used + columns > width {
            pieces.push(std::mem::replace(&mut piece, " ".repeat(indent)));
            used = indent;
        }
        piece.push(character);
        used += columns;
    }
    pieces.push(piece);
    pieces
}
