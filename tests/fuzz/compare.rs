//! Comparing two logs: a line `===` separates them.

use super::log::open;
use crate::compare::Comparison;
use crate::compare::run::Side;
use crate::loader::Loaded;
use crate::log::Options;

pub(super) fn target(input: &[u8]) {
    let (left, right) = match memchr::memmem::find(input, b"\n===\n") {
        Some(at) => (&input[..at + 1], &input[at + 5..]),
        None => (input, input),
    };
    let (Some(left), Some(right)) = (loaded(left), loaded(right)) else { return };
    let between = |one: &Loaded, two: &Loaded| Comparison::between(&**one.replay(), &**two.replay());
    let (Ok(one), Ok(two)) = (between(&left, &right), between(&left, &right)) else { return };
    assert_eq!(one.runs(), two.runs());
    covers(&one, &left, &right);
    let drift = one.drift(&**left.replay(), &**right.replay());
    drift.unwrap_or_else(|_| panic!("memory"));
    one.verdict(&**left.replay(), &**right.replay()).unwrap_or_else(|_| panic!("memory"));
    if let Ok(back) = between(&right, &left) {
        covers(&back, &right, &left);
    }
    let same = between(&left, &left).unwrap_or_else(|_| panic!("a log can be compared with itself"));
    assert_eq!(same.divergence_count(), 0);
}

fn loaded(bytes: &[u8]) -> Option<Loaded> {
    let loaded = Loaded::begin_without_checks(open(bytes, &Options::default()).ok()?).ok()?;
    loaded.wait_to_end(|_| {}).ok()?;
    Some(loaded)
}

/// The runs cover both logs in order, without gaps.
fn covers(comparison: &Comparison, one: &Loaded, two: &Loaded) {
    let (mut left, mut right) = (0, 0);
    for run in comparison.runs() {
        assert_eq!((run.left, run.right), (left, right));
        left += run.width(Side::Left);
        right += run.width(Side::Right);
    }
    assert_eq!((left, right), (one.replay().len(), two.replay().len()));
}
