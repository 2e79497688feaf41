//! Relinking of agent sessions: the children of a removed line get its parent, and ordinals are renumbered.

use rustc_hash::{FxHashMap, FxHashSet};

use super::decode::AgentDecoder;
use crate::json::raw::{RawJson, RawText};
use crate::json::spans::is_complete;
use crate::replay::relink::Relinker;
use crate::replay::source::range_within;

/// The members that name the line before.
const PARENTS: [&str; 2] = ["parentUuid", "logicalParentUuid"];

#[derive(Default)]
struct AgentRelinker {
    /// The parents of removed lines, as they are written, by the hashes of the lines' ids.
    parents: FxHashMap<u64, Vec<u8>>,
    /// The hashes of the ids of lines that stay. An id that comes twice may belong to both.
    kept: FxHashSet<u64>,
    /// The numbers of removed records that had an ordinal, in order.
    numbered: Vec<u32>,
}

pub(super) fn begin() -> Box<dyn Relinker> {
    Box::new(AgentRelinker::default())
}

impl AgentRelinker {
    /// The nearest line before that is still there, as it is written. `None` if the line itself is.
    fn parent<'s>(&'s self, id: RawText<'_>) -> Option<&'s [u8]> {
        let next = |id: u64| self.parents.get(&id).filter(|_| !self.kept.contains(&id));
        let mut found = next(id.hash())?;
        for _ in 0..self.parents.len() {
            match RawJson::of(found).and_then(RawJson::text).and_then(|id| next(id.hash())) {
                Some(next) => found = next,
                None => return Some(found),
            }
        }
        // Lines that follow each other in a circle have no beginning.
        Some(b"null")
    }
}

impl Relinker for AgentRelinker {
    fn see(&mut self, number: u32, record: &[u8], is_removed: bool) {
        let Ok(event) = AgentDecoder::default().decode(record) else { return };
        let id = event.line.id.map(RawText::hash);
        if !is_removed {
            self.kept.extend(id);
            return;
        }
        if let Some(id) = id {
            let parent = RawJson::of(record).and_then(|record| record.get("parentUuid"));
            self.parents.insert(id, parent.map_or(&b"null"[..], RawJson::bytes).to_vec());
        }
        if event.line.ordinal.is_some() {
            self.numbered.push(number);
        }
    }

    fn kept(&mut self, number: u32, record: &[u8]) -> Option<Vec<u8>> {
        if self.parents.is_empty() && self.numbered.is_empty() || !is_complete(record) {
            return None;
        }
        let value = RawJson::of(record)?;
        let mut changes: Vec<(std::ops::Range<usize>, Vec<u8>)> = Vec::new();
        value.each_member(&mut |key, member| {
            let new = if PARENTS.iter().any(|name| key.is(name)) {
                member.text().and_then(|id| self.parent(id)).map(<[u8]>::to_vec)
            } else if key.is("ordinal") {
                let before = self.numbered.partition_point(|removed| *removed < number) as u64;
                member.number().filter(|_| before > 0).map(|own| own.saturating_sub(before).to_string().into_bytes())
            } else {
                None
            };
            changes.extend(new.map(|new| (range_within(record, member.bytes()), new)));
        });
        if changes.is_empty() {
            return None;
        }
        let mut text = Vec::with_capacity(record.len());
        let mut at = 0;
        for (range, new) in changes {
            text.extend_from_slice(&record[at..range.start]);
            text.extend(new);
            at = range.end;
        }
        text.extend_from_slice(&record[at..]);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_of_removed_lines_follow_their_parents() {
        let line = |id: &str, parent: &str| format!(r#"{{"type":"user","uuid":"{id}","parentUuid":{parent},"x":1}}"#);
        let mut relinker = AgentRelinker::default();
        relinker.see(1, line("b", "\"a\"").as_bytes(), true);
        relinker.see(2, line("c", "\"b\"").as_bytes(), true);
        assert_eq!(relinker.kept(0, line("a", "null").as_bytes()), None);
        let kept = relinker.kept(3, line("d", "\"c\"").as_bytes()).expect("a change");
        assert_eq!(String::from_utf8_lossy(&kept), line("d", "\"a\""));
        relinker.see(0, line("a", "null").as_bytes(), true);
        let kept = relinker.kept(3, line("d", "\"c\"").as_bytes()).expect("a change");
        assert_eq!(String::from_utf8_lossy(&kept), line("d", "null"));
        assert_eq!(relinker.kept(4, b"{\"torn"), None);
    }

    #[test]
    fn ordinals_count_on() {
        let mut relinker = AgentRelinker::default();
        let line = |ordinal: u32| format!(r#"{{"ordinal":{ordinal},"type":"compacted","payload":{{}}}}"#);
        for number in [1, 2] {
            relinker.see(number, line(number).as_bytes(), true);
        }
        assert_eq!(relinker.kept(0, line(0).as_bytes()), None);
        assert_eq!(relinker.kept(3, line(3).as_bytes()), Some(line(1).into_bytes()));
    }
}
