//! Guesses at the records that a finding needs, small guesses first. A wrong guess costs one test.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::Candidate;
use super::unit_map::{UnitMap, UnitRole, hash};
use crate::replay::finding::Finding;

/// A guess keeps at most this fraction of the candidate (one half): the search alone is as fast as a larger guess.
const WORTH_TRYING: usize = 2;
/// Units of rare shapes are at most this fraction of the candidate.
const ODD_SHARE: usize = 64;
const GUESSES: usize = 6;

/// Subsets of a candidate that may be enough for a finding, from few records to many. The finding's numbers are those
/// of the candidate. The iterator is lazy: usually the first guess is right.
pub(crate) fn closures<'o>(
    unit_map: &'o UnitMap,
    candidate: &'o Candidate,
    finding: &Finding,
) -> impl Iterator<Item = Vec<u32>> + use<'o> {
    let closure = Closure::of(unit_map, candidate, finding);
    let mut smaller: Vec<Vec<u32>> = Vec::new();
    (0..GUESSES).filter_map(move |guess| {
        let stays = |part: &u32| match unit_map.role(*part) {
            UnitRole::Fixed => true,
            UnitRole::Frame => closure.has_turn(*part) || closure.has_unit(*part),
            UnitRole::Plain => closure.has_unit(*part) || closure.guesses(guess, *part),
        };
        let kept: Vec<u32> = candidate.kept.iter().copied().filter(stays).collect();
        let is_new = kept.len() <= candidate.len() / WORTH_TRYING && !smaller.contains(&kept);
        is_new.then(|| {
            smaller.push(kept.clone());
            kept
        })
    })
}

/// The shapes that only few units have. A fault is often visible in the shape alone, and testing all of these together
/// costs little.
fn odd_shapes(unit_map: &UnitMap, candidate: &Candidate) -> FxHashSet<u64> {
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    for part in candidate.kept.iter().copied() {
        *counts.entry(unit_map.shape(part)).or_default() += 1;
    }
    let mut counts: Vec<(usize, u64)> = counts.into_iter().map(|(shape, count)| (count, shape)).collect();
    counts.sort_unstable();
    let mut room = candidate.len() / ODD_SHARE;
    let fits = |(count, _): &(usize, u64)| {
        let rest = room.checked_sub(*count);
        room = rest.unwrap_or_default();
        rest.is_some()
    };
    counts.into_iter().take_while(fits).map(|(_, shape)| shape).collect()
}

/// The units, turns, steps and lanes that a finding touches.
struct Closure<'o> {
    unit_map: &'o UnitMap,
    units: FxHashSet<u32>,
    turns: FxHashSet<Option<u32>>,
    steps: FxHashSet<(Option<u32>, u32)>,
    lanes: FxHashSet<u8>,
    odd: OnceCell<FxHashSet<u64>>,
    candidate: &'o Candidate,
    last: u32,
}

