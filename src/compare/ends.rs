//! The identical records at the beginnings and ends of two logs, found by the hash chains of their groups.
//!
//! Chains are compared by bisection, so only a few groups are read, however long the logs are.

use std::ops::{ControlFlow, Range};

use crate::replay::chain::RecordChain;
use crate::replay::imprint::Names;
use crate::replay::index::{GROUP, RecordIdentity, Rows};
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;

use super::align::EventHashes;
use super::run::Side;
use super::{Trouble, of_rows};

/// A log and its side, so that an error can name the log that is gone.
#[derive(Clone, Copy)]
pub(crate) struct ComparedSide<'r> {
    pub replay: &'r dyn Replay,
    pub side: Side,
    pub names: Names,
    pub len: u32,
}

impl ComparedSide<'_> {
    /// The hashes of some events. `watch` is called with the number of events read, and decides whether to continue.
    pub(crate) fn marks(
        &self,
        part: Range<u32>,
        watch: &dyn Fn(u64) -> ControlFlow<()>,
    ) -> Result<Vec<EventHashes>, Trouble> {
        let mut marks = Vec::with_capacity(part.len());
        let mut flow = ControlFlow::Continue(());
        let read = self.replay.imprints(part.clone(), self.names, &mut |imprinted| {
            marks.push(EventHashes { identity: imprinted.identity, said: imprinted.imprint.said(self.names) });
            if marks.len().is_multiple_of(GROUP as usize) {
                flow = watch(marks.len() as u64);
            }
            flow
        });
        read.map_err(|gone| Trouble::Gone(self.side, gone))?;
        if flow.is_break() {
            return Err(Trouble::GaveUp);
        }
        if marks.len() == part.len() { Ok(marks) } else { Err(self.shortened()) }
    }

    fn shortened(&self) -> Trouble {
        let reason = "it became shorter while it was compared; open it again".to_owned();
        Trouble::Gone(self.side, Gone { reason })
    }

    /// The identities of some records, byte for byte.
    fn identities(&self, part: Range<u32>) -> Result<Vec<RecordIdentity>, Trouble> {
        let mut identities = Vec::with_capacity(part.len());
        let read = self.replay.records(part.clone(), &mut |_, record| {
            identities.push(RecordIdentity::of(record));
            ControlFlow::Continue(())
        });
        read.map_err(|gone| Trouble::Gone(self.side, gone))?;
        if identities.len() == part.len() { Ok(identities) } else { Err(self.shortened()) }
    }

    fn before_group(&self, group: u32) -> Option<RecordChain> {
        of_rows(self.replay, |rows| rows.chain_before_group(group))
    }

    /// The chain of the whole log.
    pub(crate) fn whole(&self) -> RecordChain {
        of_rows(self.replay, Rows::chain)
    }

    /// The chain of all records before a place. Its group is read unless the group begins there.
    fn chain(&self, at: u32) -> Result<RecordChain, Trouble> {
        if at == self.len {
            return Ok(self.whole());
        }
        let group = at / GROUP;
        let mut chain = self.before_group(group).unwrap_or_default();
        if at > group * GROUP {
            self.identities(group * GROUP..at)?.iter().for_each(|identity| chain.push(identity.0));
        }
        Ok(chain)
    }
}

/// How many records at the beginning are the same.
pub(crate) fn common_beginning(left: ComparedSide<'_>, right: ComparedSide<'_>) -> Result<u32, Trouble> {
    let shorter = left.len.min(right.len);
    let (mut same, mut end) = (0, shorter / GROUP + 1);
    while end - same > 1 {
        let middle = same + (end - same) / 2;
        let chains = left.before_group(middle).zip(right.before_group(middle));
        let is_same = chains.is_some_and(|(left, right)| left == right);
        (same, end) = if is_same { (middle, end) } else { (same, middle) };
    }
    let part = same * GROUP..(same * GROUP).saturating_add(GROUP).min(shorter);
    let (one, two) = (left.identities(part.clone())?, right.identities(part.clone())?);
    let more = one.iter().zip(&two).take_while(|(one, two)| one == two).count();
    Ok(part.start + more as u32)
}

/// How many records at the end are the same, without those of the common beginning.
pub(crate) fn common_end(left: ComparedSide<'_>, right: ComparedSide<'_>, beginning: u32) -> Result<u32, Trouble> {
    let most = left.len.min(right.len) - beginning;
    let (left_all, right_all) = (left.chain(left.len)?, right.chain(right.len)?);
    // The first group of the left log from which on everything is the same; one past the last group if there is none.
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
    let last = |one: ComparedSide<'_>| one.identities(one.len - known - more..one.len - known);
    let (one, two) = (last(left)?, last(right)?);
    let same = one.iter().rev().zip(two.iter().rev()).take_while(|(one, two)| one == two).count();
    Ok(known + same as u32)
}
