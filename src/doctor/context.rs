//! What the same rebuild answers besides: the history at a step, what a compaction dropped, and how far a resume reaches.

#![cfg_attr(not(test), allow(dead_code, reason = "the command that shows the context of a step needs it"))]

use std::collections::BTreeMap;

use super::problem::Problem;
use super::session::{Row, Session};
use super::{claude, codex};

/// The history that the model saw before it answered.
#[derive(Debug)]
pub(crate) struct Context {
    /// The first line of the answer.
    pub line: u32,
    pub history: Vec<Row>,
    /// What the rules say about this history.
    pub problems: Vec<Problem>,
}

/// What a compaction did to the history, by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// The line of the compaction.
    pub line: u32,
    pub dropped: Vec<u32>,
    /// Lines that are in the history before and after.
    pub kept: Vec<u32>,
    /// Lines that take the place of what was dropped.
    pub summary: Vec<u32>,
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
}

/// Whether a line is part of the history, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    Reached,
    /// A compaction replaced it.
    Compacted,
    /// It belongs to a branch that was left.
    Rewound,
    /// The chain of parents does not lead to it.
    CutOff,
    /// It is never sent, or it does not decode.
    Skipped,
}

impl Reach {
    pub(crate) const UNREACHED: [Reach; 4] = [Reach::Compacted, Reach::Rewound, Reach::CutOff, Reach::Skipped];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Reach::Reached => "reached",
            Reach::Compacted => "compacted",
            Reach::Rewound => "rewound",
            Reach::CutOff => "cut_off",
            Reach::Skipped => "skipped",
        }
    }
}

/// How many lines of the conversation have each reason.
pub(super) fn counted(lines: &[(u32, Reach)]) -> BTreeMap<Reach, usize> {
    let mut counts = BTreeMap::new();
    for (_, reach) in lines {
        *counts.entry(*reach).or_default() += 1;
    }
    counts
}

impl Session {
    /// Every line of the conversation with its reason, in the order of the file.
    pub(crate) fn reach(&self) -> Vec<(u32, Reach)> {
        match self {
            Session::Claude(transcript) => {
                transcript.reach(&claude::history::History::new(transcript, &claude::Scope::default()))
            }
            Session::Codex(rollout) => rollout.reach(&codex::history::History::new(rollout, None)),
        }
    }

    /// The first lines of all answers of the model.
    pub(crate) fn steps(&self) -> Vec<u32> {
        match self {
            Session::Claude(transcript) => transcript.steps(),
            Session::Codex(rollout) => rollout.steps_of_model(),
        }
    }

    /// The history before the answer that a line belongs to. `None` if the line is not part of an answer.
    pub(crate) fn context(&self, line: u32) -> Option<Context> {
        match self {
            Session::Claude(transcript) => transcript.context(line),
            Session::Codex(rollout) => rollout.context(line),
        }
    }

    /// What the compaction with this number dropped, counted from 1.
    pub(crate) fn dropped(&self, number: usize) -> Option<Dropped> {
        match self {
            Session::Claude(transcript) => transcript.dropped(number),
            Session::Codex(rollout) => rollout.dropped(number),
        }
    }
}

/// The difference of two histories.
pub(super) fn difference(line: u32, before: &[u32], after: &[u32]) -> Dropped {
    let is_in = |list: &[u32], line: &u32| list.binary_search(line).is_ok();
    let (mut before, mut after) = (before.to_vec(), after.to_vec());
    for list in [&mut before, &mut after] {
        list.sort_unstable();
        list.dedup();
    }
    Dropped {
        line,
        dropped: before.iter().filter(|line| !is_in(&after, line)).copied().collect(),
        kept: before.iter().filter(|line| is_in(&after, line)).copied().collect(),
        ..Dropped::default()
    }
}
