//! Checks of links between lines: parents that are not in the file, and files that begin midway.

use rustc_hash::{FxHashMap, FxHashSet};

use super::found::Found;
use super::reach::{KeptMessages, LinkedLine};
use crate::agent::block::Block;
use crate::agent::checks;
use crate::agent::event::{AgentEvent, FileFacts, LineRole};
use crate::json::raw::{RawJson, RawText};
use crate::replay::Seq;

/// The lines of a file in their order, and what is missing so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkAudit {
    pub lines: Vec<LinkedLine>,
    /// The places of lines in the list, by their ids. The first line with an id counts.
    pub places: FxHashMap<u64, u32>,
    /// Ids by chain: of the main chain, and of sidechains.
    ids: [FxHashSet<u64>; 2],
    /// Lines whose parents have not been seen, by chain and parent.
    missing: [FxHashMap<u64, Vec<Seq>>; 2],
    /// The first line of each chain, and its parent.
    first: [Option<(Seq, u64)>; 2],
    pub kept: Vec<KeptMessages>,
    /// The parents of lines that were left out, by their ids.
    removed: FxHashMap<u64, u64>,
}

/// Stands for "no line" among the hashes of ids.
pub(crate) const NO_LINE: u64 = 0;

fn hash(id: Option<RawText<'_>>) -> u64 {
    id.map_or(NO_LINE, |id| id.hash().max(1))
}

impl LinkAudit {
    pub(crate) fn see(&mut self, at: Seq, event: &AgentEvent<'_>) {
        let line = &event.line;
        if line.role == LineRole::Other {
            return;
        }
        let chain = usize::from(line.is_sidechain);
        let (id, parent) = (hash(line.id), hash(line.parent));
        if id != NO_LINE {
            self.ids[chain].insert(id);
            self.missing[chain].remove(&id);
            self.first[chain].get_or_insert((at, parent));
            self.keep(at, event, id, parent);
        }
        // A compaction of a subagent continues a chain that is in another file.
        let is_continued = line.agent.is_some_and(|agent| agent.get().starts_with("acompact"));
        if parent != NO_LINE && !is_continued && !self.ids[chain].contains(&parent) {
            self.missing[chain].entry(parent).or_default().push(at);
        }
    }

    fn keep(&mut self, at: Seq, event: &AgentEvent<'_>, id: u64, parent: u64) {
        let line = &event.line;
        let place = self.lines.len() as u32;
        if *self.places.entry(id).or_insert(place) != place {
            return;
        }
        for block in &event.blocks {
            if let Block::Compaction(compaction) = block
                && let Some(kept) = compaction.kept
            {
                let ids = kept.get("uuids").into_iter().flat_map(RawJson::elements).map(|id| hash(id.text()));
                self.kept.push(KeptMessages { anchor: hash(kept.text_of("anchorUuid")), ids: ids.collect() });
            }
        }
        self.lines.push(LinkedLine {
            at,
            id,
            parent,
            message: hash(line.message.filter(|_| line.role == LineRole::Assistant)),
            answers: hash(line.answers),
            role: line.role,
            is_sidechain: line.is_sidechain,
        });
    }

    /// A line was left out: its children follow its parent.
    pub(crate) fn remove(&mut self, event: &AgentEvent<'_>) {
        let id = hash(event.line.id);
        if id != NO_LINE {
            let parent = hash(event.line.parent);
            self.removed.insert(id, parent);
        }
    }

    /// The line that a line follows after lines were left out: the nearest one before that is still there.
    pub(crate) fn resolved(&self, mut parent: u64) -> u64 {
        for _ in 0..=self.removed.len() {
            match self.removed.get(&parent) {
                Some(next) if !self.places.contains_key(&parent) => parent = *next,
                _ => return parent,
            }
        }
        // Lines that follow each other in a circle have no beginning.
        NO_LINE
    }

    /// The line with which a file begins that is a part of a longer session.
    pub(crate) fn begins_midway(&self, facts: FileFacts) -> Option<Seq> {
        let main = if facts.is_subagent() { 1 } else { 0 };
        let (at, parent) = self.first[main]?;
        let parent = self.resolved(parent);
        (parent != NO_LINE && !self.ids[main].contains(&parent)).then_some(at)
    }

    /// The lines whose parents are nowhere, in order.
    pub(crate) fn dangling(&self, facts: FileFacts) -> Vec<Seq> {
        let begin = self.begins_midway(facts);
        let mut lines: Vec<Seq> = Vec::new();
        for (chain, missing) in self.missing.iter().enumerate() {
            for (parent, at) in missing {
                let parent = self.resolved(*parent);
                if parent != NO_LINE && !self.ids[chain].contains(&parent) {
                    lines.extend(at);
                }
            }
        }
        lines.retain(|at| Some(*at) != begin);
        lines.sort_unstable();
        lines
    }

    pub(crate) fn finish(&self, facts: FileFacts, found: &mut Found) {
        if let Some(at) = self.begins_midway(facts) {
            found.plain(&checks::STARTS_MIDWAY, at, |finding| {
                finding.expected("a first line without a parent").actual("a parent that is not in the file")
            });
        }
        for at in self.dangling(facts) {
            found.plain(&checks::DANGLING_PARENT, at, |finding| {
                finding.expected("a parent in the file").actual("none of the lines")
            });
        }
    }
}
