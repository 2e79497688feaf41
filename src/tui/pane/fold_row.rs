//! The row of the Projection pane that stands for the fields that are not listed.

use ratatui::text::Line;

use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;

/// The row that stands for the fields that are not listed.
pub(crate) fn fold_line(model: &Model) -> Option<Line<'static>> {
    let folded = model.folded_fields();
    let text = format!("  {folded} unchanged");
    (folded > 0).then(|| Line::styled(text, model.theme().style(ScreenRole::Dim)))
}
