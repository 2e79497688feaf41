//! Regular expressions of filters: the basis of `test`, `match`, `capture`, `scan`, `split` and `sub`.

use std::sync::{Arc, Mutex, PoisonError};

use jaq_core::{Error, ValR, ValT as _};
use jaq_json::Val;
use jaq_std::ValT as _;
use regex::bytes::{Captures, Regex, RegexBuilder};

/// How many patterns are kept. They may come from the log, so a filter can have any number of them.
const MOST_KEPT: usize = 16;
/// The memory limit of a compiled pattern.
const SIZE_LIMIT_BYTES: usize = 1 << 20;

/// The parts of a text that a function of jq's standard library needs.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    Matches,
    Between,
    Both,
}

/// The jq flags about all matches; the other flags belong to the pattern.
#[derive(Clone, Copy, Default)]
struct Flags {
    global: bool,
    skips_empty: bool,
}

struct Kept {
    pattern: String,
    flags: String,
    regex: Arc<Regex>,
}

/// The patterns of one filter, compiled once instead of once per event.
#[derive(Default)]
pub(super) struct Regexes(Mutex<Vec<Kept>>);

impl Regexes {
    /// The parts of a text: a match is an array of its groups, the text between matches is a string.
    pub(super) fn parts(&self, wanted: Wanted, input: &Val, pattern: &Val, flags: &Val) -> ValR<Val> {
        let (pattern, flag_letters) = (text(pattern)?, text(flags)?);
        let flags = Flags::of(flag_letters)?;
        let regex = self.compiled(pattern, flag_letters)?;
        let bytes = input.try_as_utf8_bytes()?;
        let (mut parts, mut from) = (Vec::new(), 0);
        let mut characters = Characters { bytes, at: 0, number: 0 };
        for captures in regex.captures_iter(bytes) {
            let Some(whole) = captures.get(0).filter(|whole| !(flags.skips_empty && whole.is_empty())) else {
                continue;
            };
            if !matches!(wanted, Wanted::Matches) {
                parts.push(input.as_sub_str(&bytes[from..whole.start()]));
                from = whole.end();
            }
            if !matches!(wanted, Wanted::Between) {
                parts.push(groups(input, &regex, &captures, &mut characters)?);
            }
            if !flags.global {
                break;
            }
        }
        if !matches!(wanted, Wanted::Matches) {
            parts.push(input.as_sub_str(&bytes[from..]));
        }
        Ok(parts.into_iter().collect())
    }

    fn compiled(&self, pattern: &str, flags: &str) -> Result<Arc<Regex>, Error<Val>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter().find(|known| known.pattern == pattern && known.flags == flags) {
            return Ok(Arc::clone(&known.regex));
        }
        let has = |letter: char| flags.contains(letter);
        let built = RegexBuilder::new(pattern)
            .case_insensitive(has('i'))
            .multi_line(has('m') || has('p'))
            .dot_matches_new_line(has('s') || has('p'))
            .swap_greed(has('l'))
            .ignore_whitespace(has('x'))
            .size_limit(SIZE_LIMIT_BYTES)
            .build();
        let regex = Arc::new(built.map_err(|error| Error::str(format_args!("invalid regex: {error}")))?);
        if kept.len() == MOST_KEPT {
            kept.remove(0);
        }
        kept.push(Kept { pattern: pattern.to_owned(), flags: flags.to_owned(), regex: Arc::clone(&regex) });
        Ok(regex)
    }
}

impl Flags {
    fn of(letters: &str) -> Result<Flags, Error<Val>> {
        match letters.chars().find(|letter| !"gnimslxp".contains(*letter)) {
            Some(letter) => Err(Error::str(format_args!("invalid regex flag: {letter}"))),
            None => Ok(Flags { global: letters.contains('g'), skips_empty: letters.contains('n') }),
        }
    }
}

fn text(value: &Val) -> Result<&str, Error<Val>> {
    std::str::from_utf8(value.try_as_utf8_bytes()?).map_err(Error::str)
}

/// Every group of a match: its position in characters, its text and its name.
fn groups(input: &Val, regex: &Regex, captures: &Captures<'_>, characters: &mut Characters<'_>) -> ValR<Val> {
    let taken = captures.iter().zip(regex.capture_names()).filter_map(|(group, name)| Some((group?, name)));
    let object = |(group, name): (regex::bytes::Match<'_>, Option<&str>)| {
        let length = String::from_utf8_lossy(group.as_bytes()).chars().count();
        let key = |key: &str| Val::from(key.to_owned());
        let mut members = vec![
            (key("offset"), Val::from(characters.before(group.start()))),
            (key("length"), Val::from(length)),
            (key("string"), input.as_sub_str(group.as_bytes())),
        ];
        members.extend(name.map(|name| (key("name"), Val::from(name.to_owned()))));
        Val::from_map(members)
    };
    taken.map(object).collect()
}

/// Counts characters up to a byte, from the last position on.
struct Characters<'b> {
    bytes: &'b [u8],
    at: usize,
    number: usize,
}

impl Characters<'_> {
    fn before(&mut self, byte: usize) -> usize {
        if byte < self.at {
            (self.at, self.number) = (0, 0);
        }
        self.number += String::from_utf8_lossy(&self.bytes[self.at..byte]).chars().count();
        self.at = byte;
        self.number
    }
}
