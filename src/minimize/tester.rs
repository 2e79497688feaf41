//! Tests of candidates against the predicate: each content once, in order, within a budget.
//!
//! Several candidates may be tested at once, ahead of the one that is next. The result does not depend on that: a test
//! result counts only when its candidate is next, and one that is never needed does not count at all.

use rustc_hash::FxHashMap;

use super::candidate::{Candidate, ContentHash, ContentHasher};
use super::parts::Parts;
use crate::replay::finding::Finding;

/// The result of testing one candidate.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestResult {
    pub holds: bool,
    /// Findings that the candidate reports and the original log does not.
    pub met: Vec<Finding>,
}

/// Decides whether a candidate preserves what minimizing must preserve.
pub(crate) trait Predicate: Sync {
    fn test(&self, candidate: &Candidate) -> TestResult;

    /// Announces the smallest log so far. Most candidates from now on begin like it.
    fn settle(&self, _base: &Candidate) {}
}

/// Runs tests, on one thread or on many.
pub(crate) trait Runner {
    /// How many candidates of about this many events are worth testing at once.
    fn width(&self, events: usize) -> usize;

    /// One result per candidate, in their order.
    fn run(&self, candidates: &[Candidate], predicate: &dyn Predicate) -> Vec<TestResult>;
}

/// Runs one test after the other.
#[cfg(test)]
pub(crate) struct Sequential;

#[cfg(test)]
impl Runner for Sequential {
    fn width(&self, _: usize) -> usize {
        1
    }

    fn run(&self, candidates: &[Candidate], predicate: &dyn Predicate) -> Vec<TestResult> {
        candidates.iter().map(|candidate| predicate.test(candidate)).collect()
    }
}

/// No more tests may run: the budget is used up, or the observer asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BudgetSpent;

/// A finding that the original log does not report, with the smallest candidate that reports it.
#[derive(Clone, Debug)]
pub(crate) struct OtherFinding {
    pub finding: Finding,
    pub candidate: Candidate,
}

/// How far minimizing has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MinimizeProgress {
    pub phase: &'static str,
    pub events: usize,
    pub bytes: u64,
    pub tests: u64,
    /// The most tests that this phase still needs.
    pub ahead: usize,
}

impl MinimizeProgress {
    /// An upper bound for the rest of this phase, if its tests take as long as those before.
    pub(crate) fn seconds_left(&self, elapsed: f64) -> Option<f64> {
        (self.tests > 0).then(|| elapsed / self.tests as f64 * self.ahead as f64)
    }
}

/// Follows the progress of minimizing and may stop it.
pub(crate) trait Observer {
    fn report(&mut self, progress: MinimizeProgress);

    /// Whether to stop with the smallest log so far.
    fn is_over(&self) -> bool;
}

/// An observer that ignores the progress and never stops the work.
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    fn report(&mut self, _: MinimizeProgress) {}

    fn is_over(&self) -> bool {
        false
    }
}

pub(crate) struct Tester<'c> {
    parts: &'c Parts,
    predicate: &'c dyn Predicate,
    runner: &'c dyn Runner,
    observer: &'c mut dyn Observer,
    hasher: ContentHasher,
    max_tests: Option<u64>,
    known: FxHashMap<ContentHash, bool>,
    /// Results of candidates that are not next yet.
    ahead: FxHashMap<ContentHash, TestResult>,
    met: Vec<OtherFinding>,
    pub phase: &'static str,
    /// The most tests that this phase needs after the current ones.
    pub later: usize,
    /// Of the best candidate so far.
    pub events: usize,
    pub bytes: u64,
    pub tests: u64,
    pub cached: u64,
}

/// How many findings of smaller candidates are kept.
const MET_KEPT: usize = 50;

