//! The debugger without a terminal: the playhead, and every way to move it.
//!
//! It knows no dialect (it sees a log through [`Replay`]) and does no IO. Long work (a condition over millions of
//! events, a search) is returned as a value that another thread can run, in slices or until it is cancelled.

pub(crate) mod breakpoint;
pub(crate) mod filter;
pub(crate) mod history;
pub(crate) mod selected_events;

use std::sync::Arc;

use breakpoint::{Breakpoints, RunEnd};
use filter::{ListContext, ListFilter};
use history::JumpHistory;

use super::Seq;
use super::bookmark::anchor::Anchor;
use super::bookmark::find::{BookmarkPlace, find};
use super::bookmark::{Bookmark, BookmarkEdit, Bookmarks};
use super::check::Severity;
use super::direction::Direction;
use super::finding::Finding;
use super::index::Rows;
use super::note::Notes;
use super::search::Search;
use super::source::Gone;
use super::target::{Target, TargetError};
use super::timeline::Replay;
use super::vocabulary::{FieldId, KindId};

/// What to look for in [`Debugger::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Kind(KindId),
    /// The beginning of a finding of at least this severity.
    Finding(Severity),
    /// The first event of another turn.
    Turn,
    /// The first event of another model step.
    Step,
    /// An event that changes this field.
    Change(FieldId),
    /// A hit of the search.
    Hit,
    /// A bookmark whose event was found.
    Bookmark,
}

/// More routine events are not counted for one row: a frame must not walk over a whole log.
const ROUTINE_MOST: usize = 100_000;

pub(crate) struct Debugger {
    replay: Arc<dyn Replay>,
    at: Seq,
    pub breakpoints: Breakpoints,
    pub filter: ListFilter,
    pub search: Option<Search>,
    /// Each with its place in this log.
    bookmarks: Vec<(Bookmark, BookmarkPlace)>,
    /// Notes from a sidecar.
    notes: Arc<Notes>,
    history: JumpHistory,
}

impl Debugger {
    pub(crate) fn new(replay: Arc<dyn Replay>) -> Self {
        Debugger {
            replay,
            at: Seq(0),
            breakpoints: Breakpoints::default(),
            filter: ListFilter::default(),
            search: None,
            bookmarks: Vec::new(),
            notes: Arc::default(),
            history: JumpHistory::default(),
        }
    }

    pub(crate) fn replay(&self) -> &Arc<dyn Replay> {
        &self.replay
    }

    /// The event under the playhead.
    pub(crate) fn at(&self) -> Seq {
        self.at
    }

    /// The last event so far.
    pub(crate) fn last(&self) -> Seq {
        Seq(self.replay.len().saturating_sub(1))
    }

    /// Moves by a number of events, at most to an end of the log. Steps are not jumps, so they are not in the history.
    pub(crate) fn step(&mut self, by: i64) -> Seq {
        let wanted = (i64::from(self.at.0) + by).clamp(0, i64::from(self.last().0));
        self.at = Seq(wanted as u32);
        self.at
    }

    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    pub(crate) fn set_notes(&mut self, notes: Arc<Notes>) {
        self.notes = notes;
    }

    /// Moves by a number of events of the list, also into folded rows.
    pub(crate) fn step_listed(&mut self, by: i64) -> Seq {
        if self.filter.is_open() && !self.notes.has_skipped() {
            return self.step(by);
        }
        self.walk(by, |filter, list, at| filter.includes(list, at))
    }

    /// Moves by a number of rows of the list.
    pub(crate) fn step_rows(&mut self, by: i64) -> Seq {
        self.walk(by, ListFilter::shows)
    }

