//! A log on trial: what a part of it reports, asked again and again.
//!
//! Events are decoded once. A candidate is judged on a fresh ledger, or on a clone of one that has seen the beginning
//! that the candidate shares with the log in hand, and no further than the answer is certain.

use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};

use super::candidate::Candidate;
use super::keyframes::{Hearing, Keyframes};
use super::outline::Outline;
use super::parts::{Parts, Whole};
use super::wanted::Wanted;
use crate::replay::finding::Finding;
use crate::replay::machine::{Machine, Malformed};
use crate::replay::vocabulary::KindId;
use crate::replay::{Place, Seq, damage};

/// A log of any dialect that candidates are made from.
pub trait Trial: Sync {
    fn parts(&self) -> &Parts;

    fn outline(&self) -> &Outline;

    fn kind_name(&self, kind: KindId) -> &'static str;

    /// All that a candidate reports, in the order of the catalogue.
    fn findings(&self, candidate: &Candidate) -> Vec<Finding>;

    /// Whether a candidate reports what is wanted. If not, `met` gets all that it reports instead.
    fn shows(&self, candidate: &Candidate, wanted: &Wanted, met: &mut dyn FnMut(&Finding)) -> bool;

    /// From now on most candidates begin like this one.
    fn settle(&self, base: &Candidate);

    /// Whether another text is an event too, of the same kind and about the same turn, step and call.
    fn is_alike(&self, event: &[u8], other: &[u8]) -> bool;

    /// Whether any record of a candidate is an event.
    fn has_event(&self, candidate: &Candidate) -> bool;
}

pub struct OnMachine<'p, M: Machine> {
    parts: &'p Parts,
    events: Vec<Option<Result<M::Event<'p>, Malformed>>>,
    outline: Outline,
    fresh: M::Ledger,
    torn_tail: fn(Seq, Place, usize) -> Finding,
    keyframes: RwLock<Keyframes<M>>,
}

impl<'p, M: Machine> OnMachine<'p, M> {
    /// `fresh` is the ledger of a log that nothing was seen of yet.
    pub fn new(parts: &'p Parts, fresh: M::Ledger) -> Self {
        let mut decoder = M::Decoder::default();
        let mut decode = |part: u32| {
            let whole = parts.whole(part) == Whole::Yes;
            whole.then(|| parts.event_or_why(part).and_then(|event| M::decode(&mut decoder, event)))
        };
        let events: Vec<_> = (0..parts.len() as u32).map(&mut decode).collect();
        let outline = Outline::of::<M>(parts, &events);
        let keyframes = RwLock::default();
        OnMachine { parts, events, outline, fresh, torn_tail: |at, place, _| damage::torn_tail(at, place), keyframes }
    }

    /// What the dialect says of a log that ends inside a record of so many bytes.
    #[must_use]
    pub fn with_torn_tail(self, torn_tail: fn(Seq, Place, usize) -> Finding) -> Self {
        OnMachine { torn_tail, ..self }
    }

    /// Judges one record of a candidate.
    fn judge(&self, ledger: &mut M::Ledger, at: Seq, part: u32, candidate: &Candidate) {
        if let Some(edited) = candidate.edits.get(&part) {
            match M::decode(&mut M::Decoder::default(), edited) {
                Ok(event) => M::judge(ledger, at, &event),
                Err(malformed) => M::judge_malformed(ledger, at, Place::default(), &malformed),
            }
            return;
        }
        match &self.events[part as usize] {
            Some(Ok(event)) => M::judge(ledger, at, event),
            Some(Err(malformed)) => M::judge_malformed(ledger, at, Place::default(), malformed),
            None => M::findings(ledger).push(match self.parts.record(part).len() {
                // It ends between two records.
                0 => damage::torn_tail(at, Place::default()),
                bytes => (self.torn_tail)(at, Place::default(), bytes),
            }),
        }
    }

    /// Shows what is found to `visit`, as soon as it stands: everything, or all that matters to one check.
    fn run(&self, candidate: &Candidate, hearing: Hearing, visit: &mut dyn FnMut(&Finding) -> ControlFlow<()>) {
        let known = self.keyframes.read().unwrap_or_else(PoisonError::into_inner);
        let (mut keyframe, fork) = known.nearest(candidate, hearing, &self.fresh);
        drop(known);
        if keyframe.each_found(hearing, visit).is_break() {
            return;
        }
        if let Some(check) = hearing {
            M::findings(&mut keyframe.ledger).listen_to(check);
        }
        // What stands before the first record may be wrong by itself.
        let mut told = 0;
        let mut tell = |ledger: &mut M::Ledger, told: &mut usize| {
            let new = M::findings(ledger).since(*told);
            *told += new.len();
            new.iter().try_for_each(&mut *visit)
        };
        if tell(&mut keyframe.ledger, &mut told).is_break() {
            return;
        }
        for (at, part) in candidate.kept.iter().enumerate().skip(keyframe.seen) {
            if fork == Some(at) {
                keyframe.stop_at(at);
                told = 0;
                self.keyframes.write().unwrap_or_else(PoisonError::into_inner).keep_fork(&keyframe);
            }
            self.judge(&mut keyframe.ledger, Seq(at as u32), *part, candidate);
            if tell(&mut keyframe.ledger, &mut told).is_break() {
                return;
            }
        }
        let mut at_end = M::findings_at_end(&mut keyframe.ledger);
        if !self.has_event(candidate) {
            at_end.push(damage::empty());
        }
        let _ = at_end.since(0).iter().try_for_each(visit);
    }
}

impl<M: Machine> Trial for OnMachine<'_, M> {
    fn parts(&self) -> &Parts {
        self.parts
    }

    fn outline(&self) -> &Outline {
        &self.outline
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

    fn shows(&self, candidate: &Candidate, wanted: &Wanted, met: &mut dyn FnMut(&Finding)) -> bool {
        let (mut shows, mut others) = (false, Vec::new());
        self.run(candidate, Some(wanted.check()), &mut |finding| {
            shows = wanted.is(finding);
            if shows {
                return ControlFlow::Break(());
            }
            if wanted.is_worth_telling(finding) {
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
        let mut known = self.keyframes.write().unwrap_or_else(PoisonError::into_inner);
        known.settle(base, &self.fresh, &|ledger, at, part| self.judge(ledger, at, part, base));
    }

    fn is_alike(&self, event: &[u8], other: &[u8]) -> bool {
        let names = |event: &M::Event<'_>| {
            M::about(event, |about| {
                (about.kind, about.turn.map(str::to_owned), about.step, about.call.map(str::to_owned))
            })
        };
        let (mut one, mut two) = (M::Decoder::default(), M::Decoder::default());
        match (M::decode(&mut one, event), M::decode(&mut two, other)) {
            (Ok(event), Ok(other)) => names(&event) == names(&other),
            _ => false,
        }
    }

    fn has_event(&self, candidate: &Candidate) -> bool {
        candidate.kept.iter().any(|part| matches!(self.events[*part as usize], Some(Ok(_))))
    }
}
