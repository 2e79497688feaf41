//! Lines of the user: prompts, results of tools, and texts that the program put in.

use std::hash::Hasher;

use super::assistant::call_id;
use super::members::{LineMembers, MessageMembers};
use super::outcome;
use crate::agent::block::{Block, Outcome, PromptBy, TaskEnd, ToolResult};
use crate::agent::content::Content;
use crate::agent::event::Line;
use crate::json::raw::{RawJson, RawText};

/// How much of a text is looked at to tell what it is.
const BEGINNING: usize = 40;

pub(super) fn read<'a>(members: &LineMembers<'a>, line: &mut Line<'a>, blocks: &mut Vec<Block<'a>>) {
    let message = MessageMembers::of(members.message);
    line.answers = members.answers.and_then(RawJson::text).filter(|id| !id.is_empty());
    let content = message.content;
    for part in content.into_iter().flat_map(RawJson::elements) {
        if part.text_of("type").is_some_and(|kind| kind.is("tool_result")) {
            result(part, members, blocks);
        }
    }
    if !blocks.is_empty() {
        line.answers = line.answers.or(line.parent);
        return;
    }
    line.answers = None;
    let is_set = |flag: Option<RawJson<'_>>| flag.and_then(RawJson::flag) == Some(true);
    if is_set(members.is_summary) {
        line.is_summary = true;
        blocks.push(Block::Note { is_local: false, content: Content::new(content) });
        return;
    }
    line.copy_key = Some(copy_key(members));
    // A list without any object holds nothing that could be a prompt.
    if content.is_some_and(|content| content.is_array() && !content.elements().any(RawJson::is_object)) {
        blocks.push(Block::Metadata);
        return;
    }
    let content = Content::new(content);
    let is_meta = is_set(members.is_meta) || is_set(members.is_for_transcript);
    let origin = members.origin.and_then(|origin| origin.text_of("kind"));
    text(content, is_meta, origin, blocks);
    if let [Block::Prompt { .. }, ..] = blocks[..] {
        line.turn = members.prompt.and_then(RawJson::text).or(line.id);
    }
}

/// What a user's text is, by its beginning.
fn text<'a>(content: Content<'a>, is_meta: bool, origin: Option<RawText<'a>>, blocks: &mut Vec<Block<'a>>) {
    let beginning = content.beginning(BEGINNING);
    let begins = |words: &[&str]| words.iter().any(|word| beginning.starts_with(word));
    if begins(&["[Request interrupted by user"]) {
        blocks.push(Block::Interrupt);
    } else if origin.is_some_and(|origin| origin.is("task-notification")) || begins(&["<task-notification>"]) {
        blocks.push(Block::Prompt { by: PromptBy::Notification, content });
        blocks.extend(task_ends(content));
    } else if begins(&["<local-command-", "<bash-"]) {
        blocks.push(Block::Note { is_local: true, content });
    } else if is_meta
        || begins(&["<system-reminder", "<user-memory-input", "<agent-message", "<teammate-message"])
        || begins(&["Caveat: ", "Stop hook feedback:"])
    {
        blocks.push(Block::Note { is_local: false, content });
    } else if begins(&["<command-name>", "<command-message>"]) {
        blocks.push(Block::Prompt { by: PromptBy::Command, content });
    } else {
        blocks.push(Block::Prompt { by: PromptBy::User, content });
    }
}

/// A line that repeats the time and the message of an earlier one is a copy of it.
fn copy_key(members: &LineMembers<'_>) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(members.timestamp.map_or(b"", RawJson::bytes));
    hasher.write_u64(members.message.map_or(0, crate::agent::content::canonical_hash));
    hasher.finish()
}

fn result<'a>(part: RawJson<'a>, members: &LineMembers<'a>, blocks: &mut Vec<Block<'a>>) {
    let (mut id, mut is_error, mut content) = (None, false, None);
    part.each_member(&mut |key, value| match &*key.name() {
        b"tool_use_id" => id = value.text(),
        b"is_error" => is_error = value.flag() == Some(true),
        b"content" => content = Some(value),
        _ => {}
    });
    let content = Content::new(content);
    let details = ResultDetails::of(members.result);
    let outcome = outcome::of(members, &details, is_error, content);
    let is_launched = outcome == Outcome::Launched;
    if let Some(id) = details.agent {
        let status = if is_launched { None } else { details.status };
        blocks.push(Block::Subagent { id, is_background: is_launched, status, is_new: true, thread: None });
    }
    blocks.push(Block::ToolResult(ToolResult {
        id: call_id(id),
        outcome,
        exit_code: None,
        content,
        written: details.written.filter(|_| details.has_patch && outcome == Outcome::Success),
        task: details.agent.or(details.background).or(details.task).filter(|_| is_launched),
        process: None,
        details: members.result,
    }));
}

/// The members of a structured result that the reader uses.
#[derive(Default)]
pub(super) struct ResultDetails<'a> {
    pub is_async: bool,
    pub is_interrupted: bool,
    pub status: Option<RawText<'a>>,
    pub agent: Option<RawText<'a>>,
    pub background: Option<RawText<'a>>,
    pub task: Option<RawText<'a>>,
    pub has_patch: bool,
    pub written: Option<RawText<'a>>,
}

impl<'a> ResultDetails<'a> {
    fn of(result: Option<RawJson<'a>>) -> ResultDetails<'a> {
        let mut details = ResultDetails::default();
        result.into_iter().for_each(|result| {
            result.each_member(&mut |key, value| match &*key.name() {
                b"isAsync" => details.is_async = value.flag() == Some(true),
                b"interrupted" => details.is_interrupted = value.flag() == Some(true),
                b"status" => details.status = value.text(),
                b"agentId" => details.agent = value.text(),
                b"backgroundTaskId" => details.background = value.text().filter(|id| !id.is_empty()),
                b"taskId" => details.task = value.text(),
                b"structuredPatch" => details.has_patch = true,
                b"filePath" => details.written = value.text(),
                _ => {}
            });
        });
        details
    }
}

/// The ends of background tasks that a text reports.
pub(super) fn task_ends<'a>(content: Content<'_>) -> Vec<Block<'a>> {
    const OPEN: &str = "<task-notification>";
    let is_one = content.beginning(OPEN.len()).starts_with(OPEN);
    let text = if is_one { content.text().into_owned() } else { String::new() };
    text.split(OPEN).skip(1).map(|notice| Block::TaskEnd(task_end(notice))).collect()
}

fn task_end(notice: &str) -> TaskEnd {
    let notice = notice.split("</task-notification>").next().unwrap_or(notice);
    let inside = |name: &str| {
        let after = notice.split_once(&format!("<{name}>"))?.1;
        Some(after.split_once(&format!("</{name}>"))?.0.trim().into())
    };
    TaskEnd { task: inside("task-id"), call: inside("tool-use-id"), status: inside("status") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_name_their_task_and_call() {
        let text = r#""<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t</tool-use-id><status>completed</status>\n</task-notification><task-notification><task-id>b</task-id></task-notification>""#;
        let blocks = task_ends(Content::new(RawJson::of(text.as_bytes())));
        let ends: Vec<TaskEnd> = blocks
            .into_iter()
            .filter_map(|block| if let Block::TaskEnd(end) = block { Some(end) } else { None })
            .collect();
        let named = |text: &str| Some(Box::from(text));
        assert_eq!(
            ends,
            [
                TaskEnd { task: named("a1"), call: named("t"), status: named("completed") },
                TaskEnd { task: named("b"), call: None, status: None },
            ]
        );
        assert!(task_ends(Content::new(RawJson::of(br#""no notice""#))).is_empty());
    }
}
