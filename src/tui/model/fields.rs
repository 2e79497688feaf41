//! The fields that the projection lists, and the selected one.

use super::Model;
use crate::replay::vocabulary::FieldId;
use crate::tui::compare::state::Compared;

impl Model {
    /// The row of the projection that stands for the fields that are not listed.
    pub(crate) const FOLD_ROW: usize = usize::MAX;

    /// The fields in the order of the Projection pane: pinned ones, those that differ from the other log, changed ones,
    /// those that differ from their initial value, and the rest if all are listed.
    pub(crate) fn fields(&self) -> Vec<FieldId> {
        // While comparing, the other log may have a state where this one has none yet.
        let other = || self.compared().and_then(Compared::right_moment);
        let Some(moment) = self.shown().or_else(other) else { return Vec::new() };
        let (changed, departed) = (moment.sides.changed(), moment.sides.departed());
        let differing = self.compared().map(Compared::fields).unwrap_or_default();
        let renamed = self.compared().map(Compared::renamed).unwrap_or_default();
        let mut fields: Vec<FieldId> = self.replay().vocabulary().field_ids().collect();
        let rank = |field: &FieldId| match *field {
            field if self.pinned.contains(field) => 0,
            field if differing.contains(field) && !renamed.contains(field) => 1,
            field if changed.contains(field) => 2,
            field if departed.contains(field) => 3,
            _ => 4,
        };
        if !self.lists_all_fields {
            fields.retain(|field| rank(field) < 4);
        }
        fields.sort_by_key(rank);
        fields
    }

    /// How many fields the projection does not list.
    pub(crate) fn folded_fields(&self) -> usize {
        match self.lists_all_fields || self.moment.as_ref().is_ok_and(Option::is_none) && self.compared().is_none() {
            true => 0,
            false => self.replay().vocabulary().fields.len().saturating_sub(self.fields().len()),
        }
    }

    /// Selects a field, also one that was not listed.
    pub(crate) fn choose_field(&mut self, field: FieldId) {
        let row = |model: &Model| model.fields().iter().position(|known| *known == field);
        if row(self).is_none() {
            self.lists_all_fields = true;
        }
        self.field = row(self).unwrap_or(0);
    }

    pub(crate) fn chosen_field(&self) -> Option<FieldId> {
        let fields = self.fields();
        let is_fold_row = self.field == Model::FOLD_ROW && self.folded_fields() > 0;
        fields.get(self.field.min(fields.len().saturating_sub(1))).filter(|_| !is_fold_row).copied()
    }
}
