//! The Event pane: the event under the playhead as JSON, in its conversation, as bytes, and while comparing, as a diff.
//!
//! Lines are laid out when the event, the width or a fold changes, and kept: a frame draws only the visible ones.

mod conversation;
pub(super) mod diff;
mod json;
pub(crate) mod lines;
mod raw;

use std::ops::Range;
use std::sync::Arc;

use conversation::ConversationTab;
use diff::DiffTab;
use json::JsonTab;
use lines::{HitSpan, MARKS_MOST, TabLine, TabLines};
use raw::RawTab;

use crate::replay::direction::Direction;
use crate::replay::moment::Moment;
use crate::replay::search::{Pattern, Scope};
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::Vocabulary;
use crate::replay::{Place, Seq};
use crate::tui::sentence::Sentence;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tab {
    #[default]
    Json,
    Conversation,
    Raw,
    /// Only while two logs are compared.
    Diff,
}

impl Tab {
    pub(crate) const ALL: [Tab; 3] = [Tab::Json, Tab::Conversation, Tab::Raw];
    /// The tabs while two logs are compared.
    const COMPARING: [Tab; 4] = [Tab::Diff, Tab::Json, Tab::Conversation, Tab::Raw];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Tab::Json => "JSON",
            Tab::Conversation => "Conversation",
            Tab::Raw => "Raw",
            Tab::Diff => "Diff",
        }
    }
}

/// The cursor in a tab, and its scroll position.
#[derive(Clone, Copy, Debug, Default)]
struct TabCursor {
    cursor: usize,
    scroll: usize,
}

pub(crate) struct Detail {
    tab: Tab,
    /// The tab in which events of this log are shown first.
    home: Tab,
    at: Option<Seq>,
    record: Arc<[u8]>,
    /// The record with its payloads inserted, for the tree.
    in_full: Option<Arc<[u8]>>,
    malformed: Option<String>,
    /// Built when it is first shown.
    json: Option<JsonTab>,
    talk: ConversationTab,
    /// The conversation is not yet that of the current event.
    is_talk_stale: bool,
    /// Folds of the conversation have changed.
    is_talk_refolded: bool,
    raw: RawTab,
    /// The difference from the other log.
    members: Option<DiffTab>,
    /// The event belongs to the other log.
    is_other: bool,
    spots: [TabCursor; Tab::COMPARING.len()],
    columns: usize,
    rows: usize,
    pattern: Option<Pattern>,
    marks: Vec<HitSpan>,
    are_marks_stale: bool,
}

impl Default for Detail {
    fn default() -> Self {
        let record: Arc<[u8]> = Arc::from([]);
        Detail {
            tab: Tab::Json,
            home: Tab::Json,
            at: None,
            record: Arc::clone(&record),
            in_full: None,
            malformed: None,
            json: None,
            talk: ConversationTab::default(),
            is_talk_stale: true,
            is_talk_refolded: false,
            raw: RawTab::new(record, Place::default(), 0..0),
            members: None,
            is_other: false,
            spots: [TabCursor::default(); Tab::COMPARING.len()],
            columns: 80,
            rows: 10,
            pattern: None,
            marks: Vec::new(),
            are_marks_stale: false,
        }
    }
}

