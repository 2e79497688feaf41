//! The messages of a request, made from the lines of the history as the agent makes them.

use rustc_hash::FxHashMap;

use super::Transcript;
use super::block::{BlockKind, ClaudeBlock};
use super::graph::{Graph, NodeId};
use super::line::NodeKind;
use crate::doctor::document::EntryId;
use crate::doctor::names::Name;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    User,
    Assistant,
}

impl Role {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// A block of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockAt {
    pub entry: EntryId,
    pub block: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct ClaudeMessage {
    pub role: Role,
    pub blocks: Vec<BlockAt>,
    /// Its lines, those without a block that is sent included.
    pub entries: Vec<EntryId>,
}

impl Transcript {
    pub(crate) fn block(&self, at: BlockAt) -> Option<&ClaudeBlock> {
        self.node(at.entry)?.blocks.get(at.block)
    }
}

/// The messages of some lines, which are in the order of the history.
pub(crate) fn messages(transcript: &Transcript, graph: &Graph, sequence: &[NodeId]) -> Vec<ClaudeMessage> {
    let mut drafts: Vec<MessageDraft> = Vec::new();
    let mut by_id: FxHashMap<Name, usize> = FxHashMap::default();
    for id in sequence {
        let node = &graph.nodes[*id];
        let Some(line) = transcript.node(node.entry).filter(|line| line.is_sent()) else { continue };
        let last = drafts.last_mut();
        match (line.kind, line.message) {
            (NodeKind::User, _) => match last {
                Some(draft) if draft.role == Role::User => draft.nodes.push(*id),
                _ => drafts.push(MessageDraft { role: Role::User, nodes: vec![*id] }),
            },
            (_, Some(message)) => match by_id.get(&message) {
                // All lines of a message belong together, also if results are between them.
                Some(draft) => drafts[*draft].nodes.push(*id),
                None => {
                    by_id.insert(message, drafts.len());
                    drafts.push(MessageDraft { role: Role::Assistant, nodes: vec![*id] });
                }
            },
            (_, None) => drafts.push(MessageDraft { role: Role::Assistant, nodes: vec![*id] }),
        }
    }
    let mut messages: Vec<ClaudeMessage> = Vec::new();
    for message in drafts.into_iter().filter_map(|draft| draft.settled(transcript, graph)) {
        match messages.last_mut() {
            Some(last) if last.role == message.role => {
                last.blocks.extend(message.blocks);
                last.entries.extend(message.entries);
            }
            _ => messages.push(message),
        }
    }
    messages.iter_mut().for_each(|message| message.arrange(transcript));
    messages
}

/// The lines of a message.
struct MessageDraft {
    role: Role,
    nodes: Vec<NodeId>,
}

impl MessageDraft {
    /// The message, unless it is one of thinking alone, which the agent leaves out.
    fn settled(mut self, transcript: &Transcript, graph: &Graph) -> Option<ClaudeMessage> {
        let entry = |node: &NodeId| graph.nodes[*node].entry;
        if self.role == Role::Assistant {
            self.nodes.sort_unstable();
            let index = |node: &NodeId| transcript.node(entry(node)).and_then(|line| line.block_index);
            if self.nodes.iter().all(|node| index(node).is_some()) {
                self.nodes.sort_by_key(index);
            }
        }
        let entries: Vec<EntryId> = self.nodes.iter().map(entry).collect();
        let blocks_of = |entry: &EntryId| transcript.node(*entry).map_or(0, |line| line.blocks.len());
        let blocks: Vec<BlockAt> = entries
            .iter()
            .flat_map(|entry| (0..blocks_of(entry)).map(|block| BlockAt { entry: *entry, block }))
            .filter(|at| transcript.block(*at).is_some_and(|block| block.kind != BlockKind::Stray))
            .collect();
        let had_blocks = !blocks.is_empty();
        let mut message = ClaudeMessage { role: self.role, blocks, entries };
        message.drop_blanks(transcript);
        if self.role == Role::Assistant {
            while message.blocks.last().and_then(|at| transcript.block(*at)).is_some_and(ClaudeBlock::is_thinking) {
                message.blocks.pop();
            }
        }
        (!had_blocks || !message.blocks.is_empty()).then_some(message)
    }
}

impl ClaudeMessage {
    /// Drops blank texts beside other content.
    fn drop_blanks(&mut self, transcript: &Transcript) {
        let is_blank = |at: &BlockAt| transcript.block(*at).is_some_and(ClaudeBlock::is_blank_text);
        if !self.blocks.iter().all(is_blank) {
            self.blocks.retain(|at| !is_blank(at));
        }
    }

    /// Results come first in a message of the user.
    fn arrange(&mut self, transcript: &Transcript) {
        self.drop_blanks(transcript);
        if self.role == Role::User {
            let is_result =
                |at: &BlockAt| transcript.block(*at).is_some_and(|block| block.kind == BlockKind::ToolResult);
            self.blocks.sort_by_key(|at| !is_result(at));
        }
    }
}
