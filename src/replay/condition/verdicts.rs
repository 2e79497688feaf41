//! Answers of the index for a chunk of events at a time: which match for certain, and which may match.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use jaq_json::Val;

use super::input::value;
use super::plain::{Plan, Test};
use crate::replay::Seq;
use crate::replay::index::Rows;
use crate::replay::shared::FindingList;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::FieldId;

pub(super) const CHUNK: u32 = 1024;
const WORDS: usize = CHUNK as usize / 64;
/// If a field is written more often than this in a chunk, the chunk is stepped over once.
const FEW_WRITERS: usize = 4;

/// One bit per event of a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Bits([u64; WORDS]);

impl Bits {
    pub(super) const NONE: Bits = Bits([0; WORDS]);
    const ALL: Bits = Bits([u64::MAX; WORDS]);

    pub(super) fn get(&self, position: u32) -> bool {
        self.0[position as usize / 64] & (1 << (position % 64)) != 0
    }

    pub(super) fn set(&mut self, position: u32) {
        self.0[position as usize / 64] |= 1 << (position % 64);
    }

    fn set_all(&mut self, positions: Range<u32>) {
        positions.for_each(|position| self.set(position));
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Bits::NONE
    }

    /// The bits of a range only.
    pub(super) fn within(mut self, positions: Range<u32>) -> Bits {
        for (word, bits) in self.0.iter_mut().enumerate() {
            let first = word as u32 * 64;
            let from = positions.start.clamp(first, first + 64) - first;
            let to = positions.end.clamp(first, first + 64) - first;
            let below = |bit: u32| if bit == 64 { u64::MAX } else { (1_u64 << bit) - 1 };
            *bits &= below(to) & !below(from);
        }
        self
    }

    fn zip(mut self, other: Bits, with: impl Fn(u64, u64) -> u64) -> Bits {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine = with(*mine, theirs));
        self
    }

    pub(super) fn and(self, other: Bits) -> Bits {
        self.zip(other, |one, two| one & two)
    }

    pub(super) fn or(self, other: Bits) -> Bits {
        self.zip(other, |one, two| one | two)
    }

    pub(super) fn without(self, other: Bits) -> Bits {
        self.zip(other, |one, two| one & !two)
    }

    pub(super) fn iter(self) -> impl DoubleEndedIterator<Item = u32> {
        (0..CHUNK).filter(move |position| self.get(*position))
    }
}

/// The events that match for certain, and those that may match.
#[derive(Clone, Copy)]
pub(super) struct Verdicts {
    pub must: Bits,
    pub can: Bits,
}

impl Verdicts {
    fn sure(bits: Bits) -> Self {
        Verdicts { must: bits, can: bits }
    }

    /// The events for which the filter must be run.
    pub(super) fn unsure(&self) -> Bits {
        self.can.without(self.must)
    }
}

/// Asks the index, chunk after chunk.
pub(super) struct Asking<'r> {
    pub replay: &'r dyn Replay,
    pub findings: Arc<FindingList>,
    /// For each test of a value: the last writer, and the answer since then.
    known: Vec<Option<(Option<Seq>, bool)>>,
}

impl<'r> Asking<'r> {
    pub(super) fn new(replay: &'r dyn Replay, slots: usize) -> Self {
        Asking { replay, findings: replay.findings(), known: vec![None; slots] }
    }

    pub(super) fn chunk(&mut self, plan: &Plan, base: u32) -> Result<Verdicts, Gone> {
        self.findings = self.replay.findings();
        self.verdicts(plan, base)
    }

    fn verdicts(&mut self, plan: &Plan, base: u32) -> Result<Verdicts, Gone> {
        Ok(match plan {
            Plan::Unsure => Verdicts { must: Bits::NONE, can: Bits::ALL },
            Plan::Test(test) => Verdicts::sure(self.test(test, base)?),
            Plan::Not(inner) => {
                let inner = self.verdicts(inner, base)?;
                Verdicts { must: Bits::ALL.without(inner.can), can: Bits::ALL.without(inner.must) }
            }
            Plan::And(one, two) => {
                let one = self.verdicts(one, base)?;
                if one.can.is_empty() {
                    return Ok(one);
                }
                let two = self.verdicts(two, base)?;
                Verdicts { must: one.must.and(two.must), can: one.can.and(two.can) }
            }
            Plan::Or(one, two) => {
                let (one, two) = (self.verdicts(one, base)?, self.verdicts(two, base)?);
                Verdicts { must: one.must.or(two.must), can: one.can.or(two.can) }
            }
        })
    }

