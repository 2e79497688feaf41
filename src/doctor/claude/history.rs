//! The history that Claude Code sends when it resumes a session, rebuilt from the lines.

use super::chain::{Chain, with_rescued};
use super::graph::{Graph, Leaf, NodeId};
use super::messages::{Message, messages};
use super::{Scope, Transcript};

#[derive(Clone, Debug)]
pub(crate) struct History {
    pub graph: Graph,
    /// `None` if no line leads to a message.
    pub leaf: Option<Leaf>,
    pub chain: Chain,
    /// The chain with the lines that hang beside it.
    pub sequence: Vec<NodeId>,
    pub messages: Vec<Message>,
}

impl History {
    pub(crate) fn new(transcript: &Transcript, scope: &Scope) -> History {
        History::rebuilt(transcript, scope, false)
    }

    /// The history as it would be if lines whose parent is missing followed the message before them.
    pub(crate) fn relinked(transcript: &Transcript) -> History {
        History::rebuilt(transcript, &Scope::default(), true)
    }

    fn rebuilt(transcript: &Transcript, scope: &Scope, relinks: bool) -> History {
        let graph = Graph::new(transcript, scope);
        let leaf = graph.leaf(transcript, scope);
        let chain = leaf.as_ref().map(|leaf| Chain::walk(transcript, &graph, leaf.node, relinks)).unwrap_or_default();
        let sequence = with_rescued(transcript, &graph, &chain.nodes);
        let messages = messages(transcript, &graph, &sequence);
        History { graph, leaf, chain, sequence, messages }
    }
}
