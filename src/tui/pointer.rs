//! What is drawn under the mouse: the screen is drawn in memory, so that a click means what the user sees.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Position;

use super::model::Model;
use super::view;

/// The number of the label under a position of the screen. A label is a whole word or several.
pub(crate) fn label_at(model: &Model, at: Position, labels: &[String]) -> Option<usize> {
    let screen = model.screen();
    if !screen.contains(at) {
        return None;
    }
    // A backend in memory cannot fail.
    let Ok(mut terminal) = Terminal::new(TestBackend::new(screen.width, screen.height));
    let Ok(_) = terminal.draw(|frame| view::draw(model, frame));
    let buffer = terminal.backend().buffer();
    let cells: Vec<&str> = (screen.left()..screen.right()).map(|x| buffer[(x, at.y)].symbol()).collect();
    labels.iter().position(|label| is_under(&cells, label, usize::from(at.x - screen.x)))
}

/// Whether a label is drawn in these cells over the given column.
fn is_under(cells: &[&str], label: &str, column: usize) -> bool {
    let letters: Vec<String> = label.chars().map(String::from).collect();
    let is_letter = |at: Option<usize>| {
        let cell = at.and_then(|at| cells.get(at));
        cell.is_some_and(|cell| cell.chars().all(char::is_alphanumeric) && !cell.is_empty())
    };
    let is_at = |from: usize| {
        let drawn = cells.iter().skip(from).take(letters.len());
        drawn.len() == letters.len()
            && drawn.zip(&letters).all(|(cell, letter)| cell == letter)
            && !is_letter(from.checked_sub(1))
            && !is_letter(from.checked_add(letters.len()))
    };
    !letters.is_empty() && ((column + 1).saturating_sub(letters.len())..=column).any(is_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_found_where_it_is_drawn_as_a_whole_word() {
        let row: Vec<String> = "q quit  Tab pane ─[JSON] Raw ".chars().map(String::from).collect();
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        let columns = |label: &str| (0..cells.len()).filter(|at| is_under(&cells, label, *at)).collect::<Vec<_>>();
        assert_eq!(columns("q quit"), [0, 1, 2, 3, 4, 5]);
        assert_eq!(columns("JSON"), [19, 20, 21, 22]);
        assert_eq!(columns("pan"), [0; 0]);
        assert_eq!(columns(""), [0; 0]);
    }
}
