//! Ledgers of prefixes of the smallest log so far, so that a candidate with the same prefix is not checked from its
//! first event.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::candidate::Candidate;
use crate::replay::Seq;
use crate::replay::check::{Check, Severity};
use crate::replay::finding::Finding;
use crate::replay::machine::Machine;

/// Shorter prefixes are checked again faster than their ledgers are cloned.
const WORTH_KEEPING_EVENTS: usize = 256;
/// How many prefixes of the log are kept, equally far apart.
const KEYFRAMES: usize = 16;
/// How many prefixes are kept that end where earlier candidates differed: later ones differ near these places.
const FORKS: usize = 8;
/// Cloning a ledger takes as long as checking about this fraction of what it has seen.
const FORK_SHARE: usize = 48;

/// The check whose findings are needed, if it is one: information from all other checks is then skipped.
pub(super) type ReportedCheck = Option<&'static Check>;

/// What was found between two kept prefixes.
#[derive(Default)]
struct SegmentFindings {
    loud: Vec<Finding>,
    /// Information by its check: there may be much of it, and most is not needed.
    quiet: BTreeMap<&'static str, Vec<Finding>>,
}

/// The ledger of a prefix.
pub(super) struct PrefixLedger<M: Machine> {
    /// How many records it has seen.
    pub seen: usize,
    /// Without its findings, so that a clone does not copy them.
    pub ledger: M::Ledger,
    found: Vec<Arc<SegmentFindings>>,
}

impl<M: Machine> Clone for PrefixLedger<M> {
    fn clone(&self) -> Self {
        PrefixLedger { seen: self.seen, ledger: self.ledger.clone(), found: self.found.clone() }
    }
}

impl<M: Machine> PrefixLedger<M> {
    fn fresh(ledger: &M::Ledger) -> Self {
        PrefixLedger { seen: 0, ledger: ledger.clone(), found: Vec::new() }
    }

    /// Makes it the ledger of a prefix of `seen` records. Its findings are set aside; their counts continue.
    pub(super) fn stop_at(&mut self, seen: usize) {
        self.seen = seen;
        let findings = M::findings(&mut self.ledger);
        let rest = findings.continued();
        let mut found = SegmentFindings::default();
        for finding in std::mem::replace(findings, rest).into_list() {
            match finding.severity {
                Severity::Info => found.quiet.entry(finding.check.id).or_default().push(finding),
                _ => found.loud.push(finding),
            }
        }
        self.found.push(Arc::new(found));
    }

    /// Visits what was found in the prefix.
    pub(super) fn each_found(
        &self,
        hearing: ReportedCheck,
        visit: &mut dyn FnMut(&Finding) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
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

/// The ledgers that are kept of the smallest log so far.
pub(super) struct PrefixLedgers<M: Machine> {
    base: Candidate,
    /// Ascending.
    kept: Vec<PrefixLedger<M>>,
    /// Oldest first. They skipped information, so they serve only where one check is needed.
    forks: VecDeque<PrefixLedger<M>>,
}

impl<M: Machine> Default for PrefixLedgers<M> {
    fn default() -> Self {
        PrefixLedgers { base: Candidate::default(), kept: Vec::new(), forks: VecDeque::new() }
    }
}

impl<M: Machine> PrefixLedgers<M> {
    /// The longest prefix of a candidate whose ledger is kept, and the record at which the candidate differs from the
    /// log, if a ledger is worth keeping there.
    pub(super) fn nearest(
        &self,
        candidate: &Candidate,
        hearing: ReportedCheck,
        fresh: &M::Ledger,
    ) -> (PrefixLedger<M>, Option<usize>) {
        if self.kept.is_empty() {
            return (PrefixLedger::fresh(fresh), None);
        }
        let common = candidate.common_beginning(&self.base);
        let forks = self.forks.iter().filter(|_| hearing.is_some());
        let all = self.kept.iter().chain(forks).filter(|prefix| prefix.seen <= common);
        let nearest = all.max_by_key(|prefix| prefix.seen).cloned().unwrap_or_else(|| PrefixLedger::fresh(fresh));
        let worth = WORTH_KEEPING_EVENTS.max(common / FORK_SHARE);
        let is_fork = hearing.is_some() && common >= nearest.seen + worth;
        (nearest, is_fork.then_some(common))
    }

    pub(super) fn keep_fork(&mut self, fork: &PrefixLedger<M>) {
        if self.forks.len() == FORKS {
            self.forks.pop_front();
        }
        self.forks.push_back(fork.clone());
    }

    /// Makes `base` the smallest log so far.
    pub(super) fn settle(&mut self, base: &Candidate, fresh: &M::Ledger, check: &dyn Fn(&mut M::Ledger, Seq, u32)) {
        let common = base.common_beginning(&self.base);
        self.kept.retain(|prefix| prefix.seen <= common);
        self.forks.retain(|prefix| prefix.seen <= common);
        self.base = base.clone();
        if base.len() < WORTH_KEEPING_EVENTS {
            self.kept.clear();
            self.forks.clear();
            return;
        }
        let stride = base.len().div_ceil(KEYFRAMES);
        let mut prefix = self.kept.last().cloned().unwrap_or_else(|| PrefixLedger::fresh(fresh));
        while base.len() - prefix.seen > stride {
            let from = prefix.seen;
            for (at, part) in base.kept.iter().enumerate().skip(from).take(stride) {
                check(&mut prefix.ledger, Seq(at as u32), *part);
            }
            prefix.stop_at(from + stride);
            self.kept.push(prefix.clone());
        }
    }
}
