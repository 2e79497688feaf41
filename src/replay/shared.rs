//! The results of the forward pass so far, shared with every reader of the log while the pass goes on.

use std::cell::Cell;
use std::sync::{Arc, PoisonError, RwLock};

use super::Seq;
use super::direction::Direction;
use super::finding::Finding;
use super::index::Rows;
use super::keyframes::Keyframes;
use super::machine::Machine;
use super::postings::Postings;
use super::vocabulary::EffectTally;

/// The dialect's state and what every dialect counts.
pub(crate) struct Frame<M: Machine> {
    pub state: M::State,
    pub tally: EffectTally,
}

impl<M: Machine> Frame<M> {
    /// One step.
    pub(crate) fn step(&mut self, at: Seq, event: &M::Event<'_>) {
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
    pub fn next(&self, from: Seq, direction: Direction, test: impl Fn(&Finding) -> bool) -> Option<Seq> {
        let begins = |finding: &&Arc<Finding>| test(finding);
        let place = |finding: &Arc<Finding>| finding.at[0];
        if direction.is_forward() {
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
pub struct PassProgress {
    /// Events that can be looked at.
    pub events: u32,
    /// Bytes (or rows) of the log that the pass has gone over.
    pub passed: u64,
    /// The pass has seen the end of the log.
    pub at_end: bool,
    /// The log ends inside the last record, which may become another one when there is more.
    pub torn: bool,
}

/// The lock around what the pass shares. It is only held while a closure runs: a guard that lives until the end of a
/// statement is easily held across a second look, which waits for the pass while the pass waits for the first one.
#[derive(Default)]
pub(crate) struct SharedLock<M: Machine>(RwLock<Shared<M>>);

impl<M: Machine> SharedLock<M> {
    pub(crate) fn new(shared: Shared<M>) -> Self {
        SharedLock(RwLock::new(shared))
    }

    /// `look` must not look at a timeline again: it takes out what it needs, and the caller goes on with that.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Shared<M>) -> T) -> T {
        let _looking = Looking::begin();
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Shared<M>) -> T) -> T {
        let _looking = Looking::begin();
        // A panic while changing leaves whole rows behind: no change stops between two of them.
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

thread_local! {
    static IS_LOOKING: Cell<bool> = const { Cell::new(false) };
}

/// Finds a look inside a look wherever tests run into one, not only when the pass happens to write in between.
struct Looking;

impl Looking {
    fn begin() -> Looking {
        let was_looking = IS_LOOKING.replace(true);
        debug_assert!(!was_looking, "the shared results of a pass are looked at inside another look");
        Looking
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        IS_LOOKING.set(false);
    }
}

pub(crate) struct Shared<M: Machine> {
    pub rows: Rows,
    pub keyframes: Keyframes<Frame<M>>,
    /// For every field the events that changed it.
    pub writers: Vec<Postings>,
    pub by_kind: Box<[u32; 256]>,
    pub findings: Arc<FindingList>,
    pub progress: PassProgress,
    /// Increases when a row is taken back, so that no reader uses what it remembers of it.
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
            progress: PassProgress::default(),
            generation: 0,
        }
    }
}

impl<M: Machine> Shared<M> {
    /// What the index and the keyframes hold, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.bytes() + self.keyframes.cost_bytes() + self.writers.iter().map(Postings::bytes).sum::<usize>()
    }
}
