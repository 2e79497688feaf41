//! Regular expressions of filters: the basis of `test`, `match`, `capture`, `scan`, `split` and `sub`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jaq_core::{Error, ValR, ValT as _};
use jaq_json::Val;
use jaq_std::ValT as _;
use regex::bytes::{Captures, Regex, RegexBuilder};

use super::meter::{draw, draw_bytes};

/// How many patterns are kept. They may come from the log, so a filter can have any number of them.
const MOST_KEPT: usize = 16;
/// The memory limit of a compiled pattern.
const SIZE_LIMIT_BYTES: usize = 1 << 20;
/// A compiled pattern above this size is heavy: searching may take time that is proportional to its size.
const LIGHT_BYTES: usize = 64 << 10;
/// What searching a byte with a heavy pattern costs, relative to a light one.
const HEAVY: usize = 16;
/// The steps that compiling a pattern counts for.
const COMPILE_STEPS: u64 = 2_000;
/// How far a search after the first one is assumed to read. Nearly all patterns stop reading soon after their match.
const AHEAD_BYTES: usize = 4096;

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
    compiled: Compiled,
}

#[derive(Clone)]
struct Compiled {
    regex: Arc<Regex>,
    /// What searching a byte costs.
    weight: usize,
}

/// The patterns of one filter, compiled once instead of once per event.
#[derive(Default)]
pub(super) struct Regexes(Mutex<Vec<Kept>>);

impl Regexes {
    /// The parts of a text: a match is an array of its groups, the text between matches is a string.
    pub(super) fn parts(&self, wanted: Wanted, input: &Val, pattern: &Val, flags: &Val) -> ValR<Val> {
        let (pattern, flag_letters) = (text(pattern)?, text(flags)?);
        let flags = Flags::of(flag_letters)?;
        let Compiled { regex, weight } = self.compiled(pattern, flag_letters)?;
        let bytes = input.try_as_utf8_bytes()?;
        draw_bytes(bytes.len() * weight);
        let (mut parts, mut from) = (Vec::new(), 0);
        let mut characters = Characters { bytes, at: 0, number: 0 };
        for captures in regex.captures_iter(bytes) {
            draw(1);
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
            // The next search.
            draw_bytes((bytes.len() - whole.end()).min(AHEAD_BYTES) * weight);
        }
        if !matches!(wanted, Wanted::Matches) {
            parts.push(input.as_sub_str(&bytes[from..]));
        }
        Ok(parts.into_iter().collect())
    }

    fn compiled(&self, pattern: &str, flags: &str) -> Result<Compiled, Error<Val>> {
        let same = |known: &&Kept| known.pattern == pattern && known.flags == flags;
        if let Some(known) = self.kept().iter().find(same) {
            return Ok(known.compiled.clone());
        }
        let compiled = compile(pattern, flags)?;
        let mut kept = self.kept();
        if kept.len() >= MOST_KEPT {
            kept.remove(0);
        }
        kept.push(Kept { pattern: pattern.to_owned(), flags: flags.to_owned(), compiled: compiled.clone() });
        Ok(compiled)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn compile(pattern: &str, flags: &str) -> Result<Compiled, Error<Val>> {
    draw(COMPILE_STEPS + pattern.len() as u64);
    let mut builder = builder(pattern, flags);
    let (built, weight) = match builder.size_limit(LIGHT_BYTES).build() {
        Err(regex::Error::CompiledTooBig(_)) => {
            draw(COMPILE_STEPS * HEAVY as u64);
            (builder.size_limit(SIZE_LIMIT_BYTES).build(), HEAVY)
        }
        built => (built, 1),
    };
    let regex = built.map_err(|error| Error::str(format_args!("invalid regex: {error}")))?;
    Ok(Compiled { regex: Arc::new(regex), weight })
}

fn builder(pattern: &str, flags: &str) -> RegexBuilder {
    let has = |letter: char| flags.contains(letter);
    let mut builder = RegexBuilder::new(pattern);
    builder
        .case_insensitive(has('i'))
        .multi_line(has('m') || has('p'))
        .dot_matches_new_line(has('s') || has('p'))
        .swap_greed(has('l'))
        .ignore_whitespace(has('x'));
    builder
}

/// A pattern that only tests, outside of the budget of a run. `None` if it is invalid or heavy, or if its flags are about
/// more than the pattern.
pub(super) fn test_pattern(pattern: &str, flags: &str) -> Option<Arc<Regex>> {
    if !flags.chars().all(|letter| "imslxp".contains(letter)) {
        return None;
    }
    builder(pattern, flags).size_limit(LIGHT_BYTES).build().ok().map(Arc::new)
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
        draw_bytes(group.len());
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
