//! The questions about a whole session that `explain` answers, each in one pass over the records.

mod compaction;
pub(crate) mod growth;
pub(crate) mod label;
pub(crate) mod loops;
mod table;
pub(crate) mod time;

use self::growth::Growth;
use self::loops::Loops;
use self::time::TimeSpent;
use super::event::AgentEvent;
use super::sidecar::known;
use super::state::AgentState;
use super::state::happening::Happening;
use crate::dialect::answer::Answer;
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::replay::Seq;

pub(crate) static ANSWERS: &[Answer] = &[
    Answer {
        name: "growth",
        describes: "why the context grew: what added most to it, which results were never used, what broke the cache",
        find: |log| Ok(Box::new(read(log, Growth::default())?.finish())),
    },
    Answer {
        name: "time",
        describes: "where the time went: the model, tools, the person, retries",
        find: |log| Ok(Box::new(read(log, TimeSpent::default())?.finish())),
    },
    Answer {
        name: "loops",
        describes: "whether the agent repeats itself, since when, and whether the results change",
        find: |log| Ok(Box::new(read(log, Loops::default())?.finish())),
    },
    Answer {
        name: "compaction",
        describes: "what compactions dropped: sizes before and after, the summary, and lost names that are mentioned later",
        find: |log| Ok(Box::new(compaction::find(log)?)),
    },
];

/// What an answer sees of an event.
pub(crate) struct Seen<'s, 'e> {
    pub at: Seq,
    pub event: &'s AgentEvent<'e>,
    /// The state after the event.
    pub state: &'s AgentState,
    pub happenings: &'s [Happening<'e>],
}

impl Seen<'_, '_> {
    /// Whether the event is a copy, so that it counts for nothing.
    pub(crate) fn is_copy(&self) -> bool {
        let is_copy =
            |happening: &Happening<'_>| matches!(happening, Happening::Copied { .. } | Happening::LineReplayed);
        self.happenings.iter().any(is_copy)
    }

    /// Whether the event is of a subagent inside the file of its parent.
    pub(crate) fn is_side(&self) -> bool {
        self.event.line.is_sidechain && !self.state.facts.is_subagent()
    }

    /// Whether a call or result of the event was seen before.
    pub(crate) fn is_replayed(&self) -> bool {
        let is_replayed = |happening: &Happening<'_>| {
            matches!(happening, Happening::CallReplayed { .. } | Happening::ResultReplayed { .. })
        };
        self.happenings.iter().any(is_replayed)
    }
}

/// What collects an answer.
pub(crate) trait Collector {
    fn see(&mut self, seen: &Seen<'_, '_>);
}

/// Shows every event of a log to a collector.
pub(crate) fn read<C: Collector>(log: &dyn OpenLog, mut collector: C) -> Result<C, DialectError> {
    let decoder = known(log)?;
    let mut state = AgentState::default();
    log.each_record(&mut |read| {
        // A damaged record says nothing.
        let Ok(event) = decoder.decode(read.record) else { return };
        let mut happenings = Vec::new();
        state.apply(read.at, &event, &mut |happening| happenings.push(happening));
        collector.see(&Seen { at: read.at, event: &event, state: &state, happenings: &happenings });
    })?;
    Ok(collector)
}
