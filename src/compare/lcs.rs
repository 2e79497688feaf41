//! The longest common subsequence of two lists of numbers, within a budget.
//!
//! Numbers that occur once in each list are matched first; between them, the fewest edits are searched for. The work is
//! bounded: where the bound is reached, a rough match is used and reported as such, so hostile lists cost no more than
//! others.

use rustc_hash::FxHashMap;

/// How often a slice is split by the numbers that are unique in it.
const DEPTH: u32 = 16;
/// More edits than these are not searched for in one slice: the sides have too little in common.
const MOST_EDITS: usize = 1024;
/// How far the rough match looks ahead.
const NEAR: usize = 64;
/// Steps that are always allowed, and steps per number.
const STEPS: u64 = 1 << 26;
const STEPS_EACH: u64 = 32;

/// How much work is left, for all slices of two lists together.
pub(crate) struct Budget {
    steps: u64,
    /// Some slice was only matched roughly.
    pub is_coarse: bool,
}

impl Budget {
    pub(crate) fn for_length(length: u64) -> Self {
        Budget { steps: STEPS + STEPS_EACH * length, is_coarse: false }
    }
}

/// Pairs of positions that ascend on both sides.
pub(crate) fn pairs(left: &[u64], right: &[u64], budget: &mut Budget) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let stretch = Stretch { left: 0, right: 0, left_end: left.len(), right_end: right.len() };
    Lists { left, right }.solve(stretch, DEPTH, budget, &mut found);
    found.sort_unstable();
    found
}

#[derive(Clone, Copy)]
struct Stretch {
    left: usize,
    right: usize,
    left_end: usize,
    right_end: usize,
}

struct Lists<'l> {
    left: &'l [u64],
    right: &'l [u64],
}

/// How often a number occurs on each side, and where last.
#[derive(Clone, Copy, Default)]
struct Occurrences {
    left: (usize, usize),
    right: (usize, usize),
}

impl Lists<'_> {
    fn solve(&self, mut stretch: Stretch, depth: u32, budget: &mut Budget, found: &mut Vec<(usize, usize)>) {
        let Stretch { left, right, left_end, right_end } = &mut stretch;
        while *left < *left_end && *right < *right_end && self.left[*left] == self.right[*right] {
            found.push((*left, *right));
            (*left, *right) = (*left + 1, *right + 1);
        }
        while *left < *left_end && *right < *right_end && self.left[*left_end - 1] == self.right[*right_end - 1] {
            (*left_end, *right_end) = (*left_end - 1, *right_end - 1);
            found.push((*left_end, *right_end));
        }
        if left == left_end || right == right_end {
            return;
        }
        let mut met: FxHashMap<u64, Occurrences> = FxHashMap::default();
        for at in *left..*left_end {
            let met = met.entry(self.left[at]).or_default();
            met.left = (met.left.0 + 1, at);
        }
        for at in *right..*right_end {
            if let Some(met) = met.get_mut(&self.right[at]) {
                met.right = (met.right.0 + 1, at);
            }
        }
        let unique = met.values().filter(|met| met.left.0 == 1 && met.right.0 == 1);
        let mut anchors: Vec<(usize, usize)> = unique.map(|met| (met.left.1, met.right.1)).collect();
        anchors.sort_unstable();
        let anchors = if depth == 0 { Vec::new() } else { longest_ascending(&anchors) };
        if anchors.is_empty() {
            // Numbers that are on one side only cannot be part of a pair, and would only count as edits.
            let one: Vec<usize> =
                (*left..*left_end).filter(|at| met.get(&self.left[*at]).is_some_and(|met| met.right.0 > 0)).collect();
            let two: Vec<usize> = (*right..*right_end).filter(|at| met.contains_key(&self.right[*at])).collect();
            self.edit(&one, &two, budget, found);
            return;
        }
        let (mut left, mut right) = (stretch.left, stretch.right);
        for (anchor_left, anchor_right) in anchors {
            found.push((anchor_left, anchor_right));
            let before = Stretch { left, right, left_end: anchor_left, right_end: anchor_right };
            self.solve(before, depth - 1, budget, found);
            (left, right) = (anchor_left + 1, anchor_right + 1);
        }
        self.solve(Stretch { left, right, ..stretch }, depth - 1, budget, found);
    }

    /// The fewest edits between two lists of positions, or a rough match.
    fn edit(&self, one: &[usize], two: &[usize], budget: &mut Budget, found: &mut Vec<(usize, usize)>) {
        if one.is_empty() || two.is_empty() {
            return;
        }
        let shorter = one.len().min(two.len()) as u64;
        let most = (budget.steps / (2 * shorter + 1)).min(MOST_EDITS as u64) as usize;
        let same = |left: usize, right: usize| self.left[one[left]] == self.right[two[right]];
        let (pairs, steps) = fewest_edits(one.len(), two.len(), most, &same);
        budget.steps = budget.steps.saturating_sub(steps);
        let pairs = pairs.unwrap_or_else(|| {
            budget.is_coarse = true;
            nearest(one.len(), two.len(), &same)
        });
        found.extend(pairs.into_iter().map(|(left, right)| (one[left], two[right])));
    }
}

/// Of pairs that ascend on the left, the longest subsequence that ascends on the right, too.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair that ends the best subsequence of each length, and for each pair its predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(number);
        } else {
            ends[length] = number;
        }
    }
    let mut part = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(number) = next {
        part.push(pairs[number]);
        next = before[number];
    }
    part.reverse();
    part
}