impl Detail {
    /// The pane of a log with these words.
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let home = if vocabulary.is_conversation { Tab::Conversation } else { Tab::Json };
        Detail { tab: home, home, ..Detail::default() }
    }

    /// Shows a moment. The cursor and the folds are reset only if the event is another one.
    pub(crate) fn look(&mut self, moment: Option<&Moment>) {
        // The log may have grown.
        self.is_talk_stale = true;
        let Some(moment) = moment else {
            *self = Detail {
                tab: self.tab,
                home: self.home,
                columns: self.columns,
                rows: self.rows,
                pattern: self.pattern.take(),
                members: self.members.take(),
                ..Detail::default()
            };
            return;
        };
        if self.at == Some(moment.at) && *self.record == *moment.record {
            return;
        }
        self.at = Some(moment.at);
        self.record = Arc::from(moment.record.as_slice());
        self.in_full = moment.in_full.as_deref().map(Arc::from);
        self.malformed.clone_from(&moment.malformed);
        self.json = None;
        self.raw = RawTab::new(Arc::clone(&self.record), moment.place, moment.inside.clone());
        self.spots = [TabCursor::default(); Tab::COMPARING.len()];
    }

    /// Sets the log of the event and its difference from the other log. `None` if no logs are compared.
    pub(crate) fn compare(&mut self, members: Option<DiffTab>, is_other: bool) {
        if std::mem::replace(&mut self.is_other, is_other) != is_other {
            // The other log has the same event numbers, but another conversation.
            (self.at, self.talk, self.json) = (None, ConversationTab::default(), None);
        }
        if self.members.is_none() && members.is_some() {
            self.show_tab(Tab::Diff);
        } else if members.is_none() && self.tab == Tab::Diff {
            self.show_tab(self.home);
        }
        self.members = members;
    }

    /// The tabs that are available now.
    pub(crate) fn tabs(&self) -> &'static [Tab] {
        if self.members.is_some() { &Tab::COMPARING } else { &Tab::ALL }
    }

    /// Lays out the lines of the tab if needed. Must be called after every change, before a frame is drawn.
    pub(crate) fn settle(&mut self, replay: &dyn Replay, columns: usize, rows: usize) {
        (self.columns, self.rows) = (columns.max(1), rows.max(1));
        // If the open log has no event here, the difference can still be shown.
        let at = self.at.unwrap_or_default();
        if self.at.is_none() && self.tab != Tab::Diff {
            return;
        }
        let columns = self.columns;
        let mut is_new = false;
        match self.tab {
            Tab::Json => {
                let malformed = self.malformed.as_deref();
                let json = self.json.get_or_insert_with(|| {
                    JsonTab::new(Arc::clone(self.in_full.as_ref().unwrap_or(&self.record)), malformed)
                });
                if json.columns() != columns {
                    let spot = &mut self.spots[Tab::Json as usize];
                    let row = json.row(spot.cursor);
                    json.lay_out(columns);
                    spot.cursor = row.map_or(spot.cursor, |row| json.line_of(row));
                    is_new = true;
                }
            }
            Tab::Conversation => {
                is_new = self.settle_talk(replay, at, columns);
            }
            Tab::Raw => {
                if self.raw.columns() != columns {
                    self.raw.lay_out(columns);
                    is_new = true;
                }
            }
            Tab::Diff => {
                if let Some(members) = self.members.as_mut().filter(|members| members.columns() != columns) {
                    members.lay_out(columns);
                    is_new = true;
                }
            }
        }
        if is_new || self.are_marks_stale {
            self.mark();
        }
        self.cursor(0);
    }

    /// Returns whether the conversation was laid out again.
    fn settle_talk(&mut self, replay: &dyn Replay, at: Seq, columns: usize) -> bool {
        let (is_stale, is_refolded) =
            (std::mem::take(&mut self.is_talk_stale), std::mem::take(&mut self.is_talk_refolded));
        let has_moved = self.talk.at() != Some(at);
        let spot = &mut self.spots[Tab::Conversation as usize];
        let stood_at = self.talk.event(spot.cursor);
        let is_fetched = is_stale && self.talk.look(replay, at);
        if is_refolded {
            self.talk.complete(replay);
        }
        let is_new = is_fetched || is_refolded || self.talk.columns() != columns;
        if is_new {
            self.talk.lay_out(columns);
        }
        if has_moved {
            // The message starts one line below the top, to show that there are messages before it.
            let here = self.talk.line_of(at);
            *spot = TabCursor { cursor: here, scroll: here.saturating_sub(1) };
        } else if let Some(stood_at) = stood_at.filter(|_| is_new && !is_refolded) {
            spot.cursor = self.talk.line_of(stood_at);
        }
        is_new || has_moved
    }

    fn laid(&self) -> Option<&dyn TabLines> {
        Some(match self.tab {
            Tab::Json => self.json.as_ref()?,
            Tab::Conversation => &self.talk,
            Tab::Raw => &self.raw,
            Tab::Diff => self.members.as_ref()?,
        })
    }

    fn spot(&self) -> TabCursor {
        self.spots[self.tab as usize]
    }

    pub(crate) fn tab(&self) -> Tab {
        self.tab
    }

    /// The tab in which events of this log are shown first.
    pub(crate) fn home(&self) -> Tab {
        self.home
    }

    pub(crate) fn show_tab(&mut self, tab: Tab) {
        self.are_marks_stale |= self.tab != tab;
        self.tab = tab;
    }

    pub(crate) fn next_tab(&mut self, direction: Direction) {
        let tabs = self.tabs();
        let here = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        self.show_tab(tabs[direction.next_in(here, tabs.len())]);
    }

    /// The number of lines.
    pub(crate) fn len(&self) -> usize {
        self.laid().map_or(0, TabLines::count)
    }

    /// The line under the cursor, counted from 0.
    pub(crate) fn line(&self) -> usize {
        self.spot().cursor
    }

    /// The lines that a frame shows, each with its number.
    pub(crate) fn visible(&self, rows: usize) -> impl Iterator<Item = (usize, TabLine)> {
        let from = self.spot().scroll;
        self.lines(from..from.saturating_add(rows))
    }

    /// Some of the lines, each with its number.
    pub(crate) fn lines(&self, part: Range<usize>) -> impl Iterator<Item = (usize, TabLine)> {
        let lines = move |laid: &dyn TabLines| part.start..part.end.min(laid.count());
        self.laid().into_iter().flat_map(move |laid| lines(laid).map(move |line| (line, laid.line(line))))
    }

    /// The number of lines per page.
    pub(crate) fn page(&self) -> i64 {
        self.rows.saturating_sub(1).max(1) as i64
    }

    /// Moves the cursor by a number of lines, and scrolls along.
    pub(crate) fn cursor(&mut self, by: i64) {
        let last = self.len().saturating_sub(1);
        let spot = &mut self.spots[self.tab as usize];
        let moved = (spot.cursor as i64).saturating_add(by).clamp(0, last as i64);
        spot.cursor = moved as usize;
        // No empty lines are shown below the last line if there are lines above.
        let most = (last + 1).saturating_sub(self.rows);
        spot.scroll = spot.scroll.clamp((spot.cursor + 1).saturating_sub(self.rows), spot.cursor).min(most);
    }

    /// Scrolls by a number of lines, and takes the cursor along.
    pub(crate) fn scroll(&mut self, by: i64) {
        let last = self.len().saturating_sub(1) as i64;
        let spot = &mut self.spots[self.tab as usize];
        spot.scroll = (spot.scroll as i64).saturating_add(by).clamp(0, last) as usize;
        spot.cursor = spot.scroll;
        self.cursor(0);
    }

    pub(crate) fn first(&mut self) {
        self.cursor(i64::MIN / 2);
    }

    pub(crate) fn last(&mut self) {
        self.cursor(i64::MAX / 2);
    }

    /// Folds or unfolds the value under the cursor, or its parent if it cannot be folded.
    pub(crate) fn toggle_fold(&mut self) {
        let line = self.line();
        if self.tab == Tab::Conversation {
            self.talk.toggle(line);
            self.is_talk_refolded = true;
        }
        self.refold(|json| json.toggle(line));
    }

    /// Whether folding applies to the line under the cursor.
    pub(crate) fn folds(&self) -> bool {
        self.tab != Tab::Conversation || self.talk.folds(self.line())
    }

    pub(crate) fn fold_all(&mut self, folded: bool) {
        if self.tab == Tab::Conversation {
            // Long texts are folded from the beginning, so the first change unfolds them.
            self.talk.toggle_all();
            self.is_talk_refolded = true;
        }
        self.refold(|json| json.tree.fold_all(folded));
    }

    /// Changes folds. The cursor stays at its row, or goes to the row that hides it.
    fn refold(&mut self, change: impl FnOnce(&mut JsonTab)) {
        let (Tab::Json, Some(json)) = (self.tab, &mut self.json) else { return };
        let spot = &mut self.spots[Tab::Json as usize];
        let row = json.row(spot.cursor);
        change(json);
        json.lay_out(json.columns());
        if let Some(row) = row {
            spot.cursor = json.line_of(row);
        }
        self.mark();
        self.cursor(0);
    }

    /// Searches the tab for a regular expression, and returns the number of hits. An empty pattern ends the search.
    pub(crate) fn search(&mut self, text: &str) -> Result<usize, Sentence> {
        if text.is_empty() {
            self.pattern = None;
            self.mark();
            return Ok(0);
        }
        let pattern = Pattern::parse(text, Scope::RECORDS).map_err(|error| error.to_string())?;
        self.pattern = Some(pattern.clone());
        self.refold(|json| json.reveal(&pattern));
        self.mark();
        let is_here = self.hits().any(|line| line == self.line());
        if !is_here && !self.next_hit(Direction::Forward) {
            self.next_hit(Direction::Backward);
        }
        Ok(self.hit_count())
    }

    /// The pattern of the search.
    pub(crate) fn pattern(&self) -> Option<&str> {
        self.pattern.as_ref().map(|pattern| pattern.text.as_str())
    }

    fn mark(&mut self) {
        self.are_marks_stale = false;
        let marks = self.pattern.as_ref().and_then(|pattern| Some(self.laid()?.marks(pattern)));
        self.marks = marks.unwrap_or_default();
    }

    fn hits(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.marks.iter().filter(|mark| mark.begins).map(|mark| mark.line)
    }

    pub(crate) fn hit_count(&self) -> usize {
        self.hits().count()
    }

    /// Whether there may be more hits than are marked.
    pub(crate) fn has_more_hits(&self) -> bool {
        self.marks.len() >= MARKS_MOST
    }

    /// The marks of a line.
    pub(crate) fn marks(&self, line: usize) -> &[HitSpan] {
        let from = self.marks.partition_point(|mark| mark.line < line);
        let length = self.marks[from..].partition_point(|mark| mark.line == line);
        &self.marks[from..from + length]
    }

    /// Goes to the next line with a hit. Returns false if there is none.
    pub(crate) fn next_hit(&mut self, direction: Direction) -> bool {
        let here = self.line();
        let found = match direction {
            Direction::Forward => self.hits().find(|line| *line > here),
            Direction::Backward => self.hits().rev().find(|line| *line < here),
        };
        let Some(line) = found else { return false };
        self.cursor(line as i64 - here as i64);
        true
    }

    fn row(&self) -> Option<(&JsonTab, usize)> {
        let json = self.json.as_ref().filter(|_| self.tab == Tab::Json)?;
        Some((json, json.row(self.line())?))
    }

    /// The jq path of the value under the cursor.
    pub(crate) fn path(&self) -> Option<String> {
        if let (Tab::Diff, Some(members)) = (self.tab, &self.members) {
            return members.path(self.line());
        }
        self.row().map(|(json, row)| json.tree.path(row))
    }

    /// The text under the cursor as it is in the log: the JSON value, the message, or the record.
    pub(crate) fn value_text(&self) -> Option<String> {
        match self.tab {
            Tab::Json => self.row().map(|(json, row)| String::from_utf8_lossy(json.tree.bytes(row)).into_owned()),
            Tab::Conversation => self.talk.text(self.line()),
            Tab::Raw => Some(String::from_utf8_lossy(&self.record).into_owned()),
            Tab::Diff => self.members.as_ref().and_then(|members| members.text(self.line())),
        }
    }

    /// The event of the message under the cursor.
    pub(crate) fn event(&self) -> Option<Seq> {
        match self.tab {
            Tab::Conversation => self.talk.event(self.line()),
            Tab::Json | Tab::Raw | Tab::Diff => self.at,
        }
    }
}
