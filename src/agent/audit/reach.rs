//! Reach: the messages that are found by following parents from the last line back.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use super::links::{LinkAudit, NO_LINE};
use crate::agent::event::{FileFacts, LineRole};
use crate::replay::Seq;

/// A line that takes part in the links. Ids are hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkedLine {
    pub at: Seq,
    pub id: u64,
    pub parent: u64,
    /// The message that it is a part of.
    pub message: u64,
    /// The line of the call that it answers.
    pub answers: u64,
    pub role: LineRole,
    pub is_sidechain: bool,
}

/// Messages that stay in the context after a compaction, though they stand before it.
#[derive(Clone, Debug)]
pub(crate) struct KeptMessages {
    pub anchor: u64,
    pub ids: Vec<u64>,
}

/// What resuming the session finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// The last message.
    pub leaf: Seq,
    pub messages: u32,
    pub reachable: u32,
    /// Messages before the last compaction.
    pub before_boundary: u32,
    pub unreachable_after: u32,
    pub first_lost: Option<Seq>,
    pub has_boundary: bool,
}

impl Reach {
    pub(crate) fn to_json(&self, line: impl Fn(Seq) -> u64) -> Value {
        json!({
            "leaf": line(self.leaf), "messages": self.messages, "reachable": self.reachable,
            "percent": self.percent(), "before_boundary": self.before_boundary,
            "unreachable_after": self.unreachable_after,
        })
    }

    /// With one decimal.
    pub(crate) fn percent(&self) -> f64 {
        let exact = 100.0 * f64::from(self.reachable) / f64::from(self.messages.max(1));
        format!("{exact:.1}").parse().unwrap_or(exact)
    }

    pub(crate) fn lost(&self) -> u32 {
        self.messages - self.reachable
    }

    /// Follows the links of a file; `None` if it has no message.
    pub(crate) fn of(links: &LinkAudit, facts: FileFacts) -> Option<Reach> {
        let is_own = |line: &LinkedLine| facts.is_subagent() || !line.is_sidechain;
        let is_message = |line: &&LinkedLine| line.role.is_message() && is_own(line);
        let messages: Vec<&LinkedLine> = links.lines.iter().filter(is_message).collect();
        let leaf = messages.last()?;
        let moved = relinked(links);
        let mut seen: FxHashSet<u64> = FxHashSet::default();
        let mut next = leaf.id;
        while let Some(line) = links.places.get(&next).and_then(|place| links.lines.get(*place as usize))
            && seen.insert(next)
        {
            next = moved.get(&line.id).copied().unwrap_or_else(|| links.resolved(line.parent));
        }
        let parts: FxHashSet<u64> = links
            .lines
            .iter()
            .filter(|line| line.message != NO_LINE && seen.contains(&line.id))
            .map(|line| line.message)
            .collect();
        for line in &messages {
            if parts.contains(&line.message) {
                seen.insert(line.id);
            }
        }
        for line in &messages {
            // Old releases do not name the line of the call, which is the parent then.
            let answers = if line.answers == line.parent { links.resolved(line.parent) } else { line.answers };
            if answers != NO_LINE && seen.contains(&answers) {
                seen.insert(line.id);
            }
        }
        let boundary = links.lines.iter().rev().find(|line| line.role == LineRole::Boundary).map(|line| line.at);
        let count = |is: &dyn Fn(&LinkedLine) -> bool| messages.iter().filter(|line| is(line)).count() as u32;
        let is_lost = |line: &LinkedLine| !seen.contains(&line.id);
        Some(Reach {
            leaf: leaf.at,
            messages: messages.len() as u32,
            reachable: count(&|line| !is_lost(line)),
            before_boundary: count(&|line| boundary.is_some_and(|boundary| line.at < boundary)),
            unreachable_after: count(&|line| boundary.is_none_or(|boundary| line.at > boundary) && is_lost(line)),
            first_lost: messages.iter().find(|line| is_lost(line)).map(|line| line.at),
            has_boundary: boundary.is_some(),
        })
    }
}

/// New parents after compactions: the messages that stay follow the summary one after the other, and what followed the
/// summary follows the last of them. If one of them is not in the file, nothing is changed.
fn relinked(links: &LinkAudit) -> FxHashMap<u64, u64> {
    let mut moved = FxHashMap::default();
    if links.kept.iter().all(|kept| kept.ids.is_empty()) {
        return moved;
    }
    let mut children: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
    for line in &links.lines {
        children.entry(links.resolved(line.parent)).or_default().push(line.id);
    }
    for kept in &links.kept {
        let is_complete = kept.ids.iter().all(|id| links.places.contains_key(id));
        let Some(last) = kept.ids.last().filter(|_| is_complete) else { continue };
        let own: FxHashSet<u64> = kept.ids.iter().copied().collect();
        for child in children.get(&kept.anchor).into_iter().flatten().filter(|child| !own.contains(child)) {
            moved.insert(*child, *last);
        }
        let mut parent = kept.anchor;
        for id in &kept.ids {
            moved.insert(*id, parent);
            parent = *id;
        }
    }
    moved
}
