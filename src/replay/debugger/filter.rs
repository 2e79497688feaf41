//! The filter of the event list. The caller always shows the event under the playhead.

use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::index::Rows;
use crate::replay::search::Search;
use crate::replay::shared::FindingList;
use crate::replay::vocabulary::{KindId, LaneId, Vocabulary};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListFilter {
    hidden_kinds: Box<[bool; 256]>,
    hidden_lanes: u64,
    /// Only events that a finding of at least this severity touches.
    pub findings: Option<Severity>,
    /// Only hits of the search.
    pub hits: bool,
    /// Shows only the first event of a call; its other events only if a finding touches them.
    pub folds_calls: bool,
}

impl Default for ListFilter {
    fn default() -> Self {
        ListFilter {
            hidden_kinds: Box::new([false; 256]),
            hidden_lanes: 0,
            findings: None,
            hits: false,
            folds_calls: false,
        }
    }
}

impl ListFilter {
    /// Whether nothing is hidden.
    pub(crate) fn is_open(&self) -> bool {
        *self == ListFilter::default()
    }

    pub(crate) fn toggle_kind(&mut self, kind: KindId) {
        let hidden = &mut self.hidden_kinds[kind.0 as usize];
        *hidden = !*hidden;
    }

    pub(crate) fn toggle_lane(&mut self, lane: LaneId) {
        self.hidden_lanes ^= 1 << (lane.0 % 64);
    }

    pub(crate) fn hides_kind(&self, kind: KindId) -> bool {
        self.hidden_kinds[kind.0 as usize]
    }

    pub(crate) fn hides_lane(&self, lane: LaneId) -> bool {
        self.hidden_lanes & (1 << (lane.0 % 64)) != 0
    }

    pub(crate) fn shows(
        &self,
        rows: &Rows,
        at: Seq,
        findings: &FindingList,
        search: Option<&Search>,
        vocabulary: &Vocabulary,
    ) -> bool {
        let Some(kind) = rows.kind(at) else { return false };
        !self.hides_kind(kind)
            && (self.hidden_lanes == 0 || !vocabulary.lane(kind).is_some_and(|lane| self.hides_lane(lane)))
            && self.findings.is_none_or(|least| findings.at(at).any(|(_, finding)| finding.severity >= least))
            && !(self.folds_calls
                && vocabulary.call.as_ref().is_some_and(|call| call.continues(kind))
                && findings.at(at).all(|(_, finding)| finding.severity == Severity::Info))
            && (!self.hits || search.is_none_or(|search| search.contains(at)))
    }
}
