//! The chain of parents: where it breaks, where it begins, and whether it is the only one.

use crate::doctor::checks::{
    CHAIN_BRIDGED, CHAIN_BROKEN, CHAIN_CYCLE, COMPACTION_UNDONE, LEAF_AMBIGUOUS, SECOND_ROOT, UUID_REUSED,
};
use crate::doctor::claude::Transcript;
use crate::doctor::claude::chain::{Break, BreakKind};
use crate::doctor::claude::graph::{Leaf, LeafRule, NodeId};
use crate::doctor::claude::history::ClaudeHistory;
use crate::doctor::document::EntryId;
use crate::doctor::problem::{Problem, Problems, Rule, Spot};

use super::since;

pub(super) fn judge(transcript: &Transcript, history: &ClaudeHistory, problems: &mut Problems) {
    let mut is_reached = vec![false; history.graph.nodes.len()];
    history.sequence.iter().for_each(|node| is_reached[*node] = true);
    let is_lost = |node: &NodeId| !is_reached[*node] && !history.graph.nodes[*node].is_removed;
    let first_lost =
        (0..is_reached.len()).find(|node| is_lost(node) && history.graph.is_conversation(transcript, *node));
    for found in &history.chain.breaks {
        // A part of a session, such as the file of a subagent, begins with a line whose parent is elsewhere.
        let loses = first_lost.is_some_and(|lost| lost < found.node);
        if found.kind == BreakKind::Circle || found.bridged.is_some() || loses {
            problems.push(broken(transcript, history, found));
        }
    }
    for entry in &history.graph.reused {
        let Some(node) = transcript.node(*entry) else { continue };
        let problem = at(transcript, *entry, &UUID_REUSED, "the later line replaces the earlier one");
        problems.push(problem.about(transcript.names.text(node.uuid)));
    }
    undone(transcript, history, problems);
    second_root(transcript, history, problems);
    if let Some(leaf) = history.leaf.as_ref().filter(|leaf| is_ambiguous(transcript, history, leaf)) {
        problems.push(at_node(transcript, history, leaf.node, &LEAF_AMBIGUOUS, ""));
    }
}

fn at(transcript: &Transcript, entry: EntryId, rule: &'static Rule, predicted: &str) -> Problem {
    let spot = Spot { entry, ..Spot::default() };
    Problem::new(rule, transcript.shown_number(entry), predicted).at(spot)
}

/// A problem with the uuid of its line.
fn at_node(
    transcript: &Transcript,
    history: &ClaudeHistory,
    node: NodeId,
    rule: &'static Rule,
    predicted: &str,
) -> Problem {
    let node = &history.graph.nodes[node];
    at(transcript, node.entry, rule, predicted).about(transcript.names.text(node.uuid))
}

fn broken(transcript: &Transcript, history: &ClaudeHistory, found: &Break) -> Problem {
    let (rule, predicted) = match (found.kind, found.bridged) {
        (BreakKind::Circle, _) => (&CHAIN_CYCLE, ""),
        (BreakKind::Missing, Some(_)) => (&CHAIN_BRIDGED, ""),
        (BreakKind::Missing, None) => (&CHAIN_BROKEN, "no error: everything above this line is left out"),
    };
    let healing = if found.kind == BreakKind::Circle && found.bridged.is_some() { since(2, 1, 108) } else { None };
    let entry = history.graph.nodes[found.node].entry;
    at(transcript, entry, rule, predicted).about(transcript.names.text(found.parent)).healed(healing)
}

/// The history goes on from before the newest compaction.
fn undone(transcript: &Transcript, history: &ClaudeHistory, problems: &mut Problems) {
    let Some(boundary) = history.graph.boundary.filter(|boundary| !history.sequence.contains(boundary)) else { return };
    let is_sent = |node: &NodeId| transcript.node(history.graph.nodes[*node].entry).is_some_and(|line| line.is_sent());
    if history.sequence.iter().any(|node| *node < boundary && is_sent(node)) {
        let predicted = "no error: the history from before the compaction is sent again";
        problems.push(at_node(transcript, history, boundary, &COMPACTION_UNDONE, predicted));
    }
}

/// The chain begins late, and no compaction explains it.
fn second_root(transcript: &Transcript, history: &ClaudeHistory, problems: &mut Problems) {
    let Some(root) = history.chain.nodes.first().copied() else { return };
    let node = &history.graph.nodes[root];
    let is_boundary = transcript.node(node.entry).is_some_and(|line| line.compaction.is_some());
    let is_earlier =
        |other: NodeId| history.graph.is_conversation(transcript, other) && !history.graph.nodes[other].is_removed;
    if node.parent.is_none() && !is_boundary && (0..root).any(is_earlier) {
        problems.push(at_node(transcript, history, root, &SECOND_ROOT, ""));
    }
}

/// Whether the newest message, the marker and the tail of the file lead to different branches.
fn is_ambiguous(transcript: &Transcript, history: &ClaudeHistory, leaf: &Leaf) -> bool {
    if matches!(leaf.rule, LeafRule::Given | LeafRule::Tip) {
        return false;
    }
    let graph = &history.graph;
    let is_same_branch = |one: NodeId, two: NodeId| graph.is_ancestor(one, two) || graph.is_ancestor(two, one);
    if leaf.marker.is_some_and(|marker| !is_same_branch(marker, leaf.tail)) {
        return true;
    }
    let mut is_reached = vec![false; graph.nodes.len()];
    history.sequence.iter().for_each(|node| is_reached[*node] = true);
    let time = |node: NodeId| transcript.node(graph.nodes[node].entry).and_then(|line| line.time);
    let conversation = (0..graph.nodes.len())
        .filter(|node| graph.is_conversation(transcript, *node) && !graph.nodes[*node].is_removed);
    // Of lines written at the same time, one that is reached is preferred.
    let newest = conversation.filter_map(|node| Some((time(node)?, is_reached[node], node))).max();
    newest.is_some_and(|(_, is_reached, node)| !is_reached && !is_same_branch(node, leaf.tail))
}
