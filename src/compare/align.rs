//! Alignment of two slices of events: identical events are matched first, then the rest is paired by identity as changed.

use super::lcs::{Budget, pairs};
use super::run::{How, Runs};

/// The hashes of an event that alignment compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventHashes {
    /// Which event it is.
    pub identity: u64,
    /// Its content.
    pub said: u64,
}

/// A position on each side.
pub(crate) type PlacePair = (u32, u32);

/// Pairs of events with the same content.
pub(crate) fn same_events(left: &[EventHashes], right: &[EventHashes], budget: &mut Budget) -> Vec<(usize, usize)> {
    let said = |marks: &[EventHashes]| marks.iter().map(|mark| mark.said).collect::<Vec<_>>();
    pairs(&said(left), &said(right), budget)
}

/// Writes the runs of two slices that begin at `from`, given their pairs with the same content.
pub(crate) fn write_runs(
    (left, right): (&[EventHashes], &[EventHashes]),
    same: &[(usize, usize)],
    from: PlacePair,
    budget: &mut Budget,
    runs: &mut Runs,
) {
    let (mut left_at, mut right_at) = (0, 0);
    let ends = std::iter::once((left.len(), right.len()));
    for (left_pair, right_pair) in same.iter().copied().chain(ends) {
        let gap = (&left[left_at..left_pair], &right[right_at..right_pair]);
        write_gap(gap, (from.0 + left_at as u32, from.1 + right_at as u32), budget, runs);
        if left_pair < left.len() && right_pair < right.len() {
            runs.push(How::Same, from.0 + left_pair as u32, from.1 + right_pair as u32, 1);
        }
        (left_at, right_at) = (left_pair + 1, right_pair + 1);
    }
}

/// Between two pairs: events with the same identity are changed, the others are on one side only.
fn write_gap((left, right): (&[EventHashes], &[EventHashes]), from: PlacePair, budget: &mut Budget, runs: &mut Runs) {
    let identity = |marks: &[EventHashes]| marks.iter().map(|mark| mark.identity).collect::<Vec<_>>();
    let known =
        if left.is_empty() || right.is_empty() { Vec::new() } else { pairs(&identity(left), &identity(right), budget) };
    let (mut left_at, mut right_at) = (0, 0);
    let ends = std::iter::once((left.len(), right.len()));
    for (left_pair, right_pair) in known.into_iter().chain(ends) {
        let place = |left: usize, right: usize| (from.0 + left as u32, from.1 + right as u32);
        let (one, two) = place(left_at, right_at);
        runs.push(How::OnlyLeft, one, two, (left_pair - left_at) as u32);
        let (one, two) = place(left_pair, right_at);
        runs.push(How::OnlyRight, one, two, (right_pair - right_at) as u32);
        if left_pair < left.len() && right_pair < right.len() {
            let (one, two) = place(left_pair, right_pair);
            // After a rough alignment, even these may have the same content.
            let is_same = left[left_pair].said == right[right_pair].said;
            runs.push(if is_same { How::Same } else { How::Changed }, one, two, 1);
        }
        (left_at, right_at) = (left_pair + 1, right_pair + 1);
    }
}
