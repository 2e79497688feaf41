//! Search for many known texts at once: linear in the text, and a few bytes per needle.
//!
//! An automaton over tens of thousands of secrets takes gigabytes. Here the needles are in one block of text, in order. The
//! first bytes at a position are looked up in a filter of bits, which rejects nearly all positions; for the others a
//! binary search finds the longest needle that is there.

use std::ops::Range;

/// Every needle has at least this many bytes. The filter looks at so many.
pub(crate) const NEEDLE_FROM_BYTES: usize = 6;
/// Bits of the filter per needle. Two are set for each, so that one position in a thousand passes by chance.
const BITS_PER_NEEDLE: usize = 64;
/// The filter has at least this many bits, as a power of two.
const FILTER_FROM_BITS: u32 = 12;

/// A needle in the block.
struct Needle {
    from: u32,
    to: u32,
    /// The longest other needle that this one begins with, plus one; zero if there is none.
    prefix: u32,
}

/// Needles that are collected for a search, each with the number that the search returns for it.
#[derive(Default)]
pub(crate) struct Needles {
    block: Vec<u8>,
    /// The range in the block, and the number.
    all: Vec<(u32, u32, u32)>,
}

impl Needles {
    pub(crate) fn push(&mut self, needle: &str, of: u32) {
        let from = self.block.len();
        // What does not fit into four gigabytes is not searched for.
        if let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(from + needle.len())) {
            self.block.extend_from_slice(needle.as_bytes());
            self.all.push((from, to, of));
        }
    }

    /// The search, and the number for each of its needles. Of two equal needles, the one with the lower number counts.
    pub(crate) fn search(mut self) -> (NeedleSearch, Vec<u32>) {
        let text = |(from, to, _): &(u32, u32, u32)| &self.block[*from as usize..*to as usize];
        self.all.sort_unstable_by(|one, other| (text(one), one.2).cmp(&(text(other), other.2)));
        self.all.dedup_by(|one, other| text(one) == text(other));
        let ids = self.all.iter().map(|(_, _, of)| *of).collect();
        let needles = self.all.iter().map(|(from, to, _)| Needle { from: *from, to: *to, prefix: 0 }).collect();
        let mut search = NeedleSearch { block: self.block, needles, ..NeedleSearch::default() };
        search.link_prefixes();
        search.fill_filter();
        (search, ids)
    }
}

/// The needles, by their numbers in sorted order.
#[derive(Default)]
pub(crate) struct NeedleSearch {
    block: Vec<u8>,
    needles: Vec<Needle>,
    filter: Vec<u64>,
    /// How far a hash is shifted to become a number of a bit.
    shift: u32,
}

impl NeedleSearch {
    fn link_prefixes(&mut self) {
        // Those that the current needle begins with, the longest last.
        let mut prefixes: Vec<usize> = Vec::new();
        for number in 0..self.needles.len() {
            while prefixes.pop_if(|last| !self.needle(number).starts_with(self.needle(*last))).is_some() {}
            self.needles[number].prefix = prefixes.last().map_or(0, |last| *last as u32 + 1);
            prefixes.push(number);
        }
    }

    fn fill_filter(&mut self) {
        let bits = (self.needles.len() * BITS_PER_NEEDLE).next_power_of_two().trailing_zeros().max(FILTER_FROM_BITS);
        self.shift = u64::BITS - bits;
        self.filter = vec![0; 1 << (bits - 6)];
        for number in 0..self.needles.len() {
            if let Some((word, bits)) = self.bits(self.needle(number)) {
                self.filter[word] |= bits;
            }
        }
    }

    fn needle(&self, number: usize) -> &[u8] {
        let needle = &self.needles[number];
        &self.block[needle.from as usize..needle.to as usize]
    }

    /// The word of the filter for the first bytes of a text, and the bits in it.
    fn bits(&self, text: &[u8]) -> Option<(usize, u64)> {
        let [a, b, c, d, e, f] = *text.first_chunk::<NEEDLE_FROM_BYTES>()?;
        let start = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
        // Multiplying by the golden ratio spreads the bytes over the upper bits.
        let hash = start.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bit = hash >> self.shift;
        Some(((bit / 64) as usize, 1 << (bit % 64) | 1 << (hash >> 20 & 63)))
    }

    /// The longest needle that a text begins with.
    fn at_start(&self, text: &[u8]) -> Option<usize> {
        let after =
            self.needles.partition_point(|needle| &self.block[needle.from as usize..needle.to as usize] <= text);
        let mut number = after.checked_sub(1)?;
        // If the last needle that is not greater is not at the start of the text, those that it begins with may be.
        let common = self.needle(number).iter().zip(text).take_while(|(one, other)| one == other).count();
        while self.needle(number).len() > common {
            number = (self.needles[number].prefix as usize).checked_sub(1)?;
        }
        Some(number)
    }

    /// Calls `each` with every place of a needle, from left to right: the longest where several begin. The search goes on
    /// after the needle if `each` returns true, else at the next byte.
    pub(crate) fn find(&self, text: &[u8], mut each: impl FnMut(Range<usize>, usize) -> bool) {
        if self.needles.is_empty() {
            return;
        }
        let mut at = 0;
        while let Some((word, bits)) = self.bits(&text[at..]) {
            let mut step = 1;
            if self.filter[word] & bits == bits
                && let Some(number) = self.at_start(&text[at..])
            {
                let range = at..at + self.needle(number).len();
                if each(range.clone(), number) {
                    step = range.len();
                }
            }
            at += step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(needles: &[&str], text: &str) -> Vec<(usize, String)> {
        let mut collected = Needles::default();
        (0..).zip(needles).for_each(|(number, needle)| collected.push(needle, number));
        let (search, ids) = collected.search();
        let mut all = Vec::new();
        search.find(text.as_bytes(), |range, number| {
            assert_eq!(&text[range.clone()], needles[ids[number] as usize]);
            all.push((range.start, text[range].to_owned()));
            true
        });
        all
    }

    #[test]
    fn the_longest_needle_at_a_place_is_found() {
        let needles = ["abcdef", "abcdefgh", "abcdefghij", "abcdefxyz", "defghi"];
        let place = |at: usize, text: &str| (at, text.to_owned());
        assert_eq!(found(&needles, "--abcdefghi--"), [place(2, "abcdefgh")]);
        assert_eq!(found(&needles, "abcdefxy abcdefghij"), [place(0, "abcdef"), place(9, "abcdefghij")]);
        assert_eq!(found(&needles, "abcdeabcdefz"), [place(5, "abcdef")]);
        assert_eq!(found(&needles, "xdefghi"), [place(1, "defghi")]);
        assert_eq!(found(&needles, "abcde"), []);
        assert_eq!(found(&[], "abcdef"), []);
    }

    #[test]
    fn it_finds_what_a_simple_search_finds() {
        let words = ["aaaaaa", "aaaaaab", "aaaaaabaa", "abaaba", "baaaaaa", "bbbbbbbb"];
        let text: String = (0..4_000_u32).map(|n| if (n * n / 7 + n / 3) % 5 < 3 { 'a' } else { 'b' }).collect();
        let mut expected = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let longest = words.iter().filter(|word| text[at..].starts_with(**word)).max_by_key(|word| word.len());
            expected.extend(longest.map(|word| (at, (*word).to_owned())));
            at += longest.map_or(1, |word| word.len());
        }
        assert!(!expected.is_empty());
        assert_eq!(found(&words, &text), expected);
    }
}
