//! What the forward pass has found out so far, for everyone who looks at the log meanwhile.

use std::sync::Arc;

use super::Seq;
use super::finding::Finding;
use super::index::Rows;
use super::keyframes::Keyframes;
use super::machine::Machine;
use super::postings::Postings;
use super::vocabulary::EffectTally;

/// The dialect's state and what every dialect counts.
pub struct Frame<M: Machine> {
    pub state: M::State,
    pub tally: EffectTally,
}

impl<M: Machine> Frame<M> {
    /// One step.
    pub fn step(&mut self, at: Seq, event: &M::Event<'_>) {
        let tally = &mut self.tally;
        M::effects(&self.state, event, &mut |effect, _| tally.add(effect));
        M::apply(&mut self.state, at, event);
    }
}

impl<M: Machine> Clone for Frame<M> {
    fn clone(&self) -> Self {
        Frame { state: self.state.clone(), tally: self.tally }
    }
}

impl<M: Machine> Default for Frame<M> {
    fn default() -> Self {
        Frame { state: M::State::default(), tally: EffectTally::default() }
    }
}

/// Findings in the order of the catalogue, and which of them touch an event.
#[derive(Clone, Default)]
pub struct FindingList {
    pub list: Vec<Arc<Finding>>,
    /// Event and finding, ascending.
    touching: Vec<(u32, u32)>,
    /// Findings that were counted but not kept.
    pub dropped: u64,
}

impl FindingList {
    /// From findings in any order.
    pub fn of(mut list: Vec<Arc<Finding>>, dropped: u64) -> Self {
        list.sort_by(|one, two| one.order().cmp(&two.order()));
        let places = |(number, finding): (usize, &Arc<Finding>)| {
            finding.at.iter().map(move |at| (at.0, number as u32)).collect::<Vec<_>>()
        };
        let mut touching: Vec<(u32, u32)> = list.iter().enumerate().flat_map(places).collect();
        touching.sort_unstable();
        touching.dedup();
        FindingList { list, touching, dropped }
    }

    /// The findings that touch an event, with their numbers.
    pub fn at(&self, at: Seq) -> impl Iterator<Item = (usize, &Arc<Finding>)> {
        let from = self.touching.partition_point(|entry| entry.0 < at.0);
        let here = self.touching[from..].iter().take_while(move |entry| entry.0 == at.0);
        here.map(|entry| (entry.1 as usize, &self.list[entry.1 as usize]))
    }

    /// The next event in a direction at which a finding that `test` accepts begins.
    pub fn next(&self, from: Seq, forward: bool, test: impl Fn(&Finding) -> bool) -> Option<Seq> {
        let begins = |finding: &&Arc<Finding>| test(finding);
        let place = |finding: &Arc<Finding>| finding.at[0];
        if forward {
            let first = self.list.partition_point(|finding| place(finding) <= from);
            self.list[first..].iter().find(begins).map(place)
        } else {
            let end = self.list.partition_point(|finding| place(finding) < from);
            self.list[..end].iter().rev().find(begins).map(place)
        }
    }
}

/// How far the pass is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Events that can be looked at.
    pub events: u32,
    /// Bytes (or rows) of the log that the pass has gone over.
    pub passed: u64,
    /// The pass has seen the end of the log.
    pub at_end: bool,
    /// The log ends inside the last record, which may become another one when there is more.
    pub torn: bool,
}

pub struct Shared<M: Machine> {
    pub rows: Rows,
    pub keyframes: Keyframes<Frame<M>>,
    /// For every field the events that changed it.
    pub writers: Vec<Postings>,
    pub by_kind: Box<[u32; 256]>,
    pub findings: Arc<FindingList>,
    pub progress: Progress,
    /// Goes up when a row was taken back, so that nobody goes on with what he remembers of it.
    pub generation: u32,
}

impl<M: Machine> Default for Shared<M> {
    fn default() -> Self {
        Shared {
            rows: Rows::default(),
            keyframes: Keyframes::default(),
            writers: vec![Postings::default(); M::vocabulary().fields.len()],
            by_kind: Box::new([0; 256]),
            findings: Arc::default(),
            progress: Progress::default(),
            generation: 0,
        }
    }
}

impl<M: Machine> Shared<M> {
    /// What the index and the keyframes hold, roughly.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.keyframes.cost_bytes() + self.writers.iter().map(Postings::bytes).sum::<usize>()
    }
}
