//! Chains of hashes: one number for all events up to a place, from which the number of any stretch follows.
//!
//! Two logs whose chains agree at a place agree up to it, so that where they part is found by halving, without reading
//! either of them. And since a stretch's number can be had from the chains at its two ends, so is where they meet again,
//! even when one of them is longer.

use std::ops::ControlFlow;

use crate::replay::imprint::{Imprint, Names};
use crate::replay::index::GROUP;
use crate::replay::timeline::Replay;

use super::Trouble;
use super::run::Side;

/// A prime: every number below it has its own product with the base, so that no pattern of events cancels out.
const MODULUS: u64 = (1 << 61) - 1;
/// Any number that is neither small nor regular.
const BASE: u64 = 0x09E3_779B_97F4_A7C1;

/// The number of some events in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chain(u64);

impl Chain {
    pub fn push(&mut self, hash: u64) {
        // One is added so that an event whose hash is zero counts too.
        let sum = times(self.0, BASE) + hash % (MODULUS - 1) + 1;
        self.0 = sum % MODULUS;
    }

    /// The number of the `count` last events, given that of those before them.
    #[must_use]
    pub fn since(self, before: Chain, count: u32) -> Chain {
        let carried = times(before.0, power(count));
        Chain((self.0 + MODULUS - carried) % MODULUS)
    }
}

fn times(one: u64, two: u64) -> u64 {
    (u128::from(one) * u128::from(two) % u128::from(MODULUS)) as u64
}

fn power(mut exponent: u32) -> u64 {
    let (mut square, mut product) = (BASE, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = times(product, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    product
}

/// The chains of all events up to a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chains {
    /// What the events say, their names included.
    exact: Chain,
    /// What the events say whatever they are called.
    fresh: Chain,
    /// All of it, what drifts included.
    all: Chain,
}

impl Chains {
    pub fn push(&mut self, imprint: Imprint) {
        self.exact.push(imprint.said(Names::Exact));
        self.fresh.push(imprint.said(Names::Fresh));
        self.all.push(imprint.all());
    }

    pub fn of(self, names: Names) -> Chain {
        match names {
            Names::Exact => self.exact,
            Names::Fresh => self.fresh,
        }
    }

    pub fn all(self) -> Chain {
        self.all
    }
}

/// The chains before each group of a log, and those of all of it at the end. One walk over the records: whoever only
/// looks at a log does not pay for comparing it.
///
/// `watch` is told how many events have been gone over, and asked whether to go on.
pub fn chains_of(
    replay: &dyn Replay,
    side: Side,
    watch: &dyn Fn(u64) -> ControlFlow<()>,
) -> Result<Vec<Chains>, Trouble> {
    let mut chains = Chains::default();
    let mut all = vec![chains];
    let mut flow = ControlFlow::Continue(());
    let read = replay.imprints(0..replay.len(), Names::Exact, &mut |imprinted| {
        chains.push(imprinted.imprint);
        if (imprinted.at.0 + 1).is_multiple_of(GROUP) {
            all.push(chains);
            flow = watch(u64::from(imprinted.at.0) + 1);
        }
        flow
    });
    read.map_err(|gone| Trouble::Gone(side, gone))?;
    if flow.is_break() {
        return Err(Trouble::GaveUp);
    }
    all.push(chains);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(hashes: &[u64]) -> Chain {
        let mut chain = Chain::default();
        hashes.iter().for_each(|hash| chain.push(*hash));
        chain
    }

    #[test]
    fn a_stretch_has_one_number_wherever_it_stands() {
        let hashes = [7, u64::MAX, 0, 0, MODULUS, 5, 1 << 61];
        for from in 0..=hashes.len() {
            for to in from..=hashes.len() {
                let stretch = chain(&hashes[..to]).since(chain(&hashes[..from]), (to - from) as u32);
                assert_eq!(stretch, chain(&hashes[from..to]), "{from}..{to}");
            }
        }
        assert_ne!(chain(&[1, 2]), chain(&[2, 1]));
        assert_ne!(chain(&[0]), chain(&[0, 0]));
    }
}
