//! Lines of the model: usually one content block of a message each.

use super::members::{LineMembers, MessageMembers};
use crate::agent::block::{Block, CallId, Outcome, Stop, Tokens, ToolCall, ToolResult, Usage};
use crate::agent::content::Content;
use crate::agent::event::Line;
use crate::json::raw::{RawJson, RawText};

pub(super) fn read<'a>(members: &LineMembers<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let message = MessageMembers::of(members.message);
    line.message = message.id.and_then(RawJson::text);
    let model = message.model.and_then(RawJson::text);
    if model.is_some_and(|model| model.is("<synthetic>")) {
        synthetic(members, &message, blocks);
        return;
    }
    blocks.push(Block::Usage(usage(members, &message, line, model)));
    match message.content {
        Some(content) if content.is_array() => blocks.extend(content.elements().filter_map(content_block)),
        Some(content) if content.text().is_some() => blocks.push(Block::Text(Content::new(Some(content)))),
        _ => {}
    }
}

/// Lines that the program wrote itself: an error of the API, or a filler.
fn synthetic<'a>(members: &LineMembers<'a>, message: &MessageMembers<'a>, blocks: &mut Vec<Block<'a>>) {
    let content = Content::new(message.content);
    if members.is_api_error.and_then(RawJson::flag) == Some(true) {
        blocks.push(Block::Error { text: content, is_own_event: true });
    } else {
        blocks.push(Block::Note { is_local: false, content });
    }
}

fn usage<'a>(
    members: &LineMembers<'a>,
    message: &MessageMembers<'a>,
    line: &Line<'a>,
    model: Option<RawText<'a>>,
) -> Usage<'a> {
    let named = |value: Option<RawText<'a>>| value.filter(|text| !text.is_empty());
    let request = members.request.and_then(RawJson::text);
    let key = named(line.message).or_else(|| named(request)).or(line.id).unwrap_or_default().hash();
    let (mut tokens, mut context) = (Tokens::default(), 0);
    if let Some(usage) = message.usage {
        let numbers = Numbers::of(usage);
        tokens = Tokens { prompt: numbers.prompt(), output: numbers.output, cache_read: numbers.cache_read };
        let last = numbers.iterations.and_then(last_message_iteration);
        context = last.map_or(tokens.prompt, |iteration| iteration.prompt());
    }
    let stop = match message.stop_reason {
        None => Stop::Unstated,
        Some(reason) if reason.is_null() => Stop::Unstated,
        Some(reason) => match reason.text() {
            Some(reason) if reason.is("end_turn") || reason.is("stop_sequence") => Stop::Done,
            _ => Stop::Other,
        },
    };
    Usage::Message { key, model, stop, tokens, context }
}

#[derive(Default)]
struct Numbers<'a> {
    input: u64,
    cache_creation: u64,
    cache_read: u64,
    output: u64,
    iterations: Option<RawJson<'a>>,
}

impl<'a> Numbers<'a> {
    fn of(usage: RawJson<'a>) -> Numbers<'a> {
        let mut numbers = Numbers::default();
        usage.each_member(&mut |key, value| match &*key.name() {
            b"input_tokens" => numbers.input = value.number().unwrap_or_default(),
            b"cache_creation_input_tokens" => numbers.cache_creation = value.number().unwrap_or_default(),
            b"cache_read_input_tokens" => numbers.cache_read = value.number().unwrap_or_default(),
            b"output_tokens" => numbers.output = value.number().unwrap_or_default(),
            b"iterations" => numbers.iterations = Some(value),
            _ => {}
        });
        numbers
    }

    fn prompt(&self) -> u64 {
        self.input.saturating_add(self.cache_creation).saturating_add(self.cache_read)
    }
}

/// With several iterations the usage is their sum, and the context is that of the last one.
fn last_message_iteration(iterations: RawJson<'_>) -> Option<Numbers<'_>> {
    let is_message = |iteration: &RawJson<'_>| iteration.text_of("type").is_some_and(|kind| kind.is("message"));
    iterations.elements().filter(is_message).last().map(Numbers::of)
}

fn content_block(block: RawJson<'_>) -> Option<Block<'_>> {
    let kind = block.text_of("type")?;
    let kind = kind.get();
    match &*kind {
        "text" => Some(Block::Text(Content::new(block.get("text")))),
        "thinking" => Some(Block::Thinking(Content::new(block.get("thinking")))),
        "redacted_thinking" => Some(Block::Thinking(Content::default())),
        "tool_use" | "server_tool_use" => Some(Block::ToolCall(ToolCall {
            id: call_id(block.text_of("id")),
            name: block.text_of("name").unwrap_or_default(),
            input: block.get("input"),
        })),
        // The service ran the tool itself and answers in the same message.
        kind if kind.ends_with("_tool_result") => Some(Block::ToolResult(ToolResult {
            id: call_id(block.text_of("tool_use_id")),
            outcome: Outcome::Success,
            exit_code: None,
            content: Content::new(block.get("content")),
            written: None,
            task: None,
            process: None,
            details: None,
        })),
        _ => None,
    }
}

/// A missing id counts as an id like any other: the call and the result without one belong together.
pub(super) fn call_id(id: Option<RawText<'_>>) -> CallId<'_> {
    CallId::Named(id.unwrap_or_default())
}
