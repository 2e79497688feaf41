//! The lines of a file: where they are, and what can be wrong with their bytes.

use super::shape::Shape;

/// A longer line is not read.
pub(crate) const LINE_LIMIT_BYTES: usize = 1 << 30;

/// Where a line is in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineAt {
    /// From 1.
    pub number: u32,
    /// The first byte.
    pub from: u64,
    /// It ends with a line feed; only the last line may not.
    pub is_terminated: bool,
}

/// Why a line is not a JSON object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    Malformed,
    /// NUL bytes only.
    Nul,
    /// The last line, without a line feed: it was cut while it was written.
    Torn,
}

/// A line without its line feed.
pub(crate) enum Content<'a> {
    Blank,
    Damaged(Damage),
    Object(Shape<'a>),
}

/// Reads a line loosely.
pub(crate) fn content<'a>(at: LineAt, bytes: &'a [u8]) -> Content<'a> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Content::Blank;
    }
    match Shape::parse(bytes) {
        Some(shape) if shape.is_object(Shape::ROOT) => Content::Object(shape),
        Some(_) => Content::Damaged(Damage::Malformed),
        None if !at.is_terminated => Content::Damaged(Damage::Torn),
        None if bytes.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace()) => Content::Damaged(Damage::Nul),
        None => Content::Damaged(Damage::Malformed),
    }
}

/// Calls a function for every line of a text that is in memory.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn each(bytes: &[u8], mut line: impl FnMut(LineAt, &[u8])) {
    let (mut from, mut number) = (0, 1_u32);
    while from < bytes.len() {
        let found = memchr::memchr(b'\n', &bytes[from..]);
        let end = found.map_or(bytes.len(), |found| from + found);
        line(LineAt { number, from: from as u64, is_terminated: found.is_some() }, &bytes[from..end]);
        (from, number) = (end + 1, number.saturating_add(1));
    }
}

/// Reads lines again, for repairs. `None` if they are no longer there.
pub(crate) trait Lines {
    fn read(&self, from: u64, length: usize) -> Option<Vec<u8>>;
}

impl Lines for &[u8] {
    fn read(&self, from: u64, length: usize) -> Option<Vec<u8>> {
        let from = usize::try_from(from).ok()?;
        Some(self.get(from..from.checked_add(length)?)?.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &[u8]) -> String {
        let mut kinds = String::new();
        each(text, |at, bytes| {
            kinds.push(match content(at, bytes) {
                Content::Blank => '_',
                Content::Object(_) => 'o',
                Content::Damaged(Damage::Malformed) => 'm',
                Content::Damaged(Damage::Nul) => 'n',
                Content::Damaged(Damage::Torn) => 't',
            });
        });
        kinds
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(kinds(b"{}\n\n \r\n[]\n{}{}\n\0\0\n{\"a\":1}\r\n// x\n{\"a"), "o__mmnomt");
        assert_eq!(kinds(b"{}\n{}"), "oo", "a whole record without a line feed is not torn");
        assert_eq!(kinds(b"{}\n\0\0"), "ot");
        assert_eq!(kinds(b"{}\n12"), "om", "JSON, but not an object");
        assert_eq!(kinds(b""), "");
    }
}
