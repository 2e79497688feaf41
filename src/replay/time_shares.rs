//! Shares of time: who took it, in the whole log, per step, and up to each event.

use super::Seq;
use super::vocabulary::Concern;

/// One of those who take the time of a log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Party {
    pub name: &'static str,
    /// Stands for it where there is no room for the name and no colour.
    pub letter: &'static str,
    pub concern: Concern,
}

/// Microseconds by party.
pub(crate) type Shares = Vec<u64>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeShares {
    pub parties: &'static [Party],
    pub total: Shares,
    /// What of the total was measured; the rest is an upper bound.
    pub measured: Shares,
    /// The steps by the event at which each begins, in order.
    pub steps: Vec<(Seq, Shares)>,
    /// Waits by the event at which each ends, in order, with the party and the microseconds.
    pub waits: Vec<(Seq, usize, u64)>,
}

impl TimeShares {
    /// The step that an event belongs to.
    pub(crate) fn step(&self, at: Seq) -> Option<&Shares> {
        let place = self.steps.partition_point(|(begin, _)| *begin <= at);
        Some(&self.steps[place.checked_sub(1)?].1)
    }

    /// Whether all the time of a party was measured.
    pub(crate) fn is_measured(&self, party: usize) -> bool {
        self.measured.get(party) == self.total.get(party)
    }
}

/// How many cells of a bar each share gets: as near to its part as whole cells are, and the whole bar in total. A share
/// that is not nothing gets a cell as long as there are enough.
pub(crate) fn cells(shares: &[u64], width: usize) -> Vec<usize> {
    let sum: u128 = shares.iter().map(|share| u128::from(*share)).sum();
    let used = shares.iter().filter(|share| **share > 0).count();
    let mut cells = vec![0; shares.len()];
    if sum == 0 || width < used {
        return cells;
    }
    let free = (width - used) as u128;
    let exact = |share: u64| u128::from(share) * free;
    for (cell, share) in cells.iter_mut().zip(shares) {
        *cell = usize::from(*share > 0) + (exact(*share) / sum) as usize;
    }
    // What rounding down has left goes to the largest remainders.
    let mut by_rest: Vec<usize> = (0..shares.len()).filter(|index| shares[*index] > 0).collect();
    by_rest.sort_by_key(|index| std::cmp::Reverse(exact(shares[*index]) % sum));
    let left = width - cells.iter().sum::<usize>();
    by_rest.iter().cycle().take(left).for_each(|index| cells[*index] += 1);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_filled_and_shows_every_share() {
        assert_eq!(cells(&[50, 50], 10), [5, 5]);
        assert_eq!(cells(&[1, 0, 1_000_000], 10), [1, 0, 9]);
        assert_eq!(cells(&[1, 1, 1], 10).iter().sum::<usize>(), 10);
        assert_eq!(cells(&[1, 1, 1], 2), [0, 0, 0], "there is no room");
        assert_eq!(cells(&[0, 0], 5), [0, 0]);
        assert_eq!(cells(&[u64::MAX, u64::MAX], 4), [2, 2]);
    }

    #[test]
    fn an_event_belongs_to_the_step_before_it() {
        let shares = TimeShares { steps: vec![(Seq(2), vec![1]), (Seq(7), vec![9])], ..TimeShares::default() };
        let step = |at: u32| shares.step(Seq(at)).map(|step| step[0]);
        assert_eq!([1, 2, 6, 7, 80].map(step), [None, Some(1), Some(1), Some(9), Some(9)]);
    }
}