impl<'c> Tester<'c> {
    pub(crate) fn new(
        parts: &'c Parts,
        predicate: &'c dyn Predicate,
        runner: &'c dyn Runner,
        observer: &'c mut dyn Observer,
        max_tests: Option<u64>,
    ) -> Self {
        let (known, ahead, hasher) = (FxHashMap::default(), FxHashMap::default(), ContentHasher::default());
        let (met, phase, later, events, bytes, tests, cached) = (Vec::new(), "", 0, 0, 0, 0, 0);
        Tester {
            parts,
            predicate,
            runner,
            observer,
            hasher,
            max_tests,
            known,
            ahead,
            met,
            phase,
            later,
            events,
            bytes,
            tests,
            cached,
        }
    }

    /// The first of some candidates that holds.
    pub(crate) fn first(
        &mut self,
        count: usize,
        make: &dyn Fn(usize) -> Candidate,
    ) -> Result<Option<usize>, BudgetSpent> {
        let width = self.runner.width(self.events).max(1);
        let mut next = 0;
        while next < count {
            let window: Vec<Candidate> = (next..count.min(next + width)).map(make).collect();
            let hashes: Vec<ContentHash> =
                window.iter().map(|candidate| self.hasher.hash(candidate, self.parts)).collect();
            self.try_ahead(&window, &hashes)?;
            for (candidate, hash) in window.iter().zip(hashes) {
                if self.result(candidate, hash)? {
                    return Ok(Some(next));
                }
                next += 1;
            }
            let (phase, events, bytes, tests) = (self.phase, self.events, self.bytes, self.tests);
            self.observer.report(MinimizeProgress { phase, events, bytes, tests, ahead: count - next + self.later });
        }
        Ok(None)
    }

    pub(crate) fn holds(&mut self, candidate: &Candidate) -> Result<bool, BudgetSpent> {
        self.first(1, &|_| candidate.clone()).map(|found| found.is_some())
    }

    /// Makes this candidate the smallest log so far.
    pub(crate) fn settle(&mut self, base: &Candidate) {
        (self.events, self.bytes) = (base.len(), base.bytes(self.parts));
        self.ahead.clear();
        self.predicate.settle(base);
    }

    pub(crate) fn into_met(self) -> Vec<OtherFinding> {
        self.met
    }

    fn try_ahead(&mut self, window: &[Candidate], hashes: &[ContentHash]) -> Result<(), BudgetSpent> {
        let (mut unknown, mut unknown_hashes) = (Vec::new(), Vec::new());
        for (candidate, hash) in window.iter().zip(hashes) {
            if !self.known.contains_key(hash) && !self.ahead.contains_key(hash) && !unknown_hashes.contains(hash) {
                unknown_hashes.push(*hash);
                unknown.push(candidate.clone());
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        if self.observer.is_over() || self.max_tests.is_some_and(|most| self.tests >= most) {
            return Err(BudgetSpent);
        }
        let results = self.runner.run(&unknown, self.predicate);
        // A test that was stopped half-way has no result.
        if self.observer.is_over() {
            return Err(BudgetSpent);
        }
        self.ahead.extend(unknown_hashes.into_iter().zip(results));
        Ok(())
    }

    /// The result for a candidate that has been tested.
    fn result(&mut self, candidate: &Candidate, hash: ContentHash) -> Result<bool, BudgetSpent> {
        if let Some(known) = self.known.get(&hash) {
            self.cached += 1;
            return Ok(*known);
        }
        if self.max_tests.is_some_and(|most| self.tests >= most) {
            return Err(BudgetSpent);
        }
        self.tests += 1;
        let result = self.ahead.remove(&hash).unwrap_or_else(|| self.predicate.test(candidate));
        self.known.insert(hash, result.holds);
        for finding in result.met {
            self.keep_met(finding, candidate);
        }
        Ok(result.holds)
    }

    fn keep_met(&mut self, finding: Finding, candidate: &Candidate) {
        let same =
            |met: &&mut OtherFinding| met.finding.check == finding.check && met.finding.subjects == finding.subjects;
        let is_room = self.met.len() < MET_KEPT;
        match self.met.iter_mut().find(same) {
            Some(met) if met.candidate.len() <= candidate.len() => {}
            Some(met) => *met = OtherFinding { finding, candidate: candidate.clone() },
            None if is_room => self.met.push(OtherFinding { finding, candidate: candidate.clone() }),
            None => {}
        }
    }
}
