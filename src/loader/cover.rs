//! What the saved session and the stored compactions say of a log, where they are given.

use super::held::Held;
use crate::log::{Log, LogError};
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::turn::coverage::{self, Coverage};
use crate::turn::report::Beside;
use crate::turn::thread::Thread;
use crate::turn::whole::Recording;

/// Findings against what stands beside the log. They belong to its last event.
pub fn findings(log: &Log, beside: &Beside, last: Seq) -> Result<Vec<Finding>, LogError> {
    if !is_needed(beside) {
        return Ok(Vec::new());
    }
    let held = Held::read(log)?;
    Ok(of_recording(&held.decode(log), beside, last))
}

/// Whether anything stands beside the log that it must be held whole for.
pub fn is_needed(beside: &Beside) -> bool {
    beside.session.is_some() || beside.artifacts.is_some()
}

/// The same for events that somebody has read already.
pub fn of_recording(recording: &Recording<'_>, beside: &Beside, last: Seq) -> Vec<Finding> {
    let groups = recording.turns();
    let thread = Thread::of(recording, &groups);
    match (&beside.session, &beside.artifacts) {
        (Some(session), artifacts) => {
            Coverage::of(&thread, recording, &groups, session, artifacts.as_deref()).findings(last).collect()
        }
        (None, Some(rows)) => coverage::compaction_text(&thread, rows)
            .map(|text| coverage::compaction_finding(last, text))
            .into_iter()
            .collect(),
        (None, None) => Vec::new(),
    }
}
