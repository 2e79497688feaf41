//! Taking groups of records away one by one, until none can go.

use super::candidate::Candidate;
use super::court::{Court, Over};

/// So few groups are tried one by one at once: sections of them would only add tests.
pub const FEW: usize = 12;

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
