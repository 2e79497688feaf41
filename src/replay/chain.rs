//! Chains of record hashes: one number for all records up to a place, from which the number of any range follows.
//!
//! A group that is read again must have the same number as before. Two logs whose chains agree at a place agree up to
//! it, so the place where they diverge is found by bisection, without reading them. The number of a range follows from
//! the chains at its two ends, so the common end of two logs is found in the same way, even if one of them is longer.
//!
//! It does not protect against a log that was crafted to collide.

/// A prime: every smaller number has a different product with the base, so that no pattern of events cancels out.
const MODULUS: u64 = (1 << 61) - 1;
/// Any number that is neither small nor regular.
const BASE: u64 = 0x09E3_779B_97F4_A7C1;

/// The number of some records in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordChain(u64);

impl RecordChain {
    pub fn push(&mut self, hash: u64) {
        // One is added so that a record with hash zero counts, too.
        let sum = times(self.0, BASE) + hash % (MODULUS - 1) + 1;
        self.0 = sum % MODULUS;
    }

    /// The number of the last `count` records, given that of the records before them.
    #[must_use]
    pub fn since(self, before: RecordChain, count: u32) -> RecordChain {
        let carried = times(before.0, power(count));
        RecordChain((self.0 + MODULUS - carried) % MODULUS)
    }
}

fn times(one: u64, two: u64) -> u64 {
    let product = u128::from(one) * u128::from(two);
    // Modulo 2^61 - 1, the upper bits count like the lower ones.
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
    fn equal_ranges_have_equal_numbers_at_any_position() {
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
