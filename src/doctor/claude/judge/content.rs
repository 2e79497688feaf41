//! The content of messages: texts, thinking, images, and the size of the whole.

use super::{BlockPlace, places, since};
use crate::doctor::checks::{
    BLANK_TEXT, EMPTY_CONTENT, EMPTY_TEXT, IMAGE, LONE_SURROGATE, NUL_CHAR, THINKING_ORDER, THINKING_UNSIGNED, TOO_BIG,
    TOOL_REFERENCE,
};
use crate::doctor::claude::Transcript;
use crate::doctor::claude::block::{BlockKind, ClaudeBlock};
use crate::doctor::claude::history::ClaudeHistory;
use crate::doctor::claude::messages::{ClaudeMessage, Role};
use crate::doctor::image::{Image, MANY_IMAGES, MOST_BASE64_BYTES, MOST_SIDE, MOST_SIDE_OF_MANY};
use crate::doctor::problem::{Problem, Problems, Spot};

/// A request may have so many bytes.
const MOST_BYTES: u64 = 32 << 20;

pub(super) fn judge(transcript: &Transcript, history: &ClaudeHistory, problems: &mut Problems) {
    let images = history
        .messages
        .iter()
        .flat_map(|message| &message.blocks)
        .filter_map(|at| transcript.block(*at)?.parts.as_ref())
        .map(|parts| parts.images.len())
        .sum();
    for (index, message) in history.messages.iter().enumerate() {
        whole_message(transcript, index, message, problems);
        for place in places(index, message) {
            let Some(block) = transcript.block(place.at) else { continue };
            texts(transcript, place, block, problems);
            parts(transcript, place, block, images, problems);
        }
    }
    size(transcript, history, problems);
}

/// Rules about a message as a whole.
fn whole_message(transcript: &Transcript, index: usize, message: &ClaudeMessage, problems: &mut Problems) {
    if message.blocks.is_empty() {
        let Some(entry) = message.entries.first().copied() else { return };
        let predicted = format!(
            "messages.{index}: all messages must have non-empty content except for the optional final assistant message"
        );
        let spot = Spot { entry, message: Some(index), ..Spot::default() };
        problems.push(Problem::new(&EMPTY_CONTENT, transcript.shown_number(entry), predicted).at(spot));
        return;
    }
    let blocks: Vec<(BlockPlace, &ClaudeBlock)> =
        places(index, message).filter_map(|place| Some((place, transcript.block(place.at)?))).collect();
    if blocks.iter().all(|(_, block)| block.is_blank_text())
        && let Some((place, _)) = blocks.first()
    {
        let predicted = "messages: text content blocks must contain non-whitespace text".to_owned();
        problems.push(transcript.problem(&BLANK_TEXT, *place, predicted));
    }
    let first = blocks.first().filter(|(_, block)| !block.is_thinking() && message.role == Role::Assistant);
    if let (Some((_, first)), Some((place, _))) = (first, blocks.iter().find(|(_, block)| block.is_thinking())) {
        let predicted = format!(
            "messages.{index}.content.0: If an assistant message contains any thinking blocks, the first block must be \
             `thinking` or `redacted_thinking`. Found `{}`.",
            transcript.names.text(first.kind_name)
        );
        problems.push(transcript.problem(&THINKING_ORDER, *place, predicted));
    }
}

/// Rules about the texts of a block.
fn texts(transcript: &Transcript, place: BlockPlace, block: &ClaudeBlock, problems: &mut Problems) {
    let id = block.id.map(|id| transcript.names.text(id));
    if block.is_empty_text() {
        let predicted = "messages: text content blocks must be non-empty".to_owned();
        problems.push(transcript.problem(&EMPTY_TEXT, place, predicted));
    }
    if !block.is_signed {
        let member = if block.kind == BlockKind::Thinking { "thinking.signature" } else { "redacted_thinking.data" };
        let predicted = format!("messages.{}.content.{}.{member}: Field required", place.message, place.content);
        problems.push(transcript.problem(&THINKING_UNSIGNED, place, predicted));
    }
    if block.has_lone_surrogate {
        let is_input = block.kind == BlockKind::ToolUse;
        let predicted = "The request body is not valid JSON: no low surrogate in string".to_owned();
        let problem = transcript.problem(&LONE_SURROGATE, place, predicted);
        problems.push(match id.clone().filter(|_| is_input) {
            Some(id) => problem.about(id),
            None => problem.healed(since(2, 1, 132)),
        });
    }
    if block.has_nul {
        let predicted = "The request body is not valid JSON: unexpected end of data".to_owned();
        let problem = transcript.problem(&NUL_CHAR, place, predicted);
        problems.push(match id {
            Some(id) => problem.about(id),
            None => problem,
        });
    }
}

/// Rules about images and references to tools.
fn parts(transcript: &Transcript, place: BlockPlace, block: &ClaudeBlock, images: usize, problems: &mut Problems) {
    let Some(parts) = &block.parts else { return };
    for (part, image) in &parts.images {
        let Some((predicted, healing)) = refusal(*image, images, place) else { continue };
        let spot = Spot { part: part.map(|part| part as usize), ..place.spot() };
        problems.push(transcript.problem(&IMAGE, place, predicted).healed(healing).at(spot));
    }
    for (index, tool) in parts.references.iter().enumerate() {
        let name = transcript.names.text(*tool);
        let predicted = format!("Tool reference '{name}' not found in available tools");
        let spot = Spot { part: Some(index), ..place.spot() };
        problems.push(transcript.problem(&TOOL_REFERENCE, place, predicted).about(name).at(spot));
    }
}

fn refusal(image: Image, images: usize, place: BlockPlace) -> Option<(String, Option<crate::doctor::client::Healing>)> {
    let at = format!("messages.{}.content.{}.image.source.base64", place.message, place.content);
    match image {
        Image::Unreadable => Some(("Could not process image".to_owned(), since(2, 1, 166))),
        Image::TooLong(bytes) => {
            Some((format!("{at}: image exceeds 5 MB maximum: {bytes} bytes > {MOST_BASE64_BYTES} bytes"), None))
        }
        Image::Readable { side } if side > MOST_SIDE => {
            let says = "At least one of the image dimensions exceed max allowed size";
            Some((format!("{at}.data: {says}: {MOST_SIDE} pixels"), since(2, 1, 126)))
        }
        Image::Readable { side } if side > MOST_SIDE_OF_MANY && images > MANY_IMAGES => {
            let says = "At least one of the image dimensions exceed max allowed size for many-image requests";
            Some((format!("{at}.data: {says}: {MOST_SIDE_OF_MANY} pixels"), since(2, 1, 126)))
        }
        Image::Readable { .. } => None,
    }
}

/// The size of the request. The line of the largest message is named.
fn size(transcript: &Transcript, history: &ClaudeHistory, problems: &mut Problems) {
    let bytes_of = |message: &ClaudeMessage| -> u64 {
        message.blocks.iter().filter_map(|at| transcript.block(*at)).map(|block| u64::from(block.bytes)).sum()
    };
    if history.messages.iter().map(bytes_of).sum::<u64>() <= MOST_BYTES {
        return;
    }
    let largest = history.messages.iter().enumerate().max_by_key(|(_, message)| bytes_of(message));
    if let Some((index, entry)) = largest.and_then(|(index, message)| Some((index, *message.entries.first()?))) {
        let spot = Spot { entry, message: Some(index), ..Spot::default() };
        let line = transcript.shown_number(entry);
        problems.push(Problem::new(&TOO_BIG, line, "Request exceeds the maximum size").at(spot));
    }
}
