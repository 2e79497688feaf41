//! The units of a log: which records belong together, and what the closure of a finding needs to know about each.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use super::candidate::Candidate;
use super::parts::{Parts, Whole};
use crate::replay::machine::{Machine, Malformed, Unit};
use crate::replay::vocabulary::{KindId, LaneId};

/// How minimizing treats a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitRole {
    Fixed,
    Frame,
    Plain,
}

/// The unit of one record, and what its event is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordUnit {
    pub kind: KindId,
    pub unit: u32,
    /// The lane of the event's kind; malformed records have none.
    pub lane: Option<LaneId>,
    /// Numbered in the order in which they appear.
    pub turn: Option<u32>,
    pub step: Option<u32>,
    /// The call's name, hashed.
    pub call: Option<u64>,
}

#[derive(Default)]
pub(crate) struct UnitMap {
    pub entries: Vec<RecordUnit>,
    roles: Vec<UnitRole>,
    /// Units that are removed only as a whole.
    is_whole: Vec<bool>,
    /// The kinds of each unit's events in their order, hashed.
    shapes: Vec<u64>,
}

impl UnitMap {
    /// Built from decoded records; `None` is a record that was not decoded because it is not whole.
    pub(crate) fn of<'p, M: Machine>(parts: &'p Parts, events: &[Option<Result<M::Event<'p>, Malformed>>]) -> UnitMap {
        let (mut unit_map, mut turns, mut units) = (UnitMap::default(), FxHashMap::default(), FxHashMap::default());
        for (part, event) in (0..).zip(events.iter()) {
            let Some(Ok(event)) = event else {
                let unit = unit_map.unit(UnitRole::Plain);
                let (kind, lane, turn) = (KindId::MALFORMED, None, None);
                unit_map.entries.push(RecordUnit { kind, unit, lane, turn, step: None, call: None });
                continue;
            };
            let unit = match M::unit(event) {
                Unit::Fixed if part == 0 && parts.whole(part) == Whole::Yes => unit_map.unit(UnitRole::Fixed),
                Unit::Fixed | Unit::Alone => unit_map.unit(UnitRole::Plain),
                shared @ Unit::Frame(_) => *units.entry(shared).or_insert_with(|| unit_map.unit(UnitRole::Frame)),
                shared @ Unit::Whole(_) => {
                    let unit = *units.entry(shared).or_insert_with(|| unit_map.unit(UnitRole::Plain));
                    unit_map.is_whole[unit as usize] = true;
                    unit
                }
                shared @ Unit::Of(_) => *units.entry(shared).or_insert_with(|| unit_map.unit(UnitRole::Plain)),
            };
            let entry = M::about(event, |about| {
                let known = turns.len() as u32;
                let turn = about.turn.map(|turn| *turns.entry(hash(turn)).or_insert(known));
                let lane = M::vocabulary().kinds.get(about.kind.0 as usize).map(|word| word.lane);
                RecordUnit { kind: about.kind, unit, lane, turn, step: about.step, call: about.call.map(hash) }
            });
            unit_map.entries.push(entry);
        }
        for entry in &unit_map.entries {
            let shape = &mut unit_map.shapes[entry.unit as usize];
            *shape = hash((*shape, entry.kind.0));
        }
        unit_map
    }

    fn unit(&mut self, role: UnitRole) -> u32 {
        self.roles.push(role);
        self.is_whole.push(false);
        self.shapes.push(0);
        self.roles.len() as u32 - 1
    }

    pub(crate) fn entry(&self, part: u32) -> &RecordUnit {
        &self.entries[part as usize]
    }

    pub(crate) fn role(&self, part: u32) -> UnitRole {
        self.roles[self.entry(part).unit as usize]
    }

    /// A hash of the kinds in the unit of a record.
    pub(crate) fn shape(&self, part: u32) -> u64 {
        self.shapes[self.entry(part).unit as usize]
    }

    /// The records of a candidate by their units of one role, in the order in which these begin.
    pub(crate) fn units(&self, candidate: &Candidate, role: UnitRole) -> Vec<Vec<u32>> {
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

    /// The removable records of a candidate by kind, if there are several of the kind.
    pub(crate) fn kinds(&self, candidate: &Candidate) -> Vec<Vec<u32>> {
        let mut kinds: std::collections::BTreeMap<u8, Vec<u32>> = Default::default();
        let may_go = |part: &u32| self.role(*part) != UnitRole::Fixed && !self.is_in_whole(*part);
        for part in candidate.kept.iter().copied().filter(may_go) {
            kinds.entry(self.entry(part).kind.0).or_default().push(part);
        }
        kinds.into_values().filter(|events| events.len() > 1).collect()
    }

    /// Every removable record of a candidate, each by itself, or with the rest of a unit that stays whole.
    pub(crate) fn singles(&self, candidate: &Candidate) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        for part in candidate.kept.iter().copied().filter(|part| self.role(*part) != UnitRole::Fixed) {
            match places.get(&self.entry(part).unit) {
                Some(place) if self.is_in_whole(part) => groups[*place].push(part),
                _ => {
                    places.insert(self.entry(part).unit, groups.len());
                    groups.push(vec![part]);
                }
            }
        }
        groups
    }

    /// A record of a candidate with everything that has to go with it.
    pub(crate) fn with_unit(&self, candidate: &Candidate, part: u32) -> Vec<u32> {
        if !self.is_in_whole(part) {
            return vec![part];
        }
        let unit = self.entry(part).unit;
        candidate.kept.iter().copied().filter(|other| self.entry(*other).unit == unit).collect()
    }

    fn is_in_whole(&self, part: u32) -> bool {
        self.is_whole[self.entry(part).unit as usize]
    }
}

/// The hash of a name, as a [`RecordUnit`] keeps it.
pub(crate) fn hash(name: impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    name.hash(&mut hasher);
    hasher.finish()
}
