//! Questions about a session besides its resume: the history at a step, what compactions dropped, how far a resume
//! reaches.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::block::ClaudeBlock;
use super::graph::NodeId;
use super::history::ClaudeHistory;
#[cfg(test)]
use super::judge::judge;
use super::line::{ClaudeLine, ClaudeNode, NodeKind};
use super::{ClaudeScope, Transcript};
#[cfg(test)]
use crate::doctor::context::Context;
use crate::doctor::context::{Branch, Compacted, Dropped, InForce, Reach, SentPart, branches, difference};
use crate::doctor::document::{Entry, EntryId};

/// A compaction, with the histories before and after it.
struct Around {
    line: u32,
    before: ClaudeHistory,
    after: ClaudeHistory,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
}

impl Transcript {
    fn nodes(&self) -> impl Iterator<Item = (&Entry<ClaudeLine>, &ClaudeNode)> {
        self.document.present().filter_map(|(_, entry)| Some((entry, entry.line.node()?)))
    }

    /// The first lines of all answers of the model, those of subagents included.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> Vec<u32> {
        let mut seen = FxHashSet::default();
        self.nodes()
            .filter(|(_, node)| node.is_answer())
            .filter(|(_, node)| seen.insert(node.message.unwrap_or(node.uuid)))
            .map(|(entry, _)| entry.number)
            .collect()
    }

    /// The first line of the answer that a line is part of.
    fn answer(&self, line: u32) -> Option<(&Entry<ClaudeLine>, &ClaudeNode)> {
        let (_, asked) = self.nodes().find(|(entry, node)| entry.number == line && node.is_answer())?;
        let message = asked.message;
        let is_of_answer =
            |node: &ClaudeNode| node.uuid == asked.uuid || (message.is_some() && node.message == message);
        self.nodes().find(|(_, node)| node.kind == NodeKind::Assistant && is_of_answer(node))
    }

    /// The history that the answer on a line was given to.
    #[cfg(test)]
    pub(crate) fn context(&self, line: u32) -> Option<Context> {
        let (first, node) = self.answer(line)?;
        let scope = ClaudeScope { before: Some(first.number), leaf: Some(node.parent) };
        let history = ClaudeHistory::new(self, &scope);
        Some(Context {
            line: first.number,
            history: history.messages.iter().map(|message| self.row(message)).collect(),
            problems: judge(self, &history).into_sorted(),
        })
    }

    /// The history in force at a line.
    pub(crate) fn in_force(&self, line: Option<u32>) -> InForce {
        let Some(line) = line else {
            return InForce {
                parts: self.parts(&ClaudeHistory::new(self, &ClaudeScope::default())),
                ..InForce::default()
            };
        };
        let answer = self.answer(line);
        let scope = match answer {
            Some((first, node)) => ClaudeScope { before: Some(first.number), leaf: Some(node.parent) },
            None => {
                // A line that is not part of the chain says nothing about where the history ends.
                let node = self.nodes().find(|(entry, _)| entry.number == line).map(|(_, node)| Some(node.uuid));
                ClaudeScope { before: Some(line.saturating_add(1)), leaf: node }
            }
        };
        InForce {
            answer: answer.map(|(first, _)| first.number),
            prompt_tokens: answer.and_then(|(_, node)| node.prompt_tokens),
            parts: self.parts(&ClaudeHistory::new(self, &scope)),
            lacks_base: false,
        }
    }

    /// The lines of a history as they are sent, attachments with the line before them.
    fn parts(&self, history: &ClaudeHistory) -> Vec<SentPart> {
        let sent: FxHashSet<EntryId> = history.messages.iter().flat_map(|message| &message.entries).copied().collect();
        let entries = history.sequence.iter().map(|node| history.graph.nodes[*node].entry);
        let (mut attached, mut last) = (FxHashMap::<Option<EntryId>, Vec<EntryId>>::default(), None);
        for (entry, node) in entries.filter_map(|entry| Some((entry, self.node(entry)?))) {
            match node.kind {
                NodeKind::Attachment => attached.entry(last).or_default().push(entry),
                _ if sent.contains(&entry) => last = Some(entry),
                _ => {}
            }
        }
        let mut parts = Vec::new();
        self.put_attached(&mut parts, 1, attached.get(&None));
        for (index, message) in history.messages.iter().enumerate() {
            let mut blocks_of: FxHashMap<EntryId, Vec<&ClaudeBlock>> = FxHashMap::default();
            for (at, block) in message.blocks.iter().filter_map(|at| Some((at, self.block(*at)?))) {
                blocks_of.entry(at.entry).or_default().push(block);
            }
            for entry in &message.entries {
                let blocks = blocks_of.remove(entry).unwrap_or_default();
                // Of some lines nothing is sent.
                if !blocks.is_empty() || message.blocks.is_empty() {
                    parts.push(SentPart {
                        message: index + 1,
                        role: message.role.name().into(),
                        kinds: blocks.iter().map(|block| self.names.text(block.kind_name)).collect(),
                        line: Some(self.number(*entry)),
                        item: None,
                        bytes: blocks.iter().map(|block| u64::from(block.bytes)).sum(),
                    });
                }
                self.put_attached(&mut parts, index + 1, attached.get(&Some(*entry)));
            }
        }
        parts
    }

    fn put_attached(&self, parts: &mut Vec<SentPart>, message: usize, entries: Option<&Vec<EntryId>>) {
        parts.extend(entries.into_iter().flatten().map(|entry| SentPart {
            message,
            role: "user".into(),
            kinds: vec!["attachment".into()],
            line: Some(self.number(*entry)),
            item: None,
            // Its wording in the request is not recorded.
            bytes: 0,
        }));
    }

    /// The lines of a history that are sent.
    fn sent_lines(&self, history: &ClaudeHistory) -> Vec<u32> {
        history.messages.iter().flat_map(|message| &message.entries).map(|entry| self.number(*entry)).collect()
    }

    pub(crate) fn compactions(&self) -> usize {
        self.nodes().filter(|(_, node)| node.compaction.is_some()).count()
    }

    fn around(&self, number: usize) -> Option<Around> {
        let boundaries: Vec<(&Entry<ClaudeLine>, &ClaudeNode)> =
            self.nodes().filter(|(_, node)| node.compaction.is_some()).collect();
        let (entry, node) = *boundaries.get(number.checked_sub(1)?)?;
        let compaction = node.compaction.as_ref()?;
        let known: FxHashSet<_> = self.nodes().map(|(_, node)| node.uuid).collect();
        let leaf = compaction.logical_parent.filter(|parent| known.contains(parent)).map(Some);
        let before = ClaudeHistory::new(self, &ClaudeScope { before: Some(entry.number), leaf });
        let kept: FxHashSet<_> = compaction.kept.iter().flatten().copied().collect();
        let is_next = |other: &ClaudeNode| other.is_answer() && other.lane == node.lane && !kept.contains(&other.uuid);
        let next = self.nodes().find(|(other, node)| other.number > entry.number && is_next(node));
        let end = boundaries.get(number).map(|(entry, _)| entry.number);
        let scope = match next.filter(|(next, _)| end.is_none_or(|end| next.number < end)) {
            Some((next, node)) => ClaudeScope { before: Some(next.number), leaf: Some(node.parent) },
            None => ClaudeScope { before: end, leaf: None },
        };
        Some(Around {
            line: entry.number,
            before,
            after: ClaudeHistory::new(self, &scope),
            tokens_before: compaction.tokens_before,
            tokens_after: next.and_then(|(_, node)| node.prompt_tokens),
        })
    }

    /// The histories on both sides of a compaction.
    pub(crate) fn compacted(&self, number: usize) -> Option<Compacted> {
        let around = self.around(number)?;
        let in_force = |history: &ClaudeHistory, prompt_tokens| InForce {
            prompt_tokens,
            parts: self.parts(history),
            ..InForce::default()
        };
        Some(Compacted {
            line: around.line,
            before: in_force(&around.before, around.tokens_before),
            after: in_force(&around.after, around.tokens_after),
        })
    }

    /// What a compaction dropped.
    pub(crate) fn dropped(&self, number: usize) -> Option<Dropped> {
        let Around { line, before, after, tokens_before, tokens_after } = self.around(number)?;
        let after_lines = self.sent_lines(&after);
        let summaries: FxHashSet<u32> =
            self.nodes().filter(|(_, node)| node.is_summary).map(|(entry, _)| entry.number).collect();
        let is_summary = |other: &&u32| **other > line && summaries.contains(other);
        let summary = after_lines.iter().filter(is_summary).copied().collect();
        let difference = difference(line, &self.sent_lines(&before), &after_lines);
        Some(Dropped { summary, tokens_before, tokens_after, ..difference })
    }

    /// Every prompt and answer of the lane, by the reason why it is in the history or not.
    pub(crate) fn branches(&self, history: &ClaudeHistory) -> Vec<Branch> {
        let sent: FxHashSet<_> = history.messages.iter().flat_map(|message| message.entries.iter().copied()).collect();
        let mut search = ReachSearch::new(history);
        let conversation = (0..history.graph.nodes.len()).filter(|node| history.graph.is_conversation(self, *node));
        branches(conversation.map(|node| {
            let entry = history.graph.nodes[node].entry;
            let (reach, top) = match search.of(node) {
                // Reached, but left out of the request.
                (Reach::Reached, _) if !sent.contains(&entry) => (Reach::Skipped, 0),
                (Reach::Reached, _) => (Reach::Reached, 0),
                // All that is above the beginning of the history has one explanation.
                (Reach::CutOff, _) => (Reach::CutOff, 0),
                found => found,
            };
            let (explained_by, missing) = self.explanation(history, reach, top);
            let branch = Branch { reach, lines: Vec::new(), explained_by, missing };
            ((reach, top), self.number(entry), branch)
        }))
    }

    /// The line that explains why a branch is not in the history, and the parent that is missing.
    fn explanation(&self, history: &ClaudeHistory, reach: Reach, top: NodeId) -> (Option<u32>, Option<Arc<str>>) {
        let line = |node: NodeId| Some(self.number(history.graph.nodes[node].entry)).filter(|line| *line > 0);
        match reach {
            Reach::Reached | Reach::Skipped => (None, None),
            Reach::Compacted => (history.graph.boundary.and_then(line), None),
            Reach::Rewound => (history.graph.parent_of(top).and_then(line), None),
            Reach::CutOff => match history.chain.breaks.iter().find(|found| found.bridged.is_none()) {
                Some(found) => (line(found.node), Some(self.names.text(found.parent))),
                None => (history.chain.nodes.first().copied().and_then(line), None),
            },
        }
    }
}

