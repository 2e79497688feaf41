//! Lines that a new text of a file has in common with the old one. They keep who wrote them.

use std::sync::Arc;

use crate::dialect::files::{By, FileLine};

/// More pairs of lines are not compared: then the part between the common start and end counts as new.
const MOST_PAIRS: usize = 1_000_000;

/// The new lines, those in common with the old ones as they were, the others by `by`.
pub(super) fn carried(old: &[Option<FileLine>], new: &[&str], by: By) -> Vec<FileLine> {
    let is_equal = |old: &Option<FileLine>, new: &&str| old.as_ref().is_some_and(|old| &*old.text == *new);
    let prefix = old.iter().zip(new).take_while(|(old, new)| is_equal(old, new)).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| is_equal(old, new)).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - suffix], &new_rest[..new_rest.len() - suffix]);
    let mut lines: Vec<FileLine> = old[..prefix].iter().flatten().cloned().collect();
    lines.extend(between(old_middle, new_middle, by));
    lines.extend(old_rest[old_rest.len() - suffix..].iter().flatten().cloned());
    lines
}

fn between(old: &[Option<FileLine>], new: &[&str], by: By) -> Vec<FileLine> {
    let fresh = |text: &&str| FileLine { text: Arc::from(*text), by };
    if old.is_empty() || old.len().saturating_mul(new.len()) > MOST_PAIRS {
        return new.iter().map(fresh).collect();
    }
    // The longest common subsequence of the rests from each pair of lines on.
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let is_equal = |one: usize, two: usize| old[one].as_ref().is_some_and(|line| &*line.text == new[two]);
    for one in (0..old.len()).rev() {
        for two in (0..new.len()).rev() {
            lengths[one * width + two] = match is_equal(one, two) {
                true => lengths[(one + 1) * width + two + 1] + 1,
                false => lengths[(one + 1) * width + two].max(lengths[one * width + two + 1]),
            };
        }
    }
    let (mut lines, mut one, mut two) = (Vec::with_capacity(new.len()), 0, 0);
    while two < new.len() {
        let known = (one < old.len()).then(|| old[one].clone()).flatten();
        match known {
            Some(known) if is_equal(one, two) => {
                lines.push(known);
                (one, two) = (one + 1, two + 1);
            }
            _ if one < old.len() && lengths[(one + 1) * width + two] >= lengths[one * width + two + 1] => one += 1,
            _ => {
                lines.push(fresh(&new[two]));
                two += 1;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Seq;

    #[test]
    fn common_lines_keep_who_wrote_them() {
        let old: Vec<Option<FileLine>> = ["a", "b", "c", "d", "e"]
            .iter()
            .map(|text| Some(FileLine { text: Arc::from(*text), by: By::Found(Seq(1)) }))
            .collect();
        let new = carried(&old, &["a", "x", "c", "y", "d", "z", "e"], By::Written(Seq(2)));
        let told: Vec<(&str, u32)> = new.iter().map(|line| (&*line.text, line.by.at().0)).collect();
        assert_eq!(told, [("a", 1), ("x", 2), ("c", 1), ("y", 2), ("d", 1), ("z", 2), ("e", 1)]);
        assert!(carried(&old, &[], By::Written(Seq(2))).is_empty());
    }
}
