//! Edits of the lists of kept lines that a compaction wrote.

use super::ClaudeMender;
use super::edit::with;
use crate::doctor::document::EntryId;
use crate::doctor::names::Name;
use crate::doctor::shape::{At, Shape};
use crate::doctor::splice::{replaced, with_member, without_element, without_member};

const LISTS: [&str; 2] = ["uuids", "allUuids"];

fn metadata(shape: &Shape) -> Option<At> {
    shape.get(Shape::ROOT, "compactMetadata")
}

fn messages(shape: &Shape) -> Option<At> {
    shape.get(metadata(shape)?, "preservedMessages")
}

fn segment(shape: &Shape) -> Option<At> {
    shape.get(metadata(shape)?, "preservedSegment")
}

/// The place of a uuid in a list.
fn place(shape: &Shape, list: At, uuid: &str) -> Option<usize> {
    shape.elements(list).position(|element| shape.text(element).is_some_and(|text| text == uuid))
}

impl ClaudeMender<'_> {
    /// Removes a uuid from all lists. `heir` takes its place as an anchor.
    pub(super) fn forget_kept(&mut self, uuid: Name, heir: Option<Name>) -> Option<()> {
        for boundary in self.index.boundaries.clone() {
            let Some(compaction) = self.node(boundary).and_then(|node| node.compaction.clone()) else { continue };
            let is_listed = compaction.kept.as_ref().is_some_and(|kept| kept.contains(&uuid));
            let is_end = compaction.segment.is_some_and(|(head, tail)| head == uuid || tail == uuid);
            if compaction.anchor == Some(uuid) {
                self.set_anchor(boundary, heir)?;
            }
            let (before, after) = self.neighbours(&compaction, uuid);
            if is_end {
                self.shrink_segment(boundary, uuid, before, after)?;
            }
            if is_listed {
                self.strike(boundary, uuid)?;
            }
        }
        Some(())
    }

    /// The kept lines before and after another one.
    fn neighbours(
        &self,
        compaction: &crate::doctor::claude::line::ClaudeCompaction,
        uuid: Name,
    ) -> (Option<Name>, Option<Name>) {
        if let Some(kept) = &compaction.kept {
            let Some(place) = kept.iter().position(|other| *other == uuid) else { return (None, None) };
            return (place.checked_sub(1).map(|place| kept[place]), kept.get(place + 1).copied());
        }
        let Some((head, tail)) = compaction.segment else { return (None, None) };
        let (mut node, mut after) = (tail, None);
        let parent = |uuid: Name| self.index.copies(uuid).last().and_then(|entry| self.node(*entry)?.parent);
        for _ in 0..=self.transcript.names.len() {
            if node == uuid {
                return (parent(node).filter(|_| node != head), after);
            }
            if node == head {
                break;
            }
            let Some(above) = parent(node) else { break };
            after = Some(node);
            node = above;
        }
        (None, after.filter(|_| head == uuid))
    }

    fn set_anchor(&mut self, boundary: EntryId, anchor: Option<Name>) -> Option<()> {
        let value = self.uuid_literal(anchor);
        for part in [messages, segment] {
            self.edit(boundary, |shape| {
                let at = part(shape).and_then(|part| shape.get(part, "anchorUuid"));
                Some(at.map_or_else(|| shape.bytes().to_vec(), |at| with(shape, at, &value)))
            })?;
        }
        Some(())
    }

    /// The segment of kept lines ends one line earlier, or begins one later.
    fn shrink_segment(
        &mut self,
        boundary: EntryId,
        uuid: Name,
        before: Option<Name>,
        after: Option<Name>,
    ) -> Option<()> {
        if before.is_none() && after.is_none() {
            return self.edit(boundary, |shape| Some(without_member(shape, metadata(shape)?, "preservedSegment")));
        }
        let old = self.transcript.names.text(uuid);
        for (member, other) in [("headUuid", after), ("tailUuid", before)] {
            let value = self.uuid_literal(other);
            self.edit(boundary, |shape| {
                let at = segment(shape).and_then(|segment| shape.get(segment, member));
                let is_it = at.filter(|at| shape.text(*at).is_some_and(|text| *text == *old));
                Some(is_it.map_or_else(|| shape.bytes().to_vec(), |at| with(shape, at, &value)))
            })?;
        }
        Some(())
    }

    fn strike(&mut self, boundary: EntryId, uuid: Name) -> Option<()> {
        let old = self.transcript.names.text(uuid);
        for list in LISTS {
            self.edit(boundary, |shape| {
                let list = messages(shape).and_then(|messages| shape.get(messages, list));
                let place = list.and_then(|list| Some((list, place(shape, list, &old)?)));
                Some(place.map_or_else(|| shape.bytes().to_vec(), |(list, place)| without_element(shape, list, place)))
            })?;
        }
        Some(())
    }

    /// The newest boundary: the one whose kept lines are put back in place.
    fn newest_boundary(&self) -> Option<EntryId> {
        Some(self.history.graph.nodes[self.history.graph.boundary?].entry)
    }

    /// Adds a line to the kept ones, behind another one.
    pub(super) fn keep_after(&mut self, uuid: Name, after: Name) -> Option<()> {
        let boundary = self.newest_boundary()?;
        let compaction = self.node(boundary)?.compaction.clone()?;
        if compaction.kept.is_none() {
            // Without a list, the kept lines are found from parent to parent.
            if let (_, Some(next)) = self.neighbours(&compaction, after) {
                self.set_parent(next, Some(uuid))?;
            }
        }
        self.enlist(boundary, uuid, after, 1)?;
        if compaction.segment.is_some_and(|(_, tail)| tail == after) {
            self.set_segment_end(boundary, "tailUuid", uuid)?;
        }
        Some(())
    }

    /// Adds a line to the kept ones, before another one.
    pub(super) fn keep_before(&mut self, uuid: Name, before: Name) -> Option<()> {
        let boundary = self.newest_boundary()?;
        let compaction = self.node(boundary)?.compaction.clone()?;
        if compaction.kept.is_none() {
            self.set_parent(before, Some(uuid))?;
        }
        self.enlist(boundary, uuid, before, 0)?;
        if compaction.segment.is_some_and(|(head, _)| head == before) {
            self.set_segment_end(boundary, "headUuid", uuid)?;
        }
        Some(())
    }

    fn set_segment_end(&mut self, boundary: EntryId, member: &str, uuid: Name) -> Option<()> {
        let value = self.uuid_literal(Some(uuid));
        self.edit(boundary, |shape| Some(with_member(shape, segment(shape)?, member, &value)))
    }

    /// Writes a uuid into the lists, beside another one.
    fn enlist(&mut self, boundary: EntryId, uuid: Name, beside: Name, offset: usize) -> Option<()> {
        let (value, beside) = (self.uuid_literal(Some(uuid)), self.transcript.names.text(beside));
        for list in LISTS {
            self.edit(boundary, |shape| {
                let list = messages(shape).and_then(|messages| shape.get(messages, list));
                let Some((list, place)) = list.and_then(|list| Some((list, place(shape, list, &beside)?))) else {
                    return Some(shape.bytes().to_vec());
                };
                let element = shape.span(shape.elements(list).nth(place)?);
                Some(if offset == 0 {
                    replaced(shape.bytes(), element.start..element.start, &[&value[..], b","].concat())
                } else {
                    replaced(shape.bytes(), element.end..element.end, &[b",", &value[..]].concat())
                })
            })?;
        }
        Some(())
    }
}
