//! The lines of a session as a graph of parents, with the lines that a compaction kept put back in place.

use super::line::{ClaudeCompaction, ClaudeLane, ClaudeLine, ClaudeNode, NodeKind};
use super::{ClaudeScope, Transcript};
use crate::doctor::document::EntryId;
use crate::doctor::names::Name;

/// A node of a [`Graph`], in the order of the file.
pub(crate) type NodeId = usize;

/// A uuid with its line.
#[derive(Clone, Debug)]
pub(crate) struct GraphNode {
    pub uuid: Name,
    /// If several lines have the uuid, the last one says what it is; the first one, where it is.
    pub entry: EntryId,
    /// The place of the last line among all lines with a uuid.
    pub last: u32,
    /// The parent in the graph; kept lines have another one than in the file.
    pub parent: Option<Name>,
    /// A compaction kept this line.
    pub is_kept: bool,
    /// A compaction replaced this line.
    pub is_removed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub nodes: Vec<GraphNode>,
    /// The node of each name, if it is a uuid.
    by_name: Vec<Option<u32>>,
    /// The lane that is judged.
    pub lane: ClaudeLane,
    /// The newest compaction.
    pub boundary: Option<NodeId>,
    /// Kept lines were put back in place.
    pub is_relinked: bool,
    /// Lines whose uuid another line had before, with another parent or content.
    pub reused: Vec<EntryId>,
}

impl Graph {
    pub(crate) fn new(transcript: &Transcript, scope: &ClaudeScope) -> Graph {
        let mut graph = Graph {
            nodes: Vec::new(),
            by_name: vec![None; transcript.names.len()],
            lane: ClaudeLane::Main,
            boundary: None,
            is_relinked: false,
            reused: Vec::new(),
        };
        for (place, (entry, found)) in transcript.document.present().enumerate() {
            if scope.is_before(found.number)
                && let Some(node) = found.line.node()
            {
                graph.add(transcript, entry, place as u32, node);
            }
        }
        graph.lane = graph.judged_lane(transcript);
        graph.keep(transcript);
        graph
    }

    fn add(&mut self, transcript: &Transcript, entry: EntryId, last: u32, node: &ClaudeNode) {
        let slot = &mut self.by_name[node.uuid.index()];
        let Some(known) = *slot else {
            *slot = Some(self.nodes.len() as u32);
            let (uuid, parent) = (node.uuid, node.parent);
            self.nodes.push(GraphNode { uuid, entry, last, parent, is_kept: false, is_removed: false });
            return;
        };
        let known = &mut self.nodes[known as usize];
        let is_copy = transcript.node(known.entry).is_some_and(|other| {
            other.parent == node.parent && other.content == node.content && other.kind == node.kind
        });
        if !is_copy {
            self.reused.push(entry);
        }
        (known.entry, known.last, known.parent) = (entry, last, node.parent);
    }

    pub(crate) fn node_of(&self, uuid: Name) -> Option<NodeId> {
        let node = self.by_name.get(uuid.index()).copied().flatten()? as usize;
        (!self.nodes[node].is_removed).then_some(node)
    }

    pub(crate) fn parent_of(&self, node: NodeId) -> Option<NodeId> {
        self.node_of(self.nodes[node].parent?)
    }

    /// A file with side lines only, such as that of a subagent, is judged in the lane of its last line.
    fn judged_lane(&self, transcript: &Transcript) -> ClaudeLane {
        let of_messages =
            || self.nodes.iter().filter_map(|node| transcript.node(node.entry)).filter(|node| node.is_message());
        if of_messages().any(|node| node.lane == ClaudeLane::Main) {
            return ClaudeLane::Main;
        }
        of_messages().next_back().map_or(ClaudeLane::Main, |node| node.lane)
    }

    pub(crate) fn is_in_lane(&self, transcript: &Transcript, node: NodeId) -> bool {
        !self.nodes[node].is_removed
            && transcript.node(self.nodes[node].entry).is_some_and(|line| line.lane == self.lane)
    }