    /// Moves by a number of events that pass a test, except those that a note asks to skip.
    fn walk(&mut self, by: i64, test: impl Fn(&ListFilter, &ListContext<'_>, Seq) -> bool) -> Seq {
        // One walk over the rows, however large the count.
        let (mut at, mut left) = (self.at, by.unsigned_abs());
        self.look_at_list(|list| {
            let rows = list.rows;
            let shows = |at: &Seq| !self.notes.skips(*at) && test(&self.filter, list, *at);
            let mut walk = |seen: &mut dyn Iterator<Item = Seq>| {
                for next in seen.filter(|at| shows(at)) {
                    if left == 0 {
                        break;
                    }
                    (at, left) = (next, left - 1);
                }
            };
            match by > 0 {
                true => walk(&mut (self.at.0.saturating_add(1)..rows.len()).map(Seq)),
                false => walk(&mut (0..self.at.0.min(rows.len())).rev().map(Seq)),
            }
        });
        self.at = at;
        self.at
    }

    /// Goes to an event and adds the old position to the history.
    pub(crate) fn jump(&mut self, to: Seq) -> Seq {
        let to = to.min(self.last());
        if to != self.at {
            self.history.leave(self.at);
            self.at = to;
        }
        self.at
    }

    /// Goes to a place as the user writes it.
    pub(crate) fn go_to(
        &mut self,
        target: &Target,
        bookmark: &dyn Fn(&str) -> Option<Seq>,
    ) -> Result<Seq, TargetError> {
        let to = target.resolve(&*self.replay, bookmark)?;
        Ok(self.jump(to))
    }

    /// Sets the bookmarks of the log. Each is looked up once.
    pub(crate) fn set_bookmarks(&mut self, bookmarks: &Bookmarks) -> Result<(), Gone> {
        let found = find(bookmarks.as_slice(), &*self.replay)?;
        self.bookmarks = bookmarks.as_slice().iter().cloned().zip(found).collect();
        // In the order of the log, lost ones last.
        self.bookmarks.sort_by_key(|(_, found)| found.at().map_or(u64::MAX, |at| u64::from(at.0)));
        Ok(())
    }

    pub(crate) fn bookmarks(&self) -> &[(Bookmark, BookmarkPlace)] {
        &self.bookmarks
    }

    /// A bookmark of the event under the playhead, for the caller to save.
    pub(crate) fn mark(&self, name: &str, note: &str) -> Result<Option<BookmarkEdit>, Gone> {
        let anchor = Anchor::of(self.at, &*self.replay)?;
        Ok(anchor.map(|anchor| BookmarkEdit::Add(Bookmark { name: name.to_owned(), note: note.to_owned(), anchor })))
    }

    /// Lets [`Debugger::back`] go to an event.
    pub(crate) fn offer(&mut self, at: Seq) {
        self.history.leave(at);
    }

    /// Goes back to where the last jump began.
    pub(crate) fn back(&mut self) -> Option<Seq> {
        let to = self.history.back(self.at)?;
        self.at = to.min(self.last());
        Some(self.at)
    }

    /// Goes forward again after going back.
    pub(crate) fn forward(&mut self) -> Option<Seq> {
        let to = self.history.forward(self.at)?;
        self.at = to.min(self.last());
        Some(self.at)
    }

    /// The next place of a kind in a direction.
    pub(crate) fn find(&self, stop: Stop, direction: Direction) -> Option<Seq> {
        let (replay, from) = (&*self.replay, self.at);
        match stop {
            Stop::Kind(kind) => replay.find_row(from, direction, |rows, at| rows.kind(at) == Some(kind)),
            Stop::Finding(least) => {
                replay.findings().next(from, direction, |finding: &Finding| finding.severity >= least)
            }
            Stop::Turn => self.border(direction, &|rows, at| rows.turn(at).map_or(u64::MAX, u64::from)),
            Stop::Step => self.border(direction, &step_of),
            Stop::Change(field) => {
                let mut found = None;
                replay.writers(field, &mut |writers| {
                    found = if direction.is_forward() { writers.after(from) } else { writers.before(from) };
                });
                found
            }
            Stop::Bookmark => {
                let places = self.bookmarks.iter().filter_map(|(_, found)| found.at());
                if direction.is_forward() {
                    places.filter(|at| *at > from).min()
                } else {
                    places.filter(|at| *at < from).max()
                }
            }
            Stop::Hit => self.search.as_ref().and_then(|search| search.next(from, direction)),
        }
    }

    /// Where the next range begins in which `of` is constant; backwards, the beginning of the current range, then of
    /// those before it, as in a text editor.
    fn border(&self, direction: Direction, of: &dyn Fn(&Rows, Seq) -> u64) -> Option<Seq> {
        self.replay.find_row(self.at, direction, |rows, at| {
            let before = at.0.checked_sub(1).map(Seq);
            before.is_none_or(|before| of(rows, before) != of(rows, at))
        })
    }

    /// Goes to the next place of a kind.
    pub(crate) fn next(&mut self, stop: Stop, direction: Direction) -> Option<Seq> {
        let to = self.find(stop, direction)?;
        Some(self.jump(to))
    }

    /// Goes to the event that last wrote a field, which may be the one under the playhead; called again there, to the
    /// writer before it.
    pub(crate) fn blame(&mut self, field: FieldId) -> Option<Seq> {
        let here = self.replay.blame(field, self.at)?;
        let to = if here == self.at { self.find(Stop::Change(field), Direction::Backward)? } else { here };
        Some(self.jump(to))
    }

    /// Runs to the next hit of a breakpoint, or to the end of the log. `give_up` is called now and then.
    #[cfg(test)]
    pub(crate) fn run(&mut self, direction: Direction, give_up: &dyn Fn() -> bool) -> Result<RunEnd, Gone> {
        let run = self.breakpoints.run(&*self.replay, self.at, direction, give_up)?;
        self.arrive(&run, direction);
        Ok(run)
    }

    /// Moves the playhead to where a run, perhaps on another thread, has stopped.
    pub(crate) fn arrive(&mut self, run: &RunEnd, direction: Direction) {
        match run {
            RunEnd::Hit { at, breakpoints } => {
                self.breakpoints.count_stop(breakpoints);
                self.jump(*at);
            }
            RunEnd::Over if direction.is_forward() => {
                self.jump(self.last());
            }
            // Before the first breakpoint there is nothing to stop for.
            RunEnd::Over | RunEnd::GaveUp => {}
        }
    }

    /// The events around the playhead that the list shows: at most `before` and `after` of them. The playhead itself is
    /// always included.
    pub(crate) fn window(&self, before: usize, after: usize) -> Vec<Seq> {
        let mut window = Vec::new();
        self.look_at_list(|list| {
            let rows = list.rows;
            let shows = |at: &Seq| self.filter.shows(list, *at);
            window.extend((0..self.at.0.min(rows.len())).rev().map(Seq).filter(shows).take(before));
            window.reverse();
            if !rows.is_empty() {
                window.push(self.at);
            }
            window.extend((self.at.0 + 1..rows.len()).map(Seq).filter(shows).take(after));
        });
        window
    }

    /// Calls `look` with what decides which events the list shows. The pass waits meanwhile.
    fn look_at_list(&self, mut look: impl FnMut(&ListContext<'_>)) {
        let (findings, vocabulary) = (self.replay.findings(), self.replay.vocabulary());
        let mut marked: Vec<Seq> = self.bookmarks.iter().filter_map(|(_, found)| found.at()).collect();
        marked.sort_unstable();
        let search = self.search.as_ref();
        self.replay.rows(&mut |rows| {
            look(&ListContext { rows, findings: &findings, search, vocabulary, marked: &marked });
        });
    }

    /// The routine events that are folded into the row of an event: the number of each kind. Empty if none are.
    pub(crate) fn routine_run(&self, first: Seq) -> Vec<(KindId, u32)> {
        let mut counts: Vec<(KindId, u32)> = Vec::new();
        self.look_at_list(|list| {
            let folded = (first.0 + 1..list.rows.len()).map(Seq).take(ROUTINE_MOST);
            let folded = folded.take_while(|at| list.is_routine(*at) && !self.filter.shows(list, *at));
            for kind in std::iter::once(first).chain(folded).filter_map(|at| list.rows.kind(at)) {
                match counts.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((kind, 1)),
                }
            }
        });
        counts.retain(|(kind, _)| self.replay.vocabulary().routine(*kind).is_some());
        if counts.iter().map(|(_, count)| count).sum::<u32>() > 1 { counts } else { Vec::new() }
    }

    /// The log has grown. The playhead follows if it was at the end.
    pub(crate) fn grown(&mut self, stood_at_end: bool) {
        if stood_at_end {
            self.at = self.last();
        }
    }

    /// Replaces the log by the same one opened again, or by a variant of it. Breakpoints, bookmarks and the like stay.
    pub(crate) fn reopened(&mut self, replay: Arc<dyn Replay>, at: Seq) {
        self.replay = replay;
        self.at = at.min(self.last());
        self.filter.only = self.filter.only.take().and_then(|only| only.again());
        self.search = self.search.take().map(|search| Search::new(search.pattern, self.at));
    }
}

/// Step numbers of different turns are different steps.
fn step_of(rows: &Rows, at: Seq) -> u64 {
    let turn = rows.turn(at).map_or(u64::from(u32::MAX), u64::from);
    (turn << 32) | rows.step(at).map_or(0, u64::from)
}
