//! The conversation rebuilt from the log, as preview rows and as full messages.
//!
//! Each has two forms. The reference keeps only the first turn's input and matches tool plans by step number, even
//! across turns. The corrected form keeps all inputs, matches plans within their turn, and omits results of composite
//! sub-steps, which engines do not save.

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::event::{Event, ToolOutcome};
use super::message::{Message, MessageBlock};
use super::tools::composite_parent;

/// The rules that a rebuild follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RebuildRules {
    Reference,
    Corrected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageRole {
    User,
    Assistant,
    ToolResult,
}

impl MessageRole {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
            MessageRole::ToolResult => "tool_result",
        }
    }
}

/// A row of the preview transcript and the event kind it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PreviewRow {
    pub role: MessageRole,
    pub text: String,
    pub source: &'static str,
}

impl PreviewRow {
    fn new(role: MessageRole, text: &str, source: &'static str) -> Option<Self> {
        (!text.is_empty()).then(|| PreviewRow { role, text: text.to_owned(), source })
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({"role": self.role.name(), "text": self.text, "source": self.source})
    }
}

/// The input of turns. The reference takes only the first one that is not empty.
struct TurnInputs {
    rules: RebuildRules,
    taken: bool,
}

impl TurnInputs {
    fn new(rules: RebuildRules) -> Self {
        TurnInputs { rules, taken: false }
    }

    fn take(&mut self, text: &str) -> bool {
        let take = !text.is_empty() && (!self.taken || self.rules == RebuildRules::Corrected);
        self.taken |= take;
        take
    }
}

pub(crate) fn previews<'e>(events: impl Iterator<Item = &'e Event<'e>>, rules: RebuildRules) -> Vec<PreviewRow> {
    let mut inputs = TurnInputs::new(rules);
    events.filter_map(|event| preview(event, &mut inputs)).collect()
}

fn preview(event: &Event<'_>, inputs: &mut TurnInputs) -> Option<PreviewRow> {
    match event {
        Event::TurnStarted { input_text, .. } => {
            let text = input_text.get();
            inputs.take(&text).then(|| PreviewRow::new(MessageRole::User, &text, "turn_input")).flatten()
        }
        Event::LayeredContextSeamInjected { text_preview, .. } => {
            PreviewRow::new(MessageRole::Assistant, &text_preview.get(), "layered_context_seam")
        }
        Event::SteerInjected { text, .. } => PreviewRow::new(MessageRole::User, &text.get(), "steer"),
        Event::ModelMessage { text_preview, .. } => {
            PreviewRow::new(MessageRole::Assistant, &text_preview.get(), "model_message")
        }
        Event::ToolCallFinished { call_id, outcome, result_preview, .. } => {
            if inputs.rules == RebuildRules::Corrected && composite_parent(&call_id.get()).is_some() {
                return None;
            }
            let row = PreviewRow::new(MessageRole::ToolResult, &result_preview.get(), "tool_result");
            row.or_else(|| match outcome {
                ToolOutcome::ToolError { message } => PreviewRow::new(MessageRole::ToolResult, message, "tool_error"),
                _ => None,
            })
        }
        _ => None,
    }
}

/// The number of events with a preview body of their own.
pub(crate) fn preview_body_count<'e>(events: impl Iterator<Item = &'e Event<'e>>) -> usize {
    let has_body = |event: &&Event<'_>| match event {
        Event::ModelMessage { text_preview, .. } | Event::LayeredContextSeamInjected { text_preview, .. } => {
            !text_preview.is_empty()
        }
        Event::ToolCallFinished { result_preview, .. } => !result_preview.is_empty(),
        _ => false,
    };
    events.filter(has_body).count()
}

/// Whether the log has enough to rebuild the conversation.
pub(crate) fn has_substrate<'e>(mut events: impl Iterator<Item = &'e Event<'e>>) -> bool {
    events.any(|event| match event {
        Event::ModelMessage { text_preview, assistant_text, block_count, .. } => {
            !text_preview.is_empty() || !assistant_text.is_empty() || *block_count > 0
        }
        Event::ToolCallPlanned { .. } => true,
        Event::ToolCallFinished { result_preview, session_content, .. } => {
            !result_preview.is_empty() || !session_content.is_empty()
        }
        Event::TurnStarted { input_text: text, .. }
        | Event::SteerInjected { text, .. }
        | Event::LayeredContextSeamInjected { text_preview: text, .. } => !text.is_empty(),
        _ => false,
    })
}