    /// Applies the newest compaction: what it replaced goes, and what it kept follows its summary.
    fn keep(&mut self, transcript: &Transcript) {
        let mut keeping: Option<NodeId> = None;
        for (id, node) in self.nodes.iter().enumerate() {
            let Some(line) = transcript.node(node.entry).filter(|line| line.lane == self.lane) else { continue };
            let Some(compaction) = &line.compaction else { continue };
            self.boundary = Some(id);
            if compaction.keeps() {
                keeping = Some(id);
            }
        }
        let (Some(boundary), Some(keeping)) = (self.boundary, keeping) else { return };
        if boundary != keeping {
            // The newest compaction keeps nothing, but an older one did.
            self.remove_before(boundary);
            return;
        }
        let line = transcript.node(self.nodes[boundary].entry).and_then(|line| line.compaction.as_deref());
        let Some((anchor, kept)) = line.and_then(|compaction| self.kept_nodes(compaction)) else { return };
        for node in &kept {
            self.nodes[*node].is_kept = true;
        }
        self.nodes[anchor].is_kept = true;
        self.remove_before(boundary);
        self.nodes[anchor].is_kept = kept.contains(&anchor);
        self.relink(transcript, anchor, &kept);
    }

    fn remove_before(&mut self, boundary: NodeId) {
        for node in &mut self.nodes[..boundary] {
            node.is_removed = !node.is_kept;
        }
    }

    /// The anchor and the kept lines; `None` if one of them is not in the file.
    fn kept_nodes(&self, compaction: &ClaudeCompaction) -> Option<(NodeId, Vec<NodeId>)> {
        let anchor = self.node_of(compaction.anchor?)?;
        let mut kept: Vec<NodeId> = Vec::new();
        if let Some(uuids) = &compaction.kept {
            let mut seen = rustc_hash::FxHashSet::default();
            for uuid in uuids {
                let node = self.node_of(*uuid)?;
                if seen.insert(node) {
                    kept.push(node);
                }
            }
        } else {
            let (head, tail) = compaction.segment?;
            let (head, mut node) = (self.node_of(head)?, self.node_of(tail)?);
            kept.push(node);
            while node != head {
                node = self.parent_of(node)?;
                kept.push(node);
                // The parents lead in a circle.
                if kept.len() > self.nodes.len() {
                    return None;
                }
            }
            kept.reverse();
        }
        Some((anchor, kept))
    }

    /// Chains the kept lines behind the anchor. What followed the anchor, or lost its parent, follows the last of them.
    fn relink(&mut self, transcript: &Transcript, anchor: NodeId, kept: &[NodeId]) {
        let Some(last) = kept.last().map(|last| self.nodes[*last].uuid) else { return };
        self.is_relinked = true;
        let anchor_uuid = self.nodes[anchor].uuid;
        for id in 0..self.nodes.len() {
            let node = &self.nodes[id];
            if node.is_kept || node.is_removed || id == anchor {
                continue;
            }
            let lost = node.parent.is_some_and(|parent| {
                let parent = self.by_name[parent.index()].map(|parent| &self.nodes[parent as usize]);
                parent.is_some_and(|parent| parent.is_removed)
            });
            let is_boundary = transcript.node(node.entry).is_some_and(|line| line.compaction.is_some());
            if node.parent == Some(anchor_uuid) || (lost && !is_boundary) {
                self.nodes[id].parent = Some(last);
            }
        }
        let mut before = anchor_uuid;
        for node in kept {
            if *node != anchor {
                self.nodes[*node].parent = Some(before);
                before = self.nodes[*node].uuid;
            }
        }
    }
}

/// How the last line of the history was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafRule {
    /// The last line of the file.
    Tail,
    /// After a compaction that kept lines: the last line that no other one follows.
    Tip,
    /// The marker of the last prompt.
    Marker(EntryId),
    /// The caller named it.
    Given,
}

/// The last line of the history.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub node: NodeId,
    pub rule: LeafRule,
    /// The lines from where the search began down to the leaf, without it: bookkeeping behind the last message.
    pub climbed: Vec<NodeId>,
    /// The last line of the file that leads to a message, whatever was chosen.
    pub tail: NodeId,
    /// What the marker of the last prompt names.
    pub marker: Option<NodeId>,
}

impl Graph {
    /// The first message at or above a line, and the lines on the way.
    fn climb(&self, transcript: &Transcript, from: NodeId) -> Option<(NodeId, Vec<NodeId>)> {
        self.first_climb(transcript, std::iter::once(from))
    }

