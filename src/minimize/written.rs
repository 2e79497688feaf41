//! The log that comes out, in the form of the one that went in.

use super::candidate::Candidate;
use super::parts::{Parts, Whole};

/// How records stand in a file. Who knows files brings it.
pub trait Form: Sync {
    fn shape(&self) -> Shape;

    /// The line that stands before the records, if there is one. It is never taken away.
    fn head(&self) -> Option<&[u8]>;

    /// Whether a file of these bytes would be opened as such a log again.
    fn opens(&self, file: &[u8]) -> bool;

    fn write(&self, parts: &Parts, candidate: &Candidate) -> Vec<u8> {
        let mut file = self.head().map_or_else(Vec::new, |head| [head, b"\n"].concat());
        file.extend(write(parts, candidate, self.shape()));
        file
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One record a line.
    Lines,
    /// The elements of a JSON array.
    Array,
}

/// Every record as it stands, what wraps its event included. A record that the log ends in is the end again.
pub fn write(parts: &Parts, candidate: &Candidate, shape: Shape) -> Vec<u8> {
    let mut out = Vec::new();
    let mut is_torn = false;
    if shape == Shape::Array {
        out.extend_from_slice(b"[");
    }
    for (position, part) in candidate.kept.iter().copied().enumerate() {
        is_torn = parts.whole(part) == Whole::Torn;
        let edited = candidate.edits.get(&part).map(|event| parts.record_with(part, event));
        let record = edited.as_deref().unwrap_or_else(|| parts.record(part));
        match shape {
            Shape::Lines => {
                // In JSON a line break never stands inside a text, so a blank in its place means the same.
                out.extend(record.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
                out.extend_from_slice(if is_torn { b"" } else { b"\n" });
            }
            Shape::Array => {
                out.extend_from_slice(if position == 0 { b"\n" } else { b",\n" });
                out.extend_from_slice(record);
            }
        }
    }
    if shape == Shape::Array && !is_torn {
        out.extend_from_slice(if candidate.is_empty() { b"]\n" } else { b"\n]\n" });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_end_stays_one() {
        let mut parts = Parts::of_lines("{}\n1");
        let all = Candidate::all(&parts);
        assert_eq!(write(&parts, &all, Shape::Array), b"[\n{},\n1\n]\n");
        assert_eq!(write(&parts, &all.without(&[0, 1]), Shape::Array), b"[]\n");
        parts.push(b"{\"a", Ok(0..3), Whole::Torn);
        let torn = Candidate::all(&parts);
        assert_eq!(write(&parts, &torn, Shape::Lines), b"{}\n1\n{\"a");
        assert_eq!(write(&parts, &torn.without(&[1]), Shape::Array), b"[\n{},\n{\"a");
    }
}
