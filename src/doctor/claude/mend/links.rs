//! Edits of the chain: lines leave it, enter it, and are followed by others.

use rustc_hash::FxHashSet;

use super::ClaudeMender;
use crate::doctor::claude::ClaudeScope;
use crate::doctor::claude::graph::{LeafRule, NodeId};
use crate::doctor::document::EntryId;
use crate::doctor::names::Name;

impl ClaudeMender<'_> {
    /// Gives a line and its copies another parent.
    pub(super) fn set_parent(&mut self, uuid: Name, parent: Option<Name>) -> Option<()> {
        let value = self.uuid_literal(parent);
        let copies = self.index.copies(uuid);
        let current = self.node(*copies.last()?)?.parent;
        for copy in copies {
            if self.node(copy).is_some_and(|node| node.parent == current) {
                self.set(copy, "parentUuid", &value)?;
            }
        }
        Some(())
    }

    /// What follows a line that leaves: its parent, or its predecessor in the chain if the parent is not in the file.
    fn heir(&self, uuid: Name) -> Option<Name> {
        let parent = self.index.copies(uuid).last().and_then(|entry| self.node(*entry)?.parent);
        let is_usable = |name: &Name| *name != uuid && self.index.is_known(*name);
        parent
            .filter(is_usable)
            .or_else(|| self.predecessor(uuid).filter(is_usable))
            .or(parent.filter(|parent| *parent != uuid))
    }

    fn predecessor(&self, uuid: Name) -> Option<Name> {
        let node = self.history.graph.node_of(uuid)?;
        let place = self.history.chain.nodes.iter().position(|other| *other == node)?;
        let before = self.history.chain.nodes.get(place.checked_sub(1)?)?;
        Some(self.history.graph.nodes[*before].uuid)
    }

    /// Whether the history ends with the line before, if this one leaves. Otherwise another branch would be resumed.
    pub(super) fn may_leave(&self, uuid: Name) -> bool {
        let (graph, Some(leaf)) = (&self.history.graph, &self.history.leaf) else { return true };
        let is_last = graph.nodes[leaf.node].uuid == uuid && leaf.climbed.is_empty();
        if !is_last || matches!(leaf.rule, LeafRule::Marker(_)) {
            return true;
        }
        let before = self.history.chain.nodes.iter().rev().nth(1).copied();
        let next = graph.leaf_without(self.transcript, &ClaudeScope::default(), Some(leaf.node));
        match (before, next) {
            (Some(before), Some(next)) => graph.is_ancestor(before, next.node),
            (before, _) => before.is_none(),
        }
    }

    /// Takes a line out of the chain: whatever refers to it refers to the line before it.
    pub(super) fn unlink(&mut self, uuid: Name) -> Option<()> {
        let heir = self.heir(uuid);
        let graph = &self.history.graph;
        // A kept line follows another one than its parent, and so must what followed it.
        let shown_parent = graph.node_of(uuid).filter(|node| graph.is_relinked && graph.nodes[*node].is_kept);
        let shown_parent =
            shown_parent.and_then(|node| graph.nodes[node].parent).filter(|parent| self.index.is_known(*parent));
        for child in self.index.children(uuid) {
            let Some(node) = self.node(child).filter(|node| node.uuid != uuid) else { continue };
            let is_kept = graph.node_of(node.uuid).is_some_and(|node| graph.nodes[node].is_kept);
            let parent = if is_kept { heir } else { shown_parent.or(heir) };
            let value = self.uuid_literal(parent);
            self.set(child, "parentUuid", &value)?;
        }
        let value = self.uuid_literal(shown_parent.or(heir));
        for pointer in self.index.pointers(uuid) {
            self.set(pointer, "leafUuid", &value)?;
        }
        self.forget_kept(uuid, shown_parent.or(heir))
    }

    /// Drops a line with its copies.
    pub(super) fn drop_node(&mut self, uuid: Name) -> Option<()> {
        self.unlink(uuid)?;
        for copy in self.index.copies(uuid) {
            self.drop_entry(copy);
        }
        Some(())
    }

    /// Puts a line that hangs beside the chain into it, where it is sent. Only results are sent from beside the chain, so
    /// a line that loses its result would no longer be part of the history.
    pub(super) fn enter_chain(&mut self, entry: EntryId) -> Option<()> {
        if self.place_in_chain(entry).is_some() {
            return Some(());
        }
        let uuid = self.node(entry)?.uuid;
        let (graph, chain) = (&self.history.graph, &self.history.chain.nodes);
        let node = graph.node_of(uuid)?;
        let on_chain: FxHashSet<NodeId> = chain.iter().copied().collect();
        let sent_before = self.history.sequence.iter().take_while(|other| **other != node);
        let above = sent_before.filter(|other| on_chain.contains(other)).count().max(1);
        let (after, before) = (*chain.get(above - 1)?, chain.get(above).copied());
        self.unlink(uuid)?;
        self.set_parent(uuid, Some(graph.nodes[after].uuid))?;
        self.link(uuid, after, before)
    }

    /// Puts a line into the chain behind another one. `before` follows it from now on; without one it is the last line.
    pub(super) fn link(&mut self, uuid: Name, after: NodeId, before: Option<NodeId>) -> Option<()> {
        let (graph, leaf) = (&self.history.graph, self.history.leaf.as_ref()?);
        let after_uuid = graph.nodes[after].uuid;
        // Behind the last line there may be bookkeeping, from which the last line is searched.
        let next =
            before.or(leaf.climbed.last().copied()).map(|node| (graph.nodes[node].uuid, graph.nodes[node].is_kept));
        if graph.is_relinked && graph.nodes[after].is_kept {
            self.keep_after(uuid, after_uuid)?;
            let is_child = |next: Name| {
                let parent = self.index.copies(next).last().and_then(|entry| self.node(*entry)?.parent);
                parent == Some(after_uuid)
            };
            let follows = next.map(|(next, _)| next).filter(|next| is_child(*next));
            return follows.map_or(Some(()), |follows| self.set_parent(follows, Some(uuid)));
        }
        match (next, leaf.rule) {
            (Some((next, true)), _) if graph.is_relinked => self.keep_before(uuid, next),
            (Some((next, _)), _) => self.set_parent(next, Some(uuid)),
            (None, LeafRule::Marker(entry)) => {
                let value = self.uuid_literal(Some(uuid));
                self.set(entry, "leafUuid", &value)
            }
            (None, _) => Some(()),
        }
    }

    /// The place of a line in the chain.
    pub(super) fn place_in_chain(&self, entry: EntryId) -> Option<usize> {
        let node = self.history.graph.node_of(self.node(entry)?.uuid)?;
        self.history.chain.nodes.iter().position(|other| *other == node)
    }
}
