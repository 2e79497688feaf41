//! Taking groups of records away: many at once, then fewer, then one by one until none can go.
//!
//! Only what is left is ever tried, never the part that was taken away: where causes stand before effects, a part that
//! holds the finding by itself is what the closure finds, and trying each half would double the tests.

use super::candidate::Candidate;
use super::court::{Court, Over};

/// Takes away as many groups as can go: all of them, else each half by itself, and so on down to single ones. Later
/// ones go first: what comes after a cause is more often in the way than what comes before it.
pub fn ddmin(court: &mut Court<'_>, best: &mut Candidate, groups: Vec<Vec<u32>>) -> Result<(), Over> {
    halves(court, best, &groups, false)
}

/// Takes single groups away until none can go any more.
pub fn sweep(court: &mut Court<'_>, best: &mut Candidate, mut groups: Vec<Vec<u32>>) -> Result<(), Over> {
    loop {
        let before = groups.len();
        groups = each(court, best, groups)?;
        if groups.len() == before {
            return Ok(());
        }
    }
}

/// Tries each group once, later ones first, and answers those that are left.
pub fn each(court: &mut Court<'_>, best: &mut Candidate, mut groups: Vec<Vec<u32>>) -> Result<Vec<Vec<u32>>, Over> {
    let mut untried = groups.len();
    while untried > 0 {
        let base = best.clone();
        let group = |number: usize| &groups[untried - 1 - number];
        let Some(found) = court.first(untried, &|number| base.without(group(number)))? else { break };
        *best = base.without(group(found));
        court.settle(best);
        untried -= found + 1;
        groups.remove(untried);
    }
    Ok(groups)
}

/// `are_needed` says that not all of them can go, because that was tried.
fn halves(court: &mut Court<'_>, best: &mut Candidate, groups: &[Vec<u32>], are_needed: bool) -> Result<(), Over> {
    let (early, late) = groups.split_at(groups.len() / 2);
    let tries: &[&[Vec<u32>]] = match (groups.len(), are_needed) {
        (0, _) | (1, true) => return Ok(()),
        (1, false) => &[groups],
        (_, true) => &[late, early],
        (_, false) => &[groups, late, early],
    };
    let base = best.clone();
    let without = |number: usize| {
        let mut removed = tries[number].concat();
        removed.sort_unstable();
        base.without(&removed)
    };
    let found = court.first(tries.len(), &without)?;
    if let Some(found) = found {
        *best = without(found);
        court.settle(best);
    }
    match found.map(|found| tries.len() - found) {
        _ if groups.len() == 1 => Ok(()),
        Some(3) => Ok(()),
        // Both halves together cannot go, so the other one holds something that is needed.
        Some(2) => halves(court, best, early, true),
        Some(_) => halves(court, best, late, true),
        None => {
            halves(court, best, late, true)?;
            halves(court, best, early, true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::court::{Answer, InOrder, Nobody, Oracle};
    use crate::minimize::parts::Parts;

    /// Holds as long as all of these are left.
    struct Needs(&'static [u32]);

    impl Oracle for Needs {
        fn ask(&self, candidate: &Candidate) -> Answer {
            let holds = self.0.iter().all(|part| candidate.kept.contains(part));
            Answer { holds, met: Vec::new() }
        }
    }

    fn minimized(events: u32, needed: &'static [u32], max_tests: Option<u64>) -> (Vec<u32>, u64, bool) {
        let text: String = (0..events).map(|number| format!("{number}\n")).collect();
        let parts = Parts::of_lines(&text);
        let (oracle, mut clerk) = (Needs(needed), Nobody);
        let mut court = Court::new(&parts, &oracle, &InOrder, &mut clerk, max_tests);
        let mut best = Candidate::all(&parts);
        let groups: Vec<Vec<u32>> = (0..events).map(|part| vec![part]).collect();
        let result = ddmin(&mut court, &mut best, groups);
        (best.kept.to_vec(), court.tests, result.is_ok())
    }

    #[test]
    fn what_is_needed_is_left_after_few_tests() {
        assert_eq!(minimized(1000, &[], None), (vec![], 1, true));
        let (left, tests, _) = minimized(1000, &[17], None);
        assert!(left == [17] && tests <= 21, "{left:?} in {tests}");
        let (left, tests, _) = minimized(1000, &[3, 500, 501, 999], None);
        assert!(left == [3, 500, 501, 999] && tests <= 80, "{left:?} in {tests}");
        assert_eq!(minimized(0, &[], None).1, 0);
    }

    #[test]
    fn a_budget_leaves_the_best_so_far() {
        let (left, tests, is_done) = minimized(1000, &[17, 800], Some(6));
        assert!(!is_done && tests == 6 && left.len() < 1000);
        assert!(left.contains(&17) && left.contains(&800));
    }
}
