//! What belongs together in a log: the unit of every record, and what of it the closure of a finding asks for.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use super::candidate::Candidate;
use super::parts::{Parts, Whole};
use crate::replay::machine::{Machine, Malformed, Unit};
use crate::replay::vocabulary::{KindId, LaneId};

/// How a unit is treated when a log is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Fixed,
    Frame,
    Plain,
}

/// One record, as far as taking the log apart goes.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub kind: KindId,
    pub unit: u32,
    /// Of the dialect's words; records that are no events have none.
    pub lane: Option<LaneId>,
    /// Numbered in the order in which they appear.
    pub turn: Option<u32>,
    pub step: Option<u32>,
    /// The call's name, hashed.
    pub call: Option<u64>,
}

#[derive(Default)]
pub struct Outline {
    pub entries: Vec<Entry>,
    roles: Vec<Role>,
    /// The kinds of each unit's events in their order, hashed.
    shapes: Vec<u64>,
}

impl Outline {
    /// From decoded records; `None` stands for one that was not decoded because it is not whole.
    pub fn of<'p, M: Machine>(parts: &'p Parts, events: &[Option<Result<M::Event<'p>, Malformed>>]) -> Outline {
        let (mut outline, mut turns, mut units) = (Outline::default(), FxHashMap::default(), FxHashMap::default());
        for (part, event) in (0..).zip(events.iter()) {
            let Some(Ok(event)) = event else {
                let unit = outline.unit(Role::Plain);
                let (kind, lane, turn) = (KindId::MALFORMED, None, None);
                outline.entries.push(Entry { kind, unit, lane, turn, step: None, call: None });
                continue;
            };
            let unit = match M::unit(event) {
                Unit::Fixed if part == 0 && parts.whole(part) == Whole::Yes => outline.unit(Role::Fixed),
                Unit::Fixed | Unit::Alone => outline.unit(Role::Plain),
                shared @ Unit::Frame(_) => *units.entry(shared).or_insert_with(|| outline.unit(Role::Frame)),
                shared @ Unit::Of(_) => *units.entry(shared).or_insert_with(|| outline.unit(Role::Plain)),
            };
            let entry = M::about(event, |about| {
                let known = turns.len() as u32;
                let turn = about.turn.map(|turn| *turns.entry(hash(turn)).or_insert(known));
                let lane = M::vocabulary().kinds.get(about.kind.0 as usize).map(|word| word.lane);
                Entry { kind: about.kind, unit, lane, turn, step: about.step, call: about.call.map(hash) }
            });
            outline.entries.push(entry);
        }
        for entry in &outline.entries {
            let shape = &mut outline.shapes[entry.unit as usize];
            *shape = hash((*shape, entry.kind.0));
        }
        outline
    }

    fn unit(&mut self, role: Role) -> u32 {
        self.roles.push(role);
        self.shapes.push(0);
        self.roles.len() as u32 - 1
    }

    pub fn entry(&self, part: u32) -> &Entry {
        &self.entries[part as usize]
    }

    pub fn role(&self, part: u32) -> Role {
        self.roles[self.entry(part).unit as usize]
    }

    /// What the unit of a record is made of, whatever its events are about.
    pub fn shape(&self, part: u32) -> u64 {
        self.shapes[self.entry(part).unit as usize]
    }

    /// The units of a role that a candidate holds something of, in the order in which they begin.
    pub fn units(&self, candidate: &Candidate, role: Role) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        for part in candidate.kept.iter().copied().filter(|part| self.role(*part) == role) {
            let place = *places.entry(self.entry(part).unit).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[place].push(part);
        }
        groups
    }

    /// The events of a candidate that may go by kind, as far as there are several of one.
    pub fn kinds(&self, candidate: &Candidate) -> Vec<Vec<u32>> {
        let mut kinds: std::collections::BTreeMap<u8, Vec<u32>> = Default::default();
        for part in candidate.kept.iter().copied().filter(|part| self.role(*part) != Role::Fixed) {
            kinds.entry(self.entry(part).kind.0).or_default().push(part);
        }
        kinds.into_values().filter(|events| events.len() > 1).collect()
    }

    /// Every event of a candidate that may go, each by itself.
    pub fn singles(&self, candidate: &Candidate) -> Vec<Vec<u32>> {
        let may_go = |part: &u32| self.role(*part) != Role::Fixed;
        candidate.kept.iter().copied().filter(may_go).map(|part| vec![part]).collect()
    }
}

/// A name, as entries keep it.
pub fn hash(name: impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    name.hash(&mut hasher);
    hasher.finish()
}
