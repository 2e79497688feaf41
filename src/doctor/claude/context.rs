//! Questions about a session besides its resume: the history at a step, what compactions dropped, how far a resume
//! reaches.

#![cfg_attr(not(test), allow(dead_code, reason = "the command that shows the context of a step needs it"))]

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::graph::NodeId;
use super::history::History;
use super::judge::judge;
use super::line::{Line, Node, NodeKind};
use super::{Scope, Transcript};
use crate::doctor::context::{Branch, Context, Dropped, Reach, branches, difference};
use crate::doctor::document::Entry;

impl Transcript {
    fn nodes(&self) -> impl Iterator<Item = (&Entry<Line>, &Node)> {
        self.document.present().filter_map(|(_, entry)| Some((entry, entry.line.node()?)))
    }

    /// The first lines of all answers of the model, those of subagents included.
    pub(crate) fn steps(&self) -> Vec<u32> {
        let mut seen = FxHashSet::default();
        self.nodes()
            .filter(|(_, node)| node.is_answer())
            .filter(|(_, node)| seen.insert(node.message.unwrap_or(node.uuid)))
            .map(|(entry, _)| entry.number)
            .collect()
    }

    /// The history that the answer on a line was given to.
    pub(crate) fn context(&self, line: u32) -> Option<Context> {
        let (_, asked) = self.nodes().find(|(entry, node)| entry.number == line && node.is_answer())?;
        let message = asked.message;
        let is_of_answer = |node: &Node| node.uuid == asked.uuid || (message.is_some() && node.message == message);
        let (first, node) = self.nodes().find(|(_, node)| node.kind == NodeKind::Assistant && is_of_answer(node))?;
        let scope = Scope { before: Some(first.number), leaf: Some(node.parent) };
        let history = History::new(self, &scope);
        Some(Context {
            line: first.number,
            history: history.messages.iter().map(|message| self.row(message)).collect(),
            problems: judge(self, &history).into_sorted(),
        })
    }

    /// The lines of a history that are sent.
    fn sent_lines(&self, history: &History) -> Vec<u32> {
        history.messages.iter().flat_map(|message| &message.entries).map(|entry| self.number(*entry)).collect()
    }

    /// What a compaction dropped.
    pub(crate) fn dropped(&self, number: usize) -> Option<Dropped> {
        let boundaries: Vec<(&Entry<Line>, &Node)> =
            self.nodes().filter(|(_, node)| node.compaction.is_some()).collect();
        let (entry, node) = *boundaries.get(number.checked_sub(1)?)?;
        let compaction = node.compaction.as_ref()?;
        let known: FxHashSet<_> = self.nodes().map(|(_, node)| node.uuid).collect();
        let leaf = compaction.logical_parent.filter(|parent| known.contains(parent)).map(Some);
        let before = History::new(self, &Scope { before: Some(entry.number), leaf });
        let kept: FxHashSet<_> = compaction.kept.iter().flatten().copied().collect();
        let is_next = |other: &Node| other.is_answer() && other.lane == node.lane && !kept.contains(&other.uuid);
        let next = self.nodes().find(|(other, node)| other.number > entry.number && is_next(node));
        let end = boundaries.get(number).map(|(entry, _)| entry.number);
        let scope = match next.filter(|(next, _)| end.is_none_or(|end| next.number < end)) {
            Some((next, node)) => Scope { before: Some(next.number), leaf: Some(node.parent) },
            None => Scope { before: end, leaf: None },
        };
        let after = History::new(self, &scope);
        let after_lines = self.sent_lines(&after);
        let is_summary = |line: &&u32| self.nodes().any(|(entry, node)| entry.number == **line && node.is_summary);
        let summary = after_lines.iter().filter(|line| **line > entry.number).filter(is_summary).copied().collect();
        let tokens_after = next.and_then(|(_, node)| node.prompt_tokens);
        let difference = difference(entry.number, &self.sent_lines(&before), &after_lines);
        Some(Dropped { summary, tokens_before: compaction.tokens_before, tokens_after, ..difference })
    }

    /// Every prompt and answer of the lane, by the reason why it is in the history or not.
    pub(crate) fn branches(&self, history: &History) -> Vec<Branch> {
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
    fn explanation(&self, history: &History, reach: Reach, top: NodeId) -> (Option<u32>, Option<Arc<str>>) {
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
    history: &'h History,
    /// With the topmost line of the branch.
    known: Vec<Option<(Reach, NodeId)>>,
    /// The compaction that the history begins with.
    boundary: Option<NodeId>,
    /// The first line of the history.
    root: Option<NodeId>,
}

impl ReachSearch<'_> {
    fn new(history: &History) -> ReachSearch<'_> {
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
