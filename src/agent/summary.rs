//! One-line summaries of agent events.

use super::block::{Block, Compaction, Outcome, QueueChange, ToolCall, ToolResult, TurnEnd, Usage};
use super::content::Content;
use super::event::AgentEvent;
use super::kind::AgentKind;
use crate::json::raw::RawJson;

/// Longer texts are cut: a summary is one line of a list.
const TEXT_CHARACTERS: usize = 200;

pub(crate) fn summary(event: &AgentEvent<'_>) -> String {
    if event.is_aside() { format!("↳ {}", words(event)) } else { words(event) }
}

/// The summary, without a mark of a sidechain.
pub(crate) fn words(event: &AgentEvent<'_>) -> String {
    let telling: Vec<String> = event.blocks.iter().filter_map(|block| of_block(event, block)).collect();
    let text = if telling.is_empty() { event.line.full_name() } else { telling.join(" · ") };
    match text.char_indices().nth(TEXT_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn of_block(event: &AgentEvent<'_>, block: &Block<'_>) -> Option<String> {
    let text = match block {
        Block::Prompt { content, .. } | Block::Note { content, .. } | Block::Steer { content } => one_line(*content),
        Block::Text(content) => one_line(*content),
        Block::Thinking(content) => {
            let text = one_line(*content);
            if text.is_empty() { "(not written down)".to_owned() } else { text }
        }
        Block::Interrupt => "the user interrupted the model".to_owned(),
        Block::ToolCall(call) => of_call(call),
        Block::ToolResult(result) => of_result(result),
        Block::Verdict(verdict) => {
            let outcome = verdict.outcome.map_or("", Outcome::name);
            let code = verdict.exit_code.map_or_else(String::new, |code| format!(", exit code {code}"));
            format!("{} {outcome}{code}", event.line.part.unwrap_or_default().get())
        }
        // Lines of a message are about their content.
        Block::Usage(Usage::Message { .. }) if event.kind != AgentKind::Usage => return None,
        Block::Usage(usage) => of_usage(usage),
        Block::Compaction(compaction) => of_compaction(compaction),
        Block::Error { text, .. } => one_line(*text),
        Block::Retry { error, is_last } => {
            let last = if *is_last { "last retry" } else { "retry" };
            match error {
                Some(error) => format!("{last}: {}", flat(error.characters())),
                None => last.to_owned(),
            }
        }
        Block::Subagent { id, status, .. } => match status {
            Some(status) => format!("{} {}", id.get(), status.get()),
            None => id.get().into_owned(),
        },
        Block::TaskEnd(end) => {
            let name = end.task.as_deref().or(end.call.as_deref()).unwrap_or("task");
            format!("{name} {}", end.status.as_deref().unwrap_or("ended"))
        }
        Block::Queue(change) => match change {
            QueueChange::Added { is_prompt: true } => "prompt queued".to_owned(),
            QueueChange::Added { is_prompt: false } => "message queued".to_owned(),
            QueueChange::Taken => "taken from the queue".to_owned(),
            QueueChange::Delivered => "delivered into the turn".to_owned(),
            QueueChange::Emptied => "prompts taken back".to_owned(),
        },
        Block::TurnStart { id, .. } => id.map_or_else(String::new, |id| id.get().into_owned()),
        Block::TurnEnd(end) => match end {
            TurnEnd::Unstated => "over".to_owned(),
            TurnEnd::Completed => "completed".to_owned(),
            TurnEnd::Failed(text) => format!("error: {}", one_line(*text)),
            TurnEnd::Aborted(reason) => format!("aborted: {}", reason.get()),
            TurnEnd::RolledBack => "rolled back".to_owned(),
        },
        Block::Header(header) => header.thread.map_or_else(String::new, |thread| thread.get().into_owned()),
        Block::Plan { text } => flat(text.characters()),
        Block::Attachment { name } => name.map_or_else(String::new, |name| name.get().into_owned()),
        Block::Twin | Block::Metadata => event.line.full_name(),
        Block::Unknown(name) => name.to_string(),
    };
    Some(text)
}

/// The beginning of a text on one line.
fn one_line(content: Content<'_>) -> String {
    flat(content.beginning(TEXT_CHARACTERS + 1).chars())
}

fn flat(characters: impl Iterator<Item = char>) -> String {
    let is_break = |character: char| matches!(character, '\n' | '\r' | '\t');
    let text = characters.take(TEXT_CHARACTERS + 1).map(|character| if is_break(character) { ' ' } else { character });
    text.collect::<String>().trim().to_owned()
}

/// The members of inputs that say what a call is about.
const SUBJECTS: [&str; 13] = [
    "command",
    "cmd",
    "file_path",
    "path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "skill",
    "subject",
    "taskId",
    "message",
];

pub(crate) fn of_call(call: &ToolCall<'_>) -> String {
    let name = call.name.get();
    match call.input.map(about_input).filter(|about| !about.is_empty()) {
        Some(about) => format!("{name} {about}"),
        None => name.into_owned(),
    }
}

fn about_input(input: RawJson<'_>) -> String {
    if let Some(text) = input.text() {
        let text = text.get();
        return match RawJson::of(text.as_bytes()).filter(|inner| inner.is_object()) {
            Some(inner) => about_input(inner),
            None => flat(text.chars()),
        };
    }
    let subject = SUBJECTS.iter().find_map(|name| input.text_of(name).filter(|text| !text.is_empty()));
    match subject {
        Some(subject) => flat(subject.characters()),
        None if input.bytes() == b"{}" => String::new(),
        None => flat(String::from_utf8_lossy(input.bytes()).chars()),
    }
}

pub(crate) fn of_result(result: &ToolResult<'_>) -> String {
    let text = one_line(result.content);
    match (result.outcome, text.is_empty()) {
        (Outcome::Success, false) => text,
        (outcome, true) => outcome.name().to_owned(),
        (outcome, false) => format!("{}: {text}", outcome.name()),
    }
}

fn of_usage(usage: &Usage<'_>) -> String {
    let tokens = match usage {
        Usage::Message { tokens, .. } | Usage::Record { tokens, .. } => tokens,
        Usage::Count { last, .. } => last,
        Usage::CountWithoutNumbers => return "no numbers".to_owned(),
    };
    format!("{} tokens in ({} cached), {} out", tokens.prompt, tokens.cache_read, tokens.output)
}

fn of_compaction(compaction: &Compaction<'_>) -> String {
    let mut text = compaction.trigger.map_or_else(String::new, |trigger| trigger.get().into_owned());
    for (word, tokens) in [("from", compaction.tokens_before), ("to", compaction.tokens_after)] {
        if let Some(tokens) = tokens {
            text.push_str(&format!(" {word} {tokens} tokens"));
        }
    }
    if text.is_empty() { "the context was compacted".to_owned() } else { text.trim_start().to_owned() }
}
