//! Calls and their results: each call is answered once, in the next message, under an id of its own.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{BlockPlace, places, since};
use crate::doctor::checks::{
    BAD_ID, DUPLICATE_CALL, DUPLICATE_RESULT, MISPLACED_RESULT, MISSING_RESULT, ORPHAN_RESULT, SERVER_CALL_OPEN,
    SERVER_RESULT_ORPHAN,
};
use crate::doctor::claude::Transcript;
use crate::doctor::claude::block::BlockKind;
use crate::doctor::claude::history::ClaudeHistory;
use crate::doctor::claude::messages::{ClaudeMessage, Role};
use crate::doctor::names::Name;
use crate::doctor::problem::Problems;

pub(super) fn judge(transcript: &Transcript, history: &ClaudeHistory, problems: &mut Problems) {
    let calls: FxHashSet<Name> = history
        .messages
        .iter()
        .filter(|message| message.role == Role::Assistant)
        .flat_map(|message| ids(transcript, message, BlockKind::ToolUse))
        .collect();
    let misplaced = results(transcript, history, &calls, problems);
    open_calls(transcript, history, misplaced, problems);
    for (index, message) in history.messages.iter().enumerate().filter(|(_, message)| message.role == Role::Assistant) {
        server_tools(transcript, index, message, problems);
    }
}

/// The ids of the blocks of one kind in a message.
fn ids(transcript: &Transcript, message: &ClaudeMessage, kind: BlockKind) -> impl Iterator<Item = Name> {
    let blocks = message.blocks.iter().filter_map(|at| transcript.block(*at));
    blocks.filter(move |block| block.kind == kind).filter_map(|block| block.id)
}

fn of_kind(transcript: &Transcript, index: usize, message: &ClaudeMessage, kind: BlockKind) -> Vec<(BlockPlace, Name)> {
    let id = |place: &BlockPlace| transcript.block(place.at).filter(|block| block.kind == kind)?.id;
    places(index, message).filter_map(|place| Some((place, id(&place)?))).collect()
}

/// Judges all results. Returns how many results of each call are in the history, but not next to it.
fn results(
    transcript: &Transcript,
    history: &ClaudeHistory,
    calls: &FxHashSet<Name>,
    problems: &mut Problems,
) -> FxHashMap<Name, u32> {
    let mut misplaced: FxHashMap<Name, u32> = FxHashMap::default();
    let mut before: FxHashSet<Name> = FxHashSet::default();
    let mut elsewhere: Option<FxHashMap<Name, u32>> = None;
    for (index, message) in history.messages.iter().enumerate() {
        if message.role == Role::Assistant {
            before = ids(transcript, message, BlockKind::ToolUse).collect();
            continue;
        }
        let mut seen: FxHashSet<Name> = FxHashSet::default();
        for (place, id) in of_kind(transcript, index, message, BlockKind::ToolResult) {
            let name = transcript.names.text(id);
            let unexpected = format!(
                "messages.{index}.content.{}: unexpected `tool_use_id` found in `tool_result` blocks: {name}. Each \
                 `tool_result` block must have a corresponding `tool_use` block in the previous message.",
                place.content
            );
            let problem = if !calls.contains(&id) {
                let healing = if index == 0 { since(2, 1, 69) } else { None };
                let calls = elsewhere.get_or_insert_with(|| lines_of_calls(transcript));
                let detail = where_the_call_is(transcript, history, calls.get(&id).copied());
                transcript.problem(&ORPHAN_RESULT, place, unexpected).healed(healing).detailed(Some(detail))
            } else if !before.contains(&id) {
                *misplaced.entry(id).or_default() += 1;
                transcript.problem(&MISPLACED_RESULT, place, unexpected)
            } else if !seen.insert(id) {
                let predicted = format!(
                    "messages.{index}.content.{}: each tool_use must have a single result. Found multiple `tool_result` \
                     blocks with id: {name}",
                    place.content
                );
                transcript.problem(&DUPLICATE_RESULT, place, predicted)
            } else {
                continue;
            };
            problems.push(problem.about(name));
        }
        before.clear();
    }
    misplaced
}

