//! A file as a list of lines of interest, and changes to it: lines dropped, changed, inserted and moved.
//!
//! The bytes stay in the file. A document knows where its lines are; what lies between them (blank lines, and records
//! that nobody asks for) is carried along. Only changed and inserted lines are held in memory.

use std::ops::Range;

use super::lines::{LineAt, Lines};
use super::shape::Shape;

/// An entry of a [`Document`]; it keeps its number when lines are inserted.
pub(crate) type EntryId = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Where the file has it.
    Original,
    Dropped,
    /// Moved: this is the old place.
    Left,
    /// Moved: this is the new place.
    Moved,
    Inserted,
    /// Moved or inserted before, and no longer here.
    Gone,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry<L> {
    /// The number of its line in the file; 0 if it was inserted.
    pub number: u32,
    /// So many lines: damaged ones in a row are one entry.
    pub run: u32,
    pub line: L,
    from: u64,
    length: u32,
    state: State,
    /// Its bytes, if they are not those of the file.
    text: Option<Box<[u8]>>,
}

impl<L> Entry<L> {
    pub(crate) fn is_present(&self) -> bool {
        matches!(self.state, State::Original | State::Moved | State::Inserted)
    }

    fn end(&self) -> u64 {
        self.from + u64::from(self.length)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Document<L> {
    pub entries: Vec<Entry<L>>,
    /// The entries in the order of the file, those that were dropped included.
    order: Vec<EntryId>,
    /// The bytes of the file.
    pub length: u64,
    /// The lines of the file that are not blank.
    pub total_lines: u64,
}

impl<L> Default for Document<L> {
    fn default() -> Self {
        Document { entries: Vec::new(), order: Vec::new(), length: 0, total_lines: 0 }
    }
}

/// A part of a changed file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'d> {
    /// Bytes of the file that was read.
    Input(Range<u64>),
    Text(&'d [u8]),
}

/// What changes did to a file, by line of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edits {
    pub dropped: Vec<u32>,
    pub changed: Vec<u32>,
    /// `None` stands for a line that was inserted itself.
    pub inserted_after: Vec<Option<u32>>,
    pub moved: Vec<u32>,
    /// The members that differ in each changed line.
    pub members: Vec<Vec<String>>,
    /// The line behind which each moved line is now.
    pub moved_after: Vec<Option<u32>>,
    pub bytes_removed: u64,
    pub bytes_added: u64,
}

impl Edits {
    pub(crate) fn is_empty(&self) -> bool {
        self.dropped.is_empty() && self.changed.is_empty() && self.inserted_after.is_empty() && self.moved.is_empty()
    }
}

impl<L> Document<L> {
    /// Adds the next line of the file.
    pub(crate) fn push(&mut self, at: LineAt, length: usize, line: L) -> EntryId {
        let id = self.entries.len();
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.entries.push(Entry {
            number: at.number,
            run: 1,
            line,
            from: at.from,
            length,
            state: State::Original,
            text: None,
        });
        self.order.push(id);
        id
    }

    /// Forgets the last entry, if it is one that only the end of a file needs.
    pub(crate) fn pop_last_if(&mut self, is_needless: impl Fn(&L) -> bool) {
        if self.entries.last().is_some_and(|last| is_needless(&last.line)) {
            self.entries.pop();
            self.order.pop();
        }
    }

    /// Counts the next line of the file to the last entry, which must be the line before.
    pub(crate) fn extend_last(&mut self, at: LineAt, length: usize) {
        if let Some(last) = self.entries.last_mut() {
            last.run += 1;
            last.length = u32::try_from(at.from + length as u64 - last.from).unwrap_or(u32::MAX);
        }
    }

    /// Whether the line at this place can be counted to the last entry.
    pub(crate) fn may_extend_last(&self, at: LineAt, is_alike: impl Fn(&L) -> bool) -> bool {
        self.entries.last().is_some_and(|last| {
            is_alike(&last.line) && last.number + last.run == at.number && at.from - last.from < u64::from(u32::MAX / 4)
        })
    }

    /// The present entries in order.
    pub(crate) fn present(&self) -> impl DoubleEndedIterator<Item = (EntryId, &Entry<L>)> {
        self.order.iter().map(|id| (*id, &self.entries[*id])).filter(|(_, entry)| entry.is_present())
    }

    /// The bytes of an entry as they are now, without a line feed.
    pub(crate) fn bytes(&self, id: EntryId, lines: &(impl Lines + ?Sized)) -> Option<Vec<u8>> {
        let entry = &self.entries[id];
        match &entry.text {
            Some(text) => Some(text.to_vec()),
            None => lines.read(entry.from, entry.length as usize),
        }
    }

    /// Whether its bytes are not those of the file.
    pub(crate) fn is_changed(&self, id: EntryId) -> bool {
        self.entries[id].text.is_some()
    }

    pub(crate) fn change(&mut self, id: EntryId, text: Vec<u8>, line: L) {
        let entry = &mut self.entries[id];
        (entry.text, entry.line) = (Some(text.into()), line);
    }

    pub(crate) fn drop_line(&mut self, id: EntryId) {
        match self.entries[id].state {
            State::Original => self.entries[id].state = State::Dropped,
            State::Moved => {
                // What was moved and then dropped was dropped.
                let number = self.entries[id].number;
                let is_old = |entry: &&mut Entry<L>| entry.state == State::Left && entry.number == number;
                if let Some(old) = self.entries.iter_mut().find(is_old) {
                    old.state = State::Dropped;
                }
                self.entries[id].state = State::Gone;
            }
            State::Inserted => self.entries[id].state = State::Gone,
            State::Dropped | State::Left | State::Gone => {}
        }
    }

