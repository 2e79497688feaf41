//! The course of a run so far: its first failure, how long its calls took, calls that repeat, its largest context.

use std::sync::Arc;

use imbl::OrdMap;

use super::happening::{Happening, PlannedCall, ResolvedCall};
use crate::replay::Seq;

/// So many equal calls in a row are worth a word.
pub(crate) const MANY: u32 = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Course {
    /// The times of the first and the last record, in microseconds.
    pub times: Option<(i64, i64)>,
    pub first_failure: Option<FailedCall>,
    /// How often the user stopped the model.
    pub interrupts: u32,
    /// The equal calls that the run is in.
    pub row: Option<CourseCall>,
    pub longest_row: Option<CourseCall>,
    /// The longest call of each tool, in milliseconds.
    pub longest: OrdMap<Arc<str>, u64>,
    pub largest_context: Option<(u64, Seq)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailedCall {
    pub tool: Arc<str>,
    pub at: Seq,
}

/// Calls of one tool with equal inputs, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CourseCall {
    pub tool: Arc<str>,
    input: u64,
    pub first: Seq,
    pub times: u32,
}

impl Course {
    pub(crate) fn see_record(&mut self, time: Option<i64>) {
        if let Some(time) = time {
            let (first, last) = self.times.unwrap_or((time, time));
            self.times = Some((first.min(time), last.max(time)));
        }
    }

    pub(crate) fn see(&mut self, at: Seq, happening: &Happening<'_>) {
        match happening {
            Happening::CallPlanned { planned, .. } => self.see_call(at, planned),
            Happening::Interrupted => self.interrupts += 1,
            Happening::Resolved(resolved) => self.see_result(resolved),
            _ => {}
        }
    }

    fn see_call(&mut self, at: Seq, planned: &PlannedCall) {
        if planned.is_poll {
            self.row = None;
            return;
        }
        let row = match self.row.take().filter(|row| row.input == planned.input) {
            Some(row) => CourseCall { times: row.times + 1, ..row },
            None => CourseCall { tool: Arc::clone(&planned.tool), input: planned.input, first: at, times: 1 },
        };
        if row.times >= MANY && self.longest_row.as_ref().is_none_or(|longest| row.times > longest.times) {
            self.longest_row = Some(row.clone());
        }
        self.row = Some(row);
    }

    fn see_result(&mut self, resolved: &ResolvedCall) {
        if resolved.outcome.is_failure() && self.first_failure.is_none() {
            self.first_failure = Some(FailedCall { tool: Arc::clone(&resolved.tool), at: resolved.planned });
        }
        if let Some(lasted) = resolved.lasted
            && self.longest.get(&resolved.tool).is_none_or(|longest| lasted > *longest)
        {
            self.longest.insert(Arc::clone(&resolved.tool), lasted);
        }
    }

    pub(crate) fn see_context(&mut self, at: Seq, context: Option<u64>) {
        if let Some(context) = context
            && self.largest_context.is_none_or(|(largest, _)| context > largest)
        {
            self.largest_context = Some((context, at));
        }
    }

    /// The approximate number of entries in its maps.
    pub(crate) fn entries(&self) -> usize {
        self.longest.len()
    }
}
