//! The parts of a filter's input, as native tests read them.

use jaq_json::Val;

use super::input::value;
use super::native::{EventText, InputParts, Side};
use crate::json::byte_index::IndexedText;
use crate::replay::Seq;
use crate::replay::moment::Sight;
use crate::replay::shared::FindingList;
use crate::replay::vocabulary::KindId;

/// The parts that need no stepping.
pub(super) struct RecordParts<'p> {
    pub at: Seq,
    pub kind: KindId,
    pub event: &'p [u8],
    /// The event in an indexed chunk.
    pub indexed: Option<IndexedText<'p>>,
    /// `None` if the filter does not read them.
    pub findings: Option<&'p FindingList>,
}

impl InputParts for RecordParts<'_> {
    fn seq(&self) -> Val {
        Val::from(self.at.0 as usize)
    }

    fn event(&self) -> Option<Option<EventText<'_>>> {
        if self.kind == KindId::MALFORMED {
            return Some(None);
        }
        if let Some(indexed) = self.indexed {
            return Some(Some(EventText { text: indexed.text.trim_ascii(), indexed: Some(indexed) }));
        }
        let text = simdutf8::basic::from_utf8(self.event).ok()?;
        Some(Some(EventText { text: text.trim_ascii(), indexed: None }))
    }

    fn field(&self, _: Side, _: &str) -> Val {
        Val::Null
    }

    fn effects(&self) -> Val {
        Val::Null
    }

    fn findings(&self) -> Val {
        let touching = self.findings.map(|findings| findings.at(self.at));
        touching.into_iter().flatten().map(|(_, finding)| value(finding.to_json())).collect()
    }
}

/// All parts at a step.
pub(super) struct StepParts<'p> {
    pub record: RecordParts<'p>,
    pub sight: &'p dyn Sight,
    pub before: &'p Val,
    pub after: &'p Val,
}

impl InputParts for StepParts<'_> {
    fn seq(&self) -> Val {
        self.record.seq()
    }

    fn event(&self) -> Option<Option<EventText<'_>>> {
        self.record.event()
    }

    fn field(&self, side: Side, name: &str) -> Val {
        let state = if side == Side::Before { self.before } else { self.after };
        match state {
            Val::Obj(fields) => fields.get(&Val::from(name.to_owned())).cloned().unwrap_or_default(),
            _ => Val::Null,
        }
    }

    fn effects(&self) -> Val {
        self.sight.effects().0.into_iter().map(|effect| value(effect.payload)).collect()
    }

    fn findings(&self) -> Val {
        self.record.findings()
    }
}
