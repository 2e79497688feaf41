//! A bounded memo of what the rules matched in a text, since both passes of the masker look at the same texts.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::compiled::{CompiledRules, Match};

/// Searching a shorter text is as fast as hashing it.
const LENGTH_FROM: usize = 64;
/// The memory of a memo stays below ten megabytes.
const MOST_TEXTS: usize = 1 << 17;
const MOST_MATCHES: usize = 1 << 18;

#[derive(Default)]
pub(crate) struct RuleMemo {
    /// The matches of each text, by half of the text's content hash.
    texts: FxHashMap<u128, Range<u32>>,
    matches: Vec<KnownMatch>,
}

/// A [`Match`] in half of its size.
struct KnownMatch {
    start: u32,
    end: u32,
    rule: u16,
    is_password: bool,
}

impl RuleMemo {
    /// The secrets that the rules match in a text.
    pub(super) fn find(&mut self, rules: &CompiledRules, text: &str) -> Vec<Match> {
        let mut found = Vec::new();
        // Positions in a longer text may not fit.
        if text.len() < LENGTH_FROM || u32::try_from(text.len()).is_err() {
            rules.find(text, |secret| found.push(secret));
            return found;
        }
        let key = content_key(text);
        if let Some(known) = self.texts.get(&key) {
            let known = self.matches.get(known.start as usize..known.end as usize).unwrap_or_default();
            found.extend(known.iter().map(KnownMatch::unpacked));
            return found;
        }
        rules.find(text, |secret| found.push(secret));
        self.keep(key, &found);
        found
    }

    fn keep(&mut self, key: u128, found: &[Match]) {
        let (start, end) = (self.matches.len(), self.matches.len() + found.len());
        if self.texts.len() < MOST_TEXTS && end <= MOST_MATCHES {
            self.matches.extend(found.iter().map(KnownMatch::of));
            self.texts.insert(key, start as u32..end as u32);
        }
    }
}

impl KnownMatch {
    fn of(found: &Match) -> KnownMatch {
        let Match { secret, rule, is_password } = found;
        KnownMatch { start: secret.start as u32, end: secret.end as u32, rule: *rule as u16, is_password: *is_password }
    }

    fn unpacked(&self) -> Match {
        let secret = self.start as usize..self.end as usize;
        Match { secret, rule: usize::from(self.rule), is_password: self.is_password }
    }
}

/// No text can be made to have the key of another one: that would hide its secrets from the rules.
fn content_key(text: &str) -> u128 {
    let mut half = [0; 16];
    half.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    u128::from_le_bytes(half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::MaskOptions;

    fn with(patterns: &[&str]) -> MaskOptions {
        let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        MaskOptions { patterns, ..MaskOptions::default() }
    }

    #[test]
    fn the_second_search_of_a_text_finds_the_same() {
        let rules = CompiledRules::new(&with(&["own-[0-9]+"])).expect("patterns");
        let mut memo = RuleMemo::default();
        let filler = "the build failed because a module could not be found ".repeat(2);
        for text in ["export DB_PASSWORD=ab12cd34", "postgres://me:s3cret@db/x own-17", "nothing at all"] {
            let text = format!("{text} {filler}");
            let (first, second) = (memo.find(&rules, &text), memo.find(&rules, &text));
            let mut direct = Vec::new();
            rules.find(&text, |secret| direct.push(secret));
            assert_eq!((&first, &second), (&direct, &direct), "{text}");
        }
        assert_eq!(memo.texts.len(), 3);
    }

    #[test]
    fn a_full_memo_still_finds_everything() {
        let rules = CompiledRules::new(&with(&[])).expect("patterns");
        let mut memo =
            RuleMemo { texts: (0..MOST_TEXTS as u128).map(|key| (key, 0..0)).collect(), matches: Vec::new() };
        let text = format!("DB_PASSWORD=ab12cd34 {}", "and so on ".repeat(9));
        assert_eq!(memo.find(&rules, &text), memo.find(&rules, &text));
        assert_eq!((memo.find(&rules, &text).len(), memo.texts.len()), (1, MOST_TEXTS));
    }
}
