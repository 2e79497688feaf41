//! Checks of the order of records: ordinals and times.

use super::found::Found;
use crate::agent::checks;
use crate::agent::event::AgentEvent;
use crate::agent::state::AgentState;
use crate::replay::Seq;

/// Times may step back this far in microseconds, since lines are written when they are complete.
const TOLERATED: i64 = 1_000_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct OrderAudit {
    ordinal: Option<u64>,
    time: Option<i64>,
    /// How many numbered records before this one were left out.
    removed: u64,
}

impl OrderAudit {
    pub(crate) fn see(&mut self, at: Seq, event: &AgentEvent<'_>, state: &AgentState, found: &mut Found) {
        if let Some(ordinal) = event.line.ordinal {
            self.see_ordinal(at, ordinal.saturating_sub(self.removed), found);
        }
        let is_side = event.line.is_sidechain && !state.facts.is_subagent();
        let is_timed = event.line.role.is_message() && !is_side && !event.line.is_summary;
        if let Some(time) = event.line.time.filter(|_| is_timed) {
            let before = self.time.replace(time);
            if before.is_some_and(|before| before - time > TOLERATED) {
                found.plain(&checks::TIME_BACK, at, |finding| {
                    let seconds = before.map_or(0, |before| (before - time) / 1_000_000);
                    finding.expected("a line that is not older").actual(format!("{seconds} s older"))
                });
            }
        }
    }

    /// A record was left out, so the numbers after it are lower by one.
    pub(crate) fn remove(&mut self, event: &AgentEvent<'_>) {
        self.removed += u64::from(event.line.ordinal.is_some());
    }

    fn see_ordinal(&mut self, at: Seq, ordinal: u64, found: &mut Found) {
        let Some(before) = self.ordinal.replace(ordinal) else { return };
        if ordinal <= before {
            found.plain(&checks::ORDINAL_ORDER, at, |finding| {
                finding.expected(before.to_string()).actual(ordinal.to_string())
            });
        } else if ordinal - before > 1 {
            found.plain(&checks::ORDINAL_GAP, at, |finding| {
                finding.expected((before + 1).to_string()).actual(ordinal.to_string())
            });
        }
    }
}
