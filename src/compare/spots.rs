//! Navigation in an alignment, from pair to pair and from difference to difference. The logs are not read.

use crate::replay::Seq;
use crate::replay::direction::Direction;

use super::Comparison;
use super::run::{AlignedPair, AlignedRun, How, Side};

impl Comparison {
    /// Every place where the logs differ, in order.
    pub(crate) fn divergences(&self) -> impl Iterator<Item = AlignedPair> {
        let differing = self.runs().iter().filter(|run| run.how != How::Same);
        differing.flat_map(|run| (0..run.count).map(|number| run.spot(number)))
    }

    pub(crate) fn first_divergence(&self) -> Option<AlignedPair> {
        self.divergences().next()
    }

    /// The next place in a direction where the logs differ.
    pub(crate) fn next(&self, from: AlignedPair, direction: Direction) -> Option<AlignedPair> {
        let runs = self.runs();
        let here = runs.partition_point(|run| run.spot(0).order() <= from.order());
        if direction.is_forward() {
            let after = |run: &AlignedRun| first_after(run, from.order()).map(|number| run.spot(number));
            runs[here.saturating_sub(1)..].iter().filter(|run| run.how != How::Same).find_map(after)
        } else {
            let before = |run: &AlignedRun| last_before(run, from.order()).map(|number| run.spot(number));
            runs[..here].iter().rev().filter(|run| run.how != How::Same).find_map(before)
        }
    }

    /// How many places differ up to this one, inclusive.
    pub(crate) fn divergences_up_to(&self, spot: AlignedPair) -> u64 {
        let passed = |run: &AlignedRun| first_after(run, spot.order()).unwrap_or(run.count);
        let differing = self.runs().iter().take_while(|run| run.spot(0).order() <= spot.order());
        differing.filter(|run| run.how != How::Same).map(|run| u64::from(passed(run))).sum()
    }

    /// The place of an event in the alignment.
    pub(crate) fn spot(&self, side: Side, at: Seq) -> Option<AlignedPair> {
        let runs = self.runs();
        let end = runs.partition_point(|run| run.starts(side) <= at.0);
        // Runs of the other side only begin at the same number as the run that has the event.
        let run = runs[..end].iter().rev().find(|run| run.width(side) > 0)?;
        let number = at.0 - run.starts(side);
        (number < run.count).then(|| run.spot(number))
    }

    /// The first place; `None` if both logs are empty.
    pub(crate) fn first(&self) -> Option<AlignedPair> {
        self.runs().first().map(|run| run.spot(0))
    }

    pub(crate) fn last(&self) -> Option<AlignedPair> {
        self.runs().last().map(|run| run.spot(run.count - 1))
    }

    /// Moves by a number of places in either direction, up to the ends.
    pub(crate) fn step(&self, from: AlignedPair, by: i64) -> AlignedPair {
        let runs = self.runs();
        let Some(here) = runs.partition_point(|run| run.spot(0).order() <= from.order()).checked_sub(1) else {
            return from;
        };
        let place = i64::from(first_after(&runs[here], from.order()).unwrap_or(runs[here].count)) - 1;
        let (mut run, mut place) = (here, place.saturating_add(by));
        while place < 0 && run > 0 {
            run -= 1;
            place += i64::from(runs[run].count);
        }
        while place >= i64::from(runs[run].count) && run + 1 < runs.len() {
            place -= i64::from(runs[run].count);
            run += 1;
        }
        runs[run].spot(place.clamp(0, i64::from(runs[run].count) - 1) as u32)
    }

    /// The places around this one: at most `most` before and after it.
    pub(crate) fn around(&self, spot: AlignedPair, most: u32) -> (Vec<AlignedPair>, Vec<AlignedPair>) {
        let runs = self.runs();
        let here = runs.partition_point(|run| run.spot(0).order() <= spot.order()).saturating_sub(1);
        let order = spot.order();
        let tail = |run: &AlignedRun| {
            let end = last_before(run, order).map_or(0, |number| number + 1);
            (end.saturating_sub(most)..end).rev().map(|number| run.spot(number)).collect::<Vec<_>>()
        };
        let up_to_here = &runs[..runs.len().min(here + 1)];
        let mut before: Vec<AlignedPair> = up_to_here.iter().rev().flat_map(tail).take(most as usize).collect();
        before.reverse();
        let head = |run: &AlignedRun| match first_after(run, order) {
            Some(first) => {
                let count = (run.count - first).min(most);
                (first..first + count).map(|number| run.spot(number)).collect()
            }
            None => Vec::new(),
        };
        let after = runs.get(here..).unwrap_or_default().iter().flat_map(head).take(most as usize).collect();
        (before, after)
    }
}

/// The first place of a run after a position in the alignment.
fn first_after(run: &AlignedRun, order: u64) -> Option<u32> {
    let (left, right) = run.how.width();
    let passed = (order + 1).saturating_sub(run.spot(0).order()).div_ceil(u64::from(left + right));
    (passed < u64::from(run.count)).then_some(passed as u32)
}

/// The last place of a run before a position in the alignment.
fn last_before(run: &AlignedRun, order: u64) -> Option<u32> {
    let (left, right) = run.how.width();
    let reached = order.saturating_sub(run.spot(0).order()).div_ceil(u64::from(left + right));
    reached.min(u64::from(run.count)).checked_sub(1).map(|number| number as u32)
}
