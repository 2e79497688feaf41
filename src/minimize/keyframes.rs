//! Ledgers of beginnings of the log in hand, so that a candidate that begins like it is not judged from its first event.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::candidate::Candidate;
use crate::replay::Seq;
use crate::replay::check::{Check, Severity};
use crate::replay::finding::Finding;
use crate::replay::machine::Machine;

/// Shorter beginnings are judged again faster than they are remembered.
const WORTH_KEEPING_EVENTS: usize = 256;
/// So many beginnings of a log are remembered, equally far apart.
const KEYFRAMES: usize = 16;
/// And so many of the places where the candidates before went their own way: the next ones do so near them.
const FORKS: usize = 8;
/// A ledger is cloned in the time that it takes to judge about this share of what it has seen.
const FORK_SHARE: usize = 48;

/// Whose findings somebody waits for; information of all other checks is then passed over.
pub type Hearing = Option<&'static Check>;

/// What was found between two keyframes.
#[derive(Default)]
struct Found {
    loud: Vec<Finding>,
    /// Information by its check: a log may hold much of it that nobody asks for.
    quiet: BTreeMap<&'static str, Vec<Finding>>,
}

/// The ledger of a beginning.
pub struct Keyframe<M: Machine> {
    /// How many records it has seen.
    pub seen: usize,
    /// Without what was found up to there, so that a clone does not copy it.
    pub ledger: M::Ledger,
    found: Vec<Arc<Found>>,
}

impl<M: Machine> Clone for Keyframe<M> {
    fn clone(&self) -> Self {
        Keyframe { seen: self.seen, ledger: self.ledger.clone(), found: self.found.clone() }
    }
}

impl<M: Machine> Keyframe<M> {
    fn fresh(ledger: &M::Ledger) -> Self {
        Keyframe { seen: 0, ledger: ledger.clone(), found: Vec::new() }
    }

    /// Makes it the keyframe of so many records, which its ledger has seen. What it found is set aside, and it goes on
    /// counting.
    pub fn stop_at(&mut self, seen: usize) {
        self.seen = seen;
        let findings = M::findings(&mut self.ledger);
        let rest = findings.continued();
        let mut found = Found::default();
        for finding in std::mem::replace(findings, rest).into_list() {
            match finding.severity {
                Severity::Info => found.quiet.entry(finding.check.id).or_default().push(finding),
                _ => found.loud.push(finding),
            }
        }
        self.found.push(Arc::new(found));
    }

    /// Shows what was found up to it.
    pub fn each_found(&self, hearing: Hearing, visit: &mut dyn FnMut(&Finding) -> ControlFlow<()>) -> ControlFlow<()> {
        for found in &self.found {
            found.loud.iter().try_for_each(&mut *visit)?;
            match hearing {
                Some(check) => found.quiet.get(check.id).into_iter().flatten().try_for_each(&mut *visit)?,
                None => found.quiet.values().flatten().try_for_each(&mut *visit)?,
            }
        }
        ControlFlow::Continue(())
    }
}

/// What is known of the log in hand.
pub struct Keyframes<M: Machine> {
    base: Candidate,
    /// Ascending.
    kept: Vec<Keyframe<M>>,
    /// The last ones, oldest first. They have not heard everything, so they serve only those who do not ask for it.
    forks: VecDeque<Keyframe<M>>,
}

impl<M: Machine> Default for Keyframes<M> {
    fn default() -> Self {
        Keyframes { base: Candidate::default(), kept: Vec::new(), forks: VecDeque::new() }
    }
}

impl<M: Machine> Keyframes<M> {
    /// The longest beginning of a candidate whose ledger is known, and the record at which the candidate goes its own
    /// way, if its ledger is worth keeping there.
    pub fn nearest(&self, candidate: &Candidate, hearing: Hearing, fresh: &M::Ledger) -> (Keyframe<M>, Option<usize>) {
        if self.kept.is_empty() {
            return (Keyframe::fresh(fresh), None);
        }
        let common = candidate.common_beginning(&self.base);
        let forks = self.forks.iter().filter(|_| hearing.is_some());
        let all = self.kept.iter().chain(forks).filter(|keyframe| keyframe.seen <= common);
        let nearest = all.max_by_key(|keyframe| keyframe.seen).cloned().unwrap_or_else(|| Keyframe::fresh(fresh));
        let worth = WORTH_KEEPING_EVENTS.max(common / FORK_SHARE);
        let is_fork = hearing.is_some() && common >= nearest.seen + worth;
        (nearest, is_fork.then_some(common))
    }

    pub fn keep_fork(&mut self, fork: &Keyframe<M>) {
        if self.forks.len() == FORKS {
            self.forks.pop_front();
        }
        self.forks.push_back(fork.clone());
    }

    /// The log in hand is this one from now on.
    pub fn settle(&mut self, base: &Candidate, fresh: &M::Ledger, judge: &dyn Fn(&mut M::Ledger, Seq, u32)) {
        let common = base.common_beginning(&self.base);
        self.kept.retain(|keyframe| keyframe.seen <= common);
        self.forks.retain(|keyframe| keyframe.seen <= common);
        self.base = base.clone();
        if base.len() < WORTH_KEEPING_EVENTS {
            self.kept.clear();
            self.forks.clear();
            return;
        }
        let stride = base.len().div_ceil(KEYFRAMES);
        let mut keyframe = self.kept.last().cloned().unwrap_or_else(|| Keyframe::fresh(fresh));
        while base.len() - keyframe.seen > stride {
            let from = keyframe.seen;
            for (at, part) in base.kept.iter().enumerate().skip(from).take(stride) {
                judge(&mut keyframe.ledger, Seq(at as u32), *part);
            }
            keyframe.stop_at(from + stride);
            self.kept.push(keyframe.clone());
        }
    }
}
