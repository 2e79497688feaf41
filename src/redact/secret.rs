//! The secrets that were found, each with its mask, and the search for them in any encoding.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::layer::{self, LOWER_HEX, UPPER_HEX};

use super::rule::is_found_by_name;
use super::search::{NeedleSearch, Needles};
use super::texts::TextBlock;
use super::value::{is_common, is_no_secret, is_path, is_random};

/// Shorter values are masked where they were found and not searched for elsewhere.
const SPREAD_FROM_BYTES: usize = 6;
/// Values of digits alone must be longer, since they may be counts.
const SPREAD_DIGITS_FROM: usize = 8;
/// Shorter values are not searched for in base64.
const BASE64_FROM_BYTES: usize = 8;
/// The digits of the shortest such value.
const BASE64_FROM_DIGITS: usize = 10;
/// Encodings of longer values are found by decoding only, so that the search stays small.
const SPELLED_UP_TO_BYTES: usize = 1024;
/// Longer values are whole files; they are not searched for elsewhere.
const SPREAD_UP_TO_BYTES: usize = 8192;

pub(crate) type Id = usize;

/// What is kept of a secret. There may be many, so this is small; the mask is made when it is needed.
struct Secret {
    /// The number of its value.
    value: u32,
    rule: u32,
    /// Its number among those of its rule.
    number: u32,
    /// The number of the place where it was found first.
    first_at: u32,
    /// Another secret with the same hash, plus one; zero if there is none.
    next: u32,
    /// It is not masked.
    is_spared: bool,
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
    values: TextBlock,
    places: TextBlock,
    /// The last secret with each hash.
    by_hash: HashMap<u64, u32>,
    /// The names of the rules.
    rules: Vec<String>,
    /// How many each rule has found.
    numbers: HashMap<usize, u32>,
    search: Option<SecretSearch>,
    /// Made when secrets are spared, which is rare.
    by_mask: HashMap<String, Id>,
}

struct SecretSearch {
    needles: NeedleSearch,
    /// By the numbers of the needles.
    ids: Vec<u32>,
}

impl Secrets {
    pub(crate) fn new(rules: Vec<String>) -> Secrets {
        Secrets { rules, ..Secrets::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn rule(&self, id: Id) -> usize {
        self.all[id].rule as usize
    }

    pub(crate) fn is_spared(&self, id: Id) -> bool {
        self.all[id].is_spared
    }

    /// Where it was found first.
    pub(crate) fn first_at(&self, id: Id) -> &str {
        self.places.get(self.all[id].first_at)
    }

    pub(crate) fn length_class(&self, id: Id) -> &'static str {
        self.lengths(id).1
    }

    /// The mask names the rule, a number and a class of length.
    pub(crate) fn mask(&self, id: Id) -> String {
        let secret = &self.all[id];
        let rule = self.rules.get(secret.rule as usize).map_or("", String::as_str);
        format!("REDACTED-{rule}-{}-{}ch", secret.number, self.lengths(id).2)
    }

    fn value(&self, id: Id) -> &str {
        self.values.get(self.all[id].value)
    }

    fn lengths(&self, id: Id) -> &'static (usize, &'static str, &'static str) {
        let length = self.value(id).len();
        LENGTHS.iter().find(|(below, ..)| length < *below).unwrap_or(&LENGTHS[LENGTHS.len() - 1])
    }

    pub(crate) fn spare(&mut self, mask: &str, spared: bool) {
        if self.by_mask.len() < self.all.len() {
            self.by_mask = (0..self.all.len()).map(|id| (self.mask(id), id)).collect();
        }
        if let Some(secret) = self.by_mask.get(mask).and_then(|id| self.all.get_mut(*id)) {
            secret.is_spared = spared;
        }
    }

    pub(crate) fn is_searched(&self) -> bool {
        self.search.is_some()
    }

    fn id_of(&self, value: &str) -> Option<Id> {
        let mut next = self.by_hash.get(&hash_of(value)).map_or(0, |id| id + 1);
        while let Some(id) = next.checked_sub(1) {
            if self.value(id as Id) == value {
                return Some(id as Id);
            }
            next = self.all[id as Id].next;
        }
        None
    }

    /// The number of a secret; a new one if it was not seen before. Percent-encoding makes no difference.
    pub(crate) fn id(&mut self, value: &str, rule: usize, place: &str) -> Id {
        let decoded = layer::percent_decode(value).map(|decoded| decoded.text);
        let value = decoded.as_deref().unwrap_or(value);
        // A value found by its name may be any word; one found by its shape is a secret everywhere.
        let spreads = spreads(value) && (!is_found_by_name(rule) || is_random(value));
        if let Some(id) = self.id_of(value) {
            self.all[id].spreads |= spreads;
            return id;
        }
        let id = self.all.len();
        // Counted per rule, so that an additional rule does not change the masks of the others.
        let number = self.numbers.entry(rule).or_insert(0);
        *number += 1;
        let before = self.by_hash.insert(hash_of(value), id as u32);
        self.all.push(Secret {
            value: self.values.push(value),
            rule: rule as u32,
            number: *number,
            first_at: self.places.push(place),
            next: before.map_or(0, |before| before + 1),
            is_spared: false,
            spreads,
        });
        id
    }

