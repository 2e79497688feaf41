//! A log on trial: what a part of it reports, asked again and again.
//!
//! Events are decoded once. A candidate is judged on a fresh ledger, or on a clone of one that has seen the beginning
//! that the candidate shares with the log in hand, and no further than the answer is certain.

use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};

use super::candidate::Candidate;
use super::outline::Outline;
use super::parts::{Parts, Whole};
use super::wanted::Wanted;
use crate::replay::finding::Finding;
use crate::replay::machine::{Machine, Malformed};
use crate::replay::vocabulary::KindId;
use crate::replay::{Place, Seq, damage};

/// Shorter beginnings are judged again faster than they are remembered.
const WORTH_KEEPING_EVENTS: usize = 256;
/// So many beginnings of a log are remembered.
const KEYFRAMES: usize = 16;

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

    /// How many records of a candidate are events.
    fn events(&self, candidate: &Candidate) -> usize;
}

/// The ledgers of a log's beginnings.
struct Keyframes<M: Machine> {
    base: Candidate,
    /// How many records a ledger has seen, ascending.
    kept: Vec<(usize, M::Ledger)>,
}

pub struct OnMachine<'p, M: Machine> {
    parts: &'p Parts,
    events: Vec<Option<Result<M::Event<'p>, Malformed>>>,
    outline: Outline,
    fresh: M::Ledger,
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
        let keyframes = RwLock::new(Keyframes { base: Candidate::default(), kept: Vec::new() });
        OnMachine { parts, events, outline, fresh, keyframes }
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
            None => M::findings(ledger).push(damage::torn_tail(at, Place::default())),
        }
    }

    /// The ledger of the longest beginning that a candidate shares with the log in hand, and its length.
    fn begin(&self, candidate: &Candidate) -> (usize, M::Ledger) {
        let known = self.keyframes.read().unwrap_or_else(PoisonError::into_inner);
        if known.kept.is_empty() {
            return (0, self.fresh.clone());
        }
        let common = candidate.common_beginning(&known.base);
        let nearest = known.kept.iter().rfind(|(seen, _)| *seen <= common);
        nearest.map_or_else(|| (0, self.fresh.clone()), |(seen, ledger)| (*seen, ledger.clone()))
    }

    /// Shows everything that is found to `visit`, as soon as it stands.
    fn run(&self, candidate: &Candidate, visit: &mut dyn FnMut(&Finding) -> ControlFlow<()>) {
        let (seen, mut ledger) = self.begin(candidate);
        let mut told = 0;
        let mut tell = |ledger: &mut M::Ledger| {
            let new = M::findings(ledger).since(told);
            told += new.len();
            new.iter().try_for_each(&mut *visit)
        };
        if tell(&mut ledger).is_break() {
            return;
        }
        for (at, part) in candidate.kept.iter().enumerate().skip(seen) {
            self.judge(&mut ledger, Seq(at as u32), *part, candidate);
            if tell(&mut ledger).is_break() {
                return;
            }
        }
        let mut at_end = M::findings_at_end(&mut ledger);
        if self.events(candidate) == 0 {
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
        self.run(candidate, &mut |finding| {
            found.push(finding.clone());
            ControlFlow::Continue(())
        });
        found.sort_by(|one, two| one.order().cmp(&two.order()));
        found
    }

    fn shows(&self, candidate: &Candidate, wanted: &Wanted, met: &mut dyn FnMut(&Finding)) -> bool {
        let (mut shows, mut others) = (false, Vec::new());
        self.run(candidate, &mut |finding| {
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
        let common = base.common_beginning(&known.base);
        known.kept.retain(|(seen, _)| *seen <= common);
        known.base = base.clone();
        if base.len() < WORTH_KEEPING_EVENTS {
            known.kept.clear();
            return;
        }
        let stride = base.len().div_ceil(KEYFRAMES);
        let (mut seen, mut ledger) = known.kept.last().cloned().unwrap_or_else(|| (0, self.fresh.clone()));
        for (at, part) in base.kept.iter().enumerate().skip(seen) {
            if at - seen >= stride {
                known.kept.push((at, ledger.clone()));
                seen = at;
            }
            self.judge(&mut ledger, Seq(at as u32), *part, base);
        }
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

    fn events(&self, candidate: &Candidate) -> usize {
        candidate.kept.iter().filter(|part| matches!(self.events[**part as usize], Some(Ok(_)))).count()
    }
}
