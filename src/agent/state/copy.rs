//! Copies: records that a forked session or a subagent took over from another session. They are shown and not counted.

use std::sync::Arc;

use super::happening::Happening;
use crate::agent::block::{Block, Header};
use crate::agent::event::AgentEvent;
use crate::json::raw::RawText;

/// Where the copy stands that a file may begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Before the second record.
    #[default]
    Before,
    Inside {
        has_copied: bool,
    },
    Over,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Copy {
    /// The session of this file.
    pub own: Option<Arc<str>>,
    pub parent: Option<Arc<str>>,
    phase: Phase,
    records: u32,
    own_from: Option<u64>,
    /// The session was forked or started by another one, or has copied records.
    pub is_descendant: bool,
    /// The beginning of its history is in another file.
    pub has_base: bool,
    has_copied: bool,
    has_other_session: bool,
}

/// Whether a record counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyStanding {
    Own,
    /// It belongs to the session that this one continues.
    Foreign,
}

impl Copy {
    /// Whether the total of tokens may fall, because it began in another file.
    pub(crate) fn has_foreign_start(&self) -> bool {
        self.has_copied
    }

    /// Decides whether a record is the session's own.
    pub(crate) fn see<'e>(&mut self, event: &AgentEvent<'e>, tell: &mut impl FnMut(Happening<'e>)) -> CopyStanding {
        let number = self.records;
        self.records = number.saturating_add(1);
        let header = event.blocks.iter().find_map(|block| match block {
            Block::Header(header) => Some(&**header),
            _ => None,
        });
        if let Some(header) = header
            && self.own.is_none()
        {
            self.begin(header, tell);
        }
        let is_others = header.is_some_and(|header| !self.is_own(header.thread));
        if number == 1 && self.phase == Phase::Before {
            let is_inherited = event.line.ordinal.zip(self.own_from).is_some_and(|(ordinal, from)| ordinal < from);
            self.phase = if is_others || is_inherited { Phase::Inside { has_copied: false } } else { Phase::Over };
            if is_others {
                self.has_copied = true;
                return CopyStanding::Foreign;
            }
        }
        let Phase::Inside { has_copied } = self.phase else {
            if is_others && !self.is_descendant && !self.has_other_session {
                self.has_other_session = true;
                tell(Happening::OtherSession { thread: header.and_then(|header| header.thread) });
            }
            return CopyStanding::Own;
        };
        if self.ends_copy(event, header) {
            self.phase = Phase::Over;
            return CopyStanding::Own;
        }
        self.phase = Phase::Inside { has_copied: true };
        self.has_copied = true;
        tell(Happening::Copied { is_first: !has_copied });
        CopyStanding::Foreign
    }

    fn begin<'e>(&mut self, header: &Header<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        let text = |text: Option<RawText<'e>>| text.map(|text| Arc::from(&*text.get()));
        self.own = text(header.thread);
        self.parent = text(header.parent);
        self.own_from = header.own_from;
        self.is_descendant = header.is_descendant;
        if let Some(base) = header.base {
            self.has_base = true;
            tell(Happening::BaseElsewhere { thread: base.text_of("thread_id") });
        }
    }

    fn is_own(&self, thread: Option<RawText<'_>>) -> bool {
        match (&self.own, thread) {
            (Some(own), Some(thread)) => thread.is(own),
            (own, thread) => own.is_none() && thread.is_none(),
        }
    }

    /// Whether a record proves that the copy is over: it names this session, begins a turn that is not older than it, or
    /// is beyond the inherited ordinals.
    fn ends_copy(&self, event: &AgentEvent<'_>, header: Option<&Header<'_>>) -> bool {
        let names_own = |thread: Option<RawText<'_>>| thread.is_some() && self.is_own(thread);
        let begins_turn = event.blocks.iter().any(|block| match block {
            Block::TurnStart { id: Some(id), .. } => {
                self.own.as_deref().is_some_and(|own| is_not_older(&id.get(), own))
            }
            _ => false,
        });
        let is_beyond = event.line.ordinal.zip(self.own_from).is_some_and(|(ordinal, from)| ordinal >= from);
        names_own(header.and_then(|header| header.thread)) || names_own(event.line.thread) || begins_turn || is_beyond
    }
}

/// Compares the times in two UUIDs of version 7. Of other ids nothing is known.
fn is_not_older(id: &str, other: &str) -> bool {
    let time = |id: &str| {
        let is_v7 = id.len() == 36 && id.as_bytes()[14] == b'7';
        is_v7.then(|| u64::from_str_radix(&[id.get(..8)?, id.get(9..13)?].concat(), 16).ok()).flatten()
    };
    matches!((time(id), time(other)), (Some(time), Some(other)) if time >= other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_of_version_7_are_compared_by_time() {
        let thread = "019d7e2f-0041-7310-951c-94020254dfc9";
        assert!(is_not_older("019d7e2f-006a-78e0-8d88-fc868c230ea4", thread));
        assert!(is_not_older(thread, thread));
        assert!(!is_not_older("019d7d08-f1d2-78a1-ae52-df8e21f9b394", thread));
        assert!(!is_not_older("turn-1", thread) && !is_not_older(thread, "é"));
    }
}
