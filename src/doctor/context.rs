//! What the same rebuild answers besides: the history at a step, what a compaction dropped, and how far a resume reaches.

use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(test)]
use super::problem::Problem;
#[cfg(test)]
use super::session::Row;
use super::session::Session;

/// The history in force at a line: what the model saw when it gave the answer that the line is part of, otherwise what it
/// would see if it were asked behind the line.
#[derive(Clone, Debug, Default)]
pub(crate) struct InForce {
    /// The first line of the answer.
    pub answer: Option<u32>,
    /// The prompt of the answer in tokens, if its line says it.
    pub prompt_tokens: Option<u64>,
    pub parts: Vec<SentPart>,
    /// The rollout continues another one, which was not read.
    pub lacks_base: bool,
}

/// What one line has in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SentPart {
    /// The number of its message, from 1.
    pub message: usize,
    pub role: Arc<str>,
    pub kinds: Vec<Arc<str>>,
    /// `None` for an item of another rollout.
    pub line: Option<u32>,
    /// The index in the list that a compaction left.
    pub item: Option<usize>,
    /// As it is written.
    pub bytes: u64,
}

/// The history that the model saw before it answered.
#[cfg(test)]
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

/// The histories on both sides of a compaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compacted {
    /// The line of the compaction.
    pub line: u32,
    pub before: InForce,
    /// Up to the next answer or compaction, so with the summary.
    pub after: InForce,
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

/// Lines of the conversation that are, or are not, in the history for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    pub reach: Reach,
    /// In the order of the file.
    pub lines: Vec<u32>,
    /// The line that explains it: the compaction, the last line that the branch shares with the history, or the line at
    /// which the chain of parents ends.
    pub explained_by: Option<u32>,
    /// The parent that line names, if it is not in the file.
    pub missing: Option<Arc<str>>,
}

impl Branch {
    /// The lines as stretches, from the first to the last of each. Lines of other kinds may be between them, but none of
    /// the conversation.
    pub(crate) fn stretches(&self, conversation: &[u32]) -> Vec<(u32, u32)> {
        let place = |line: u32| conversation.partition_point(|other| *other < line);
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        for line in &self.lines {
            match stretches.last_mut() {
                Some((_, last)) if place(*last) + 1 == place(*line) => *last = *line,
                _ => stretches.push((*line, *line)),
            }
        }
        stretches
    }
}

/// All lines of the conversation, in the order of the file.
pub(crate) fn conversation(branches: &[Branch]) -> Vec<u32> {
    let mut lines: Vec<u32> = branches.iter().flat_map(|branch| &branch.lines).copied().collect();
    lines.sort_unstable();
    lines
}

/// Puts lines together that have the same key.
pub(super) fn branches<K: Ord>(lines: impl IntoIterator<Item = (K, u32, Branch)>) -> Vec<Branch> {
    let mut found: BTreeMap<K, Branch> = BTreeMap::new();
    for (key, line, branch) in lines {
        found.entry(key).or_insert(branch).lines.push(line);
    }
    let mut branches: Vec<Branch> = found.into_values().collect();
    branches.iter_mut().for_each(|branch| branch.lines.sort_unstable());
    branches.sort_by(|one, two| one.lines.cmp(&two.lines));
    branches
}

/// How many lines of the conversation have each reason.
pub(super) fn counted(branches: &[Branch]) -> BTreeMap<Reach, usize> {
    let mut counts = BTreeMap::new();
    for branch in branches {
        *counts.entry(branch.reach).or_default() += branch.lines.len();
    }
    counts
}

impl Session {
    /// Every line of the conversation with its reason, in the order of the file.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn reach(&self) -> Vec<(u32, Reach)> {
        let branches = self.examine().branches;
        let lines = branches.iter().flat_map(|branch| branch.lines.iter().map(|line| (*line, branch.reach)));
        let mut lines: Vec<(u32, Reach)> = lines.collect();
        lines.sort_unstable();
        lines
    }

    /// The history in force at a line of the file; without one, at its end.
    pub(crate) fn in_force(&self, line: Option<u32>) -> InForce {
        match self {
            Session::Claude(transcript) => transcript.in_force(line),
            Session::Codex(rollout) => rollout.in_force(line),
        }
    }

    /// The first lines of all answers of the model.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> Vec<u32> {
        match self {
            Session::Claude(transcript) => transcript.steps(),
            Session::Codex(rollout) => rollout.steps_of_model(),
        }
    }

    /// The history before the answer that a line belongs to. `None` if the line is not part of an answer.
    #[cfg(test)]
    pub(crate) fn context(&self, line: u32) -> Option<Context> {
        match self {
            Session::Claude(transcript) => transcript.context(line),
            Session::Codex(rollout) => rollout.context(line),
        }
    }

    /// What each compaction dropped.
    pub(crate) fn all_dropped(&self) -> Vec<Dropped> {
        (1..).map_while(|number| self.dropped(number)).collect()
    }

    /// How many compactions the session has.
    pub(crate) fn compactions(&self) -> usize {
        match self {
            Session::Claude(transcript) => transcript.compactions(),
            Session::Codex(rollout) => rollout.compactions(),
        }
    }

    /// The histories before and after the compaction with this number, counted from 1.
    pub(crate) fn compacted(&self, number: usize) -> Option<Compacted> {
        match self {
            Session::Claude(transcript) => transcript.compacted(number),
            Session::Codex(rollout) => rollout.compacted(number),
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