    fn test(&mut self, test: &Test, base: u32) -> Result<Bits, Gone> {
        let mut bits = Bits::NONE;
        let mut each = |holds: &dyn Fn(Seq) -> bool| {
            (0..CHUNK).filter(|position| holds(Seq(base + position))).for_each(|position| bits.set(position));
        };
        match test {
            Test::Always(holds) => each(&|_| *holds),
            Test::Kind(kind) => self.rows(|rows| each(&|at| rows.kind(at) == Some(*kind))),
            Test::Effect(effect) => self.rows(|rows| each(&|at| rows.effects(at) & (1 << effect.0) != 0)),
            Test::Changed(field) => self.replay.writers(*field, &mut |writers| {
                let inside = writers.from(Seq(base)).take_while(|at| at.0 - base < CHUNK);
                inside.for_each(|at| bits.set(at.0 - base));
            }),
            Test::Seq { cmp, with } => each(&|at| cmp.run(&Val::from(at.0 as usize), with)),
            Test::FindingCount { cmp, with } => {
                let findings = &self.findings;
                each(&|at| cmp.run(&Val::from(findings.at(at).count()), with));
            }
            Test::Finding(check) => {
                let findings = &self.findings;
                each(&|at| findings.at(at).any(|(_, finding)| finding.check.id == *check));
            }
            Test::After { field, cmp, with, slot } => {
                let holds = |value: Val| cmp.run(&value, with);
                return self.values(*field, *slot, base, &holds);
            }
        }
        Ok(bits)
    }

    fn rows(&self, look: impl FnOnce(&Rows)) {
        let mut look = Some(look);
        self.replay.rows(&mut |rows| {
            if let Some(look) = look.take() {
                look(rows);
            }
        });
    }

    /// A value changes only where it is written.
    fn values(&mut self, field: FieldId, slot: usize, base: u32, holds: &dyn Fn(Val) -> bool) -> Result<Bits, Gone> {
        let end = base.saturating_add(CHUNK).min(self.replay.len());
        let (mut before, mut inside) = (None, Vec::new());
        self.replay.writers(field, &mut |writers| {
            before = writers.before(Seq(base));
            inside = writers.from(Seq(base)).take_while(|at| at.0 < end).collect();
        });
        let mut answer = self.since(field, slot, before, holds)?;
        let mut bits = Bits::NONE;
        let mut from = base;
        for (at, next) in self.answers(field, &inside, holds)? {
            if answer {
                bits.set_all(from - base..at.0 - base);
            }
            (from, answer) = (at.0, next);
        }
        if answer && from < end {
            bits.set_all(from - base..end - base);
        }
        self.known[slot] = Some((inside.last().copied().or(before), answer));
        Ok(bits)
    }

    /// The answer for the value of a writer, or for the initial value if there is none.
    fn since(
        &self,
        field: FieldId,
        slot: usize,
        writer: Option<Seq>,
        holds: &dyn Fn(Val) -> bool,
    ) -> Result<bool, Gone> {
        if let Some((_, answer)) = self.known[slot].filter(|known| known.0 == writer) {
            return Ok(answer);
        }
        let moment = self.replay.moment(writer.unwrap_or_default())?;
        Ok(moment.is_some_and(|moment| match writer {
            Some(_) => holds(value(moment.sides.after(field))),
            None => holds(value(moment.sides.before(field))),
        }))
    }

    fn answers(&self, field: FieldId, writers: &[Seq], holds: &dyn Fn(Val) -> bool) -> Result<Vec<(Seq, bool)>, Gone> {
        let (Some(first), Some(last)) = (writers.first(), writers.last()) else { return Ok(Vec::new()) };
        let mut found = Vec::with_capacity(writers.len());
        if writers.len() <= FEW_WRITERS {
            for at in writers {
                let Some(moment) = self.replay.moment(*at)? else { break };
                found.push((*at, holds(value(moment.sides.after(field)))));
            }
            return Ok(found);
        }
        let mut wanted = writers.iter().peekable();
        self.replay.scan(first.0..last.0 + 1, &mut |sight| {
            if wanted.next_if(|at| **at == sight.at()).is_some() {
                found.push((sight.at(), holds(value(sight.sides().after(field)))));
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_bits_is_exact() {
        for (from, to) in [(0, 0), (0, 1), (63, 65), (64, 128), (5, 1024), (1023, 1024), (1024, 1024), (0, 1024)] {
            let cut: Vec<u32> = Bits::ALL.within(from..to).iter().collect();
            assert_eq!(cut, (from..to).collect::<Vec<_>>());
        }
    }
}
