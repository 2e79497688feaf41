//! The review before a pack is written: what would be hidden, line by line, and how it is packed.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::{keys_of, middle, open, title};
use crate::tui::action::Action;
use crate::tui::exporting::{Exporting, Stage};
use crate::tui::key::Where;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::view::chosen;

const COLUMNS: u16 = 104;
/// So many secrets are listed even where little room is left.
const LEAST_ROWS: usize = 2;

pub fn draw(model: &Model, frame: &mut Frame<'_>, screen: Rect) {
    let Some(exporting) = &model.exporting else { return };
    let columns = COLUMNS.min(screen.width.saturating_sub(4));
    let room = columns.saturating_sub(2) as usize;
    let styled = |(role, text): (Role, String)| Line::styled(text, model.theme().style(role));
    let (lines, below) = match &exporting.stage {
        Stage::Done(done) => (done.told(room).into_iter().map(styled).collect(), " Enter closes ".to_owned()),
        _ => (reviewed(model, exporting, room, screen.height.saturating_sub(4) as usize), keys(model, exporting)),
    };
    let lines: Vec<Line<'_>> = lines;
    let area = middle(screen, columns, u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2));
    let head = match exporting.stage {
        Stage::Done(_) => format!("Packed: {}", exporting.check),
        _ => format!("Export: {}", exporting.check),
    };
    let inside = open(model, frame, area, title(model, &head, area.width), &below);
    frame.render_widget(Paragraph::new(lines), inside);
}

fn keys(model: &Model, exporting: &Exporting) -> String {
    match exporting.stage {
        Stage::Reviewing if !exporting.redacts => keys_of(model, Where::Export, &["mask/leave", "pattern"]),
        Stage::Reviewing if exporting.secrets.is_empty() => keys_of(model, Where::Export, &["mask/leave"]),
        Stage::Reviewing => keys_of(model, Where::Export, &[]),
        Stage::Writing => format!(" {} gives up ", model.key(Action::Escape)),
        _ => format!(" {} leaves ", model.key(Action::Escape)),
    }
}

/// How it is packed, as many of the secrets as there is room for, and what is to be said of them.
fn reviewed(model: &Model, exporting: &Exporting, room: usize, most: usize) -> Vec<Line<'static>> {
    let styled = |(role, text): (Role, String)| Line::styled(text, model.theme().style(role));
    let key = |action| model.key(action).to_owned();
    let (head, foot) = (exporting.head(&key, room), exporting.foot(room));
    let shown = most.saturating_sub(head.len() + foot.len() + 2).max(LEAST_ROWS);
    let first = (exporting.row + 1).saturating_sub(shown);
    let rows = exporting.secrets.iter().enumerate().skip(first).take(shown);
    let secret = |(row, secret)| chosen(styled(exporting.secret(secret, room)), row == exporting.row, room);
    let mut lines: Vec<Line<'static>> = head.into_iter().map(styled).collect();
    if !exporting.secrets.is_empty() {
        lines.push(Line::default());
        lines.extend(rows.map(secret));
    }
    if !foot.is_empty() {
        lines.push(Line::default());
        lines.extend(foot.into_iter().map(styled));
    }
    lines
}
