//! The progress of minimizing in a corner of the screen, while the panes stay in use.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use crate::text::{fit, grouped};
use crate::tui::action::Action;
use crate::tui::minimize::state::{MinimizeStage, Trying};
use crate::tui::model::Model;
use crate::tui::popup::window::{open, title};
use crate::tui::theme::ScreenRole;

const COLUMNS: u16 = 58;
/// The height of the curve where there is room.
const CURVE_ROWS: u16 = 3;
/// A screen with fewer rows than this shows the curve on one row.
const LOW_ROWS: u16 = 24;

/// Draws the progress at the right, above the given row.
pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>, screen: Rect, bottom: u16) {
    let Some(minimizing) = model.minimizing.as_ref().filter(|minimizing| minimizing.is_running()) else { return };
    let style = |role| model.theme().style(role);
    let width = COLUMNS.min(screen.width.saturating_sub(2));
    let room = width.saturating_sub(4) as usize;
    let curve_rows = if screen.height < LOW_ROWS { 1 } else { CURVE_ROWS };
    let lines: Vec<(ScreenRole, String)> = match &minimizing.stage {
        MinimizeStage::Trying(trying) => {
            let bars = trying.curve.bars(room, curve_rows as usize).into_iter().map(|row| (ScreenRole::Changed, row));
            bars.chain(progress_text(trying).map(|line| (ScreenRole::Text, line))).collect()
        }
        MinimizeStage::Reading | MinimizeStage::Done(_) => vec![(ScreenRole::Dim, "reading the log…".to_owned())],
    };
    let height = lines.len() as u16 + 2;
    let area = Rect::new(screen.right() - width - 1, bottom.saturating_sub(height), width, height);
    let below = match (&minimizing.stage, minimizing.ends) {
        (_, true) => " stopping with the best so far ".to_owned(),
        (MinimizeStage::Reading, _) => format!(" {} cancels ", model.key(Action::Escape)),
        _ => format!(" {} stops with the best so far ", model.key(Action::Escape)),
    };
    let head = title(model, &format!("Minimizing {}", minimizing.check), width);
    let inside = open(model, frame, area, head, &below);
    let line = |(role, text): (ScreenRole, String)| Line::styled(format!(" {}", fit(&text, room)), style(role));
    frame.render_widget(Paragraph::new(lines.into_iter().map(line).collect::<Vec<_>>()), inside);
}

fn progress_text(trying: &Trying) -> [String; 3] {
    let Trying { whole, progress, elapsed, left, .. } = trying;
    let of = |now: u64, all: u64| format!("{} of {}", grouped(now), grouped(all));
    let events = of(progress.events as u64, whole.events as u64);
    let left = match left {
        Some(left) => format!(", at most {} s left in this phase", grouped(left.as_secs_f64().ceil() as u64)),
        None => String::new(),
    };
    [
        format!("{events} events, {} bytes", of(progress.bytes, whole.bytes)),
        format!("test {}: {}", grouped(progress.tests), progress.phase),
        format!("{:.1} s{left}", elapsed.as_secs_f64()),
    ]
}