/// The key of a plan: its step and, in the corrected form, its turn.
fn plan_key(event: &Event<'_>, rules: RebuildRules) -> Option<(u64, u32)> {
    let turn = match rules {
        RebuildRules::Reference => 0,
        RebuildRules::Corrected => event.turn_id()?.hash(),
    };
    Some((turn, event.step()?))
}

/// The messages that this log implies. Previews are used if there is nothing else.
pub(crate) fn session_messages<'e>(
    events: impl Iterator<Item = &'e Event<'e>> + Clone,
    rules: RebuildRules,
) -> Vec<Message> {
    if !has_substrate(events.clone()) {
        return previews(events, rules).iter().map(preview_message).collect();
    }
    let mut plans: FxHashMap<(u64, u32), Vec<&Event<'_>>> = FxHashMap::default();
    for event in events.clone().filter(|event| matches!(event, Event::ToolCallPlanned { .. })) {
        if let Some(key) = plan_key(event, rules) {
            plans.entry(key).or_default().push(event);
        }
    }
    let mut inputs = TurnInputs::new(rules);
    let mut rows = Vec::new();
    for event in events {
        match event {
            Event::ModelMessage { .. } => {
                let planned = plan_key(event, rules).and_then(|key| plans.get(&key)).map_or(&[][..], Vec::as_slice);
                rows.push(assistant_row(event, planned));
            }
            Event::ToolCallFinished { call_id, .. } => {
                if rules == RebuildRules::Reference || composite_parent(&call_id.get()).is_none() {
                    rows.push(result_row(event));
                }
            }
            _ => rows.extend(preview(event, &mut inputs).as_ref().map(preview_message)),
        }
    }
    rows
}

fn preview_message(row: &PreviewRow) -> Message {
    match row.role {
        MessageRole::ToolResult => {
            Message::tool_result("kernel-log-preview", row.text.clone(), Some(row.source == "tool_error"))
        }
        role => Message::of_text(role.name(), &row.text),
    }
}

fn assistant_row(event: &Event<'_>, planned: &[&Event<'_>]) -> Message {
    let mut content = Vec::new();
    if let Event::ModelMessage { block_count, text_preview, assistant_text, .. } = event {
        let text = if assistant_text.is_empty() { text_preview } else { assistant_text };
        if !text.is_empty() {
            content.push(MessageBlock::text(&text.get()));
        }
        let room = (*block_count as usize).saturating_sub(content.len());
        content.extend(planned.iter().take(room).filter_map(|plan| tool_use(plan)));
    }
    Message { role: "assistant".to_owned(), content }
}

fn tool_use(plan: &Event<'_>) -> Option<MessageBlock> {
    let Event::ToolCallPlanned { call_id, tool_name, input_json, .. } = plan else { return None };
    let input = serde_json::from_str(&input_json.get()).unwrap_or_else(|_| json!({}));
    Some(MessageBlock::ToolUse {
        id: call_id.get().into_owned(),
        name: tool_name.get().into_owned(),
        input,
        caller: None,
    })
}

fn result_row(event: &Event<'_>) -> Message {
    let Event::ToolCallFinished { call_id, outcome, result_preview, session_content, .. } = event else {
        return Message { role: "user".to_owned(), content: Vec::new() };
    };
    let (content, is_error) = match outcome {
        ToolOutcome::ToolError { .. } if !session_content.is_empty() => {
            (session_content.get().into_owned(), Some(true))
        }
        _ if !session_content.is_empty() => (session_content.get().into_owned(), None),
        ToolOutcome::ToolError { message } if !message.is_empty() => (format!("Error: {message}"), Some(true)),
        _ => (result_preview.get().into_owned(), None),
    };
    Message::tool_result(&call_id.get(), content, is_error)
}