/// How far each diagonal has come, as one number per diagonal.
type LcsReach = Vec<i64>;
const NOWHERE: i64 = i64::MIN;

/// Myers' greedy search for the fewest edits, up to a limit. Also returns the number of steps that it took.
fn fewest_edits(
    left_len: usize,
    right_len: usize,
    most: usize,
    same: &dyn Fn(usize, usize) -> bool,
) -> (Option<Vec<(usize, usize)>>, u64) {
    let (n, m) = (left_len as i64, right_len as i64);
    let most = (most as i64).min(n + m);
    let mut reaches: Vec<LcsReach> = Vec::new();
    let mut steps = 0_u64;
    for edits in 0..=most {
        let mut reach = vec![NOWHERE; 2 * edits as usize + 1];
        for diagonal in (-edits..=edits).step_by(2) {
            steps += 1;
            let Some(mut x) = entry(reaches.last(), edits, diagonal, n, m) else { continue };
            while x < n && x - diagonal < m && same(x as usize, (x - diagonal) as usize) {
                x += 1;
                steps += 1;
            }
            reach[(diagonal + edits) as usize] = x;
            if x == n && x - diagonal == m {
                return (Some(walked_back(&reaches, edits, n, m)), steps);
            }
        }
        reaches.push(reach);
    }
    (None, steps)
}

/// Where a diagonal is entered with one more edit than those of `before`.
fn entry(before: Option<&LcsReach>, edits: i64, diagonal: i64, n: i64, m: i64) -> Option<i64> {
    let Some(before) = before else { return Some(0) };
    let reached = |diagonal: i64| {
        let place = usize::try_from(diagonal + edits - 1).ok()?;
        before.get(place).copied().filter(|x| *x != NOWHERE)
    };
    let down = reached(diagonal + 1).filter(|x| x - diagonal <= m);
    let across = reached(diagonal - 1).map(|x| x + 1).filter(|x| *x <= n);
    down.max(across)
}

fn walked_back(reaches: &[LcsReach], edits: i64, n: i64, m: i64) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut x, mut diagonal) = (n, n - m);
    for edits in (0..=edits).rev() {
        let before = usize::try_from(edits - 1).ok().and_then(|before| reaches.get(before));
        let from = entry(before, edits, diagonal, n, m).unwrap_or(0);
        while x > from {
            x -= 1;
            pairs.push((x as usize, (x - diagonal) as usize));
        }
        let came_down = before.is_some_and(|before| {
            let place = usize::try_from(diagonal + edits).ok();
            place.and_then(|place| before.get(place)) == Some(&from)
        });
        (x, diagonal) = if came_down { (from, diagonal + 1) } else { (from - 1, diagonal - 1) };
    }
    pairs
}

/// Pairs each element with the nearest equal one after the last pair, if one is near.
fn nearest(left_len: usize, right_len: usize, same: &dyn Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let (mut pairs, mut right) = (Vec::new(), 0);
    for left in 0..left_len {
        let near = right..right_len.min(right + NEAR);
        if let Some(found) = near.into_iter().find(|right| same(left, *right)) {
            pairs.push((left, found));
            right = found + 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn longest_common(left: &[u64], right: &[u64]) -> usize {
        let mut row = vec![0; right.len() + 1];
        for one in left {
            let mut diagonal = 0;
            for (at, two) in right.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if one == two { diagonal + 1 } else { above.max(row[at]) };
                diagonal = above;
            }
        }
        row[right.len()]
    }

    fn assert_pairs(left: &[u64], right: &[u64], pairs: &[(usize, usize)]) {
        assert!(pairs.iter().all(|pair| left[pair.0] == right[pair.1]));
        assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1), "{pairs:?}");
    }

    proptest! {
        #![proptest_config(crate::tests::cases::cases!(256, "lcs"))]

        #[test]
        fn the_edits_are_the_fewest(left in prop::collection::vec(0..5_u64, 0..40), right in prop::collection::vec(0..5_u64, 0..40)) {
            let (found, _) = fewest_edits(left.len(), right.len(), 100, &|one, two| left[one] == right[two]);
            let mut found = found.expect("so few");
            found.reverse();
            assert_pairs(&left, &right, &found);
            prop_assert_eq!(found.len(), longest_common(&left, &right));
        }

        #[test]
        fn pairs_ascend_and_are_equal(left in prop::collection::vec(0..30_u64, 0..60), right in prop::collection::vec(0..30_u64, 0..60)) {
            let mut budget = Budget::for_length(120);
            let found = pairs(&left, &right, &mut budget);
            assert_pairs(&left, &right, &found);
            prop_assert!(!budget.is_coarse);
        }
    }

    #[test]
    fn hostile_lists_end_soon_and_are_marked_as_coarse() {
        // Nothing is unique, and hardly anything is in the same order.
        let left: Vec<u64> = (0..60_000).map(|at: u64| at * at % 251).collect();
        let right: Vec<u64> = (0..60_000).map(|at: u64| at * 7919 % 241).collect();
        let mut budget = Budget::for_length(120_000);
        let found = pairs(&left, &right, &mut budget);
        assert_pairs(&left, &right, &found);
        assert!(budget.is_coarse);
    }
}