    pub(crate) fn insert_after(&mut self, after: EntryId, text: Vec<u8>, line: L) -> EntryId {
        let entry =
            Entry { number: 0, run: 1, line, from: 0, length: 0, state: State::Inserted, text: Some(text.into()) };
        self.place_after(after, entry)
    }

    fn place_after(&mut self, after: EntryId, entry: Entry<L>) -> EntryId {
        let id = self.entries.len();
        self.entries.push(entry);
        let place = self.order.iter().position(|other| *other == after).map_or(self.order.len(), |place| place + 1);
        self.order.insert(place, id);
        id
    }
}

impl<L: Clone> Document<L> {
    /// Moves a line behind another one. It gets another number, which is returned.
    pub(crate) fn move_after(&mut self, id: EntryId, after: EntryId) -> EntryId {
        let mut moved = self.entries[id].clone();
        self.entries[id].state = if moved.state == State::Original { State::Left } else { State::Gone };
        if moved.state == State::Original {
            moved.state = State::Moved;
        }
        self.place_after(after, moved)
    }
}

impl<L> Document<L> {
    /// Forgets changes that restored the bytes of the file, and lists the others.
    pub(crate) fn settle(&mut self, lines: &(impl Lines + ?Sized)) -> Edits {
        let mut edits = Edits::default();
        let mut changes: Vec<(u32, Vec<String>)> = Vec::new();
        let mut before = Some(0);
        for id in &self.order {
            let entry = &mut self.entries[*id];
            let length = u64::from(entry.length);
            let is_of_file = entry.number > 0;
            let original = (is_of_file && entry.is_present() && entry.text.is_some())
                .then(|| lines.read(entry.from, entry.length as usize).unwrap_or_default());
            entry.text.take_if(|text| original.as_deref() == Some(text));
            match entry.state {
                State::Dropped => {
                    edits.dropped.extend(entry.number..entry.number + entry.run);
                    edits.bytes_removed += length + 1;
                }
                State::Inserted => {
                    edits.inserted_after.push(before);
                    edits.bytes_added += entry.text.as_ref().map_or(0, |text| text.len() as u64 + 1);
                }
                State::Moved => {
                    edits.moved.push(entry.number);
                    edits.moved_after.push(before);
                }
                State::Original | State::Left | State::Gone => {}
            }
            if let (Some(text), Some(original)) = (&entry.text, original) {
                changes.push((entry.number, changed_members(&original, text)));
                let (removed, added) = differing(&original, text);
                edits.bytes_removed += removed;
                edits.bytes_added += added;
            }
            if entry.is_present() {
                before = is_of_file.then_some(entry.number);
            }
        }
        changes.sort_unstable();
        (edits.changed, edits.members) = changes.into_iter().unzip();
        edits
    }

    /// The parts of the file as it is now, in order.
    pub(crate) fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Pieces { list: Vec::new(), done: 0, owes_line_feed: false };
        for id in &self.order {
            let entry = &self.entries[*id];
            match entry.state {
                State::Original | State::Dropped | State::Left => {
                    // What lies between the last line of the file and this one.
                    pieces.input(pieces.done..entry.from);
                    let end = (entry.end() + 1).min(self.length);
                    pieces.done = end;
                    if entry.state != State::Original {
                        continue;
                    }
                    match &entry.text {
                        Some(text) => pieces.text(text),
                        None => pieces.input(entry.from..entry.end()),
                    }
                    pieces.input(entry.end()..end);
                    pieces.owes_line_feed = end == entry.end();
                }
                State::Moved | State::Inserted => {
                    match &entry.text {
                        Some(text) => pieces.text(text),
                        None => pieces.input(entry.from..entry.end()),
                    }
                    pieces.text(b"\n");
                }
                State::Gone => {}
            }
        }
        pieces.input(pieces.done..self.length);
        pieces.list
    }
}

/// How many bytes differ between the common beginning and the common end of two texts.
fn differing(old: &[u8], new: &[u8]) -> (u64, u64) {
    let start = old.iter().zip(new).take_while(|(one, two)| one == two).count();
    let end = old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(one, two)| one == two).count();
    ((old.len() - start - end) as u64, (new.len() - start - end) as u64)
}

/// The names of the members of an object that differ.
fn changed_members(old: &[u8], new: &[u8]) -> Vec<String> {
    let (Some(old), Some(new)) = (Shape::object(old), Shape::object(new)) else { return vec!["bytes".to_owned()] };
    let raw = |shape: &Shape, name: &str| shape.get(Shape::ROOT, name).map(|at| shape.raw(at).to_vec());
    let names = |shape: &Shape| -> Vec<String> {
        shape.members(Shape::ROOT).filter_map(|(key, _)| Some(shape.key(key)?.into_owned())).collect()
    };
    let mut changed: Vec<String> = [names(&old), names(&new)].concat();
    changed.retain(|name| raw(&old, name) != raw(&new, name));
    changed.sort();
    changed.dedup();
    changed
}

struct Pieces<'d> {
    list: Vec<Piece<'d>>,
    /// The bytes of the file up to here are settled.
    done: u64,
    /// The last line of the file has no line feed, which matters only if another line follows.
    owes_line_feed: bool,
}

impl<'d> Pieces<'d> {
    fn text(&mut self, text: &'d [u8]) {
        if std::mem::take(&mut self.owes_line_feed) {
            self.list.push(Piece::Text(b"\n"));
        }
        self.list.push(Piece::Text(text));
    }

    fn input(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        if std::mem::take(&mut self.owes_line_feed) {
            self.list.push(Piece::Text(b"\n"));
        }
        match self.list.last_mut() {
            Some(Piece::Input(last)) if last.end == range.start => last.end = range.end,
            _ => self.list.push(Piece::Input(range)),
        }
    }
}
