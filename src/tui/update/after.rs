//! What follows any change of the model: the tour looks at it, and the rows on the screen get their marks.

use super::{stop_marks, tour};
use crate::tui::model::Model;

pub(crate) fn after(model: &mut Model) {
    tour::follow(model);
    stop_marks::update(model);
}
