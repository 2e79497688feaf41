//! The checks of a dialect, run over one candidate after another.
//!
//! Events are decoded once. A candidate is checked with a fresh ledger, or with a clone of one that has seen the prefix
//! that the candidate shares with the smallest log so far, and only until the result is certain.

use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};

use super::candidate::Candidate;
use super::parts::{Parts, Whole};
use super::prefix::{PrefixLedgers, ReportedCheck};
use super::target::TargetFinding;
use super::unit_map::UnitMap;
use crate::replay::check_pass::{check_decoded, wrapping_around};
use crate::replay::finding::Finding;
use crate::replay::machine::{Machine, Malformed};
use crate::replay::vocabulary::KindId;
use crate::replay::{Place, Seq, damage};

/// Checks candidates of one log, of any dialect.
pub(crate) trait CandidateChecker: Sync {
    fn parts(&self) -> &Parts;

    fn unit_map(&self) -> &UnitMap;

    fn kind_name(&self, kind: KindId) -> &'static str;

    /// All findings of a candidate, in the order of the catalogue.
    fn findings(&self, candidate: &Candidate) -> Vec<Finding>;

    /// Whether a candidate reports the target. If not, `met` gets its other findings.
    fn shows(&self, candidate: &Candidate, target: &TargetFinding, met: &mut dyn FnMut(&Finding)) -> bool;

    /// Announces the smallest log so far. Most candidates from now on begin like it.
    fn settle(&self, base: &Candidate);

    /// Whether another text is also an event, of the same kind and about the same turn, step and call.
    fn is_alike(&self, event: &[u8], other: &[u8]) -> bool;

    /// Whether a candidate has events and no damaged record. An incomplete end is not one.
    fn is_sound(&self, candidate: &Candidate) -> bool;
}

pub(crate) struct MachineChecker<'p, M: Machine> {
    parts: &'p Parts,
    decoder: M::Decoder,
    events: Vec<Option<Result<M::Event<'p>, Malformed>>>,
    unit_map: UnitMap,
    fresh: M::Ledger,
    torn_tail: fn(Seq, Place, usize) -> Finding,
    prefixes: RwLock<PrefixLedgers<M>>,
}

impl<'p, M: Machine> MachineChecker<'p, M> {
    /// For a log without sidecars.
    #[cfg(test)]
    pub(crate) fn new(parts: &'p Parts, fresh: M::Ledger) -> Self {
        Self::decoding(parts, M::Decoder::default(), fresh)
    }

    /// `fresh` is the ledger before the first record.
    pub(crate) fn decoding(parts: &'p Parts, mut decoder: M::Decoder, fresh: M::Ledger) -> Self {
        let mut decode = |part: u32| {
            let whole = parts.whole(part) == Whole::Yes;
            whole.then(|| parts.event_or_why(part).and_then(|event| M::decode(&mut decoder, event)))
        };
        let events: Vec<_> = (0..parts.len() as u32).map(&mut decode).collect();
        let unit_map = UnitMap::of::<M>(parts, &events);
        let prefixes = RwLock::default();
        MachineChecker {
            parts,
            decoder,
            events,
            unit_map,
            fresh,
            torn_tail: |at, place, _| damage::torn_tail(at, place),
            prefixes,
        }
    }

    /// The finding of the dialect for a log that ends inside a record of so many bytes.
    #[must_use]
    pub(crate) fn with_torn_tail(self, torn_tail: fn(Seq, Place, usize) -> Finding) -> Self {
        MachineChecker { torn_tail, ..self }
    }

    /// Whether any record of a candidate is an event.
    fn has_event(&self, candidate: &Candidate) -> bool {
        candidate.kept.iter().any(|part| matches!(self.events[*part as usize], Some(Ok(_))))
    }

    /// Tells the ledger which events of the original are left out.
    fn skip(&self, ledger: &mut M::Ledger, parts: std::ops::Range<u32>) {
        if !M::CLOSES_GAPS {
            return;
        }
        for event in self.events[parts.start as usize..parts.end as usize].iter() {
            if let Some(Ok(event)) = event {
                M::check_removed(ledger, event);
            }
        }
    }

