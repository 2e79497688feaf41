//! The chain of parents from the last line of the history upwards, over gaps, and the lines that hang beside it.

use super::Transcript;
use super::graph::{Graph, NodeId};
use super::line::NodeKind;
use crate::doctor::names::Name;

/// A parent that is missing is bridged to a line that is at most so much older.
const BRIDGED_MILLISECONDS: i64 = 5000;

/// Why the chain does not simply lead on to the parent of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakKind {
    /// The parent is not in the file.
    Missing,
    /// The parent is further down in the chain.
    Circle,
}

/// A place where the chain does not lead on to the parent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Break {
    pub node: NodeId,
    pub parent: Name,
    pub kind: BreakKind,
    /// The line that the chain went on with. Without one, it ends here.
    pub bridged: Option<NodeId>,
    /// The bridge is not the agent's but one that `--relink` makes.
    pub is_relinked: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// The chain, oldest first.
    pub nodes: Vec<NodeId>,
    pub breaks: Vec<Break>,
}

impl Chain {
    /// Walks upwards from a line. If `relinks`, a break that the agent does not bridge is bridged to the nearest earlier
    /// message of the lane.
    pub(crate) fn walk(transcript: &Transcript, graph: &Graph, leaf: NodeId, relinks: bool) -> Chain {
        let mut visited = vec![false; graph.nodes.len()];
        let mut chain = Chain::default();
        let mut bridges: Option<Bridges> = None;
        let mut next = Some(leaf);
        while let Some(node) = next {
            visited[node] = true;
            chain.nodes.push(node);
            let Some(parent) = graph.nodes[node].parent else { break };
            let known = graph.node_of(parent);
            next = known.filter(|known| !visited[*known]);
            if next.is_some() {
                continue;
            }
            let kind = if known.is_some() { BreakKind::Circle } else { BreakKind::Missing };
            let bridges = bridges.get_or_insert_with(|| Bridges::new(transcript, graph));
            next = bridges.newest_before(transcript, graph, node, &visited);
            let is_relinked = relinks && next.is_none() && kind == BreakKind::Missing;
            if is_relinked {
                next = bridges.message_before(node, &visited);
            }
            chain.breaks.push(Break { node, parent, kind, bridged: next, is_relinked });
        }
        chain.nodes.reverse();
        chain
    }
}

/// Candidates for bridges. Only lines that were not visited count, and those never come back, so each is passed once.
struct Bridges {
    /// The lines of the lane by time, then place.
    by_time: Vec<(i64, NodeId)>,
    time_links: Links,
    /// The messages of the lane by place.
    messages: Vec<NodeId>,
    message_links: Links,
}

impl Bridges {
    fn new(transcript: &Transcript, graph: &Graph) -> Bridges {
        let in_lane = || (0..graph.nodes.len()).filter(|node| graph.is_in_lane(transcript, *node));
        let time = |node: NodeId| transcript.node(graph.nodes[node].entry).and_then(|line| line.time);
        let mut by_time: Vec<(i64, NodeId)> = in_lane().filter_map(|node| Some((time(node)?, node))).collect();
        by_time.sort_unstable();
        let messages: Vec<NodeId> = in_lane().filter(|node| graph.is_conversation(transcript, *node)).collect();
        let (time_links, message_links) = (Links::new(by_time.len()), Links::new(messages.len()));
        Bridges { by_time, time_links, messages, message_links }
    }

    fn newest_before(
        &mut self,
        transcript: &Transcript,
        graph: &Graph,
        node: NodeId,
        visited: &[bool],
    ) -> Option<NodeId> {
        let time = transcript.node(graph.nodes[node].entry)?.time?;
        let end = self.by_time.partition_point(|(other, _)| *other <= time);
        let found = self.time_links.last_before(end, |place| visited[self.by_time[place].1])?;
        let (older, found) = self.by_time[found];
        (time - older <= BRIDGED_MILLISECONDS).then_some(found)
    }

