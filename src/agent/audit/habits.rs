//! Habits of the model: calls that repeat, sequences of calls that repeat, and tools that keep failing.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::json;

use super::found::Found;
use crate::agent::block::Outcome;
use crate::agent::checks;
use crate::agent::state::calls::Calls;
use crate::agent::state::happening::{PlannedCall, ResolvedCall};
use crate::replay::Seq;
use crate::replay::finding::Finding;

/// So many equal calls in a row are worth a finding.
const MANY: usize = 3;
const ROUNDS: usize = 3;
const LONGEST_CYCLE: usize = 4;

/// Equal calls one after the other.
#[derive(Clone, Debug)]
struct CallRow {
    input: u64,
    tool: Arc<str>,
    first: Seq,
    last: Seq,
    calls: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct HabitAudit {
    row: Option<CallRow>,
    /// The rows that are long enough.
    rows: Vec<CallRow>,
    /// The last calls that are not polls.
    recent: Vec<u64>,
    failures: FxHashMap<Arc<str>, ToolFailures>,
}

#[derive(Clone, Debug, Default)]
struct ToolFailures {
    results: Vec<Seq>,
    is_told: bool,
}

impl HabitAudit {
    pub(crate) fn see_call(&mut self, at: Seq, call: &PlannedCall, found: &mut Found) {
        if call.is_poll {
            self.end_row();
            return;
        }
        match &mut self.row {
            Some(row) if row.input == call.input => {
                row.last = at;
                row.calls.push(call.key);
            }
            _ => {
                self.end_row();
                let (input, tool) = (call.input, Arc::clone(&call.tool));
                self.row = Some(CallRow { input, tool, first: at, last: at, calls: vec![call.key] });
            }
        }
        self.recent.push(call.input);
        if let Some(period) = (2..=LONGEST_CYCLE).find(|period| is_cycle(&self.recent, *period)) {
            self.recent.clear();
            found.report(
                &checks::CYCLE,
                at,
                || vec![json!(period)],
                || {
                    Finding::new(&checks::CYCLE, [at])
                        .expected("new calls")
                        .actual(format!("{period} calls, three times"))
                },
            );
        } else if self.recent.len() > 2 * ROUNDS * LONGEST_CYCLE {
            self.recent.drain(..ROUNDS * LONGEST_CYCLE);
        }
    }

    fn end_row(&mut self) {
        self.rows.extend(self.row.take().filter(|row| row.calls.len() >= MANY));
    }

    pub(crate) fn see_result(&mut self, resolved: &ResolvedCall, found: &mut Found) {
        if resolved.outcome == Outcome::Success {
            if let Some(failures) = self.failures.get_mut(&resolved.tool) {
                failures.results.clear();
            }
            return;
        }
        if !resolved.outcome.is_failure() {
            return;
        }
        let failures = self.failures.entry(Arc::clone(&resolved.tool)).or_default();
        if failures.is_told || failures.results.len() >= MANY {
            return;
        }
        failures.results.push(resolved.result);
        if failures.results.len() == MANY {
            failures.is_told = true;
            let (at, tool) = (failures.results.clone(), &resolved.tool);
            found.report(
                &checks::FAILING_TOOL,
                resolved.result,
                || vec![json!(**tool)],
                || {
                    Finding::new(&checks::FAILING_TOOL, at)
                        .about("tool", Arc::clone(tool))
                        .expected("a success in between")
                        .actual("failed three times")
                },
            );
        }
    }

    /// Rows of equal calls are judged by their results, which may come late.
    pub(crate) fn finish(&self, calls: &Calls, found: &mut Found) {
        let last = self.row.iter().filter(|row| row.calls.len() >= MANY);
        for row in self.rows.iter().chain(last) {
            let mut texts = row.calls.iter().map(|call| calls.text_of(*call));
            let first = texts.next().flatten();
            let is_same = first.is_some() && texts.all(|text| text == first);
            let check = if is_same { &checks::REPEAT } else { &checks::REPEAT_CHANGING };
            let times = row.calls.len();
            found.report(
                check,
                row.first,
                || vec![json!(times), json!(*row.tool)],
                || {
                    Finding::new(check, [row.first, row.last])
                        .about("tool", Arc::clone(&row.tool))
                        .expected("another call")
                        .actual(format!("{times} times"))
                },
            );
        }
    }
}

/// Whether the last calls are three rounds of the same calls, which are not all alike.
fn is_cycle(recent: &[u64], period: usize) -> bool {
    let Some(from) = recent.len().checked_sub(ROUNDS * period) else { return false };
    let (first, rest) = recent[from..].split_at(period);
    rest.chunks(period).all(|round| round == first) && first.iter().any(|call| *call != first[0])
}
