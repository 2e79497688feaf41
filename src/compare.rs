//! Comparison of two runs of any dialect: where they diverge, what is missing, what differs.
//!
//! Events are paired by identity and content, never by their numbers, so an additional event at the beginning is one
//! difference. [`ends`] skips the records that both logs begin and end with, by the hash chains of their indexes. The
//! rest goes through [`lcs`] and [`align`] window by window and becomes [`run`]s. If each run has its own ids,
//! [`renamed`] checks that they are renamed consistently. [`member`] lists the members in which a pair differs,
//! [`drift`] the differences between events with the same content, [`spots`] moves along the alignment, and [`verdict`]
//! sums it up in a sentence.
//!
//! Pure: it sees two [`Replay`]s and reads their records through them.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod align;
pub(crate) mod drift;
pub(crate) mod ends;
pub(crate) mod lcs;
pub(crate) mod member;
pub(crate) mod renamed;
pub(crate) mod run;
pub(crate) mod spots;
pub(crate) mod verdict;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::imprint::{Class, Names};
use crate::replay::index::Rows;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::variant::difference::StepDifference;

use align::{same_events, write_runs};
use ends::{ComparedSide, common_beginning, common_end};
use lcs::Budget;
use member::{Member, MemberDifferences, members};
use renamed::with_consistent_names;
use run::{AlignedPair, AlignedRun, How, Runs, Side};

/// The number of events per side that are aligned at once. Only huge logs with hardly anything in common differ more.
const WINDOW: u32 = 1 << 20;

/// Differences of up to this many events are aligned in both directions.
const BOTH_WAYS_EVENTS: u32 = 1 << 12;

/// Why two logs cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("the logs have different dialects, so they cannot be compared")]
    OtherDialect,
    #[error("the {} log has not been read to its end yet", .0.name())]
    Unfinished(Side),
    #[error("the {} log: {}", .0.name(), .1.reason)]
    Gone(Side, Gone),
    #[error("the comparison was cancelled")]
    GaveUp,
}

/// How to compare.
#[derive(Clone, Copy)]
pub(crate) struct CompareOptions<'w> {
    /// Whether the runs share their ids, if the caller knows.
    pub names: Option<Names>,
    /// How many events of each side are aligned at once; longer differences are aligned piece by piece.
    pub window: u32,
    /// Called now and then with the number of events of both logs that have been read; decides whether to continue.
    pub watch: &'w dyn Fn(u64) -> ControlFlow<()>,
}

impl Default for CompareOptions<'_> {
    fn default() -> Self {
        CompareOptions { names: None, window: WINDOW, watch: &|_| ControlFlow::Continue(()) }
    }
}

/// Two logs, aligned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Whether the ids of the runs are compared. They are not if each run has its own.
    pub names: Names,
    /// Some part was so different that it was only aligned roughly: the differences are right, but may not be the
    /// fewest.
    pub is_coarse: bool,
    /// How many records at the beginning and at the end are byte for byte the same: nothing drifted there.
    literal: (u32, u32),
    runs: Runs,
    lens: (u32, u32),
    divergences: u64,
}

/// The differences at a pair of events.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PairDifference {
    /// The differences in content.
    pub members: MemberDifferences,
    /// The differences in the state and effects after the events. Ids that each run makes up differ here, too.
    pub step: StepDifference,
}

impl Comparison {
    /// Aligns two logs that have been read to their ends.
    pub(crate) fn between(left: &dyn Replay, right: &dyn Replay) -> Result<Comparison, Trouble> {
        Comparison::made(left, right, CompareOptions::default())
    }

