//! The event under the playhead in full: as JSON that folds, in its conversation, as bytes; beside another log also in
//! what it differs from the event there.
//!
//! Lines are laid out when the event, the width or a fold changes, and kept: a frame draws only what it shows of them.

pub mod json;
pub mod laid;
pub mod members;
pub mod raw;
pub mod talk;

use std::ops::Range;
use std::sync::Arc;

use json::JsonTab;
use laid::{Drawn, Laid, MARKS_MOST, Mark};
use members::MembersTab;
use raw::RawTab;
use talk::TalkTab;

use super::action::Pane;
use super::model::Model;
use super::versus::Compared;
use crate::replay::moment::Moment;
use crate::replay::search::{Pattern, Scope};
use crate::replay::timeline::Replay;
use crate::replay::{Place, Seq};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Json,
    Transcript,
    Raw,
    /// Only while two logs are compared.
    Difference,
}

impl Tab {
    pub const ALL: [Tab; 3] = [Tab::Json, Tab::Transcript, Tab::Raw];
    /// Those that there are while two logs are compared.
    pub const COMPARING: [Tab; 4] = [Tab::Difference, Tab::Json, Tab::Transcript, Tab::Raw];

    pub const fn name(self) -> &'static str {
        match self {
            Tab::Json => "JSON",
            Tab::Transcript => "Transcript",
            Tab::Raw => "Raw",
            Tab::Difference => "Diff",
        }
    }
}

/// Where somebody stands in a tab.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    cursor: usize,
    scroll: usize,
}

pub struct Detail {
    tab: Tab,
    at: Option<Seq>,
    record: Arc<[u8]>,
    /// With what it only refers to put in, for the tree.
    in_full: Option<Arc<[u8]>>,
    malformed: Option<String>,
    /// Made when it is first looked at, gone with the event.
    json: Option<JsonTab>,
    talk: TalkTab,
    /// The transcript has not been told of the event yet.
    is_talk_stale: bool,
    raw: RawTab,
    /// What is otherwise in another log.
    members: Option<MembersTab>,
    /// The event is one of the other log.
    is_other: bool,
    spots: [Spot; Tab::COMPARING.len()],
    columns: usize,
    rows: usize,
    pattern: Option<Pattern>,
    marks: Vec<Mark>,
    are_marks_stale: bool,
}

impl Default for Detail {
    fn default() -> Self {
        let record: Arc<[u8]> = Arc::from([]);
        Detail {
            tab: Tab::Json,
            at: None,
            record: Arc::clone(&record),
            in_full: None,
            malformed: None,
            json: None,
            talk: TalkTab::default(),
            is_talk_stale: true,
            raw: RawTab::new(record, Place::default(), 0..0),
            members: None,
            is_other: false,
            spots: [Spot::default(); Tab::COMPARING.len()],
            columns: 80,
            rows: 10,
            pattern: None,
            marks: Vec::new(),
            are_marks_stale: false,
        }
    }
}

