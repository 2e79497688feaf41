//! How far minimizing is, in a corner of the screen: the panes stay in use meanwhile.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::{open, title};
use crate::text::{fit, grouped};
use crate::tui::action::Action;
use crate::tui::minimizing::{Stage, Trying};
use crate::tui::model::Model;
use crate::tui::theme::Role;

const COLUMNS: u16 = 58;
/// How high the curve is where there is room.
const CURVE_ROWS: u16 = 3;
/// On a screen that is lower than this the curve has one row.
const LOW_ROWS: u16 = 24;

/// At the right, with this as the lowest row.
pub fn draw(model: &Model, frame: &mut Frame<'_>, screen: Rect, bottom: u16) {
    let Some(minimizing) = model.minimizing.as_ref().filter(|minimizing| minimizing.is_running()) else { return };
    let style = |role| model.theme().style(role);
    let width = COLUMNS.min(screen.width.saturating_sub(2));
    let room = width.saturating_sub(4) as usize;
    let curve_rows = if screen.height < LOW_ROWS { 1 } else { CURVE_ROWS };
    let lines: Vec<(Role, String)> = match &minimizing.stage {
        Stage::Trying(trying) => {
            let bars = trying.curve.bars(room, curve_rows as usize).into_iter().map(|row| (Role::Changed, row));
            bars.chain(told(trying).map(|line| (Role::Text, line))).collect()
        }
        Stage::Reading | Stage::Done(_) => vec![(Role::Dim, "taking the log apart…".to_owned())],
    };
    let height = lines.len() as u16 + 2;
    let area = Rect::new(screen.right() - width - 1, bottom.saturating_sub(height), width, height);
    let below = match (&minimizing.stage, minimizing.ends) {
        (_, true) => " ending, with the best so far ".to_owned(),
        (Stage::Reading, _) => format!(" {} gives up ", model.key(Action::Escape)),
        _ => format!(" {} keeps the best so far ", model.key(Action::Escape)),
    };
    let head = title(model, &format!("Minimizing {}", minimizing.check), width);
    let inside = open(model, frame, area, head, &below);
    let line = |(role, text): (Role, String)| Line::styled(format!(" {}", fit(&text, room)), style(role));
    frame.render_widget(Paragraph::new(lines.into_iter().map(line).collect::<Vec<_>>()), inside);
}

fn told(trying: &Trying) -> [String; 3] {
    let Trying { whole, progress, elapsed, left, .. } = trying;
    let of = |now: u64, all: u64| format!("{} of {}", grouped(now), grouped(all));
    let events = of(progress.events as u64, whole.events as u64);
    let left = match left {
        Some(left) => format!(", at most {} s left of this pass", grouped(left.as_secs_f64().ceil() as u64)),
        None => String::new(),
    };
    [
        format!("{events} events, {} bytes", of(progress.bytes, whole.bytes)),
        format!("test {}: {}", grouped(progress.tests), progress.phase),
        format!("{:.1} s{left}", elapsed.as_secs_f64()),
    ]
}