/// Finds out why lines are not in the history. Each line is looked at once.
struct ReachSearch<'h> {
    history: &'h ClaudeHistory,
    /// With the topmost line of the branch.
    known: Vec<Option<(Reach, NodeId)>>,
    /// The compaction that the history begins with.
    boundary: Option<NodeId>,
    /// The first line of the history.
    root: Option<NodeId>,
}

impl ReachSearch<'_> {
    fn new(history: &ClaudeHistory) -> ReachSearch<'_> {
        let mut known = vec![None; history.graph.nodes.len()];
        history.sequence.iter().for_each(|node| known[*node] = Some((Reach::Reached, *node)));
        let boundary = history.graph.boundary.filter(|boundary| known[*boundary].is_some());
        ReachSearch { history, known, boundary, root: history.chain.nodes.first().copied() }
    }

    fn of(&mut self, node: NodeId) -> (Reach, NodeId) {
        let (mut way, mut at) = (Vec::new(), Some(node));
        let reach = loop {
            let top = way.last().copied();
            let Some(above) = at else {
                let is_above = self.root.is_some_and(|root| node < root);
                break (if is_above { Reach::CutOff } else { Reach::Rewound }, top.unwrap_or(node));
            };
            match (self.known[above], top) {
                (Some((Reach::Reached, _)), Some(top)) => break (Reach::Rewound, top),
                (Some(known), _) => break known,
                (None, _) if self.boundary.is_some_and(|boundary| above < boundary) => break (Reach::Compacted, 0),
                (None, _) => {
                    // Should the parents lead in a circle, this is met again.
                    self.known[above] = Some((Reach::CutOff, above));
                    way.push(above);
                    at = self.history.graph.parent_of(above);
                }
            }
        };
        for above in way {
            self.known[above] = Some(reach);
        }
        if self.known[node].is_none() {
            self.known[node] = Some(reach);
        }
        reach
    }
}
