//! Records of one group, read again and proven to be what the pass saw.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use regex::bytes::Regex;

use super::index::{Checksum, RecordIdentity};
use super::source::{Gone, Source, Span};

/// How much of a group is kept in memory; longer records are read once more when somebody wants them.
const KEPT_BYTES: usize = 16 << 20;

pub struct Group {
    spans: Vec<Span>,
    identities: Vec<RecordIdentity>,
    /// Records one after the other, as far as they are kept, with a line break behind each.
    bytes: Vec<u8>,
    /// Where each kept record ends in there.
    ends: Vec<usize>,
}

impl Group {
    /// Reads a group. Bytes that are no longer those of the pass are refused: they would make a wrong state.
    pub fn read(source: &dyn Source, spans: Vec<Span>, expected: Checksum) -> Result<Group, Gone> {
        let mut checksum = Checksum::default();
        let mut group = Group {
            identities: Vec::with_capacity(spans.len()),
            spans: Vec::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
        };
        source.read(&spans, &mut |_, record| {
            let identity = RecordIdentity::of(record);
            checksum.add(identity);
            group.identities.push(identity);
            let is_first_left_out = group.ends.len() + 1 < group.identities.len();
            if !is_first_left_out && group.bytes.len() + record.len() <= KEPT_BYTES {
                group.bytes.extend_from_slice(record);
                group.ends.push(group.bytes.len());
                group.bytes.push(b'\n');
            }
        })?;
        if checksum != expected || group.identities.len() != spans.len() {
            return Err(changed());
        }
        group.spans = spans;
        Ok(group)
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// One record by its position in the group.
    pub fn record(&self, position: usize, source: &dyn Source) -> Result<Cow<'_, [u8]>, Gone> {
        if let Some(end) = self.ends.get(position) {
            return Ok(Cow::Borrowed(&self.bytes[self.start(position)..*end]));
        }
        let span = self.spans.get(position).copied().ok_or_else(changed)?;
        let mut record = Vec::new();
        source.read(&[span], &mut |_, bytes| record.extend_from_slice(bytes))?;
        if Some(&RecordIdentity::of(&record)) != self.identities.get(position) {
            return Err(changed());
        }
        Ok(Cow::Owned(record))
    }

    /// Where a kept record begins.
    fn start(&self, position: usize) -> usize {
        position.checked_sub(1).map_or(0, |before| self.ends[before] + 1)
    }

    /// Shows the positions of the records that match.
    ///
    /// The regex goes over all records at once, which is much faster than one by one: most of them hold nothing. What
    /// it finds may reach over the end of a record, so the record that it begins in is asked alone. One that only an
    /// assertion about the whole text could find would be missed, so with such an expression every one is asked.
    pub fn matching(
        &self,
        wanted: Range<usize>,
        regex: &Regex,
        source: &dyn Source,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Gone> {
        let wanted = wanted.start..wanted.end.min(self.len());
        let at_once = if asserts_about_the_whole_text(regex.as_str()) { 0 } else { self.ends.len().min(wanted.end) };
        let mut position = wanted.start;
        while position < at_once {
            let Some(found) = regex.find_at(&self.bytes[..self.ends[at_once - 1]], self.start(position)) else {
                position = at_once;
                break;
            };
            position += self.ends[position..at_once].partition_point(|end| *end < found.start());
            if position < at_once {
                let record = &self.bytes[self.start(position)..self.ends[position]];
                if regex.is_match(record) && visit(position as u32).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                position += 1;
            }
        }
        for position in position..wanted.end {
            if regex.is_match(&self.record(position, source)?) && visit(position as u32).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// `\A` and `\z` speak of the beginning and the end of the text, `(?` may change what `^` and `$` mean.
fn asserts_about_the_whole_text(pattern: &str) -> bool {
    pattern.contains("\\A") || pattern.contains("\\z") || pattern.contains("(?")
}

fn changed() -> Gone {
    Gone { reason: "the log was changed since it was read; open it again".to_owned() }
}
