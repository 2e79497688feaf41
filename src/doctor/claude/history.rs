//! The history that Claude Code sends when it resumes a session, rebuilt from the lines.

use super::chain::{Chain, with_rescued};
use super::graph::{Graph, Leaf, NodeId};
use super::messages::{ClaudeMessage, messages};
use super::{ClaudeScope, Transcript};

#[derive(Clone, Debug)]
pub(crate) struct ClaudeHistory {
    pub graph: Graph,
    /// `None` if no line leads to a message.
    pub leaf: Option<Leaf>,
    pub chain: Chain,
    /// The chain with the lines that hang beside it.
    pub sequence: Vec<NodeId>,
    pub messages: Vec<ClaudeMessage>,
}

impl ClaudeHistory {
    pub(crate) fn new(transcript: &Transcript, scope: &ClaudeScope) -> ClaudeHistory {
        ClaudeHistory::rebuilt(transcript, scope, false)
    }

    /// The history as it would be if lines whose parent is missing followed the message before them.
    pub(crate) fn relinked(transcript: &Transcript) -> ClaudeHistory {
        ClaudeHistory::rebuilt(transcript, &ClaudeScope::default(), true)
    }

    fn rebuilt(transcript: &Transcript, scope: &ClaudeScope, relinks: bool) -> ClaudeHistory {
        let graph = Graph::new(transcript, scope);
        let leaf = graph.leaf(transcript, scope);
        let chain = leaf.as_ref().map(|leaf| Chain::walk(transcript, &graph, leaf.node, relinks)).unwrap_or_default();
        let sequence = with_rescued(transcript, &graph, &chain.nodes);
        let messages = messages(transcript, &graph, &sequence);
        ClaudeHistory { graph, leaf, chain, sequence, messages }
    }
}
