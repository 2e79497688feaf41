//! Search for a byte that is probably near: keys and ids are short, and escapes are close together, so two words of
//! eight bytes are searched before a vector search is set up.

use memchr::{memchr, memchr2};

const WORD: usize = 8;
const NEAR: usize = 2 * WORD;

/// The first quote or backslash.
#[inline]
pub(super) fn quote_or_backslash(bytes: &[u8]) -> Option<usize> {
    match near(bytes, |word| matches(word, b'"') | matches(word, b'\\')) {
        Some(found) => Some(found),
        None => memchr2(b'"', b'\\', bytes.get(NEAR..)?).map(|found| found + NEAR),
    }
}

/// The first backslash.
#[inline]
pub(super) fn backslash(bytes: &[u8]) -> Option<usize> {
    match near(bytes, |word| matches(word, b'\\')) {
        Some(found) => Some(found),
        None => memchr(b'\\', bytes.get(NEAR..)?).map(|found| found + NEAR),
    }
}

/// The first hit within the near bytes.
#[inline]
fn near(bytes: &[u8], hits: impl Fn(u64) -> u64) -> Option<usize> {
    for from in [0, WORD] {
        let Some(word) = bytes.get(from..from + WORD) else {
            // Less than a word is left, so zeros fill it up.
            let rest = bytes.get(from..)?;
            let mut word = [0; WORD];
            word[..rest.len()].copy_from_slice(rest);
            return first(hits(u64::from_le_bytes(word))).map(|found| from + found);
        };
        let word = u64::from_le_bytes(word.try_into().ok()?);
        if let Some(found) = first(hits(word)) {
            return Some(from + found);
        }
    }
    None
}

#[inline]
fn first(hits: u64) -> Option<usize> {
    (hits != 0).then(|| (hits.trailing_zeros() / 8) as usize)
}

/// The high bit of the lowest byte of `word` that equals `byte` (higher bits may be wrong, the lowest never is).
const fn matches(word: u64, byte: u8) -> u64 {
    let low = 0x0101_0101_0101_0101_u64;
    let difference = word ^ (low * byte as u64);
    difference.wrapping_sub(low) & !difference & (low << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_at_any_position() {
        for length in 0..70 {
            let plain = vec![b'x'; length];
            assert_eq!((quote_or_backslash(&plain), backslash(&plain)), (None, None), "{length}");
            for at in 0..length {
                let mut text = plain.clone();
                text[at] = b'\\';
                assert_eq!((quote_or_backslash(&text), backslash(&text)), (Some(at), Some(at)), "{at} of {length}");
                text[at] = b'"';
                assert_eq!((quote_or_backslash(&text), backslash(&text)), (Some(at), None), "{at} of {length}");
            }
        }
    }
}
