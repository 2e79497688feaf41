//! The secrets that were found, each with its mask, and the search for them in any encoding.

use std::collections::HashMap;
use std::ops::Range;

use super::layer::{self, LOWER_HEX, UPPER_HEX};

use super::rule::is_found_by_name;
use super::search::NeedleSearch;
use super::value::{is_common, is_no_secret, is_path, is_random};

/// Shorter values are masked where they were found and not searched for elsewhere.
const SPREAD_FROM_BYTES: usize = 6;
/// Values of digits alone must be longer, since they may be counts.
const SPREAD_DIGITS_FROM: usize = 8;
/// A shorter piece of base64 could be part of any word.
const BASE64_FROM_BYTES: usize = 8;
/// Encodings of longer values are found by decoding only, so that the search stays small.
const SPELLED_UP_TO_BYTES: usize = 1024;
/// Longer values are whole files; they are not searched for elsewhere.
const SPREAD_UP_TO_BYTES: usize = 8192;

pub(crate) type Id = usize;

pub(crate) struct Secret {
    value: String,
    pub rule: usize,
    pub mask: String,
    pub length_class: &'static str,
    /// Where it was found first.
    pub first_at: String,
    /// It is not masked.
    pub is_spared: bool,
    /// It is searched for everywhere.
    spreads: bool,
}

/// Classes of lengths: the bound, the text for reports, the text in a mask.
const LENGTHS: [(usize, &str, &str); 9] = [
    (8, "1-7", "1to7"),
    (16, "8-15", "8to15"),
    (32, "16-31", "16to31"),
    (64, "32-63", "32to63"),
    (128, "64-127", "64to127"),
    (256, "128-255", "128to255"),
    (1024, "256-1023", "256to1023"),
    (4096, "1024-4095", "1024to4095"),
    (usize::MAX, "4096+", "4096plus"),
];

/// A pattern for the masks of any run.
pub(crate) const MASK_PATTERN: &str = r"REDACTED-[a-z0-9]+(?:-[a-z0-9]+)*-[0-9]+-[0-9]+(?:to[0-9]+|plus)ch";

#[derive(Default)]
pub(crate) struct Secrets {
    all: Vec<Secret>,
    ids: HashMap<String, Id>,
    /// How many each rule has found.
    numbers: HashMap<usize, usize>,
    search: Option<SecretSearch>,
}

struct SecretSearch {
    needles: NeedleSearch,
    /// By the numbers of the needles.
    ids: Vec<u32>,
}

impl Secrets {
    pub(crate) fn get(&self, id: Id) -> &Secret {
        &self.all[id]
    }

    pub(crate) fn all(&self) -> &[Secret] {
        &self.all
    }

    pub(crate) fn spare(&mut self, mask: &str, spared: bool) {
        self.all.iter_mut().filter(|secret| secret.mask == mask).for_each(|secret| secret.is_spared = spared);
    }

    pub(crate) fn is_searched(&self) -> bool {
        self.search.is_some()
    }

    /// The number of a secret; a new one if it was not seen before. Percent-encoding makes no difference.
    pub(crate) fn id(&mut self, value: &str, rule: usize, rule_name: &str, place: &str) -> Id {
        let decoded = layer::percent_decode(value).map(|decoded| decoded.text);
        let value = decoded.as_deref().unwrap_or(value);
        // A value found by its name may be any word; one found by its shape is a secret everywhere.
        let spreads = spreads(value) && (!is_found_by_name(rule) || is_random(value));
        if let Some(id) = self.ids.get(value) {
            self.all[*id].spreads |= spreads;
            return *id;
        }
        let id = self.all.len();
        let bounds = LENGTHS.iter().find(|(below, ..)| value.len() < *below).unwrap_or(&LENGTHS[LENGTHS.len() - 1]);
        // Counted per rule, so that an additional rule does not change the masks of the others.
        let number = self.numbers.entry(rule).or_insert(0);
        *number += 1;
        let mask = format!("REDACTED-{rule_name}-{number}-{}ch", bounds.2);
        let first_at = place.to_owned();
        self.all.push(Secret {
            value: value.to_owned(),
            rule,
            mask,
            length_class: bounds.1,
            first_at,
            is_spared: false,
            spreads,
        });
        self.ids.insert(value.to_owned(), id);
        id
    }

