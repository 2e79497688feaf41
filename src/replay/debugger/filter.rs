//! The filter of the event list, and the rows that it folds. The caller always shows the event under the playhead.

use super::selected_events::SelectedEvents;
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::index::Rows;
use crate::replay::search::Search;
use crate::replay::shared::FindingList;
use crate::replay::vocabulary::{KindId, LaneId, Vocabulary};

#[derive(Clone)]
pub(crate) struct ListFilter {
    /// A bit per kind.
    hidden_kinds: [u64; 4],
    hidden_lanes: u64,
    /// Only events that a finding of at least this severity touches.
    pub findings: Option<Severity>,
    /// Only hits of the search.
    pub hits: bool,
    /// Only these events.
    pub only: Option<SelectedEvents>,
    /// A call has one row, and so have successive events of routine kinds. Events that the user should see keep their
    /// rows.
    pub folds: bool,
}

/// What the filter looks at.
pub(crate) struct ListContext<'l> {
    pub rows: &'l Rows,
    pub findings: &'l FindingList,
    pub search: Option<&'l Search>,
    pub vocabulary: &'static Vocabulary,
    /// The bookmarked events, ascending.
    pub marked: &'l [Seq],
}

impl ListContext<'_> {
    /// Whether an event is never folded into the row of another one.
    fn stands_out(&self, at: Seq) -> bool {
        self.marked.binary_search(&at).is_ok()
            || self.findings.at(at).any(|(_, finding)| finding.severity > Severity::Info)
    }

    pub(super) fn is_routine(&self, at: Seq) -> bool {
        self.rows.kind(at).is_some_and(|kind| self.vocabulary.routine(kind).is_some())
    }

    /// Whether this event is folded into the row of an earlier one.
    fn is_folded(&self, at: Seq) -> bool {
        let before = || at.0.checked_sub(1).map(Seq);
        let follows_routine = || {
            self.is_routine(at) && before().is_some_and(|before| self.is_routine(before) && !self.stands_out(before))
        };
        (self.rows.continues_call(at) || follows_routine()) && !self.stands_out(at)
    }
}

impl Default for ListFilter {
    fn default() -> Self {
        ListFilter { hidden_kinds: [0; 4], hidden_lanes: 0, findings: None, hits: false, only: None, folds: true }
    }
}

impl ListFilter {
    /// Whether every event is in the list, perhaps folded into the row of another one.
    pub(crate) fn is_open(&self) -> bool {
        self.findings.is_none()
            && !self.hits
            && self.only.is_none()
            && self.hidden_lanes == 0
            && self.hidden_kinds == [0; 4]
    }

    /// Shows every event again, folded as before.
    pub(crate) fn open(&mut self) {
        *self = ListFilter { folds: self.folds, ..ListFilter::default() };
    }

    pub(crate) fn toggle_kind(&mut self, kind: KindId) {
        self.hidden_kinds[kind.0 as usize / 64] ^= 1 << (kind.0 % 64);
    }

    pub(crate) fn toggle_lane(&mut self, lane: LaneId) {
        self.hidden_lanes ^= 1 << (lane.0 % 64);
    }

    pub(crate) fn hides_kind(&self, kind: KindId) -> bool {
        self.hidden_kinds[kind.0 as usize / 64] & (1 << (kind.0 % 64)) != 0
    }

    pub(crate) fn hides_lane(&self, lane: LaneId) -> bool {
        self.hidden_lanes & (1 << (lane.0 % 64)) != 0
    }

    /// Whether an event is in the list.
    pub(crate) fn includes(&self, list: &ListContext<'_>, at: Seq) -> bool {
        let Some(kind) = list.rows.kind(at) else { return false };
        !self.hides_kind(kind)
            && (self.hidden_lanes == 0 || !list.vocabulary.lane(kind).is_some_and(|lane| self.hides_lane(lane)))
            && self.only.as_ref().is_none_or(|only| only.contains(at))
            && (!self.hits || list.search.is_none_or(|search| search.contains(at)))
            && self.findings.is_none_or(|least| list.findings.at(at).any(|(_, finding)| finding.severity >= least))
    }

    /// Whether an event has a row of its own. Nothing is folded if the filter hides some events, since the row into
    /// which others would be folded may be hidden.
    pub(crate) fn shows(&self, list: &ListContext<'_>, at: Seq) -> bool {
        self.includes(list, at) && !(self.folds && self.is_open() && list.is_folded(at))
    }
}
