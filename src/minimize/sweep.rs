//! Removal of groups of records one by one, until none can be removed.

use super::candidate::Candidate;
use super::tester::{BudgetSpent, Tester};

/// Up to this many groups are tried one by one right away: sections would only add tests.
pub(crate) const FEW: usize = 12;

/// Removes single groups until none can be removed.
pub(crate) fn sweep(
    tester: &mut Tester<'_>,
    best: &mut Candidate,
    mut groups: Vec<Vec<u32>>,
) -> Result<(), BudgetSpent> {
    loop {
        let before = groups.len();
        groups = each(tester, best, groups)?;
        if groups.len() == before {
            return Ok(());
        }
    }
}

/// Tries each group once, later ones first, and returns those that are left.
pub(crate) fn each(
    tester: &mut Tester<'_>,
    best: &mut Candidate,
    mut groups: Vec<Vec<u32>>,
) -> Result<Vec<Vec<u32>>, BudgetSpent> {
    let mut untried = groups.len();
    while untried > 0 {
        let base = best.clone();
        let group = |number: usize| &groups[untried - 1 - number];
        let Some(found) = tester.first(untried, &|number| base.without(group(number)))? else { break };
        *best = base.without(group(found));
        tester.settle(best);
        untried -= found + 1;
        groups.remove(untried);
    }
    Ok(groups)
}
