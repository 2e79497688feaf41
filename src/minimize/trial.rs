//! A log on trial: what a part of it reports, asked again and again.
//!
//! Events are decoded once. A candidate is judged on a fresh ledger, or on a clone of one that has seen the beginning
//! that the candidate shares with the log in hand, and no further than the answer is certain.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError, RwLock};

use super::candidate::Candidate;
use super::outline::Outline;
use super::parts::{Parts, Whole};
use super::wanted::Wanted;
use crate::replay::check::Check;
use crate::replay::finding::Finding;
use crate::replay::machine::{Machine, Malformed};
use crate::replay::vocabulary::KindId;
use crate::replay::{Place, Seq, damage};

/// Shorter beginnings are judged again faster than they are remembered.
const WORTH_KEEPING_EVENTS: usize = 256;
/// So many beginnings of a log are remembered, equally far apart.
const KEYFRAMES: usize = 16;
/// And so many of the places where the candidates before went their own way: the next ones do so near them.
const FORKS: usize = 8;
/// A ledger is cloned in the time that it takes to judge about this share of what it has seen.
const FORK_SHARE: usize = 48;

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

/// The ledger of a log's beginning.
struct Keyframe<M: Machine> {
    /// How many records it has seen.
    seen: usize,
    /// Without what was found, so that a clone does not copy it.
    ledger: M::Ledger,
    found: Vec<Arc<[Finding]>>,
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

    /// Sets aside what the ledger holds of findings; it goes on counting.
    fn set_findings_aside(&mut self) {
        let findings = M::findings(&mut self.ledger);
        let rest = findings.continued();
        let list = std::mem::replace(findings, rest).into_list();
        if !list.is_empty() {
            self.found.push(list.into());
        }
    }
}

/// The ledgers of the beginnings of the log in hand.
struct Keyframes<M: Machine> {
    base: Candidate,
    /// Ascending.
    kept: Vec<Keyframe<M>>,
    /// The last ones, oldest first.
    forks: VecDeque<Keyframe<M>>,
}

/// Whose findings somebody waits for; information of all others is then passed over.
type Hearing = Option<&'static Check>;

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
        let keyframes = RwLock::new(Keyframes { base: Candidate::default(), kept: Vec::new(), forks: VecDeque::new() });
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

    /// The longest beginning that a candidate shares with the log in hand, as far as its ledger is known, and the
    /// record at which it goes its own way.
    fn begin(&self, candidate: &Candidate, hearing: Hearing) -> (Keyframe<M>, usize) {
        let known = self.keyframes.read().unwrap_or_else(PoisonError::into_inner);
        if known.kept.is_empty() {
            return (Keyframe::fresh(&self.fresh), 0);
        }
        let common = candidate.common_beginning(&known.base);
        let forks = known.forks.iter().filter(|_| hearing.is_some());
        let all = known.kept.iter().chain(forks).filter(|keyframe| keyframe.seen <= common);
        let nearest = all.max_by_key(|keyframe| keyframe.seen);
        (nearest.cloned().unwrap_or_else(|| Keyframe::fresh(&self.fresh)), common)
    }

    /// Remembers where a candidate goes its own way.
    fn keep_fork(&self, fork: &Keyframe<M>) {
        let mut known = self.keyframes.write().unwrap_or_else(PoisonError::into_inner);
        if known.forks.len() == FORKS {
            known.forks.pop_front();
        }
        known.forks.push_back(fork.clone());
    }

    /// Shows what is found to `visit`, as soon as it stands: everything, or all that matters to one check.
    fn run(&self, candidate: &Candidate, hearing: Hearing, visit: &mut dyn FnMut(&Finding) -> ControlFlow<()>) {
        let (mut keyframe, fork) = self.begin(candidate, hearing);
        if keyframe.found.iter().flat_map(|found| found.iter()).try_for_each(&mut *visit).is_break() {
            return;
        }
        // Forks have not heard everything, so they serve only those who do not ask for it.
        let is_fork_worth_keeping =
            hearing.is_some() && fork >= keyframe.seen + WORTH_KEEPING_EVENTS.max(fork / FORK_SHARE);
        if let Some(check) = hearing {
            M::findings(&mut keyframe.ledger).listen_to(check);
        }
        let mut told = 0;
        for (at, part) in candidate.kept.iter().enumerate().skip(keyframe.seen) {
            if at == fork && is_fork_worth_keeping {
                keyframe.seen = at;
                keyframe.set_findings_aside();
                told = 0;
                self.keep_fork(&keyframe);
            }
            self.judge(&mut keyframe.ledger, Seq(at as u32), *part, candidate);
            let new = M::findings(&mut keyframe.ledger).since(told);
            told += new.len();
            if new.iter().try_for_each(&mut *visit).is_break() {
                return;
            }
        }
        let mut at_end = M::findings_at_end(&mut keyframe.ledger);
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
        let common = base.common_beginning(&known.base);
        known.kept.retain(|keyframe| keyframe.seen <= common);
        known.forks.retain(|keyframe| keyframe.seen <= common);
        known.base = base.clone();
        if base.len() < WORTH_KEEPING_EVENTS {
            known.kept.clear();
            known.forks.clear();
            return;
        }
        let stride = base.len().div_ceil(KEYFRAMES);
        let mut keyframe = known.kept.last().cloned().unwrap_or_else(|| Keyframe::fresh(&self.fresh));
        while base.len() - keyframe.seen > stride {
            let from = keyframe.seen;
            for (at, part) in base.kept.iter().enumerate().skip(from).take(stride) {
                self.judge(&mut keyframe.ledger, Seq(at as u32), *part, base);
            }
            keyframe.seen = from + stride;
            keyframe.set_findings_aside();
            known.kept.push(keyframe.clone());
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