    /// Like [`Comparison::between`], with options.
    pub(crate) fn made(left: &dyn Replay, right: &dyn Replay, way: CompareOptions<'_>) -> Result<Comparison, Trouble> {
        comparable(left, right)?;
        let names = way.names.unwrap_or_else(|| names(left, right));
        let one = ComparedSide { replay: left, side: Side::Left, names, len: left.len() };
        let two = ComparedSide { replay: right, side: Side::Right, names, len: right.len() };
        let lens = (one.len, two.len);
        let beginning = common_beginning(one, two)?;
        let literal = (beginning, common_end(one, two, beginning)?);
        let (runs, is_coarse) = best_aligned(one, two, literal, way)?;
        let runs = if names == Names::Fresh { with_consistent_names(runs, left, right)? } else { runs };
        let divergences = runs.differences();
        Ok(Comparison { names, is_coarse, literal, runs, lens, divergences })
    }

    pub(crate) fn runs(&self) -> &[AlignedRun] {
        self.runs.as_slice()
    }

    /// How many events the logs had.
    pub(crate) fn len(&self, side: Side) -> u32 {
        if side == Side::Left { self.lens.0 } else { self.lens.1 }
    }

    /// Whether every event is the same in both logs.
    #[cfg(test)]
    pub(crate) fn is_same(&self) -> bool {
        self.divergences == 0
    }

    pub(crate) fn divergence_count(&self) -> u64 {
        self.divergences
    }

    /// How many events relate in this way.
    pub(crate) fn count(&self, how: How) -> u64 {
        self.runs().iter().filter(|run| run.how == how).map(|run| u64::from(run.count)).sum()
    }

    /// Splits the members of a pair into those that count as a difference and those that do not. If each run has its
    /// own ids, these do not count, unless a changed pair differs in nothing else: then its ids are renamed
    /// inconsistently.
    pub(crate) fn split_members<'m>(
        &self,
        spot: AlignedPair,
        members: &'m MemberDifferences,
    ) -> (Vec<&'m Member>, Vec<&'m Member>) {
        let has_content = members.of(Class::Content).next().is_some();
        let by_names = self.names == Names::Exact || (spot.how == How::Changed && !has_content);
        let counts = |class| class == Class::Content || (class == Class::Name && by_names);
        members.list.iter().partition(|member| counts(member.class))
    }

    /// The differences at a pair; `None` if the event is on one side only.
    pub(crate) fn at(
        &self,
        left: &dyn Replay,
        right: &dyn Replay,
        spot: AlignedPair,
    ) -> Result<Option<PairDifference>, Trouble> {
        let Some((one, two)) = spot.event(Side::Left).zip(spot.event(Side::Right)) else { return Ok(None) };
        let members = members_at(left, right, one, two)?;
        let moment = |replay: &dyn Replay, at, side| replay.moment(at).map_err(|gone| Trouble::Gone(side, gone));
        let sides = moment(left, one, Side::Left)?.zip(moment(right, two, Side::Right)?);
        Ok(sides.map(|(one, two)| PairDifference { members, step: StepDifference::between(&one, &two) }))
    }
}

/// The members in which two events differ.
pub(crate) fn members_at(
    left: &dyn Replay,
    right: &dyn Replay,
    one: Seq,
    two: Seq,
) -> Result<MemberDifferences, Trouble> {
    let decoded = |replay: &dyn Replay, at, side| replay.decoded(at).map_err(|gone| Trouble::Gone(side, gone));
    let (one, two) = (decoded(left, one, Side::Left)?, decoded(right, two, Side::Right)?);
    Ok(members(one.as_ref(), two.as_ref(), &left.vocabulary().drifting))
}

/// Whether two logs can be compared at all.
pub(crate) fn comparable(left: &dyn Replay, right: &dyn Replay) -> Result<(), Trouble> {
    if !std::ptr::eq(left.vocabulary(), right.vocabulary()) {
        return Err(Trouble::OtherDialect);
    }
    for (replay, side) in [(left, Side::Left), (right, Side::Right)] {
        if !replay.progress().at_end {
            return Err(Trouble::Unfinished(side));
        }
    }
    Ok(())
}

