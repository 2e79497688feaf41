//! Edits for each defect: blocks are filled, changed, renamed, taken out, inserted and moved.

use rustc_hash::FxHashSet;

use super::ClaudeMender;
use super::edit::{block, content, with};
use crate::doctor::claude::block::{BlockKind, ClaudeBlock};
use crate::doctor::claude::history::ClaudeHistory;
use crate::doctor::claude::judge::is_accepted;
use crate::doctor::claude::messages::{BlockAt, Role};
use crate::doctor::document::EntryId;
use crate::doctor::names::Name;
use crate::doctor::problem::Spot;
use crate::doctor::shape::Shape;
use crate::doctor::splice::{literal, with_member, without_element};
use crate::json::string::{Escaped, Escapes};

/// The only words that a repair puts into a message.
const PLACEHOLDER: &str = "(no content)";
const LOST_RESULT: &str =
    "[The result of this call was lost: the session ended or was damaged before it was recorded.]";
const LOST_IMAGE: &str = "[An image was here that the provider refuses.]";
/// What an inserted line has in common with the line before it.
const ENVELOPE: [&str; 12] = [
    "isSidechain",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "slug",
    "agentId",
    "teamName",
    "promptId",
    "timestamp",
];

impl ClaudeMender<'_> {
    fn id_of(&self, spot: Spot) -> Option<Name> {
        self.node(spot.entry)?.blocks.get(spot.block)?.id
    }

    /// Puts the placeholder into a text block.
    pub(super) fn fill_text(&mut self, spot: Spot) -> Option<&'static str> {
        let text = literal(PLACEHOLDER);
        self.edit_copies(spot.entry, |shape| match block(shape, spot.block) {
            Some(block) => Some(with_member(shape, block, "text", &text)),
            None => Some(with(shape, content(shape)?, &text)),
        })?;
        Some("put in a placeholder")
    }

    /// Puts the placeholder into a line without content.
    pub(super) fn fill_content(&mut self, entry: EntryId) -> Option<&'static str> {
        let text = literal(PLACEHOLDER);
        let list = [&br#"[{"type":"text","text":"#[..], &text, b"}]"].concat();
        let role =
            if self.node(entry)?.kind == crate::doctor::claude::line::NodeKind::User { "user" } else { "assistant" };
        let message = [&br#"{"role":"#[..], &literal(role), br#","content":"#, &list, b"}"].concat();
        self.edit_copies(entry, |shape| {
            let Some(found) = shape.get(Shape::ROOT, "message").filter(|message| shape.is_object(*message)) else {
                return Some(with_member(shape, Shape::ROOT, "message", &message));
            };
            let is_text = content(shape).is_some_and(|content| shape.is_string(content));
            Some(with_member(shape, found, "content", if is_text { &text } else { &list }))
        })?;
        Some("put in a placeholder")
    }

    /// Overwrites escapes that a request may not have. The line keeps its length.
    pub(super) fn overwrite_escapes(&mut self, spot: Spot, is_nul: bool) -> Option<&'static str> {
        let is_call = self.node(spot.entry)?.blocks.get(spot.block)?.kind == BlockKind::ToolUse;
        self.edit_copies(spot.entry, |shape| {
            let block = block(shape, spot.block).or_else(|| content(shape))?;
            let at = if is_call { shape.get(block, "input")? } else { block };
            let mut bytes = shape.bytes().to_vec();
            for string in shape.strings(at) {
                let from = shape.span(string).start + 1;
                for escape in Escapes::new(shape.inside(string)) {
                    let is_it = match escape.stands_for {
                        Escaped::HalfPair => !is_nul,
                        Escaped::Character('\0') => is_nul,
                        _ => false,
                    };
                    if is_it {
                        bytes[from + escape.at..from + escape.end()].copy_from_slice(b"\\ufffd");
                    }
                }
            }
            Some(bytes)
        })?;
        Some("overwrite the character by U+FFFD")
    }

    /// Replaces an image by a text.
    pub(super) fn replace_image(&mut self, spot: Spot) -> Option<&'static str> {
        let text = [&br#"{"type":"text","text":"#[..], &literal(LOST_IMAGE), b"}"].concat();
        self.edit_copies(spot.entry, |shape| {
            let block = block(shape, spot.block)?;
            let image = match spot.part {
                Some(part) => shape.elements(shape.get(block, "content")?).nth(part)?,
                None => block,
            };
            Some(with(shape, image, &text))
        })?;
        Some("replace the image by a note")
    }

    /// Takes a block out. A line without any other block is dropped.
    pub(super) fn take_out(&mut self, spot: Spot) -> Option<&'static str> {
        let node = self.node(spot.entry)?;
        if node.blocks.iter().filter(|block| block.kind != BlockKind::Stray).count() <= 1 {
            let uuid = node.uuid;
            if !self.may_leave(uuid) {
                return self.replace_block(spot);
            }
            if self.parts_thinking(spot) {
                self.enter_chain(spot.entry)?;
                return self.replace_block(spot);
            }
            self.drop_node(uuid)?;
            return Some("drop the line");
        }
        self.touched.insert(spot.entry);
        self.edit_copies(spot.entry, |shape| Some(without_element(shape, content(shape)?, spot.block)))?;
        Some("take the block out")
    }

    /// Whether a block is all that parts an answer from a later one with thinking. Joined, the thinking would be out of
    /// order, and a healthy line would have to go, too.
    fn parts_thinking(&self, spot: Spot) -> bool {
        let Some(message) = spot.message else { return false };
        let Some([before, this, after]) = self.history.messages.get(message.saturating_sub(1)..message + 2) else {
            return false;
        };
        let is_alone = this.blocks.iter().all(|at| at.entry == spot.entry || self.touched.contains(&at.entry));
        let is_thinking = |at: &BlockAt| self.transcript.block(*at).is_some_and(ClaudeBlock::is_thinking);
        // Thinking that went in this round no longer comes first.
        let is_gone = |at: &BlockAt| is_thinking(at) && self.touched.contains(&at.entry);
        let begins_otherwise = before.blocks.iter().find(|at| !is_gone(at)).is_some_and(|at| !is_thinking(at));
        this.role == Role::User && is_alone && begins_otherwise && after.blocks.iter().any(is_thinking)
    }

    /// Puts the placeholder in the place of a block that cannot leave.
    fn replace_block(&mut self, spot: Spot) -> Option<&'static str> {
        self.touched.insert(spot.entry);
        let text = [&br#"{"type":"text","text":"#[..], &literal(PLACEHOLDER), b"}"].concat();
        self.edit_copies(spot.entry, |shape| Some(with(shape, block(shape, spot.block)?, &text)))?;
        Some("put a placeholder in its place")
    }

    fn rename(&mut self, at: BlockAt, member: &str, id: &str) -> Option<()> {
        let id = literal(id);
        self.edit_copies(at.entry, |shape| Some(with_member(shape, block(shape, at.block)?, member, &id)))
    }

    /// The blocks of one kind and id in a message.
    fn find(&self, message: usize, kind: BlockKind, id: Name) -> Vec<BlockAt> {
        let is_it =
            |at: &&BlockAt| self.transcript.block(**at).is_some_and(|block| block.kind == kind && block.id == Some(id));
        self.history
            .messages
            .get(message)
            .into_iter()
            .flat_map(|message| &message.blocks)
            .filter(is_it)
            .copied()
            .collect()
    }

    /// Replaces the characters of an id that the provider refuses, in the call and its result.
    pub(super) fn clean_id(&mut self, spot: Spot) -> Option<&'static str> {
        let id = self.id_of(spot)?;
        let old = self.transcript.names.text(id);
        let new: String = old
            .chars()
            .map(|character| if is_accepted(character.encode_utf8(&mut [0; 4])) { character } else { '_' })
            .collect();
        let new = if new.is_empty() { "_".to_owned() } else { new };
        let message = spot.message?;
        let mut results = self.find(message + 1, BlockKind::ToolResult, id);
        if results.is_empty() {
            // The result may be out of place, but it belongs to this call all the same.
            let messages = (0..self.history.messages.len()).filter(|other| {
                other.checked_sub(1).is_none_or(|before| self.find(before, BlockKind::ToolUse, id).is_empty())
            });
            results = messages.flat_map(|message| self.find(message, BlockKind::ToolResult, id)).collect();
        }
        self.rename(BlockAt { entry: spot.entry, block: spot.block }, "id", &new)?;
        for result in results {
            self.rename(result, "tool_use_id", &new)?;
        }
        Some("replace the characters in the id")
    }

    /// Of two calls with one id, the later goes if it is the same call, and gets another id if it is not.
    pub(super) fn separate_calls(&mut self, spot: Spot) -> Option<&'static str> {
        let (id, message) = (self.id_of(spot)?, spot.message?);
        let this = BlockAt { entry: spot.entry, block: spot.block };
        let first =
            (0..=message).flat_map(|message| self.find(message, BlockKind::ToolUse, id)).find(|at| *at != this)?;
        if self.call(first)? == self.call(this)? {
            return self.take_out(spot);
        }
        let old = self.transcript.names.text(id);
        let new = (2_u32..).map(|number| format!("{old}-{number}"));
        let new = new.into_iter().find(|new| self.transcript.names.find(new).is_none())?;
        let place = self.find(message, BlockKind::ToolUse, id).iter().position(|at| *at == this)?;
        let result = self.find(message + 1, BlockKind::ToolResult, id).get(place).copied();
        self.rename(this, "id", &new)?;
        if let Some(result) = result {
            self.rename(result, "tool_use_id", &new)?;
        }
        Some("give the call another id")
    }

    /// The tool and the input of a call, in a form in which equal calls are equal.
    fn call(&self, at: BlockAt) -> Option<(String, serde_json::Value)> {
        let bytes = self.bytes(at.entry)?;
        let shape = Shape::object(&bytes)?;
        let call = block(&shape, at.block)?;
        let input = shape.get(call, "input").map_or(&b"null"[..], |input| shape.raw(input));
        let text = String::from_utf8_lossy(input).into_owned();
        // An input that serde refuses, such as one with half a surrogate pair, is compared as it is written.
        let input = serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text));
        Some((shape.text_of(call, "name").unwrap_or_default().into_owned(), input))
    }

    /// Inserts a result that says that the result was lost.
    pub(super) fn insert_result(&mut self, spot: Spot) -> Option<&'static str> {
        let id = self.id_of(spot)?;
        let result = [
            &br#"{"type":"tool_result","tool_use_id":"#[..],
            &literal(&self.transcript.names.text(id)),
            br#","is_error":true,"content":"#,
            &literal(LOST_RESULT),
            b"}",
        ]
        .concat();
        let after = self.end_of_message(spot.entry)?;
        self.insert_line(after, id, &result)?;
        Some("insert a result that says that it was lost")
    }

    /// The place in the chain of the last line that belongs to the message of a call, its results included.
    fn end_of_message(&self, call: EntryId) -> Option<usize> {
        let chain = &self.history.chain.nodes;
        let node = |place: usize| self.node(self.history.graph.nodes[*chain.get(place)?].entry);
        let message = self.node(call)?.message;
        let is_of_message = |entry: EntryId| {
            entry == call || (message.is_some() && self.node(entry).is_some_and(|node| node.message == message))
        };
        let lines: Vec<EntryId> = self
            .history
            .sequence
            .iter()
            .map(|node| self.history.graph.nodes[*node].entry)
            .filter(|entry| is_of_message(*entry))
            .collect();
        let calls: FxHashSet<Name> = lines
            .iter()
            .filter_map(|entry| self.node(*entry))
            .flat_map(|node| node.blocks.iter())
            .filter(|block| block.kind == BlockKind::ToolUse)
            .filter_map(|block| block.id)
            .collect();
        let lines: FxHashSet<EntryId> = lines.into_iter().collect();
        let on_chain =
            (0..chain.len()).rev().find(|place| lines.contains(&self.history.graph.nodes[chain[*place]].entry));
        // A message of which no line is on the chain hangs beside the line above it.
        let mut last = match on_chain {
            Some(place) => place,
            None => self.above_in_chain(call)?,
        };
        let mut place = last + 1;
        while let Some(node) = node(place) {
            let answers = node
                .blocks
                .iter()
                .any(|block| block.kind == BlockKind::ToolResult && block.id.is_some_and(|id| calls.contains(&id)));
            if answers {
                last = place;
            } else if node.is_message() {
                break;
            }
            place += 1;
        }
        Some(self.answer_end(call).map_or(last, |end| end.min(last)))
    }

    /// The last place in the chain at which a line still follows the message of a call. The lines of a message belong
    /// together even if another answer is between them, so a line behind the last of them may follow that answer.
    /// `None` if no other answer follows.
    fn answer_end(&self, call: EntryId) -> Option<usize> {
        let ClaudeHistory { graph, chain, sequence, messages, .. } = self.history;
        let message = messages.iter().position(|message| message.entries.contains(&call))?;
        let next: FxHashSet<EntryId> = messages.get(message + 2)?.entries.iter().copied().collect();
        let mut place = None;
        for node in sequence {
            if chain.nodes.get(place.map_or(0, |place: usize| place + 1)) == Some(node) {
                place = Some(place.map_or(0, |place| place + 1));
            }
            if next.contains(&graph.nodes[*node].entry) {
                return place?.checked_sub(1);
            }
        }
        None
    }

    fn above_in_chain(&self, entry: EntryId) -> Option<usize> {
        let graph = &self.history.graph;
        let mut node = graph.node_of(self.node(entry)?.uuid)?;
        for _ in 0..=graph.nodes.len() {
            if let Some(place) = self.history.chain.nodes.iter().position(|other| *other == node) {
                return Some(place);
            }
            node = graph.parent_of(node)?;
        }
        None
    }

    /// Inserts a line of the user with one block, behind a place in the chain.
    fn insert_line(&mut self, after: usize, id: Name, block: &[u8]) -> Option<()> {
        let chain = &self.history.chain.nodes;
        let (after_node, before) = (*chain.get(after)?, chain.get(after + 1).copied());
        let after_entry = self.current_entry(self.history.graph.nodes[after_node].uuid)?;
        let uuid = self.new_uuid(id, self.history.graph.nodes[after_node].uuid);
        let line = self.user_line(after_entry, &uuid, block)?;
        self.insert_after(after_entry, line)?;
        let uuid = self.transcript.names.name(&uuid);
        self.link(uuid, after_node, before)
    }

    /// The last line with a uuid, as the document has it now.
    fn current_entry(&self, uuid: Name) -> Option<EntryId> {
        self.index.copies(uuid).last().copied()
    }

    /// A uuid that follows from a call and the line before it, so that the same repair gives the same file.
    fn new_uuid(&self, id: Name, parent: Name) -> String {
        let names = &self.transcript.names;
        (0_u64..)
            .map(|attempt| {
                let seed = format!("{}\n{}\n{attempt}", names.text(id), names.text(parent));
                let hex = blake3::hash(seed.as_bytes()).to_hex();
                // Version 8: a uuid of one's own making.
                format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
            })
            .find(|uuid| names.find(uuid).is_none())
            .unwrap_or_default()
    }

    fn user_line(&self, before: EntryId, uuid: &str, block: &[u8]) -> Option<Vec<u8>> {
        let bytes = self.bytes(before)?;
        let shape = Shape::object(&bytes)?;
        let parent = shape.get(Shape::ROOT, "uuid")?;
        let mut line = [br#"{"parentUuid":"#, shape.raw(parent)].concat();
        let mut member = |name: &str, value: &[u8]| {
            line.push(b',');
            line.extend_from_slice(&literal(name));
            line.push(b':');
            line.extend_from_slice(value);
        };
        for name in ENVELOPE {
            if let Some(value) = shape.get(Shape::ROOT, name) {
                member(name, shape.raw(value));
            }
        }
        member("type", b"\"user\"");
        member("message", &[&br#"{"role":"user","content":["#[..], block, b"]}"].concat());
        member("uuid", &literal(uuid));
        line.push(b'}');
        if bytes.ends_with(b"\r") {
            line.push(b'\r');
        }
        Some(line)
    }

    /// Moves a result behind its call.
    pub(super) fn move_result(&mut self, spot: Spot) -> Option<&'static str> {
        let (id, message) = (self.id_of(spot)?, spot.message?);
        let calls: Vec<(usize, BlockAt)> = (0..self.history.messages.len())
            .flat_map(|message| self.find(message, BlockKind::ToolUse, id).into_iter().map(move |call| (message, call)))
            .collect();
        let is_open = |(message, _): &&(usize, BlockAt)| self.find(message + 1, BlockKind::ToolResult, id).is_empty();
        let Some((_, call)) = calls.iter().find(is_open).copied() else {
            // Every call has its result, so this is one too many.
            return self.take_out(spot);
        };
        let node = self.node(spot.entry)?;
        let uuid = node.uuid;
        let has_other_results = node.blocks.iter().filter(|block| block.kind == BlockKind::ToolResult).count() > 1;
        self.busy.insert(message);
        if has_other_results || !self.may_leave(uuid) {
            self.move_block(spot, call, id)?;
            return Some("move the block behind its call");
        }
        let call_place = self.place_in_chain(call.entry);
        let end = self.answer_end(call.entry).filter(|end| call_place.is_some_and(|place| *end < place));
        let place = end.or(call_place);
        let chain = &self.history.chain.nodes;
        let (after_uuid, after) = match end.map(|end| self.history.graph.nodes[chain[end]].uuid) {
            Some(uuid) => (uuid, self.current_entry(uuid)?),
            None => (self.node(call.entry)?.uuid, call.entry),
        };
        self.unlink(uuid)?;
        self.set_parent(uuid, Some(after_uuid))?;
        self.move_after(spot.entry, after);
        if let Some(place) = place {
            let before = chain[place + 1..].iter().copied().find(|node| self.history.graph.nodes[*node].uuid != uuid);
            self.link(uuid, chain[place], before)?;
        }
        Some("move the line behind its call")
    }

    /// Moves one of several results of a line behind its call.
    fn move_block(&mut self, spot: Spot, call: BlockAt, id: Name) -> Option<()> {
        let bytes = self.bytes(spot.entry)?;
        let shape = Shape::object(&bytes)?;
        let result = shape.raw(block(&shape, spot.block)?).to_vec();
        self.take_out(spot)?;
        let after = self.end_of_message(call.entry)?;
        self.insert_line(after, id, &result)
    }
}