    /// The first of some lines that leads to a message. No line is climbed twice.
    fn first_climb(
        &self,
        transcript: &Transcript,
        lines: impl Iterator<Item = NodeId>,
    ) -> Option<(NodeId, Vec<NodeId>)> {
        let mut leads_nowhere = rustc_hash::FxHashSet::default();
        for line in lines {
            let (mut node, mut climbed) = (Some(line), Vec::new());
            while let Some(at) = node {
                if transcript.node(self.nodes[at].entry)?.is_message() {
                    return Some((at, climbed));
                }
                if !leads_nowhere.insert(at) {
                    break;
                }
                climbed.push(at);
                node = self.parent_of(at);
            }
        }
        None
    }

    /// The last line of the history.
    pub(crate) fn leaf(&self, transcript: &Transcript, scope: &ClaudeScope) -> Option<Leaf> {
        self.leaf_without(transcript, scope, None)
    }

    /// The last line of the history if one line were not there.
    pub(crate) fn leaf_without(
        &self,
        transcript: &Transcript,
        scope: &ClaudeScope,
        absent: Option<NodeId>,
    ) -> Option<Leaf> {
        if let Some(given) = scope.leaf {
            let (node, climbed) = self.climb(transcript, self.node_of(given?)?)?;
            return Some(Leaf { node, rule: LeafRule::Given, tail: node, climbed, marker: None });
        }
        // Of a line that was written again, the last copy counts.
        let is_candidate = |node: &NodeId| self.is_in_lane(transcript, *node) && Some(*node) != absent;
        let mut candidates: Vec<NodeId> = (0..self.nodes.len()).filter(is_candidate).collect();
        candidates.sort_by_key(|node| std::cmp::Reverse(self.nodes[*node].last));
        if self.is_relinked {
            let mut has_child = vec![false; self.nodes.len()];
            for parent in candidates.iter().filter_map(|node| self.parent_of(*node)) {
                has_child[parent] = true;
            }
            let tips = candidates.iter().copied().filter(|node| !has_child[*node]);
            if let Some((node, climbed)) = self.first_climb(transcript, tips) {
                return Some(Leaf { node, rule: LeafRule::Tip, tail: node, climbed, marker: None });
            }
        }
        let (tail, climbed) = self.first_climb(transcript, candidates.into_iter())?;
        let marker = self.marker(transcript, scope);
        let marked = marker.and_then(|(entry, node)| Some((entry, self.climb(transcript, node)?)));
        let marker = marked.as_ref().map(|(_, (node, _))| *node);
        if let Some((entry, (node, climbed))) = marked {
            let is_explicit =
                matches!(&transcript.document.entries[entry].line, ClaudeLine::Pointer(pointer) if pointer.is_explicit);
            if node != tail && (is_explicit || !self.is_ancestor(node, tail)) {
                return Some(Leaf { node, rule: LeafRule::Marker(entry), climbed, tail, marker });
            }
        }
        Some(Leaf { node: tail, rule: LeafRule::Tail, climbed, tail, marker })
    }

    /// The last marker of a prompt after the newest compaction, and the line that it names.
    fn marker(&self, transcript: &Transcript, scope: &ClaudeScope) -> Option<(EntryId, NodeId)> {
        let boundary = self.boundary.map(|node| self.nodes[node].entry);
        for (entry, found) in transcript.document.present().rev() {
            if Some(entry) == boundary {
                return None;
            }
            if let ClaudeLine::Pointer(pointer) = &found.line
                && pointer.is_marker
                && scope.is_before(found.number)
            {
                let node = self.node_of(pointer.leaf?).filter(|node| self.is_in_lane(transcript, *node))?;
                return Some((entry, node));
            }
        }
        None
    }

    pub(crate) fn is_ancestor(&self, above: NodeId, below: NodeId) -> bool {
        let (mut node, mut steps) = (Some(below), 0);
        while let Some(at) = node.filter(|_| steps <= self.nodes.len()) {
            if at == above {
                return true;
            }
            (node, steps) = (self.parent_of(at), steps + 1);
        }
        false
    }

    /// Whether a line is a prompt or an answer of the judged lane.
    pub(crate) fn is_conversation(&self, transcript: &Transcript, node: NodeId) -> bool {
        let line = transcript.node(self.nodes[node].entry);
        line.is_some_and(|line| line.lane == self.lane && matches!(line.kind, NodeKind::User | NodeKind::Assistant))
    }
}
