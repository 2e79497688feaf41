//! The hashes of an event that every ledger needs, computed once and shared.

use super::event::Event;
use super::input::InputFacts;

/// Hashes of an event's texts. Ledgers keep these instead of the texts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Digest {
    /// The hash of the call id; 0 if the event is not about a call.
    pub call: u64,
    /// The input of a planned call.
    pub input: Option<InputFacts>,
}

impl Digest {
    pub(crate) fn of(event: &Event<'_>) -> Self {
        match event {
            Event::ToolCallPlanned { call_id, tool_name, input_json, .. } => {
                Digest { call: call_id.hash(), input: Some(InputFacts::of(&tool_name.get(), &input_json.get())) }
            }
            Event::ToolCallStarted { call_id, .. }
            | Event::ToolCallFinished { call_id, .. }
            | Event::ApprovalResolved { call_id, .. }
            | Event::LoopGuardTriggered { call_id, .. } => Digest { call: call_id.hash(), input: None },
            _ => Digest::default(),
        }
    }
}
