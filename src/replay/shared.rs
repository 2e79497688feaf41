//! The results of the forward pass so far, shared with all readers of the log while the pass continues.

use std::cell::Cell;
use std::sync::{Arc, PoisonError, RwLock};

use super::Seq;
use super::check::Severity;
use super::direction::Direction;
use super::finding::Finding;
use super::index::Rows;
use super::keyframes::Keyframes;
use super::machine::Machine;
use super::postings::Postings;
use super::vocabulary::EffectTally;

/// The state of the dialect, and the tallies that all dialects have.
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

/// Findings in their order, those of severity info last, and an index of the events that they touch.
#[derive(Clone, Default)]
pub struct FindingList {
    pub list: Vec<Arc<Finding>>,
    /// Event and finding, ascending.
    touching: Vec<(u32, u32)>,
    /// Findings that were counted but not kept.
    pub dropped: u64,
}

impl FindingList {
    /// Builds the list from findings in any order.
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
        let (serious, info) = self.list.split_at(self.serious());
        if direction.is_forward() {
            let first_in = |part: &[Arc<Finding>]| {
                let first = part.partition_point(|finding| place(finding) <= from);
                part[first..].iter().find(begins).map(place)
            };
            first_in(serious).into_iter().chain(first_in(info)).min()
        } else {
            let last_in = |part: &[Arc<Finding>]| {
                let end = part.partition_point(|finding| place(finding) < from);
                part[..end].iter().rev().find(begins).map(place)
            };
            last_in(serious).into_iter().chain(last_in(info)).max()
        }
    }

    /// The number of findings above severity info. They come first.
    pub fn serious(&self) -> usize {
        self.list.partition_point(|finding| finding.severity > Severity::Info)
    }
}

/// How far the pass has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassProgress {
    /// The number of events that readers can see.
    pub events: u32,
    /// How many bytes (or rows) of the log the pass has read.
    pub passed: u64,
    /// The pass has reached the end of the log.
    pub at_end: bool,
    /// The log ends inside the last record, which may change if the log grows.
    pub torn: bool,
}

/// The lock around the shared results. It is only held while a closure runs: a guard that lives until the end of a
/// statement is easily held across a second read, which deadlocks if the pass waits to write in between.
#[derive(Default)]
pub(crate) struct SharedLock<M: Machine>(RwLock<Shared<M>>);

impl<M: Machine> SharedLock<M> {
    pub(crate) fn new(shared: Shared<M>) -> Self {
        SharedLock(RwLock::new(shared))
    }

    /// `look` must not read a timeline again: it copies what it needs, and the caller continues with that.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Shared<M>) -> T) -> T {
        let _looking = Looking::begin();
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Shared<M>) -> T) -> T {
        let _looking = Looking::begin();
        // A panic during a change leaves complete rows behind: no change stops between two of them.
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

thread_local! {
    static IS_LOOKING: Cell<bool> = const { Cell::new(false) };
}

/// Detects nested reads in tests, even if the pass does not write in between.
struct Looking;

impl Looking {
    fn begin() -> Looking {
        let was_looking = IS_LOOKING.replace(true);
        debug_assert!(!was_looking, "the shared results of a pass are read inside another read");
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
    /// For every field, the events that changed it.
    pub writers: Vec<Postings>,
    pub by_kind: Box<[u32; 256]>,
    pub findings: Arc<FindingList>,
    pub progress: PassProgress,
    /// Increases when a row is removed, so that readers drop what they have cached.
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
    /// The approximate memory of the index and the keyframes.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.bytes() + self.keyframes.cost_bytes() + self.writers.iter().map(Postings::bytes).sum::<usize>()
    }
}
