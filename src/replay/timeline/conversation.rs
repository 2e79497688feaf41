//! The conversation around an event: the column of kinds shows which records are entries, and only those are decoded.

use super::Timeline;
use crate::replay::Seq;
use crate::replay::direction::Direction;
use crate::replay::index::{GROUP, Rows};
use crate::replay::machine::Machine;
use crate::replay::source::Gone;
use crate::replay::utterance::{Conversation, Part, PartKind, Utterance};

/// How much of one entry is kept.
const TEXT_BYTES: usize = 64 << 10;
/// How much of an entry is kept that is read on its own.
const WHOLE_BYTES: usize = 1 << 20;
/// How many bytes of the log are read in one direction; beyond that, there may be more entries.
const READ_BYTES: u64 = 8 << 20;

impl<M: Machine> Timeline<M> {
    pub(super) fn conversation(&self, around: Seq, before: usize, after: usize) -> Result<Conversation, Gone> {
        // The event itself belongs to the entries before.
        let (mut entries, more_before) = self.entries(Seq(around.0.saturating_add(1)), Direction::Backward, before)?;
        entries.reverse();
        let (ahead, more_after) = self.entries(around, Direction::Forward, after)?;
        entries.extend(ahead);
        Ok(Conversation { entries, more_before, more_after })
    }

    /// What one event says, also if it is not an entry of the conversation.
    pub(super) fn reading(&self, at: Seq) -> Result<Option<Utterance>, Gone> {
        let Some(records) = self.group(at.0 / GROUP)? else { return Ok(None) };
        let position = (at.0 % GROUP) as usize;
        if position >= records.len() {
            return Ok(None);
        }
        let Some(kind) = self.shared.look(|shared| shared.rows.kind(at)) else { return Ok(None) };
        let record = records.record(position, &*self.source)?;
        let event = self.source.event(&record).and_then(|event| M::decode(&mut self.decoder.clone(), event));
        let role = M::vocabulary().kind_name(kind);
        Ok(Some(match event {
            Ok(event) => match M::said(&event) {
                Some(said) => said.cut(WHOLE_BYTES),
                None => Utterance::of(role, String::new(), vec![Part::new(PartKind::Note, M::summary(&event))]),
            },
            Err(bad) => Utterance::of(role, String::new(), vec![Part::new(PartKind::Failure, bad.reason)]),
        }))
    }

    /// The next entries in a direction, nearest first, and whether there may be more.
    fn entries(&self, from: Seq, direction: Direction, most: usize) -> Result<(Vec<(Seq, Utterance)>, bool), Gone> {
        let vocabulary = M::vocabulary();
        let speaks = |rows: &Rows, at: Seq| rows.kind(at).is_some_and(|kind| vocabulary.speaks(kind));
        let (mut entries, mut decoder) = (Vec::new(), self.decoder.clone());
        let (mut at, mut group, mut read) = (from, None, 0_u64);
        loop {
            let found = self.shared.look(|shared| shared.rows.find(at, direction, speaks));
            let Some(next) = found else { return Ok((entries, false)) };
            if group.replace(next.0 / GROUP) != Some(next.0 / GROUP) {
                // Records are read by groups, so a group is the cost of a read.
                read += self.group_bytes(next.0 / GROUP);
            }
            let is_enough = entries.len() >= most || (read > READ_BYTES && !entries.is_empty());
            if is_enough || read > 8 * READ_BYTES {
                return Ok((entries, true));
            }
            let Some(records) = self.group(next.0 / GROUP)? else { return Ok((entries, true)) };
            let position = (next.0 % GROUP) as usize;
            if position >= records.len() {
                return Ok((entries, true));
            }
            let record = records.record(position, &*self.source)?;
            let event = self.source.event(&record).and_then(|event| M::decode(&mut decoder, event));
            if let Some(said) = event.ok().and_then(|event| M::said(&event)) {
                entries.push((next, said.cut(TEXT_BYTES)));
            }
            at = next;
        }
    }

    fn group_bytes(&self, group: u32) -> u64 {
        self.shared.look(|shared| {
            let spans = (group * GROUP..(group + 1) * GROUP).map_while(|at| shared.rows.span(Seq(at)));
            spans.map(|span| u64::from(span.length)).sum()
        })
    }
}
