//! The state of an agent's session: turns, steps, calls, files, the plan, and what is open.
//!
//! Stepping merges what records say: lines of one message, results with their calls, records that repeat others. Every
//! part shares its structure with its clones, so a clone costs the same however long the log is.

pub(crate) mod agents;
mod apply;
pub(crate) mod calls;
pub(crate) mod copy;
pub(crate) mod course;
pub(crate) mod happening;
pub(crate) mod plan;
pub(crate) mod settings;
pub(crate) mod steps;
pub(crate) mod turns;

use std::sync::Arc;

use imbl::{OrdMap, OrdSet, Vector};

use self::agents::Agents;
use self::calls::Calls;
use self::copy::Copy;
use self::course::Course;
use self::plan::Plan;
use self::settings::SettingsInForce;
use self::steps::Steps;
use self::turns::{EndRules, LastWord, TurnOutcome, Turns};
use super::event::FileFacts;
use super::format::{Format, TurnEnds};
use crate::replay::Seq;

#[derive(Clone, Default)]
pub(crate) struct AgentState {
    pub format: Option<&'static Format>,
    pub facts: FileFacts,
    pub copy: Copy,
    pub turns: Turns,
    pub steps: Steps,
    pub calls: Calls,
    pub agents: Agents,
    pub plan: Plan,
    pub settings: SettingsInForce,
    pub files_read: OrdMap<Arc<str>, Seq>,
    /// By path: the last record that wrote the file.
    pub files_written: OrdMap<Arc<str>, Seq>,
    pub compactions: Vector<CompactionRow>,
    /// Prompts and other entries that wait, oldest first.
    pub queue: Vector<QueueEntry>,
    pub retries: u64,
    pub last_error: Option<Arc<str>>,
    pub situation: Situation,
    pub course: Course,
    /// Identifies the user lines so far, to recognize copies of them.
    user_lines: OrdSet<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompactionRow {
    pub at: Seq,
    pub trigger: Option<Arc<str>>,
    /// As the record says.
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
    /// The contexts of the steps around it.
    pub context_before: Option<u64>,
    pub context_after: Option<u64>,
}

/// How the run stands after an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Situation {
    /// Nothing has happened yet.
    #[default]
    Nothing,
    Working,
    WaitingForResult,
    WaitingForUser,
    /// The turn is over, as far as the log says.
    Over(TurnOutcome),
}

impl Situation {
    pub(crate) fn name(&self) -> &str {
        match self {
            Situation::Nothing => "nothing yet",
            Situation::Working => "working",
            Situation::WaitingForResult => "waiting for a result",
            Situation::WaitingForUser => "waiting for the user",
            Situation::Over(outcome) => outcome.name(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueEntry {
    pub at: Seq,
    pub is_prompt: bool,
}

impl AgentState {
    /// How this file states the ends of turns.
    pub(crate) fn end_rules(&self) -> EndRules {
        let ends = self.format.map_or(TurnEnds::Derived, |format| format.turn_ends);
        EndRules { ends, logs_turns: self.facts.logs_turns }
    }

    /// How the run stands now.
    fn situation_now(&self) -> Situation {
        let Some(turn) = &self.turns.current else {
            return self.turns.last_outcome.clone().map_or(Situation::Nothing, Situation::Over);
        };
        match () {
            () if turn.is_interrupted => Situation::Over(TurnOutcome::Interrupted),
            () if turn.has_failed => Situation::Over(TurnOutcome::Error),
            () if self.calls.open.iter().any(|(_, call)| call.is_question()) => Situation::WaitingForUser,
            () if !self.calls.open.is_empty() => Situation::WaitingForResult,
            () if self.end_rules().ends == TurnEnds::Derived
                && turn.last != LastWord::Nothing
                && turn.has_answered() =>
            {
                Situation::Over(TurnOutcome::Completed)
            }
            () => Situation::Working,
        }
    }

    /// The approximate number of entries in its maps.
    pub(crate) fn entries(&self) -> usize {
        let files = self.files_read.len() + self.files_written.len();
        let lists = self.compactions.len() + self.queue.len() + self.user_lines.len();
        files + lists + self.steps.entries() + self.calls.entries() + self.agents.entries() + self.course.entries()
    }
}
