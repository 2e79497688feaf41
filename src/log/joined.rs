//! Lines that hold more or less than one record: several objects on a line, and NUL bytes around them.
//!
//! Programs that append to their log without care leave such lines when two of them write at once, or when the machine
//! stops before the data of a grown file is on the disk.

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};

use crate::json::spans::ValueEnd;

/// How many bytes of lines are read at once: enough that a run costs little to hand over, and few enough to stay in the
/// cache of a core.
pub(super) const RUN_BYTES: usize = 256 << 10;

/// Whether the next record begins on the line of the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seam {
    None,
    /// It does, and this is not reported yet.
    New,
    Reported,
}

/// Finds the ends of objects in lines that may hold several of them.
pub(super) struct LineSplitter {
    /// Between two objects of a line. Most lines do not contain it, so they are not looked at any further.
    seam: Finder<'static>,
    /// The same with a blank between them.
    wide_seam: Finder<'static>,
}

impl LineSplitter {
    pub(super) fn new() -> LineSplitter {
        LineSplitter { seam: Finder::new("}{"), wide_seam: Finder::new("} {\"") }
    }

    /// The length of the first object of a line, if something follows it.
    pub(super) fn first_of_several(&self, line: &[u8]) -> Option<usize> {
        let may_be_several = line.starts_with(b"{")
            && (!line.ends_with(b"}") || self.seam.find(line).is_some() || self.wide_seam.find(line).is_some());
        let length = may_be_several.then(|| ValueEnd::default().feed(line)).flatten()?;
        (length < line.len()).then_some(length)
    }

    /// The start of the first of some whole lines that is more or less than one record: it holds several objects, or
    /// NUL bytes.
    pub(super) fn first_odd_line(&self, lines: &[u8]) -> Option<usize> {
        let start_of = |at: usize| memrchr(b'\n', &lines[..at]).map_or(0, |end| end + 1);
        let end_of = |at: usize| memchr(b'\n', &lines[at..]).map_or(lines.len(), |length| at + length);
        let mut odd = memchr(0, lines).map(start_of);
        let mut take = |from: usize, end: usize| {
            let is_odd = || self.first_of_several(lines[from..end].trim_ascii()).is_some();
            if odd.is_none_or(|odd| from < odd) && is_odd() {
                odd = Some(from);
            }
        };
        for seam in [&self.seam, &self.wide_seam] {
            let mut looked_at = 0;
            for at in seam.find_iter(lines) {
                if at >= looked_at {
                    looked_at = end_of(at);
                    take(start_of(at), looked_at);
                }
            }
        }
        let mut from = 0;
        for end in memchr_iter(b'\n', lines) {
            if !lines[from..end].trim_ascii_end().ends_with(b"}") {
                take(from, end);
            }
            from = end + 1;
        }
        odd
    }
}

/// The bytes of a line without the blanks and NUL bytes around them, and how many of these come before.
pub(super) fn without_filling(line: &[u8]) -> (usize, &[u8]) {
    let is_filling = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let lead = line.iter().take_while(|byte| is_filling(byte)).count();
    let rest = &line[lead..];
    let tail = rest.iter().rev().take_while(|byte| is_filling(byte)).count();
    (lead, &rest[..rest.len() - tail])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_value_separates_two() {
        let splitter = LineSplitter::new();
        for (line, first) in [
            (r#"{"a":1}{"b":2}"#, Some(7)),
            (r#"{"a":1} {"b":2}"#, Some(7)),
            (r#"{"a":"}{"}"#, None),
            (r#"{"a":"} {\"b"}"#, None),
            (r#"{"a":"}{"}{"b":2}"#, Some(10)),
            (r#"{"a":1}x"#, Some(7)),
            (r#"{"a":{}"#, None),
            (r#"x{}{}"#, None),
        ] {
            assert_eq!(splitter.first_of_several(line.as_bytes()), first, "{line}");
        }
        assert_eq!(splitter.first_odd_line(b"{}\n \n{\"a\":\"}{\"}\n{\"b\":1\nx\n"), None);
        for odd in ["{} {\"b\":1}", " {}{}", "{}x", "\0{}", "\0", "{\"a\":\"}{}{\"}{}"] {
            let lines = format!("{{\"a\":\"}}{{\"}}\n{{}}\n{odd}\n{{}}{{}}\n");
            assert_eq!(splitter.first_odd_line(lines.as_bytes()), Some(14), "{odd}");
        }
        assert_eq!(without_filling(b"\0 {}\0\r"), (2, &b"{}"[..]));
        assert_eq!(without_filling(b"\0\0"), (2, &b""[..]));
    }
}
