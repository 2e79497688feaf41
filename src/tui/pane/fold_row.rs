//! The row of the Projection pane that stands for the fields that are not listed.

use ratatui::text::Line;

use crate::replay::moment::Moment;
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;

/// The row that stands for the fields that are not listed.
pub(crate) fn fold_line(model: &Model) -> Option<Line<'static>> {
    let folded = model.folded_fields();
    let listed = model.fields();
    let gaps = |moment: &Moment| {
        let unlisted = model.replay().vocabulary().field_ids().filter(|field| !listed.contains(field));
        unlisted.filter(|field| moment.sides.origin(*field).gap().is_some()).count()
    };
    let missing = model.shown().map_or(0, gaps).min(folded);
    let text = match (folded - missing, missing) {
        (unchanged, 0) => format!("  {unchanged} unchanged"),
        (unchanged, missing) => format!("  {unchanged} unchanged, {missing} not recorded"),
    };
    (folded > 0).then(|| Line::styled(text, model.theme().style(ScreenRole::Dim)))
}
