//! Two runs side by side, whatever their dialect: where they part, what is missing, what says another thing.
//!
//! Events are paired by what they are and what they say, never by their numbers: one more event at the beginning is one
//! difference. [`ends`] skips what both logs begin and end with by [`chain`]s of hashes; what is between
//! goes through [`lcs`] and [`align`] window by window and becomes [`run`]s. [`member`] says which members of a pair
//! differ, [`drift`] what differs although the runs said the same, and [`verdict`] sums it up in a sentence.
//!
//! Pure: it sees two [`Replay`]s and reads their records again through them.

pub mod align;
pub mod chain;
pub mod drift;
pub mod ends;
pub mod lcs;
pub mod member;
pub mod run;
pub mod verdict;

use std::collections::HashSet;
use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::imprint::Names;
use crate::replay::index::Rows;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::variant::difference::StepDifference;

use align::{same_events, write_runs};
use chain::chains_of;
use ends::{One, common_beginning, common_end};
use lcs::Budget;
use member::{Members, members};
use run::{How, Run, Runs, Side, Spot};

/// So many events of each side are aligned at once; longer differences are aligned piece by piece.
const WINDOW: u32 = 1 << 20;

/// Why two logs cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("the logs are of two dialects, and events of one are never those of the other")]
    OtherDialect,
    #[error("the {} log has not been read to its end yet", .0.name())]
    Unfinished(Side),
    #[error("the {} log: {}", .0.name(), .1.reason)]
    Gone(Side, Gone),
}

/// Two logs, aligned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Whether the ids of the runs were compared, or each has made up its own.
    pub names: Names,
    /// Some stretch was so unlike that it was only aligned crudely: the differences are right, but may not be the fewest.
    pub is_coarse: bool,
    /// Not everything is the same: if the logs say the same, something drifted.
    has_drift: bool,
    runs: Runs,
    lens: (u32, u32),
    divergences: u64,
}

/// What is otherwise at a pair of events.
#[derive(Clone, Debug, PartialEq)]
pub struct PairDifference {
    /// What the events say.
    pub members: Members,
    /// What the machine made of them. Ids that each run has made up are other ones here too.
    pub step: StepDifference,
}

impl Comparison {
    /// Aligns two logs whose passes are at their ends.
    pub fn between(left: &dyn Replay, right: &dyn Replay) -> Result<Comparison, Trouble> {
        let names = names(left, right);
        Comparison::by_names(left, right, names)
    }

    /// The same for whoever knows whether the runs share their ids.
    pub fn by_names(left: &dyn Replay, right: &dyn Replay, names: Names) -> Result<Comparison, Trouble> {
        if !std::ptr::eq(left.vocabulary(), right.vocabulary()) {
            return Err(Trouble::OtherDialect);
        }
        for (replay, side) in [(left, Side::Left), (right, Side::Right)] {
            if !replay.progress().at_end {
                return Err(Trouble::Unfinished(side));
            }
        }
        let left_chains = chains_of(left).map_err(|gone| Trouble::Gone(Side::Left, gone))?;
        let right_chains = chains_of(right).map_err(|gone| Trouble::Gone(Side::Right, gone))?;
        let has_drift = left_chains.last().map(|chains| chains.all()) != right_chains.last().map(|chains| chains.all());
        let one = One { replay: left, chains: &left_chains, side: Side::Left, names, len: left.len() };
        let two = One { replay: right, chains: &right_chains, side: Side::Right, names, len: right.len() };
        let lens = (one.len, two.len);
        // Where several alignments are as good, the one chosen must not depend on which log is named first.
        let order = |one: &One<'_>| (one.len, one.whole());
        let is_swapped = order(&one) > order(&two);
        let (runs, is_coarse) = if is_swapped { aligned(two, one)? } else { aligned(one, two)? };
        let runs = if is_swapped { runs.mirrored() } else { runs };
        let differing = runs.as_slice().iter().filter(|run| run.how != How::Same);
        let divergences = differing.map(|run| u64::from(run.count)).sum();
        Ok(Comparison { names, is_coarse, has_drift, runs, lens, divergences })
    }

    pub fn runs(&self) -> &[Run] {
        self.runs.as_slice()
    }

    /// How many events the logs had.
    pub fn len(&self, side: Side) -> u32 {
        if side == Side::Left { self.lens.0 } else { self.lens.1 }
    }

    /// Whether no event of either log says another thing.
    pub fn is_same(&self) -> bool {
        self.divergences == 0
    }

    pub fn divergence_count(&self) -> u64 {
        self.divergences
    }

    /// How many events fare in one way.
    pub fn count(&self, how: How) -> u64 {
        self.runs().iter().filter(|run| run.how == how).map(|run| u64::from(run.count)).sum()
    }

    /// Every place where the logs differ, in order.
    pub fn divergences(&self) -> impl Iterator<Item = Spot> {
        let differing = self.runs().iter().filter(|run| run.how != How::Same);
        differing.flat_map(|run| (0..run.count).map(|number| run.spot(number)))
    }

    pub fn first_divergence(&self) -> Option<Spot> {
        self.divergences().next()
    }

