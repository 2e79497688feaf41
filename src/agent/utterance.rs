//! The entry of an agent event in the conversation, for display.

use super::block::Block;
use super::content::Content;
use super::event::AgentEvent;
use super::kind::AgentKind;
use super::summary::summary;
use crate::json::raw::RawJson;
use crate::replay::utterance::Utterance;
use crate::replay::vocabulary::KindId;

/// The kinds of events for which [`said`] may return something.
pub(crate) const SPEAKERS: &[KindId] = &[
    KindId(AgentKind::Prompt as u8),
    KindId(AgentKind::Command as u8),
    KindId(AgentKind::Notification as u8),
    KindId(AgentKind::Steer as u8),
    KindId(AgentKind::Attachment as u8),
    KindId(AgentKind::Interrupt as u8),
    KindId(AgentKind::Text as u8),
    KindId(AgentKind::Thinking as u8),
    KindId(AgentKind::ToolCall as u8),
    KindId(AgentKind::ToolResult as u8),
    KindId(AgentKind::Error as u8),
    KindId(AgentKind::Compaction as u8),
    KindId(AgentKind::Summary as u8),
];

pub(crate) fn said(event: &AgentEvent<'_>) -> Option<Utterance> {
    let entries: Vec<(&'static str, String, String)> =
        event.blocks.iter().filter_map(|block| entry(event, block)).collect();
    let (role, about, _) = entries.first()?;
    let texts: Vec<&str> = entries.iter().map(|(_, _, text)| text.as_str()).filter(|text| !text.is_empty()).collect();
    Some(Utterance::new(role, about.clone(), &texts.join("\n")))
}

fn entry(event: &AgentEvent<'_>, block: &Block<'_>) -> Option<(&'static str, String, String)> {
    let text = |content: &Content<'_>| content.text().into_owned();
    let entry = match block {
        Block::Prompt { content, .. } | Block::Steer { content } => ("user", String::new(), text(content)),
        Block::Note { content, .. } if event.kind == AgentKind::Summary => ("compaction", String::new(), text(content)),
        Block::Text(content) => ("assistant", String::new(), text(content)),
        Block::Thinking(content) => {
            let thoughts = text(content);
            if thoughts.is_empty() {
                return None;
            }
            ("thinking", String::new(), thoughts)
        }
        Block::ToolCall(call) => {
            let input = call.input.map_or_else(String::new, |input| match input.text() {
                Some(text) => text.get().into_owned(),
                None => RawJson::to_value(input).to_string(),
            });
            ("tool call", call.name.get().into_owned(), input)
        }
        Block::ToolResult(result) => ("tool result", result.outcome.name().to_owned(), text(&result.content)),
        Block::Error { text: content, .. } => ("error", String::new(), text(content)),
        Block::Interrupt | Block::Compaction(_) => ("end", String::new(), summary(event)),
        _ => return None,
    };
    Some(entry)
}
