//! Lines that hold more or less than one record: several objects on a line, and NUL bytes around them.
//!
//! Programs that append to their log without care leave such lines when two of them write at once, or when the machine
//! stops before the data of a grown file is on the disk.

use memchr::memmem::Finder;

use crate::json::spans::ValueEnd;

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
        assert_eq!(without_filling(b"\0 {}\0\r"), (2, &b"{}"[..]));
        assert_eq!(without_filling(b"\0\0"), (2, &b""[..]));
    }
}
