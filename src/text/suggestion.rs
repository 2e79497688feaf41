//! Suggestions for misspelled names.

/// `; did you mean "theme"?`, or nothing if no known name is close.
pub(crate) fn did_you_mean<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(written, known).map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

/// The known name with the fewest differences to what was written; the first of several.
fn closest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| -> Vec<char> { text.to_lowercase().replace(['_', ' '], "-").chars().collect() };
    // A very long text is not a misspelled name.
    let written: Vec<char> = Some(plain(written)).filter(|written| (1..=64).contains(&written.len()))?;
    let scored = known.into_iter().map(|name| (slips(&written, &plain(name)), name));
    let near = scored.filter(|(slips, name)| *slips <= (name.chars().count() / 3).max(1) && *slips < written.len());
    near.min_by_key(|(slips, _)| *slips).map(|(_, name)| name)
}

/// The edit distance: letters that are missing, added, wrong, or swapped with their neighbour.
fn slips(one: &[char], two: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=two.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in two.iter().enumerate() {
            let changed = last[column] + usize::from(letter != other);
            let mut least = changed.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && *letter == two[column - 1] && one[row - 1] == *other {
                least = least.min(before[column - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_every_kind_of_slip() {
        for (one, two, expected) in
            [("theme", "theme", 0), ("thme", "theme", 1), ("tehme", "theme", 1), ("", "abc", 3), ("mouse", "house", 1)]
        {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            assert_eq!(slips(&letters(one), &letters(two)), expected, "{one} {two}");
            assert_eq!(slips(&letters(two), &letters(one)), expected, "{two} {one}");
        }
    }

    #[test]
    fn only_close_names_are_offered() {
        let known = ["theme", "mouse", "ascii", "step-forward"];
        assert_eq!(closest("Thme", known), Some("theme"));
        assert_eq!(closest("step_foward", known), Some("step-forward"));
        assert_eq!(closest("colour", known), None);
        assert_eq!(closest("", known), None);
        assert_eq!(closest("x", ["l"]), None);
        assert_eq!(did_you_mean("mosue", known), "; did you mean \"mouse\"?");
    }
}
