//! A group of records, read again and verified against the hash chain of the pass.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use regex::bytes::Regex;

use super::chain::RecordChain;
use super::index::RecordIdentity;
use super::lines::Lines;
use super::source::{Gone, Source, Span};

/// How much of a group is kept in memory; further records are read again on demand.
const KEPT_BYTES: usize = 16 << 20;

pub(crate) struct Group {
    spans: Vec<Span>,
    identities: Vec<RecordIdentity>,
    /// The first records, up to the limit.
    kept: Lines,
}

impl Group {
    /// Reads a group. Bytes that differ from those of the pass are an error, since they would give a wrong state.
    pub(crate) fn read(source: &dyn Source, spans: Vec<Span>, expected: RecordChain) -> Result<Group, Gone> {
        let mut chain = RecordChain::default();
        let mut group =
            Group { identities: Vec::with_capacity(spans.len()), spans: Vec::new(), kept: Lines::default() };
        source.read(&spans, &mut |_, record| {
            let identity = RecordIdentity::of(record);
            chain.push(identity.0);
            group.identities.push(identity);
            let is_next = group.kept.len() + 1 == group.identities.len();
            if is_next && group.kept.bytes() + record.len() <= KEPT_BYTES {
                group.kept.push(record);
            }
        })?;
        if chain != expected || group.identities.len() != spans.len() {
            return Err(changed());
        }
        group.spans = spans;
        Ok(group)
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// One record by its position in the group.
    pub(crate) fn record(&self, position: usize, source: &dyn Source) -> Result<Cow<'_, [u8]>, Gone> {
        if let Some(record) = self.kept.get(position) {
            return Ok(Cow::Borrowed(record));
        }
        let span = self.spans.get(position).copied().ok_or_else(changed)?;
        let mut record = Vec::new();
        source.read(&[span], &mut |_, bytes| record.extend_from_slice(bytes))?;
        if Some(&RecordIdentity::of(&record)) != self.identities.get(position) {
            return Err(changed());
        }
        Ok(Cow::Owned(record))
    }

    /// Calls `visit` with the positions of the records that match.
    pub(crate) fn matching(
        &self,
        wanted: Range<usize>,
        regex: &Regex,
        source: &dyn Source,
        visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Gone> {
        let wanted = wanted.start..wanted.end.min(self.len());
        if self.kept.matching(wanted.clone(), regex, visit).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        for position in self.kept.len().max(wanted.start)..wanted.end {
            if regex.is_match(&self.record(position, source)?) && visit(position).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn changed() -> Gone {
    Gone { reason: "the log has changed since it was read; open it again".to_owned() }
}