    /// The next place in a direction where the logs differ.
    pub fn next(&self, from: Spot, forward: bool) -> Option<Spot> {
        let runs = self.runs();
        let here = runs.partition_point(|run| run.spot(0).order() <= from.order());
        if forward {
            let after = |run: &Run| first_after(run, from.order()).map(|number| run.spot(number));
            runs[here.saturating_sub(1)..].iter().filter(|run| run.how != How::Same).find_map(after)
        } else {
            let before = |run: &Run| last_before(run, from.order()).map(|number| run.spot(number));
            runs[..here].iter().rev().filter(|run| run.how != How::Same).find_map(before)
        }
    }

    /// Where an event of a side stands in the alignment.
    pub fn spot(&self, side: Side, at: Seq) -> Option<Spot> {
        let runs = self.runs();
        let end = runs.partition_point(|run| run.starts(side) <= at.0);
        // Runs that stand on the other side only begin at the same number as the one that has the event.
        let run = runs[..end].iter().rev().find(|run| run.width(side) > 0)?;
        let number = at.0 - run.starts(side);
        (number < run.count).then(|| run.spot(number))
    }

    /// The places around one: at most so many before and after it.
    pub fn around(&self, spot: Spot, most: u32) -> (Vec<Spot>, Vec<Spot>) {
        let runs = self.runs();
        let here = runs.partition_point(|run| run.spot(0).order() <= spot.order()).saturating_sub(1);
        let order = spot.order();
        let tail = |run: &Run| {
            let end = last_before(run, order).map_or(0, |number| number + 1);
            (end.saturating_sub(most)..end).rev().map(|number| run.spot(number)).collect::<Vec<_>>()
        };
        let up_to_here = &runs[..runs.len().min(here + 1)];
        let mut before: Vec<Spot> = up_to_here.iter().rev().flat_map(tail).take(most as usize).collect();
        before.reverse();
        let head = |run: &Run| match first_after(run, order) {
            Some(first) => {
                let count = (run.count - first).min(most);
                (first..first + count).map(|number| run.spot(number)).collect()
            }
            None => Vec::new(),
        };
        let after = runs.get(here..).unwrap_or_default().iter().flat_map(head).take(most as usize).collect();
        (before, after)
    }

    /// What is otherwise at a pair. `None` where an event stands on one side only.
    pub fn at(&self, left: &dyn Replay, right: &dyn Replay, spot: Spot) -> Result<Option<PairDifference>, Trouble> {
        let Some((one, two)) = spot.event(Side::Left).zip(spot.event(Side::Right)) else { return Ok(None) };
        let members = members_at(left, right, one, two)?;
        let moment = |replay: &dyn Replay, at, side| replay.moment(at).map_err(|gone| Trouble::Gone(side, gone));
        let sides = moment(left, one, Side::Left)?.zip(moment(right, two, Side::Right)?);
        Ok(sides.map(|(one, two)| PairDifference { members, step: StepDifference::between(&one, &two) }))
    }
}

/// The members in which two events differ.
pub fn members_at(left: &dyn Replay, right: &dyn Replay, one: Seq, two: Seq) -> Result<Members, Trouble> {
    let decoded = |replay: &dyn Replay, at, side| replay.decoded(at).map_err(|gone| Trouble::Gone(side, gone));
    let (one, two) = (decoded(left, one, Side::Left)?, decoded(right, two, Side::Right)?);
    Ok(members(one.as_ref(), two.as_ref(), &left.vocabulary().drifting))
}

/// Logs that share a turn were recorded together or made of each other, and share all their names. A run recorded anew has
/// new ones. Logs that name no turn at all have nothing to be made up.
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

/// The first of a run that stands after a place in the alignment.
fn first_after(run: &Run, order: u64) -> Option<u32> {
    let (left, right) = run.how.width();
    let passed = (order + 1).saturating_sub(run.spot(0).order()).div_ceil(u64::from(left + right));
    (passed < u64::from(run.count)).then_some(passed as u32)
}

/// The last of a run that stands before a place in the alignment.
fn last_before(run: &Run, order: u64) -> Option<u32> {
    let (left, right) = run.how.width();
    let reached = order.saturating_sub(run.spot(0).order()).div_ceil(u64::from(left + right));
    reached.min(u64::from(run.count)).checked_sub(1).map(|number| number as u32)
}

fn aligned(left: One<'_>, right: One<'_>) -> Result<(Runs, bool), Trouble> {
    let beginning = common_beginning(left, right)?;
    let end = common_end(left, right, beginning)?;
    let (left_end, right_end) = (left.len - end, right.len - end);
    let mut runs = Runs::default();
    runs.push(How::Same, 0, 0, beginning);
    let mut budget = Budget::for_length(u64::from(left_end - beginning) + u64::from(right_end - beginning));
    let (mut left_at, mut right_at) = (beginning, beginning);
    while left_at < left_end && right_at < right_end {
        let (left_to, right_to) = (left_end.min(left_at + WINDOW), right_end.min(right_at + WINDOW));
        let (one, two) = (left.marks(left_at..left_to)?, right.marks(right_at..right_to)?);
        let mut same = same_events(&one, &two, &mut budget);
        let (mut one, mut two) = (&one[..], &two[..]);
        if (left_to, right_to) != (left_end, right_end) {
            // What follows the last pair is looked at again with what follows the window, unless that were hardly
            // anything: then the window stands as it is, so that the windows are few.
            let last = same.last().map(|(left, right)| (left + 1, right + 1));
            match last.filter(|(left, right)| left + right >= WINDOW as usize / 2) {
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