    fn message_before(&mut self, node: NodeId, visited: &[bool]) -> Option<NodeId> {
        let end = self.messages.partition_point(|other| *other < node);
        let found = self.message_links.last_before(end, |place| visited[self.messages[place]])?;
        Some(self.messages[found])
    }
}

/// Finds the last place before another one that is not used yet; used places are skipped in one step from then on.
struct Links {
    /// `before[n]` is a number up to `n`: all places from there to `n` are used.
    before: Vec<usize>,
}

impl Links {
    fn new(places: usize) -> Links {
        Links { before: (0..=places).collect() }
    }

    fn last_before(&mut self, end: usize, is_used: impl Fn(usize) -> bool) -> Option<usize> {
        let mut at = end;
        loop {
            while self.before[at] != at {
                at = self.before[at];
            }
            if at == 0 || !is_used(at - 1) {
                break;
            }
            self.before[at] = at - 1;
        }
        // The way is shortened for the next search.
        let mut place = end;
        while place != at {
            place = std::mem::replace(&mut self.before[place], at);
        }
        at.checked_sub(1)
    }
}

/// The chain with what hangs beside it, in the order in which it is sent: other lines of its messages, and results of its
/// calls.
pub(crate) fn with_rescued(transcript: &Transcript, graph: &Graph, chain: &[NodeId]) -> Vec<NodeId> {
    let children = Children::new(transcript, graph);
    let mut reached = vec![false; graph.nodes.len()];
    chain.iter().for_each(|node| reached[*node] = true);
    let messages: rustc_hash::FxHashSet<Name> =
        chain.iter().filter_map(|node| transcript.node(graph.nodes[*node].entry)?.message).collect();
    let mut sequence = Vec::with_capacity(chain.len());
    let mut anchor: Option<NodeId> = None;
    let mut below: Vec<(NodeId, Option<NodeId>)> = Vec::new();
    for node in chain {
        if graph.is_conversation(transcript, *node) {
            anchor = Some(*node);
        }
        sequence.push(*node);
        let from = sequence.len();
        below.push((*node, anchor));
        while let Some((above, anchor)) = below.pop() {
            for child in children.of(above) {
                let child = *child as usize;
                if reached[child] {
                    continue;
                }
                let Some(line) = transcript.node(graph.nodes[child].entry) else { continue };
                let anchor_kind =
                    anchor.and_then(|anchor| transcript.node(graph.nodes[anchor].entry)).map(|line| line.kind);
                let is_rescued = match line.kind {
                    NodeKind::Assistant => line.message.is_some_and(|id| messages.contains(&id)),
                    NodeKind::User => line.has_result() && anchor_kind == Some(NodeKind::Assistant),
                    _ => {
                        reached[child] = true;
                        below.push((child, anchor));
                        continue;
                    }
                };
                if is_rescued && anchor.is_some() {
                    reached[child] = true;
                    sequence.push(child);
                    below.push((child, Some(child)));
                }
            }
        }
        sequence[from..].sort_unstable();
    }
    sequence
}

/// The children of every line of the lane.
struct Children {
    list: Vec<u32>,
    /// The children of node `n` are between `starts[n]` and `starts[n + 1]`.
    starts: Vec<u32>,
}

impl Children {
    fn new(transcript: &Transcript, graph: &Graph) -> Children {
        let count = graph.nodes.len();
        let parents: Vec<Option<NodeId>> =
            (0..count).map(|node| graph.parent_of(node).filter(|_| graph.is_in_lane(transcript, node))).collect();
        let mut starts = vec![0_u32; count + 2];
        for parent in parents.iter().flatten() {
            starts[parent + 2] += 1;
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut list = vec![0; parents.iter().flatten().count()];
        for (node, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                list[starts[parent + 1] as usize] = node as u32;
                starts[parent + 1] += 1;
            }
        }
        Children { list, starts }
    }

    fn of(&self, node: NodeId) -> &[u32] {
        &self.list[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
