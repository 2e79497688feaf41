//! Where candidates are tried: each content once, in the order in which it was asked for, within a budget.
//!
//! Several may be tried at once, ahead of the one whose turn it is. What comes out does not depend on it: an answer
//! that was not asked for in the end is neither counted nor believed before its turn.

use rustc_hash::FxHashMap;

use super::candidate::{Candidate, Content, Contents};
use super::parts::Parts;
use crate::replay::finding::Finding;

/// What became of a candidate.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub holds: bool,
    /// What it reports instead, where that is new.
    pub met: Vec<Finding>,
}

/// Decides whether a candidate is as interesting as the log that it was made from.
pub trait Oracle: Sync {
    fn ask(&self, candidate: &Candidate) -> Answer;

    /// From now on most candidates begin like this one.
    fn settle(&self, _base: &Candidate) {}
}

/// Who does the work.
pub trait Runner {
    /// How many candidates of about so many events are worth trying at once.
    fn width(&self, events: usize) -> usize;

    /// An answer for each, in their order.
    fn run(&self, candidates: &[Candidate], oracle: &dyn Oracle) -> Vec<Answer>;
}

/// One after the other.
pub struct InOrder;

impl Runner for InOrder {
    fn width(&self, _: usize) -> usize {
        1
    }

    fn run(&self, candidates: &[Candidate], oracle: &dyn Oracle) -> Vec<Answer> {
        candidates.iter().map(|candidate| oracle.ask(candidate)).collect()
    }
}

/// No more tests: the budget is used up, or somebody wants it to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over;

/// A finding that turned up on the way, and the smallest candidate that showed it.
#[derive(Clone, Debug)]
pub struct Met {
    pub finding: Finding,
    pub candidate: Candidate,
}

/// How far it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub phase: &'static str,
    pub events: usize,
    pub bytes: u64,
    pub tests: u64,
    /// Tests that this pass takes at most from here on.
    pub ahead: usize,
}

impl Progress {
    /// How long this pass takes at most from here on, if all its tests take as long as those before.
    pub fn seconds_left(&self, elapsed: f64) -> Option<f64> {
        (self.tests > 0).then(|| elapsed / self.tests as f64 * self.ahead as f64)
    }
}

/// What watches and limits the work.
pub trait Clerk {
    fn tell(&mut self, progress: Progress);

    /// Whether to stop with what there is.
    fn is_over(&self) -> bool;
}

/// Nobody looks, and there is all the time of the world.
pub struct Nobody;

impl Clerk for Nobody {
    fn tell(&mut self, _: Progress) {}

    fn is_over(&self) -> bool {
        false
    }
}

pub struct Court<'c> {
    parts: &'c Parts,
    oracle: &'c dyn Oracle,
    runner: &'c dyn Runner,
    clerk: &'c mut dyn Clerk,
    contents: Contents,
    max_tests: Option<u64>,
    known: FxHashMap<Content, bool>,
    /// Answers that nobody has asked for yet.
    ahead: FxHashMap<Content, Answer>,
    met: Vec<Met>,
    pub phase: &'static str,
    /// Tests that this pass takes at most behind those that are asked for now.
    pub later: usize,
    /// Of the best candidate so far.
    pub events: usize,
    pub bytes: u64,
    pub tests: u64,
    pub cached: u64,
}

/// Of the findings met on the way so many are kept.
const MET_KEPT: usize = 50;

impl<'c> Court<'c> {
    pub fn new(
        parts: &'c Parts,
        oracle: &'c dyn Oracle,
        runner: &'c dyn Runner,
        clerk: &'c mut dyn Clerk,
        max_tests: Option<u64>,
    ) -> Self {
        let (known, ahead, contents) = (FxHashMap::default(), FxHashMap::default(), Contents::default());
        let (met, phase, later, events, bytes, tests, cached) = (Vec::new(), "", 0, 0, 0, 0, 0);
        Court {
            parts,
            oracle,
            runner,
            clerk,
            contents,
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
    pub fn first(&mut self, count: usize, make: &dyn Fn(usize) -> Candidate) -> Result<Option<usize>, Over> {
        let width = self.runner.width(self.events).max(1);
        let mut next = 0;
        while next < count {
            let window: Vec<Candidate> = (next..count.min(next + width)).map(make).collect();
            let names: Vec<Content> =
                window.iter().map(|candidate| self.contents.name(candidate, self.parts)).collect();
            self.try_ahead(&window, &names)?;
            for (candidate, name) in window.iter().zip(names) {
                if self.answer(candidate, name)? {
                    return Ok(Some(next));
                }
                next += 1;
            }
            let (phase, events, bytes, tests) = (self.phase, self.events, self.bytes, self.tests);
            self.clerk.tell(Progress { phase, events, bytes, tests, ahead: count - next + self.later });
        }
        Ok(None)
    }

    pub fn holds(&mut self, candidate: &Candidate) -> Result<bool, Over> {
        self.first(1, &|_| candidate.clone()).map(|found| found.is_some())
    }

    /// The log in hand is this one now.
    pub fn settle(&mut self, base: &Candidate) {
        (self.events, self.bytes) = (base.len(), base.bytes(self.parts));
        self.ahead.clear();
        self.oracle.settle(base);
    }

    pub fn into_met(self) -> Vec<Met> {
        self.met
    }

    fn try_ahead(&mut self, window: &[Candidate], names: &[Content]) -> Result<(), Over> {
        let (mut unknown, mut unknown_names) = (Vec::new(), Vec::new());
        for (candidate, name) in window.iter().zip(names) {
            if !self.known.contains_key(name) && !self.ahead.contains_key(name) && !unknown_names.contains(name) {
                unknown_names.push(*name);
                unknown.push(candidate.clone());
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        if self.clerk.is_over() || self.max_tests.is_some_and(|most| self.tests >= most) {
            return Err(Over);
        }
        let answers = self.runner.run(&unknown, self.oracle);
        // Whoever was stopped in the middle of a test has not answered it.
        if self.clerk.is_over() {
            return Err(Over);
        }
        self.ahead.extend(unknown_names.into_iter().zip(answers));
        Ok(())
    }

    /// The answer for a candidate that has been tried.
    fn answer(&mut self, candidate: &Candidate, name: Content) -> Result<bool, Over> {
        if let Some(known) = self.known.get(&name) {
            self.cached += 1;
            return Ok(*known);
        }
        if self.max_tests.is_some_and(|most| self.tests >= most) {
            return Err(Over);
        }
        self.tests += 1;
        let answer = self.ahead.remove(&name).unwrap_or_else(|| self.oracle.ask(candidate));
        self.known.insert(name, answer.holds);
        for finding in answer.met {
            self.keep_met(finding, candidate);
        }
        Ok(answer.holds)
    }

    fn keep_met(&mut self, finding: Finding, candidate: &Candidate) {
        let same = |met: &&mut Met| met.finding.check == finding.check && met.finding.subjects == finding.subjects;
        let is_room = self.met.len() < MET_KEPT;
        match self.met.iter_mut().find(same) {
            Some(met) if met.candidate.len() <= candidate.len() => {}
            Some(met) => *met = Met { finding, candidate: candidate.clone() },
            None if is_room => self.met.push(Met { finding, candidate: candidate.clone() }),
            None => {}
        }
    }
}