    /// Searches for a secret everywhere, unless it could be any word of a log.
    pub(crate) fn spread(&mut self, id: Id) {
        let secret = &mut self.all[id];
        secret.spreads |= spreads(&secret.value) && !is_path(&secret.value);
    }

    /// Builds the search for everything found so far.
    pub(crate) fn prepare(&mut self) {
        let mut needles: Vec<(Box<str>, u32)> = Vec::new();
        for (id, secret) in (0_u32..).zip(&self.all).filter(|(_, secret)| secret.spreads) {
            needles.extend(spellings(&secret.value).into_iter().map(|needle| (needle.into_boxed_str(), id)));
        }
        // Of two secrets with the same spelling, the first counts.
        needles.sort_unstable();
        needles.dedup_by(|one, other| one.0 == other.0);
        let ids = needles.iter().map(|(_, id)| *id).collect();
        let needles = NeedleSearch::new(needles.iter().map(|(needle, _)| &**needle));
        self.search = Some(SecretSearch { needles, ids });
    }

    /// Drops the search until [`Secrets::prepare`].
    pub(crate) fn forget_search(&mut self) {
        self.search = None;
    }

    /// Every occurrence of a known secret; of two that start at the same position, the longest.
    pub(crate) fn occurrences(&self, text: &str) -> Vec<(Range<usize>, Id)> {
        let mut all = Vec::new();
        if let Some(search) = &self.search {
            search.needles.find(text.as_bytes(), |range, needle| {
                let id = search.ids[needle] as Id;
                let is_apart = is_apart(text, &range, &self.all[id].value);
                if is_apart {
                    all.push((range, id));
                }
                is_apart
            });
        }
        all
    }

    /// The secret that equals a whole text, if it is searched for.
    pub(crate) fn known(&self, text: &str) -> Option<Id> {
        self.ids.get(text).copied().filter(|id| self.search.is_some() && self.all[*id].spreads)
    }
}

fn spreads(value: &str) -> bool {
    let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let from = if is_digits { SPREAD_DIGITS_FROM } else { SPREAD_FROM_BYTES };
    (from..=SPREAD_UP_TO_BYTES).contains(&value.len()) && !is_common(value) && !is_no_secret(value)
}

/// A plain word or number may be part of an unrelated longer one.
fn is_apart(text: &str, range: &Range<usize>, value: &str) -> bool {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        || value.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    let before = range.start.checked_sub(1).and_then(|at| bytes.get(at));
    !is_plain || &text[range.clone()] != value || !(is_word(before) || is_word(bytes.get(range.end)))
}

fn spellings(value: &str) -> Vec<String> {
    if value.len() > SPELLED_UP_TO_BYTES {
        return vec![value.to_owned(), layer::escape_json(value)];
    }
    let mut all = vec![
        value.to_owned(),
        layer::escape_json(value),
        layer::percent_encode(value, UPPER_HEX),
        layer::percent_encode(value, LOWER_HEX),
    ];
    if value.len() >= BASE64_FROM_BYTES {
        for lead in 0..3 {
            all.push(layer::base64_core(value.as_bytes(), lead, false));
            all.push(layer::base64_core(value.as_bytes(), lead, true));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_equal_for_equal_secrets_only() {
        let mut secrets = Secrets::default();
        let first = secrets.id("a/secret/1", 0, "field", "a");
        assert_eq!(secrets.id("a%2Fsecret%2F1", 1, "url-query", "a"), first);
        let second = secrets.id("another-secret", 1, "url-query", "a");
        assert_eq!(secrets.get(first).mask, "REDACTED-field-1-8to15ch");
        assert_eq!(secrets.get(second).mask, "REDACTED-url-query-1-8to15ch");
    }

    #[test]
    fn words_are_only_found_alone() {
        let mut secrets = Secrets::default();
        secrets.id("swordfish", 1, "shape", "a");
        secrets.id("12345670", 0, "field", "a");
        // A value found by its name may be any word.
        secrets.id("gammon-4", 0, "field", "a");
        secrets.prepare();
        assert_eq!(secrets.occurrences("a swordfish, swordfishes, 123456700, gammon-4").len(), 1);
        assert_eq!(secrets.occurrences("c3dvcmRmaXNo").len(), 1);
    }
}
