//! What an agent event says, for display: texts, calls by what they ask for, results by what came of them.

mod call;
mod patch;
mod result;

use super::block::{Block, PromptBy};
use super::caption::outcome;
use super::content::Content;
use super::event::AgentEvent;
use super::kind::AgentKind;
use super::summary::summary;
use crate::replay::caption::{Outcome, size};
use crate::replay::utterance::{Part, PartKind, Utterance};
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

/// The parts of one block, and what the entry is if it is the first.
struct Said {
    role: &'static str,
    about: String,
    parts: Vec<Part>,
}

impl Said {
    fn new(role: &'static str, about: impl Into<String>, parts: Vec<Part>) -> Option<Said> {
        Some(Said { role, about: about.into(), parts })
    }
}

pub(crate) fn said(event: &AgentEvent<'_>) -> Option<Utterance> {
    let mut blocks = event.blocks.iter().filter_map(|block| of_block(event, block));
    let Said { role, mut about, mut parts } = blocks.next()?;
    for other in blocks {
        if other.role == "tool call" || other.role == "tool result" {
            parts.push(Part::new(PartKind::Title, format!("{} {}", other.role, other.about)));
        }
        parts.extend(other.parts);
    }
    if event.is_aside() {
        about = format!("↳ subagent {about}").trim_end().to_owned();
    }
    let is_failure = outcome(event).is_some_and(Outcome::is_failure);
    Some(Utterance::of(role, about, parts).failing(is_failure))
}

fn of_block(event: &AgentEvent<'_>, block: &Block<'_>) -> Option<Said> {
    match block {
        Block::Prompt { content, by } => {
            let role = match by {
                PromptBy::User | PromptBy::UserWithTwin => "user",
                PromptBy::Command => "command",
                PromptBy::Notification => "notification",
            };
            Said::new(role, "", written(*content))
        }
        Block::Steer { content } => Said::new("user", "while the model was working", written(*content)),
        Block::Note { content, .. } if event.kind == AgentKind::Summary => {
            Said::new("compaction", "summary", written(*content))
        }
        Block::Note { content, is_local } => {
            Said::new(if *is_local { "local" } else { "note" }, "", as_it_is(*content))
        }
        Block::Text(content) => Said::new("assistant", "", written(*content)),
        Block::Thinking(content) => {
            let parts = written(*content);
            if parts.is_empty() && event.kind != AgentKind::Thinking {
                return None;
            }
            let about = if parts.is_empty() { "not written down" } else { "" };
            Said::new("thinking", about, parts)
        }
        Block::ToolCall(call) => Said::new("tool call", call::about(call), call::parts(call)),
        Block::ToolResult(result) => Said::new("tool result", result.outcome.name(), result::parts(result)),
        Block::Verdict(verdict) => Said::new("tool report", summary(event), result::changes(verdict.changes)),
        Block::Plan { text } => Said::new("plan", "", vec![Part::new(PartKind::Prose, text.get())]),
        Block::Error { text, .. } => Said::new("error", "", vec![Part::new(PartKind::Failure, text.text())]),
        Block::Interrupt | Block::Compaction(_) => {
            Said::new("end", "", vec![Part::new(PartKind::Note, summary(event))])
        }
        _ => None,
    }
}

/// What a person or a model has written.
fn written(content: Content<'_>) -> Vec<Part> {
    parts_of(content, PartKind::Prose)
}

/// A text of a program.
fn as_it_is(content: Content<'_>) -> Vec<Part> {
    parts_of(content, PartKind::Plain)
}

fn parts_of(content: Content<'_>, kind: PartKind) -> Vec<Part> {
    let text = content.text();
    let mut parts = Vec::new();
    if !text.trim().is_empty() {
        parts.push(Part::new(kind, text));
    }
    parts.extend(content.pictures().map(|picture| {
        let media = picture.media.unwrap_or_else(|| "of an unknown type".to_owned());
        let size = picture.bytes.map_or_else(String::new, |bytes| format!(", {}", size(bytes)));
        Part::new(PartKind::Note, format!("image: {media}{size}"))
    }));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::decode::AgentDecoder;

    fn told(record: &str) -> Utterance {
        said(&AgentDecoder::default().decode(record.as_bytes()).expect("a record")).expect("words")
    }

    fn kinds(said: &Utterance) -> Vec<(&PartKind, &str)> {
        said.parts.iter().map(|part| (&part.kind, part.text.as_str())).collect()
    }

    #[test]
    fn an_edit_is_a_change_of_its_file() {
        let call = told(
            r#"{"type":"assistant","uuid":"u","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"/p/a.rs","old_string":"a\nb\nc","new_string":"a\nB\nc","replace_all":false}}]}}"#,
        );
        assert_eq!((call.role, call.about.as_str()), ("tool call", "Edit"));
        assert_eq!(kinds(&call), [(&PartKind::Title, "/p/a.rs"), (&PartKind::Change, " a\n-b\n+B\n c")]);
        let result = told(
            r#"{"type":"user","uuid":"v","sessionId":"s","toolUseResult":{"filePath":"/p/a.rs","structuredPatch":[{"oldStart":4,"oldLines":1,"newStart":4,"newLines":1,"lines":["-b","+B"]}]},"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"The file was updated"}]}}"#,
        );
        assert_eq!(result.about, "success");
        assert_eq!(kinds(&result)[1], (&PartKind::Change, "@@ -4,1 +4,1 @@\n-b\n+B"));
    }

    #[test]
    fn a_command_has_its_exit_code_and_output() {
        let result = told(
            r#"{"type":"response_item","timestamp":"2026-01-01T00:00:00Z","payload":{"type":"function_call_output","call_id":"c","output":"Exit code: 1\nWall time: 2.5 seconds\nOutput:\nno"}}"#,
        );
        assert_eq!(kinds(&result), [(&PartKind::Failure, "exit code 1 · 2.5 s"), (&PartKind::Plain, "no")]);
        let call = told(
            r#"{"type":"response_item","timestamp":"2026-01-01T00:00:00Z","payload":{"type":"function_call","call_id":"c","name":"exec_command","arguments":"{\"cmd\":\"ls\",\"workdir\":\"/p\"}"}}"#,
        );
        assert_eq!(kinds(&call), [(&PartKind::Code("sh".to_owned()), "ls"), (&PartKind::Note, "workdir: /p")]);
    }

    #[test]
    fn images_are_one_line() {
        let prompt = told(
            r#"{"type":"user","uuid":"v","sessionId":"s","message":{"content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAABBBB"}}]}}"#,
        );
        assert_eq!(kinds(&prompt), [(&PartKind::Prose, "look"), (&PartKind::Note, "image: image/png, 6 B")]);
    }
}
