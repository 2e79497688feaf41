//! Replacements in a text: the range, the new text, and the secrets that are removed by it.

use std::ops::Range;

use super::layer::Decoded;
use super::secret::Id;

/// A secret that a replacement removes, for the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub path: String,
    pub rule: usize,
    pub id: Id,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replacement {
    pub range: Range<usize>,
    pub with: String,
    /// Not a mask, but a re-encoded text with masks in it.
    pub is_respelled: bool,
    pub taken: Vec<Taken>,
}

/// Replacements in a decoded text, as replacements in the text that it was decoded from.
pub(crate) fn outward(
    edits: Vec<Replacement>,
    decoded: &Decoded,
    offset: usize,
    spell: impl Fn(&str) -> String,
) -> impl Iterator<Item = Replacement> {
    edits.into_iter().map(move |edit| {
        let range = offset + decoded.place(edit.range.start)..offset + decoded.end(edit.range.end);
        Replacement { range, with: spell(&edit.with), ..edit }
    })
}

/// Sorts replacements and merges those that overlap: everything that any of them covers is replaced, by the longest
/// mask.
pub(crate) fn settled(mut edits: Vec<Replacement>) -> Vec<Replacement> {
    edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
    let mut settled: Vec<Replacement> = Vec::with_capacity(edits.len());
    // The length of the last one before others were merged into it.
    let mut own_length = 0;
    for edit in edits {
        match settled.last_mut() {
            Some(last) if edit.range.start < last.range.end => {
                let union = last.range.start..last.range.end.max(edit.range.end);
                let is_better = (!edit.is_respelled, edit.range.len()) > (!last.is_respelled, own_length);
                if is_better {
                    own_length = edit.range.len();
                    *last = edit;
                }
                last.range = union;
            }
            _ => {
                own_length = edit.range.len();
                settled.push(edit);
            }
        }
    }
    settled
}

/// The text with its replacements, which must be settled.
pub(crate) fn applied(bytes: &[u8], edits: &[Replacement]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for edit in edits {
        out.extend_from_slice(&bytes[at..edit.range.start]);
        out.extend_from_slice(edit.with.as_bytes());
        at = edit.range.end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

pub(crate) fn applied_text(text: &str, edits: Vec<Replacement>) -> String {
    // Ranges begin and end at character boundaries, so nothing has to be repaired.
    String::from_utf8_lossy(&applied(text.as_bytes(), &settled(edits))).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: Range<usize>, with: &str, is_respelled: bool) -> Replacement {
        Replacement { range, with: with.to_owned(), is_respelled, taken: Vec::new() }
    }

    #[test]
    fn overlapping_replacements_are_merged() {
        let edits = vec![edit(6..8, "c", false), edit(1..3, "a", false), edit(2..5, "b", false), edit(0..5, "z", true)];
        assert_eq!(applied_text("0123456789", edits), "b5c89");
    }
}
