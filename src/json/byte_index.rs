//! An index of the bytes that structure JSON lines: quotes, backslashes and line breaks, found in one scan.
//!
//! Reading a record needs the ends of its lines and strings, whether a string holds escapes, whether the text is valid
//! UTF-8, and whether it holds control characters. One scan over a chunk of many records answers all of these, sixteen
//! bytes at a time, and the readers look the answers up.

use wide::u8x16;

const LANES: usize = 16;
const WORD: usize = 64;

/// The index of a chunk of lines. Positions count from the start of the chunk.
#[derive(Debug, Default)]
pub(crate) struct ByteIndex {
    /// One bit per byte: a quote that no backslash precedes.
    quotes: Vec<u64>,
    /// One bit per byte: a backslash.
    backslashes: Vec<u64>,
    /// One bit per byte: a line break.
    breaks: Vec<u64>,
    /// Whether there are control characters other than line breaks.
    has_controls: bool,
}

impl ByteIndex {
    /// Replaces the index by that of other bytes.
    pub(crate) fn scan(&mut self, bytes: &[u8]) {
        for bits in [&mut self.quotes, &mut self.backslashes, &mut self.breaks] {
            bits.clear();
            bits.reserve(bytes.len() / WORD + 2);
        }
        let mut lowest = u8x16::splat(u8::MAX);
        let mut is_escaped = false;
        let (words, rest) = bytes.as_chunks::<WORD>();
        for word in words {
            self.push(word, &mut lowest, &mut is_escaped);
        }
        if !rest.is_empty() {
            // Bytes after the end must not look like anything.
            let mut last = [b' '; WORD];
            last[..rest.len()].copy_from_slice(rest);
            self.push(&last, &mut lowest, &mut is_escaped);
        }
        // So that the words after the last position exist.
        self.quotes.push(0);
        self.backslashes.push(0);
        self.has_controls = lowest.to_array().iter().any(|byte| *byte < 0x20);
    }

    fn push(&mut self, word: &[u8; WORD], lowest: &mut u8x16, is_escaped: &mut bool) {
        let (mut quotes, mut backslashes, mut breaks) = (0_u64, 0_u64, 0_u64);
        let (parts, _) = word.as_chunks::<LANES>();
        for (at, part) in parts.iter().enumerate() {
            let lanes = u8x16::new(*part);
            let bits = |found: u8x16| (found.move_mask() as u32 as u64) << (at * LANES);
            let is_break = lanes.cmp_eq(u8x16::splat(b'\n'));
            quotes |= bits(lanes.cmp_eq(u8x16::splat(b'"')));
            backslashes |= bits(lanes.cmp_eq(u8x16::splat(b'\\')));
            breaks |= bits(is_break);
            // A line break is the only control character that is expected, so it counts as a large byte here.
            *lowest = lowest.min(lanes | is_break);
        }
        self.quotes.push(quotes & !escaped(backslashes, is_escaped));
        self.backslashes.push(backslashes);
        self.breaks.push(breaks);
    }

    /// Whether there are control characters other than line breaks.
    pub(crate) fn has_controls(&self) -> bool {
        self.has_controls
    }

    /// The first quote at or after a position that is not escaped.
    #[inline]
    pub(crate) fn quote(&self, from: usize) -> Option<usize> {
        next(&self.quotes, from)
    }

    /// The first line break at or after a position.
    #[inline]
    pub(crate) fn line_break(&self, from: usize) -> Option<usize> {
        next(&self.breaks, from)
    }

    /// The first backslash at or after a position.
    #[inline]
    pub(crate) fn backslash(&self, from: usize) -> Option<usize> {
        next(&self.backslashes, from)
    }

    /// Whether there is a backslash in a range.
    #[inline]
    pub(crate) fn has_backslash(&self, from: usize, to: usize) -> bool {
        let (first, last) = (from / WORD, to / WORD);
        let (after, before) = (u64::MAX << (from % WORD), (1 << (to % WORD)) - 1);
        match self.backslashes.get(first..=last) {
            Some([only]) => only & after & before != 0,
            Some([head, between @ .., tail]) => {
                head & after != 0 || tail & before != 0 || between.iter().any(|word| *word != 0)
            }
            _ => false,
        }
    }
}

/// The index of the chunk that a text is in, and where the text begins there.
pub(crate) type ChunkIndex<'a> = Option<(&'a ByteIndex, usize)>;

/// A text within an indexed chunk.
#[derive(Clone, Copy)]
pub(crate) struct IndexedText<'a> {
    pub text: &'a str,
    pub index: &'a ByteIndex,
    /// Where the text begins in the chunk.
    pub from: usize,
}

/// The position of the first bit at or after `from`.
#[inline]
fn next(bits: &[u64], from: usize) -> Option<usize> {
    let mut at = from / WORD;
    let mut word = *bits.get(at)? & (u64::MAX << (from % WORD));
    while word == 0 {
        at += 1;
        word = *bits.get(at)?;
    }
    Some(at * WORD + word.trailing_zeros() as usize)
}

/// The bytes that a backslash escapes. `is_escaped` says whether the first byte is escaped by the word before, and then
/// the same of the next word.
fn escaped(backslashes: u64, is_escaped: &mut bool) -> u64 {
    let mut out = u64::from(*is_escaped);
    let mut left = backslashes & !out;
    *is_escaped = false;
    while left != 0 {
        let at = left.trailing_zeros();
        if at == 63 {
            *is_escaped = true;
            break;
        }
        let next = 1_u64 << (at + 1);
        out |= next;
        // An escaped backslash escapes nothing.
        left &= !(next | (1 << at));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::string::closing_quote;
    use proptest::prelude::*;

    fn index(bytes: &[u8]) -> ByteIndex {
        let mut index = ByteIndex::default();
        // A used index gives the same answers as a new one.
        index.scan(&[b'"'; 300]);
        index.scan(bytes);
        index
    }

    proptest! {
        #![proptest_config(crate::tests::cases::cases!(300, "byte_index"))]

        /// The index agrees with the search byte by byte.
        #[test]
        fn an_index_agrees_with_a_search(
            bytes in prop::collection::vec(prop::sample::select(&b"\\\\\\\"\"\nax\x01\xc3\xa9 "[..]), 0..400),
            from in 0..400_usize,
        ) {
            let index = index(&bytes);
            let controls = bytes.iter().any(|byte| *byte < 0x20 && *byte != b'\n');
            prop_assert_eq!(index.has_controls(), controls);
            let from = from.min(bytes.len());
            let found = bytes[from..].iter().position(|byte| *byte == b'\n').map(|at| from + at);
            prop_assert_eq!(index.line_break(from), found);
            // A literal begins after a quote that is not escaped; what escapes mean outside of literals does not matter.
            if let Some(open) = index.quote(from) {
                let closing = closing_quote(&bytes, open + 1);
                let indexed = index.quote(open + 1).map(|end| (end, index.has_backslash(open + 1, end)));
                prop_assert_eq!(indexed, closing);
            }
        }
    }

    #[test]
    fn the_end_of_a_chunk_is_no_byte() {
        for length in [0, 1, 63, 64, 65, 127, 128] {
            let index = index(&vec![b'"'; length]);
            assert_eq!(index.quote(length), None, "{length}");
            assert_eq!(index.quote(length.saturating_sub(1)).is_some(), length > 0, "{length}");
            assert_eq!((index.line_break(0), index.has_backslash(0, length)), (None, false));
        }
    }
}
