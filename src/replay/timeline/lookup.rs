//! Questions about single events that every replay answers in the same way.

use std::ops::ControlFlow;

use super::Replay;
use crate::replay::Seq;
use crate::replay::source::Gone;
use crate::replay::vocabulary::FieldId;

impl dyn Replay + '_ {
    /// The record of one event.
    pub fn record(&self, at: Seq) -> Result<Option<Vec<u8>>, Gone> {
        let mut found = None;
        self.records(at.0..at.0.saturating_add(1), &mut |_, record| {
            found = Some(record.to_vec());
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// The last event up to `at` that wrote a field.
    pub fn blame(&self, field: FieldId, at: Seq) -> Option<Seq> {
        let mut found = None;
        self.writers(field, &mut |writers| found = writers.at_or_before(at));
        found
    }
}