impl Detail {
    /// Another moment, or the same again. Only another event resets cursor and folds.
    pub fn look(&mut self, moment: Option<&Moment>) {
        // The log may have grown.
        self.is_talk_stale = true;
        let Some(moment) = moment else {
            *self = Detail {
                tab: self.tab,
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
        self.spots = [Spot::default(); Tab::COMPARING.len()];
    }

    /// Whether the event is one of the log that is open or of the other one, and what is otherwise there. Without another
    /// log there is nothing to tell apart.
    pub fn compare(&mut self, members: Option<MembersTab>, is_other: bool) {
        if std::mem::replace(&mut self.is_other, is_other) != is_other {
            // The other log's events have the same numbers, and another conversation.
            (self.at, self.talk, self.json) = (None, TalkTab::default(), None);
        }
        if self.members.is_none() && members.is_some() {
            self.show_tab(Tab::Difference);
        } else if members.is_none() && self.tab == Tab::Difference {
            self.show_tab(Tab::Json);
        }
        self.members = members;
    }

    /// The tabs that there are.
    pub fn tabs(&self) -> &'static [Tab] {
        if self.members.is_some() { &Tab::COMPARING } else { &Tab::ALL }
    }

    /// Lays out what the tab shows, as far as it is not. To be called after every change, before a frame is drawn.
    pub fn settle(&mut self, replay: &dyn Replay, columns: usize, rows: usize) {
        (self.columns, self.rows) = (columns.max(1), rows.max(1));
        // Where the one log has no event, what is otherwise can still be told.
        let at = self.at.unwrap_or_default();
        if self.at.is_none() && self.tab != Tab::Difference {
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
            Tab::Transcript => {
                let is_stale = std::mem::take(&mut self.is_talk_stale);
                let has_moved = self.talk.at() != Some(at);
                let spot = &mut self.spots[Tab::Transcript as usize];
                let stood_at = self.talk.event(spot.cursor);
                let is_fetched = is_stale && self.talk.look(replay, at);
                if is_fetched || self.talk.columns() != columns {
                    self.talk.lay_out(columns);
                    is_new = true;
                }
                if has_moved {
                    // What was said last stands a line below the top: one sees that something was said before.
                    let here = self.talk.line_of(at);
                    *spot = Spot { cursor: here, scroll: here.saturating_sub(1) };
                } else if let Some(stood_at) = stood_at.filter(|_| is_new) {
                    spot.cursor = self.talk.line_of(stood_at);
                }
            }
            Tab::Raw => {
                if self.raw.columns() != columns {
                    self.raw.lay_out(columns);
                    is_new = true;
                }
            }
            Tab::Difference => {
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

    fn laid(&self) -> Option<&dyn Laid> {
        Some(match self.tab {
            Tab::Json => self.json.as_ref()?,
            Tab::Transcript => &self.talk,
            Tab::Raw => &self.raw,
            Tab::Difference => self.members.as_ref()?,
        })
    }

    fn spot(&self) -> Spot {
        self.spots[self.tab as usize]
    }

    pub fn tab(&self) -> Tab {
        self.tab
    }

    pub fn show_tab(&mut self, tab: Tab) {
        self.are_marks_stale |= self.tab != tab;
        self.tab = tab;
    }

    pub fn next_tab(&mut self, forward: bool) {
        let tabs = self.tabs();
        let here = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let by = if forward { 1 } else { tabs.len() - 1 };
        self.show_tab(tabs[(here + by) % tabs.len()]);
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.laid().map_or(0, Laid::count)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The line under the cursor, counted from 0.
    pub fn line(&self) -> usize {
        self.spot().cursor
    }

    /// The lines that a frame shows, each with its number.
    pub fn visible(&self, rows: usize) -> impl Iterator<Item = (usize, Drawn)> {
        let from = self.spot().scroll;
        self.lines(from..from.saturating_add(rows))
    }

    /// Some of the lines, each with its number.
    pub fn lines(&self, part: Range<usize>) -> impl Iterator<Item = (usize, Drawn)> {
        let lines = move |laid: &dyn Laid| part.start..part.end.min(laid.count());
        self.laid().into_iter().flat_map(move |laid| lines(laid).map(move |line| (line, laid.line(line))))
    }

    /// How many lines a page has.
    pub fn page(&self) -> i64 {
        self.rows.saturating_sub(1).max(1) as i64
    }

    /// Moves the cursor by so many lines, and the lines with it.
    pub fn cursor(&mut self, by: i64) {
        let last = self.len().saturating_sub(1);
        let spot = &mut self.spots[self.tab as usize];
        let moved = (spot.cursor as i64).saturating_add(by).clamp(0, last as i64);
        spot.cursor = moved as usize;
        // No empty lines below the last, as long as there are some above.
        let most = (last + 1).saturating_sub(self.rows);
        spot.scroll = spot.scroll.clamp((spot.cursor + 1).saturating_sub(self.rows), spot.cursor).min(most);
    }

    pub fn first(&mut self) {
        self.cursor(i64::MIN / 2);
    }

    pub fn last(&mut self) {
        self.cursor(i64::MAX / 2);
    }

    /// Folds or unfolds what stands under the cursor; a value that cannot be folded folds what holds it.
    pub fn toggle_fold(&mut self) {
        let line = self.line();
        self.refold(|json| json.toggle(line));
    }

    pub fn fold_all(&mut self, folded: bool) {
        self.refold(|json| json.tree.fold_all(folded));
    }

    /// Folds from a depth on.
    pub fn fold_to(&mut self, depth: usize) {
        self.refold(|json| json.tree.fold_to(depth));
    }

    /// Changes folds; the cursor stays at its row, or goes to the one that hides it.
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

    /// Looks for a regular expression in the tab, and answers how many hits there are. An empty one ends the search.
    pub fn search(&mut self, text: &str) -> Result<usize, String> {
        if text.is_empty() {
            self.pattern = None;
            self.mark();
            return Ok(0);
        }
        let pattern = Pattern::parse(text, Scope::RECORDS)?;
        self.pattern = Some(pattern.clone());
        self.refold(|json| json.reveal(&pattern));
        self.mark();
        let is_here = self.hits().any(|line| line == self.line());
        if !is_here && !self.next_hit(true) {
            self.next_hit(false);
        }
        Ok(self.hit_count())
    }

    /// What is looked for.
    pub fn pattern(&self) -> Option<&str> {
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

    pub fn hit_count(&self) -> usize {
        self.hits().count()
    }

    /// Whether there may be more hits than those that are marked.
    pub fn has_more_hits(&self) -> bool {
        self.marks.len() >= MARKS_MOST
    }

    /// The marks of a line.
    pub fn marks(&self, line: usize) -> &[Mark] {
        let from = self.marks.partition_point(|mark| mark.line < line);
        let length = self.marks[from..].partition_point(|mark| mark.line == line);
        &self.marks[from..from + length]
    }

    /// To the next line with a hit. False if there is none.
    pub fn next_hit(&mut self, forward: bool) -> bool {
        let here = self.line();
        let found =
            if forward { self.hits().find(|line| *line > here) } else { self.hits().rev().find(|line| *line < here) };
        let Some(line) = found else { return false };
        self.cursor(line as i64 - here as i64);
        true
    }

    fn row(&self) -> Option<(&JsonTab, usize)> {
        let json = self.json.as_ref().filter(|_| self.tab == Tab::Json)?;
        Some((json, json.row(self.line())?))
    }

    /// The jq path of the value under the cursor.
    pub fn path(&self) -> Option<String> {
        if let (Tab::Difference, Some(members)) = (self.tab, &self.members) {
            return members.path(self.line());
        }
        self.row().map(|(json, row)| json.tree.path(row))
    }

    /// What stands under the cursor: the value as JSON, what was said, the whole record. It is the log's own text.
    pub fn value_text(&self) -> Option<String> {
        match self.tab {
            Tab::Json => self.row().map(|(json, row)| String::from_utf8_lossy(json.tree.bytes(row)).into_owned()),
            Tab::Transcript => self.talk.text(self.line()).map(str::to_owned),
            Tab::Raw => Some(String::from_utf8_lossy(&self.record).into_owned()),
            Tab::Difference => self.members.as_ref().and_then(|members| members.text(self.line())),
        }
    }

    /// The event of the entry under the cursor.
    pub fn event(&self) -> Option<Seq> {
        match self.tab {
            Tab::Transcript => self.talk.event(self.line()),
            Tab::Json | Tab::Raw | Tab::Difference => self.at,
        }
    }
}

impl Model {
    /// Lays the detail out for the screen. Drawing changes nothing, so this is part of every update.
    pub fn settle(&mut self) {
        let Some(area) = self.areas().and_then(|areas| areas.of(Pane::Detail)) else { return };
        let replay = Arc::clone(self.compared().map_or_else(|| self.debugger.replay(), Compared::shown));
        let (columns, rows) = (area.width.saturating_sub(2), area.height.saturating_sub(2));
        self.detail.settle(&*replay, columns as usize, rows as usize);
    }
}
