//! Records of one group, read again and proven to be what the pass saw.

use std::borrow::Cow;

use super::index::{Checksum, GROUP, RecordIdentity};
use super::source::{Gone, Source, Span};

/// How much of a group is kept in memory; longer records are read once more when somebody wants them.
const KEPT_BYTES: usize = 16 << 20;

pub struct Group {
    spans: Vec<Span>,
    identities: Vec<RecordIdentity>,
    /// Records one after the other, as far as they are kept.
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
            let from = position.checked_sub(1).map_or(0, |before| self.ends[before]);
            return Ok(Cow::Borrowed(&self.bytes[from..*end]));
        }
        let span = self.spans.get(position).copied().ok_or_else(changed)?;
        let mut record = Vec::new();
        source.read(&[span], &mut |_, bytes| record.extend_from_slice(bytes))?;
        if Some(&RecordIdentity::of(&record)) != self.identities.get(position) {
            return Err(changed());
        }
        Ok(Cow::Owned(record))
    }

    pub fn bytes(&self) -> usize {
        self.bytes.capacity() + self.spans.len() * GROUP as usize / 8
    }
}

fn changed() -> Gone {
    Gone { reason: "the log was changed since it was read; open it again".to_owned() }
}