/// Logs that share a turn come from the same recording and share all ids. A new run has new ones. Logs that name no
/// turn have no ids that could differ.
fn names(left: &dyn Replay, right: &dyn Replay) -> Names {
    let turns = |replay: &dyn Replay| -> Vec<Arc<str>> {
        of_rows(replay, |rows| (0..rows.turn_count()).filter_map(|turn| rows.turn_name(turn).cloned()).collect())
    };
    let (one, two): (HashSet<Arc<str>>, Vec<Arc<str>>) = (turns(left).into_iter().collect(), turns(right));
    let is_exact = one.is_empty() || two.is_empty() || two.iter().any(|turn| one.contains(turn));
    if is_exact { Names::Exact } else { Names::Fresh }
}

fn of_rows<T: Default>(replay: &dyn Replay, look: impl Fn(&Rows) -> T) -> T {
    let mut found = T::default();
    replay.rows(&mut |rows| found = look(rows));
    found
}

/// If several alignments pair equally many identical events, the choice must not depend on which log is named first.
/// For short differences, both directions are tried and the one with fewer differences is taken.
fn best_aligned(
    left: ComparedSide<'_>,
    right: ComparedSide<'_>,
    literal: (u32, u32),
    way: CompareOptions<'_>,
) -> Result<(Runs, bool), Trouble> {
    let order = |one: &ComparedSide<'_>| (one.len, one.whole());
    let is_swapped = order(&left) > order(&right);
    let (one, two) = if is_swapped { (right, left) } else { (left, right) };
    let (mut runs, mut is_coarse) = aligned(one, two, literal, way)?;
    if left.len.max(right.len) - literal.0 - literal.1 <= BOTH_WAYS_EVENTS {
        let (turned, coarse) = aligned(two, one, literal, way)?;
        if turned.differences() < runs.differences() {
            (runs, is_coarse) = (turned.mirrored(), coarse);
        }
    }
    Ok((if is_swapped { runs.mirrored() } else { runs }, is_coarse))
}

/// Aligns the parts between the common beginning and the common end.
fn aligned(
    left: ComparedSide<'_>,
    right: ComparedSide<'_>,
    (beginning, end): (u32, u32),
    way: CompareOptions<'_>,
) -> Result<(Runs, bool), Trouble> {
    let (left_end, right_end) = (left.len - end, right.len - end);
    let mut runs = Runs::default();
    runs.push(How::Same, 0, 0, beginning);
    let mut budget = Budget::for_length(u64::from(left_end - beginning) + u64::from(right_end - beginning));
    let (mut left_at, mut right_at) = (beginning, beginning);
    let window = way.window.max(2);
    while left_at < left_end && right_at < right_end {
        let (left_to, right_to) =
            (left_end.min(left_at.saturating_add(window)), right_end.min(right_at.saturating_add(window)));
        let passed = u64::from(left_at) + u64::from(right_at);
        let one = left.marks(left_at..left_to, &|events| (way.watch)(passed + events))?;
        let passed = passed + u64::from(left_to - left_at);
        let two = right.marks(right_at..right_to, &|events| (way.watch)(passed + events))?;
        let mut same = same_events(&one, &two, &mut budget);
        let (mut one, mut two) = (&one[..], &two[..]);
        if (left_to, right_to) != (left_end, right_end) {
            // Events after the last pair are aligned again together with those after the window, unless little of the
            // window would be left: then the window is kept as it is, to limit the number of windows.
            let last = same.last().map(|(left, right)| (left + 1, right + 1));
            match last.filter(|(left, right)| left + right >= window as usize / 2) {
                Some((left, right)) => (one, two) = (&one[..left], &two[..right]),
                None => budget.is_coarse = true,
            }
        }
        same.retain(|(left, right)| *left < one.len() && *right < two.len());
        write_runs((one, two), &same, (left_at, right_at), &mut budget, &mut runs);
        (left_at, right_at) = (left_at + one.len() as u32, right_at + two.len() as u32);
    }
    runs.push(How::OnlyLeft, left_at, right_at, left_end - left_at);
    runs.push(How::OnlyRight, left_end, right_at, right_end - right_at);
    runs.push(How::Same, left_end, right_end, end);
    Ok((runs, budget.is_coarse))
}
