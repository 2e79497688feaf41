//! What two logs have in common at their beginnings and ends, found by the chains of their groups.
//!
//! Chains are compared by halving, so that a few groups are read however long the logs are.

use std::ops::{ControlFlow, Range};

use crate::replay::imprint::Names;
use crate::replay::index::GROUP;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;

use super::Trouble;
use super::align::Mark;
use super::chain::{Chain, Chains};
use super::run::Side;

/// A log and which side it is, so that whoever reads it can say which one is gone.
#[derive(Clone, Copy)]
pub struct One<'r> {
    pub replay: &'r dyn Replay,
    /// Before each group, and of all at the end.
    pub chains: &'r [Chains],
    pub side: Side,
    pub names: Names,
    pub len: u32,
}

impl One<'_> {
    pub fn marks(&self, part: Range<u32>) -> Result<Vec<Mark>, Trouble> {
        let mut marks = Vec::with_capacity(part.len());
        let read = self.replay.imprints(part.clone(), self.names, &mut |imprinted| {
            marks.push(Mark { identity: imprinted.identity, said: imprinted.imprint.said(self.names) });
            ControlFlow::Continue(())
        });
        read.map_err(|gone| Trouble::Gone(self.side, gone))?;
        if marks.len() != part.len() {
            let reason = "it became shorter while it was compared; open it again".to_owned();
            return Err(Trouble::Gone(self.side, Gone { reason }));
        }
        Ok(marks)
    }

    fn before_group(&self, group: u32) -> Option<Chain> {
        let begins = group <= self.len / GROUP;
        self.chains.get(group as usize).filter(|_| begins).map(|chains| chains.of(self.names))
    }

    /// The chain of the whole log.
    pub fn whole(&self) -> Chain {
        self.chains.last().copied().unwrap_or_default().of(self.names)
    }

    /// The chain of all events before a place. One group is read unless a group begins there.
    fn chain(&self, at: u32) -> Result<Chain, Trouble> {
        let group = at / GROUP;
        let mut chain = self.before_group(group).unwrap_or_default();
        if at > group * GROUP {
            self.marks(group * GROUP..at)?.iter().for_each(|mark| chain.push(mark.said));
        }
        Ok(chain)
    }
}

/// How many events at the beginning say the same.
pub fn common_beginning(left: One<'_>, right: One<'_>) -> Result<u32, Trouble> {
    let shorter = left.len.min(right.len);
    let (mut same, mut end) = (0, shorter / GROUP + 1);
    while end - same > 1 {
        let middle = same + (end - same) / 2;
        let chains = left.before_group(middle).zip(right.before_group(middle));
        let is_same = chains.is_some_and(|(left, right)| left == right);
        (same, end) = if is_same { (middle, end) } else { (same, middle) };
    }
    let part = same * GROUP..(same * GROUP).saturating_add(GROUP).min(shorter);
    let (one, two) = (left.marks(part.clone())?, right.marks(part.clone())?);
    let more = one.iter().zip(&two).take_while(|(one, two)| one.said == two.said).count();
    Ok(part.start + more as u32)
}

/// How many events at the end say the same, those of the beginning aside.
pub fn common_end(left: One<'_>, right: One<'_>, beginning: u32) -> Result<u32, Trouble> {
    let most = left.len.min(right.len) - beginning;
    let (left_all, right_all) = (left.chain(left.len)?, right.chain(right.len)?);
    // The first group of the left log from whose beginning on all is the same; the one past the last if there is none.
    let (mut first, mut end) = ((left.len - most).div_ceil(GROUP), left.len / GROUP + 1);
    while first < end {
        let middle = first + (end - first) / 2;
        let count = left.len - middle * GROUP;
        let one = left_all.since(left.chain(middle * GROUP)?, count);
        let two = right_all.since(right.chain(right.len - count)?, count);
        (first, end) = if one == two { (first, middle) } else { (middle + 1, end) };
    }
    let known = left.len.saturating_sub(first.saturating_mul(GROUP)).min(most);
    let more = (most - known).min(GROUP);
    let last = |one: One<'_>| one.marks(one.len - known - more..one.len - known);
    let (one, two) = (last(left)?, last(right)?);
    let same = one.iter().rev().zip(two.iter().rev()).take_while(|(one, two)| one.said == two.said).count();
    Ok(known + same as u32)
}