    /// Checks one record of a candidate, after those of the original that are left out before it.
    fn check(&self, ledger: &mut M::Ledger, at: Seq, part: u32, candidate: &Candidate) {
        let before = at.0.checked_sub(1).and_then(|before| candidate.kept.get(before as usize));
        self.skip(ledger, before.map_or(0, |before| before + 1)..part);
        let wrapping = wrapping_around(self.parts.record(part), &self.parts.event_or_why(part));
        if let Some(edited) = candidate.edits.get(&part) {
            let decoded = M::decode(&mut self.decoder.clone(), edited);
            return check_decoded::<M>(ledger, at, Place::default(), wrapping, &decoded);
        }
        match &self.events[part as usize] {
            Some(decoded) => check_decoded::<M>(ledger, at, Place::default(), wrapping, decoded),
            None => M::findings(ledger).push(match self.parts.record(part).len() {
                // It ends between two records.
                0 => damage::torn_tail(at, Place::default()),
                bytes => (self.torn_tail)(at, Place::default(), bytes),
            }),
        }
    }

    /// Passes findings to `visit` as soon as they are certain: all of them, or those that matter to one check.
    fn run(&self, candidate: &Candidate, hearing: ReportedCheck, visit: &mut dyn FnMut(&Finding) -> ControlFlow<()>) {
        let known = self.prefixes.read().unwrap_or_else(PoisonError::into_inner);
        let (mut prefix, fork) = known.nearest(candidate, hearing, &self.fresh);
        drop(known);
        if prefix.each_found(hearing, visit).is_break() {
            return;
        }
        if let Some(check) = hearing {
            M::findings(&mut prefix.ledger).limit_info_to(check);
        }
        // There may be findings before the first record.
        let mut visited = 0;
        let mut visit_new = |ledger: &mut M::Ledger, visited: &mut usize| {
            let new = M::findings(ledger).since(*visited);
            *visited += new.len();
            new.iter().try_for_each(&mut *visit)
        };
        if visit_new(&mut prefix.ledger, &mut visited).is_break() {
            return;
        }
        for (at, part) in candidate.kept.iter().enumerate().skip(prefix.seen) {
            if fork == Some(at) {
                prefix.stop_at(at);
                visited = 0;
                self.prefixes.write().unwrap_or_else(PoisonError::into_inner).keep_fork(&prefix);
            }
            self.check(&mut prefix.ledger, Seq(at as u32), *part, candidate);
            if visit_new(&mut prefix.ledger, &mut visited).is_break() {
                return;
            }
        }
        self.skip(&mut prefix.ledger, candidate.kept.last().map_or(0, |last| last + 1)..self.events.len() as u32);
        let mut at_end = M::findings_at_end(&mut prefix.ledger);
        if !self.has_event(candidate) {
            at_end.push(damage::empty());
        }
        let _ = at_end.since(0).iter().try_for_each(visit);
    }
}

impl<M: Machine> CandidateChecker for MachineChecker<'_, M> {
    fn parts(&self) -> &Parts {
        self.parts
    }

    fn unit_map(&self) -> &UnitMap {
        &self.unit_map
    }

    fn kind_name(&self, kind: KindId) -> &'static str {
        M::vocabulary().kind_name(kind)
    }

    fn findings(&self, candidate: &Candidate) -> Vec<Finding> {
        let mut found = Vec::new();
        self.run(candidate, None, &mut |finding| {
            found.push(finding.clone());
            ControlFlow::Continue(())
        });
        found.sort_by(|one, two| one.order().cmp(&two.order()));
        found
    }

    fn shows(&self, candidate: &Candidate, target: &TargetFinding, met: &mut dyn FnMut(&Finding)) -> bool {
        let (mut shows, mut others) = (false, Vec::new());
        self.run(candidate, Some(target.check()), &mut |finding| {
            shows = target.is(finding);
            if shows {
                return ControlFlow::Break(());
            }
            if target.is_worth_reporting(finding) {
                others.push(finding.clone());
            }
            ControlFlow::Continue(())
        });
        if !shows {
            others.iter().for_each(met);
        }
        shows
    }

    fn settle(&self, base: &Candidate) {
        let mut known = self.prefixes.write().unwrap_or_else(PoisonError::into_inner);
        known.settle(base, &self.fresh, &|ledger, at, part| self.check(ledger, at, part, base));
    }

    fn is_alike(&self, event: &[u8], other: &[u8]) -> bool {
        let (mut one, mut two) = (self.decoder.clone(), self.decoder.clone());
        match (M::decode(&mut one, event), M::decode(&mut two, other)) {
            (Ok(event), Ok(other)) => M::is_alike(&event, &other),
            _ => false,
        }
    }

    fn is_sound(&self, candidate: &Candidate) -> bool {
        let is_damaged = |part: &u32| matches!(self.events[*part as usize], Some(Err(_)));
        self.has_event(candidate) && !candidate.kept.iter().any(is_damaged)
    }
}
