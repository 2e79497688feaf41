//! The review before a crashpack is written: its options, and each secret that would be masked.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use crate::tui::action::Action;
use crate::tui::export::state::{ExportReview, ExportStage};
use crate::tui::key::KeyContext;
use crate::tui::model::Model;
use crate::tui::popup::window::{keys_of, middle, open, title};
use crate::tui::theme::ScreenRole;
use crate::tui::theme::selected;

const COLUMNS: u16 = 104;
/// At least this many secrets are listed, even on a small screen.
const LEAST_ROWS: usize = 2;

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>, screen: Rect) {
    let Some(exporting) = &model.exporting else { return };
    let columns = COLUMNS.min(screen.width.saturating_sub(4));
    let room = columns.saturating_sub(2) as usize;
    let styled = |(role, text): (ScreenRole, String)| Line::styled(text, model.theme().style(role));
    let (lines, below) = match &exporting.stage {
        ExportStage::Done(done) => (done.report(room).into_iter().map(styled).collect(), " Enter closes ".to_owned()),
        _ => (reviewed(model, exporting, room, screen.height.saturating_sub(4) as usize), keys(model, exporting)),
    };
    let lines: Vec<Line<'_>> = lines;
    let area = middle(screen, columns, u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2));
    let head = match exporting.stage {
        ExportStage::Done(_) => format!("Packed: {}", exporting.check),
        _ => format!("Export: {}", exporting.check),
    };
    let inside = open(model, frame, area, title(model, &head, area.width), &below);
    frame.render_widget(Paragraph::new(lines), inside);
}

fn keys(model: &Model, exporting: &ExportReview) -> String {
    match exporting.stage {
        ExportStage::Reviewing if !exporting.redacts => keys_of(model, KeyContext::Export, &["mask/keep", "pattern"]),
        ExportStage::Reviewing if exporting.secrets.is_empty() => keys_of(model, KeyContext::Export, &["mask/keep"]),
        ExportStage::Reviewing => keys_of(model, KeyContext::Export, &[]),
        ExportStage::Writing => format!(" {} cancels ", model.key(Action::Escape)),
        _ => format!(" {} cancels ", model.key(Action::Escape)),
    }
}

/// The options, as many secrets as there is room for, and the summary.
fn reviewed(model: &Model, exporting: &ExportReview, room: usize, most: usize) -> Vec<Line<'static>> {
    let styled = |(role, text): (ScreenRole, String)| Line::styled(text, model.theme().style(role));
    let key = |action| model.key(action).to_owned();
    let (head, foot) = (exporting.head(&key, room), exporting.foot(room));
    let shown = most.saturating_sub(head.len() + foot.len() + 2).max(LEAST_ROWS);
    let first = (exporting.row + 1).saturating_sub(shown);
    let rows = exporting.secrets.iter().enumerate().skip(first).take(shown);
    let secret = |(row, secret)| selected(styled(exporting.secret(secret, room)), row == exporting.row, room);
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
