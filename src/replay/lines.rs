//! Many short texts in one buffer, searched at once.

use std::ops::{ControlFlow, Range};

use regex::bytes::Regex;

/// Texts, each followed by a line break.
#[derive(Default)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// Where each text ends.
    ends: Vec<usize>,
}

impl Lines {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The memory of the texts.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.bytes.push(b'\n');
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(crate) fn get(&self, position: usize) -> Option<&[u8]> {
        self.ends.get(position).map(|end| &self.bytes[self.start(position)..*end])
    }

    fn start(&self, position: usize) -> usize {
        position.checked_sub(1).map_or(0, |before| self.ends[before] + 1)
    }

    /// Calls `visit` with the positions of the texts that match.
    ///
    /// The regex runs over the whole buffer, which is much faster than one run per text, since most texts do not match.
    /// A match may extend beyond its text, so the text in which it begins is tested alone. If the pattern makes
    /// assertions about the whole text, matches could be missed, so every text is tested alone.
    pub(crate) fn matching(
        &self,
        wanted: Range<usize>,
        regex: &Regex,
        visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (mut position, end) = (wanted.start, wanted.end.min(self.len()));
        let one_by_one = asserts_about_the_whole_text(regex.as_str());
        while position < end {
            if !one_by_one {
                let all = &self.bytes[..self.ends[end - 1]];
                let Some(found) = regex.find_at(all, self.start(position)) else { break };
                position += self.ends[position..end].partition_point(|end| *end < found.start());
            }
            if self.get(position).is_some_and(|text| regex.is_match(text)) {
                visit(position)?;
            }
            position += 1;
        }
        ControlFlow::Continue(())
    }
}

/// `\A` and `\z` refer to the whole text, and `(?` may change the meaning of `^` and `$`.
fn asserts_about_the_whole_text(pattern: &str) -> bool {
    ["\\A", "\\z", "(?"].iter().any(|mark| pattern.contains(mark))
}