impl<'o> Closure<'o> {
    fn of(unit_map: &'o UnitMap, candidate: &'o Candidate, finding: &Finding) -> Closure<'o> {
        let touched = finding.at.iter().filter_map(|at| candidate.kept.get(at.0 as usize).copied());
        let touched: FxHashSet<u32> = touched.collect();
        let named: FxHashSet<u64> = finding.subjects.iter().map(|(_, value)| hash(value)).collect();
        let is_named = |part: u32| unit_map.entry(part).call.is_some_and(|call| named.contains(&call));
        let last = touched.iter().copied().max().unwrap_or_default();
        let mut closure = Closure {
            unit_map,
            units: FxHashSet::default(),
            turns: FxHashSet::default(),
            steps: FxHashSet::default(),
            lanes: FxHashSet::default(),
            odd: OnceCell::new(),
            candidate,
            last,
        };
        for part in candidate.kept.iter().copied().filter(|part| touched.contains(part) || is_named(*part)) {
            closure.units.insert(unit_map.entry(part).unit);
        }
        for part in candidate.kept.iter().copied().filter(|part| closure.units.contains(&unit_map.entry(*part).unit)) {
            let entry = unit_map.entry(part);
            closure.turns.insert(entry.turn);
            closure.steps.extend(entry.step.map(|step| (entry.turn, step)));
            closure.lanes.extend(entry.lane.map(|lane| lane.0));
        }
        closure
    }

    /// Whether a guess keeps more than the units of the finding.
    fn guesses(&self, guess: usize, part: u32) -> bool {
        match guess {
            0 => false,
            1 => self.has_step(part),
            2 => self.is_odd(part),
            3 => self.has_turn(part) && self.has_lane(part),
            4 => self.has_turn(part) && part <= self.last,
            _ => self.has_turn(part),
        }
    }

    fn is_odd(&self, part: u32) -> bool {
        self.odd.get_or_init(|| odd_shapes(self.unit_map, self.candidate)).contains(&self.unit_map.shape(part))
    }

    fn has_unit(&self, part: u32) -> bool {
        self.units.contains(&self.unit_map.entry(part).unit)
    }

    fn has_turn(&self, part: u32) -> bool {
        self.turns.contains(&self.unit_map.entry(part).turn)
    }

    fn has_step(&self, part: u32) -> bool {
        let entry = self.unit_map.entry(part);
        entry.step.is_some_and(|step| self.steps.contains(&(entry.turn, step)))
    }

    fn has_lane(&self, part: u32) -> bool {
        self.unit_map.entry(part).lane.is_some_and(|lane| self.lanes.contains(&lane.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::checker::{CandidateChecker, MachineChecker};
    use crate::minimize::parts::Parts;
    use crate::turn::checker::TurnChecker;
    use crate::turn::machine::TurnLog;

    #[test]
    fn guesses_grow_from_the_units_of_a_finding_to_its_turn() {
        let ended = |turn: &str| {
            format!(r#"{{"event_type":"turn_ended","turn_id":"{turn}","outcome":"completed","total_steps":1}}"#)
        };
        let steer = |turn: &str, step: u32| {
            format!(r#"{{"event_type":"steer_injected","turn_id":"{turn}","step_idx":{step},"text":"x"}}"#)
        };
        let started = |turn: &str| {
            format!(r#"{{"event_type":"tool_call_started","turn_id":"{turn}","call_id":"c","wave_idx":0}}"#)
        };
        let mut lines = vec![
            steer("other", 1),
            started("mine"),
            steer("mine", 1),
            steer("mine", 2),
            ended("mine"),
            started("other"),
            ended("other"),
        ];
        lines.extend((0..10).map(|step| steer("third", step)));
        let parts = Parts::of_lines(&lines.join("\n"));
        let checker = MachineChecker::<TurnLog>::new(&parts, TurnChecker::new(None));
        let all = Candidate::all(&parts);
        let found = checker.findings(&all);
        let no_start = found.iter().find(|finding| finding.check.id == "turn/no-start").expect("no start");
        assert!(closures(checker.unit_map(), &all, no_start).eq([vec![0, 6], vec![0, 5, 6]]));
        // The call's name is a subject, so the other turn's call of that name is kept, too.
        let unplanned = found.iter().find(|finding| finding.check.id == "turn/unplanned-start").expect("a start");
        assert_eq!(closures(checker.unit_map(), &all, unplanned).next(), Some(vec![1, 4, 5, 6]));
    }
    #[test]
    fn units_of_odd_shapes_are_a_guess_as_long_as_they_are_few() {
        let line = |call: usize, kind: &str| {
            format!(r#"{{"event_type":"tool_call_{kind}","turn_id":"t","call_id":"c{call}","wave_idx":0}}"#)
        };
        let mut lines: Vec<String> = (0..200).map(|call| line(call, "started")).collect();
        lines[40] = line(7, "started");
        lines[90] = line(300, "missing");
        let parts = Parts::of_lines(&lines.join("\n"));
        let checker = MachineChecker::<TurnLog>::new(&parts, TurnChecker::new(None));
        let all = Candidate::all(&parts);
        let odd = odd_shapes(checker.unit_map(), &all);
        let is_odd = |part: &u32| odd.contains(&checker.unit_map().shape(*part));
        // A call that started twice, and a record that is not an event.
        assert_eq!(all.kept.iter().copied().filter(is_odd).collect::<Vec<_>>(), [7, 40, 90]);
        assert!(odd_shapes(checker.unit_map(), &all.without(&(100..200).collect::<Vec<_>>())).len() < 2);
    }
}
