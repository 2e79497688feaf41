//! The cache of a timeline: recent groups of records, the states around the playhead, and states on the way there.

use std::sync::Arc;

use crate::replay::group::Group;
use crate::replay::machine::Machine;
use crate::replay::shared::Frame;

/// How many groups of records are cached, for the list around the playhead.
const GROUPS: usize = 8;
/// How many blocks of states are cached: the one around the playhead and its neighbours.
const BLOCKS: usize = 3;
/// How many states at group borders are cached, for keyframes that are far apart.
const FRAMES: usize = 512;

/// The states of one group: before its first record, and after each.
pub(super) struct StateBlock<M: Machine> {
    pub records: Arc<Group>,
    pub frames: Vec<Frame<M>>,
}

/// Least recently used first. Entries of an older generation are dropped.
pub(super) struct Remembered<M: Machine> {
    generation: u32,
    groups: Vec<(u32, Arc<Group>)>,
    blocks: Vec<(u32, Arc<StateBlock<M>>)>,
    frames: Vec<(u32, Frame<M>)>,
}

impl<M: Machine> Default for Remembered<M> {
    fn default() -> Self {
        Remembered { generation: 0, groups: Vec::new(), blocks: Vec::new(), frames: Vec::new() }
    }
}

impl<M: Machine> Remembered<M> {
    fn at(&mut self, generation: u32) {
        if self.generation != generation {
            *self = Remembered { generation, ..Remembered::default() };
        }
    }

    /// A group, if it had at least `length` records when it was read.
    pub(super) fn group(&mut self, generation: u32, group: u32, length: usize) -> Option<Arc<Group>> {
        self.at(generation);
        recent(&mut self.groups, group).filter(|known| known.len() >= length).cloned()
    }

    pub(super) fn keep_group(&mut self, generation: u32, group: u32, records: Arc<Group>) {
        self.at(generation);
        keep(&mut self.groups, GROUPS, group, records);
    }

    /// The states around a record, if it existed when they were built.
    pub(super) fn block(&mut self, generation: u32, group: u32, position: usize) -> Option<Arc<StateBlock<M>>> {
        self.at(generation);
        recent(&mut self.blocks, group).filter(|known| position + 1 < known.frames.len()).cloned()
    }

    pub(super) fn keep_block(&mut self, generation: u32, group: u32, block: Arc<StateBlock<M>>) {
        self.at(generation);
        keep(&mut self.blocks, BLOCKS, group, block);
    }

    /// The latest cached state before a group, later than the one before `from`.
    pub(super) fn nearest(&mut self, generation: u32, from: u32, group: u32) -> Option<(u32, Frame<M>)> {
        self.at(generation);
        let of_blocks = self.blocks.iter().filter_map(|(number, block)| {
            // Only a complete group gives the state before the next one.
            let whole = block.records.len() == crate::replay::index::GROUP as usize;
            whole.then(|| block.frames.last()).flatten().map(|frame| (*number + 1, frame))
        });
        let of_starts = self.blocks.iter().filter_map(|(number, block)| Some((*number, block.frames.first()?)));
        let known = self.frames.iter().map(|(number, frame)| (*number, frame)).chain(of_blocks).chain(of_starts);
        let nearest = known.filter(|(number, _)| (from + 1..=group).contains(number)).max_by_key(|known| known.0);
        nearest.map(|(number, frame)| (number, frame.clone()))
    }

    pub(super) fn keep_frame(&mut self, generation: u32, group: u32, frame: &Frame<M>) {
        self.at(generation);
        keep(&mut self.frames, FRAMES, group, frame.clone());
    }
}

/// The entry with this number, which becomes the most recent one.
fn recent<T>(list: &mut [(u32, T)], number: u32) -> Option<&T> {
    let found = list.iter().position(|entry| entry.0 == number)?;
    list[found..].rotate_left(1);
    list.last().map(|entry| &entry.1)
}

fn keep<T>(list: &mut Vec<(u32, T)>, most: usize, number: u32, entry: T) {
    list.retain(|known| known.0 != number);
    if list.len() == most {
        list.remove(0);
    }
    list.push((number, entry));
}