    /// Searches for a secret everywhere, unless it could be any word of a log.
    pub(crate) fn spread(&mut self, id: Id) {
        let value = self.value(id);
        let spreads = spreads(value) && !is_path(value);
        self.all[id].spreads |= spreads;
    }

    /// Builds the search for everything found so far.
    pub(crate) fn prepare(&mut self) {
        let mut needles = Needles::default();
        for (id, _) in (0_u32..).zip(&self.all).filter(|(_, secret)| secret.spreads) {
            each_spelling(self.value(id as Id), |needle| needles.push(needle, id));
        }
        let (needles, ids) = needles.search();
        self.search = Some(SecretSearch { needles, ids });
    }

    /// Drops the search until [`Secrets::prepare`].
    pub(crate) fn forget_search(&mut self) {
        self.search = None;
    }

    /// Every occurrence of a known secret; of two that start at the same position, the longest.
    pub(crate) fn occurrences(&self, text: &str) -> Vec<(Range<usize>, Id)> {
        let mut all = Vec::new();
        if let Some(search) = self.search.as_ref().filter(|search| !search.ids.is_empty()) {
            search.needles.find(text.as_bytes(), |range, needle| {
                let id = search.ids[needle] as Id;
                let is_apart = is_apart(text, &range, self.value(id));
                if is_apart {
                    all.push((range, id));
                }
                is_apart
            });
            self.occurrences_in_base64(search, text, &mut all);
        }
        all
    }

    /// Secrets inside base64, wherever that begins and whatever is around them: each run of digits is decoded from each of
    /// its first four digits.
    fn occurrences_in_base64(&self, search: &SecretSearch, text: &str, all: &mut Vec<(Range<usize>, Id)>) {
        let mut bytes = Vec::new();
        for run in layer::base64_runs(text, BASE64_FROM_DIGITS) {
            for lead in 0..4 {
                let from = run.start + lead;
                layer::base64_bytes(&text.as_bytes()[from..run.end], &mut bytes);
                search.needles.find(&bytes, |range, needle| {
                    let id = search.ids[needle] as Id;
                    let is_long = range.len() >= BASE64_FROM_BYTES;
                    if is_long {
                        let end = from + (range.end * 8).div_ceil(6);
                        all.push((from + range.start * 8 / 6..end.min(run.end), id));
                    }
                    is_long
                });
            }
        }
    }

    /// The secret that equals a whole text, if it is searched for.
    pub(crate) fn known(&self, text: &str) -> Option<Id> {
        self.search.as_ref()?;
        self.id_of(text).filter(|id| self.all[*id].spreads)
    }
}

fn hash_of(value: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
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

/// A secret as it is, and in the encodings that change it. Base64 is decoded instead.
fn each_spelling(value: &str, mut each: impl FnMut(&str)) {
    each(value);
    let mut others = vec![layer::escape_json(value)];
    if value.len() <= SPELLED_UP_TO_BYTES {
        others.push(layer::percent_encode(value, UPPER_HEX));
        others.push(layer::percent_encode(value, LOWER_HEX));
    }
    others.sort_unstable();
    others.dedup();
    others.iter().filter(|other| *other != value).for_each(|other| each(other));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_equal_for_equal_secrets_only() {
        let mut secrets = Secrets::new(vec!["field".to_owned(), "url-query".to_owned()]);
        let first = secrets.id("a/secret/1", 0, "a");
        assert_eq!(secrets.id("a%2Fsecret%2F1", 1, "a"), first);
        let second = secrets.id("another-secret", 1, "a");
        assert_eq!(secrets.mask(first), "REDACTED-field-1-8to15ch");
        assert_eq!(secrets.mask(second), "REDACTED-url-query-1-8to15ch");
    }

    #[test]
    fn words_are_only_found_alone() {
        let mut secrets = Secrets::new(vec!["field".to_owned(), "url-query".to_owned()]);
        secrets.id("swordfish", 1, "a");
        secrets.id("12345670", 0, "a");
        // A value found by its name may be any word.
        secrets.id("gammon-4", 0, "a");
        secrets.prepare();
        assert_eq!(secrets.occurrences("a swordfish, swordfishes, 123456700, gammon-4").len(), 1);
        assert_eq!(secrets.occurrences("c3dvcmRmaXNo").len(), 1);
    }
}
