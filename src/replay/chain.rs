//! Chains of hashes: one number for all records up to a place, from which the number of any stretch follows.
//!
//! A group that is read again must have the number that it had. And two logs whose chains agree at a place agree up to
//! it, so that where they part is found by halving, without reading either of them. Since a stretch's number can be had
//! from the chains at its two ends, so is where they meet again, even when one of them is longer.
//!
//! It need not withstand someone who rewrites a log on purpose so that it collides.

/// A prime: every number below it has its own product with the base, so that no pattern of events cancels out.
const MODULUS: u64 = (1 << 61) - 1;
/// Any number that is neither small nor regular.
const BASE: u64 = 0x09E3_779B_97F4_A7C1;

/// The number of some records in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordChain(u64);

impl RecordChain {
    pub fn push(&mut self, hash: u64) {
        // One is added so that a record whose hash is zero counts too.
        let sum = times(self.0, BASE) + hash % (MODULUS - 1) + 1;
        self.0 = sum % MODULUS;
    }

    /// The number of the `count` last records, given that of those before them.
    #[must_use]
    pub fn since(self, before: RecordChain, count: u32) -> RecordChain {
        let carried = times(before.0, power(count));
        RecordChain((self.0 + MODULUS - carried) % MODULUS)
    }
}

fn times(one: u64, two: u64) -> u64 {
    let product = u128::from(one) * u128::from(two);
    // Two to the 61 is one here, so the upper bits count like the lower ones.
    let sum = (product as u64 & MODULUS) + (product >> 61) as u64;
    if sum >= MODULUS { sum - MODULUS } else { sum }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(hashes: &[u64]) -> RecordChain {
        let mut chain = RecordChain::default();
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