/// The line of every call of the file, whether it is in the history or not.
fn lines_of_calls(transcript: &Transcript) -> FxHashMap<Name, u32> {
    let mut lines = FxHashMap::default();
    for (_, entry) in transcript.document.present() {
        for block in entry.line.node().into_iter().flat_map(|node| node.blocks.iter()) {
            if let Some(id) = block.id.filter(|_| block.kind == BlockKind::ToolUse) {
                lines.entry(id).or_insert(entry.number);
            }
        }
    }
    lines
}

/// What the file knows about a call that is not in the history.
fn where_the_call_is(transcript: &Transcript, history: &ClaudeHistory, line: Option<u32>) -> String {
    let Some(line) = line else { return "its call is on no line of the file".to_owned() };
    let boundary = history.graph.boundary.map(|node| transcript.number(history.graph.nodes[node].entry));
    match boundary.filter(|boundary| line < *boundary) {
        Some(boundary) => format!("its call is on line {line}, before the compaction on line {boundary}"),
        None => format!("its call is on line {line}, which the history leaves out"),
    }
}

/// Judges all calls: their ids, and whether they are answered. A call whose result is elsewhere is not reported again.
fn open_calls(
    transcript: &Transcript,
    history: &ClaudeHistory,
    mut misplaced: FxHashMap<Name, u32>,
    problems: &mut Problems,
) {
    let mut known: FxHashSet<Name> = FxHashSet::default();
    for (index, message) in history.messages.iter().enumerate().filter(|(_, message)| message.role == Role::Assistant) {
        let answered: FxHashSet<Name> = history
            .messages
            .get(index + 1)
            .into_iter()
            .flat_map(|next| ids(transcript, next, BlockKind::ToolResult))
            .collect();
        let mut open: FxHashSet<Name> = FxHashSet::default();
        for (place, id) in of_kind(transcript, index, message, BlockKind::ToolUse) {
            let name = transcript.names.text(id);
            let at = format!("messages.{index}.content.{}", place.content);
            if !is_accepted(&name) {
                let predicted = format!("{at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'");
                problems.push(transcript.problem(&BAD_ID, place, predicted).about(name.clone()));
            }
            if !known.insert(id) {
                let predicted = format!("{at}: `tool_use` ids must be unique");
                problems.push(transcript.problem(&DUPLICATE_CALL, place, predicted).about(name.clone()));
            }
            if answered.contains(&id) || !open.insert(id) {
                continue;
            }
            if let Some(elsewhere) = misplaced.get_mut(&id).filter(|elsewhere| **elsewhere > 0) {
                *elsewhere -= 1;
                continue;
            }
            let predicted = format!(
                "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {name}. \
                 Each `tool_use` block must have a corresponding `tool_result` block in the next message."
            );
            let problem = transcript.problem(&MISSING_RESULT, place, predicted);
            problems.push(problem.healed(since(2, 1, 86)).about(name));
        }
    }
}

/// Whether the provider accepts an id of a call.
pub(crate) fn is_accepted(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Calls that the provider answers itself have their results in the same message.
fn server_tools(transcript: &Transcript, index: usize, message: &ClaudeMessage, problems: &mut Problems) {
    let results: FxHashSet<Name> = ids(transcript, message, BlockKind::ServerResult).collect();
    let mut called: FxHashSet<Name> = FxHashSet::default();
    for place in places(index, message) {
        let Some(block) = transcript.block(place.at) else { continue };
        let Some(id) = block.id else { continue };
        let name = transcript.names.text(id);
        match block.kind {
            BlockKind::ServerCall => {
                called.insert(id);
                let is_providers = &*transcript.names.text(block.kind_name) == "server_tool_use";
                if is_providers && !results.contains(&id) {
                    let tool = block.tool.map(|tool| transcript.names.text(tool)).unwrap_or_default();
                    let predicted = format!(
                        "messages.{index}: `{tool}` tool use with id `{name}` was found without a corresponding \
                         `{tool}_tool_result` block"
                    );
                    problems.push(transcript.problem(&SERVER_CALL_OPEN, place, predicted).about(name));
                }
            }
            BlockKind::ServerResult if !called.contains(&id) => {
                let kind = transcript.names.text(block.kind_name);
                let predicted = format!(
                    "messages.{index}.content.{}: unexpected `tool_use_id` found in `{kind}` blocks: {name}. Each `{kind}` \
                     block must have a corresponding `server_tool_use` block before it.",
                    place.content
                );
                problems.push(transcript.problem(&SERVER_RESULT_ORPHAN, place, predicted).about(name));
            }
            _ => {}
        }
    }
}
