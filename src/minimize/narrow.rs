//! Search for the groups of records that are needed: the last one first, then the one before it, and so on.
//!
//! The shortest beginning of the log that holds, with what is known to be needed behind it, ends in a needed group. It
//! is found by dividing into sections. Halves and complements, as in delta debugging, would find the same groups; but
//! here all candidates begin like the smallest log so far, so that its prefix ledgers save most of a test, and each test
//! that holds leaves a shorter log. Of groups that can replace each other, the earlier ones stay.

use super::candidate::Candidate;
use super::sweep::FEW;
use super::tester::{BudgetSpent, Tester};

/// Needed groups are often neighbours: this many groups before a needed one are tried first.
const NEAR: usize = 16;
/// Sections per round: the tests of a round can run at once, and if none holds a quarter is left.
const SECTIONS: usize = 4;

/// Removes as many groups as possible; they are in the order in which they begin. Few groups are removed together or
/// not at all, since trying them one by one is as fast.
pub(crate) fn narrow(tester: &mut Tester<'_>, best: &mut Candidate, groups: &[Vec<u32>]) -> Result<(), BudgetSpent> {
    let mut search = SectionSearch::new(groups);
    let mut end = groups.len();
    while end > 0 {
        tester.later = tests_for(end);
        let near = end.saturating_sub(NEAR);
        let tries = if end > FEW && near > 0 { vec![0, near] } else { vec![0] };
        let mut begin = match search.shortest(tester, best, &tries)? {
            Some(0) => break,
            Some(_) => {
                end = near;
                0
            }
            None => tries.last().copied().unwrap_or_default(),
        };
        if groups.len() <= FEW {
            break;
        }
        // It does not hold up to `begin`, and does up to `end`.
        while end - begin > 1 {
            tester.later = tests_for((end - begin).div_ceil(SECTIONS));
            let mut tries: Vec<usize> = (1..SECTIONS)
                .map(|section| begin + (end - begin) * section / SECTIONS)
                .filter(|at| *at > begin)
                .collect();
            tries.dedup();
            match search.shortest(tester, best, &tries)? {
                Some(found) => {
                    begin = if found > 0 { tries[found - 1] } else { begin };
                    end = tries[found];
                }
                None => begin = tries.last().copied().unwrap_or(begin),
            }
        }
        end -= 1;
        search.is_needed[end] = true;
    }
    tester.later = 0;
    Ok(())
}

/// The most tests needed to find the last needed one of some groups.
fn tests_for(mut groups: usize) -> usize {
    let mut tests = 0;
    while groups > 1 {
        groups = groups.div_ceil(SECTIONS);
        tests += SECTIONS - 1;
    }
    tests
}

struct SectionSearch<'g> {
    groups: &'g [Vec<u32>],
    /// The group of each record. Records without a group always stay.
    group_of: Vec<u32>,
    is_needed: Vec<bool>,
}

const NO_GROUP: u32 = u32::MAX;

impl<'g> SectionSearch<'g> {
    fn new(groups: &'g [Vec<u32>]) -> Self {
        let last = groups.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        let mut group_of = vec![NO_GROUP; last];
        for (number, group) in (0..).zip(groups) {
            group.iter().for_each(|part| group_of[*part as usize] = number);
        }
        SectionSearch { groups, group_of, is_needed: vec![false; groups.len()] }
    }

    /// A candidate with the first `groups` groups and the needed ones.
    fn up_to(&self, best: &Candidate, groups: usize) -> Candidate {
        let begins = self.groups.get(groups).and_then(|group| group.first());
        // Records before the first one of a group belong to an earlier group, or to none.
        let whole = begins.map_or(best.len(), |begins| best.kept.partition_point(|part| part < begins));
        let stays = |part: &u32| match self.group_of.get(*part as usize) {
            None | Some(&NO_GROUP) => true,
            Some(group) => (*group as usize) < groups || self.is_needed[*group as usize],
        };
        let (before, behind) = best.kept.split_at(whole);
        best.keeping(before.iter().copied().chain(behind.iter().copied().filter(stays)).collect())
    }

    /// Finds the first of some prefixes that holds, and makes it the smallest log so far.
    fn shortest(
        &self,
        tester: &mut Tester<'_>,
        best: &mut Candidate,
        tries: &[usize],
    ) -> Result<Option<usize>, BudgetSpent> {
        let base = best.clone();
        let make = |number: usize| self.up_to(&base, tries[number]);
        let found = tester.first(tries.len(), &make)?;
        if let Some(found) = found {
            *best = make(found);
            tester.settle(best);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::parts::Parts;
    use crate::minimize::tester::{Predicate, Sequential, TestResult, Unobserved};

    /// Holds as long as all of these are left.
    struct NeededUnits(&'static [u32]);

    impl Predicate for NeededUnits {
        fn test(&self, candidate: &Candidate) -> TestResult {
            let holds = self.0.iter().all(|part| candidate.kept.contains(part));
            TestResult { holds, met: Vec::new() }
        }
    }

    fn minimized(groups: &[Vec<u32>], needed: &'static [u32], max_tests: Option<u64>) -> (Vec<u32>, u64, bool) {
        let text: String = groups.iter().flatten().map(|number| format!("{number}\n")).collect();
        let parts = Parts::of_lines(&text);
        let (predicate, mut observer) = (NeededUnits(needed), Unobserved);
        let mut tester = Tester::new(&parts, &predicate, &Sequential, &mut observer, max_tests);
        let mut best = Candidate::all(&parts);
        let result = narrow(&mut tester, &mut best, groups);
        (best.kept.to_vec(), tester.tests, result.is_ok())
    }

    fn singles(count: u32) -> Vec<Vec<u32>> {
        (0..count).map(|part| vec![part]).collect()
    }

    #[test]
    fn needed_groups_are_found_in_few_tests() {
        let thousand = singles(1000);
        assert_eq!(minimized(&thousand, &[], None), (vec![], 1, true));
        let (left, tests, _) = minimized(&thousand, &[17], None);
        assert!(left == [17] && tests <= 20, "{left:?} in {tests}");
        let (left, tests, _) = minimized(&thousand, &[3, 500, 501, 999], None);
        assert!(left == [3, 500, 501, 999] && tests <= 60, "{left:?} in {tests}");
        let (left, tests, _) = minimized(&thousand, &[500, 501, 502, 503], None);
        assert!(left == [500, 501, 502, 503] && tests <= 45, "{left:?} in {tests}");
        assert_eq!(minimized(&[], &[], None).1, 0);
        assert_eq!(minimized(&singles(5), &[3], None), (vec![0, 1, 2, 3, 4], 1, true));
    }

    #[test]
    fn groups_that_reach_into_each_other_stay_whole() {
        let groups: Vec<Vec<u32>> = (0..50).map(|number| vec![number, number + 50]).collect();
        let (left, ..) = minimized(&groups, &[7, 90], None);
        assert_eq!(left, [7, 40, 57, 90]);
    }

    #[test]
    fn a_budget_leaves_the_best_so_far() {
        let (left, tests, is_done) = minimized(&singles(1000), &[17, 800], Some(6));
        assert!(!is_done && tests == 6 && left.len() < 1000);
        assert!(left.contains(&17) && left.contains(&800));
    }
}
