//! The effects of a kernel event: the decision of the kernel that it records, with category and primitive.

use serde_json::{Value, json};

use super::event::SessionEvent;
use super::kind::SessionKind;
use super::summary::summary;
use crate::replay::machine::Effect;

pub(crate) const EFFECT_NAMES: &[&str] = &[
    "gate",
    "change_capability",
    "suspend",
    "resume",
    "stop_at_budget",
    "take_checkpoint",
    "roll_back",
    "judge_milestone",
    "compress",
    "page_out",
    "page_in",
    "renew_context",
    "spool_result",
    "use_memory",
    "change_process",
    "dispose_signal",
];

/// The decision that an event records, by its place in [`EFFECT_NAMES`]. Only kernel events record one.
pub(crate) fn decision(kind: SessionKind) -> Option<u8> {
    let place = match kind {
        SessionKind::ToolGated => 0,
        SessionKind::CapabilityChanged => 1,
        SessionKind::Suspended => 2,
        SessionKind::Resumed => 3,
        SessionKind::BudgetExceeded => 4,
        SessionKind::CheckpointTaken => 5,
        SessionKind::Rollbacked => 6,
        SessionKind::MilestoneAdvanced | SessionKind::MilestoneBlocked | SessionKind::MilestoneEvidence => 7,
        SessionKind::Compressed => 8,
        SessionKind::PageOut => 9,
        SessionKind::PageIn => 10,
        SessionKind::ContextRenewed => 11,
        SessionKind::LargeResultSpooled => 12,
        SessionKind::MemoryWritten | SessionKind::MemoryQueried | SessionKind::MemoryValidationFailed => 13,
        SessionKind::AgentProcessChanged => 14,
        SessionKind::SignalDisposed => 15,
        _ => return None,
    };
    Some(place)
}

/// The decision of one event. The category is the embedded one, if there is one.
pub(crate) struct KernelDecision<'e, 'a> {
    pub name: &'static str,
    pub event: &'e SessionEvent<'a>,
}

impl Effect for KernelDecision<'_, '_> {
    fn to_json(&self) -> Value {
        let category = self.event.category();
        json!({
            "kind": self.name,
            "category": category.name(),
            "primitive": category.primitive().name(),
            "what": summary(self.event),
        })
    }

    fn write_detail(&self, out: &mut String) {
        let category = self.event.category();
        out.push_str(&format!("[{category}/{}] {}", category.primitive(), summary(self.event)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_event_records_a_decision_and_no_other_does() {
        for kind in SessionKind::ALL {
            assert_eq!(decision(*kind).is_some(), kind.is_os(), "{}", kind.name());
            assert!(decision(*kind).is_none_or(|place| (place as usize) < EFFECT_NAMES.len()));
        }
    }
}
