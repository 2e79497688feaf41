//! Values of an event, borrowed from its text.

use std::borrow::Cow;

use jaq_json::{Val, read};

use super::super::limits::clean_json;
use crate::json::byte_index::IndexedText;
use crate::json::scan::Scanner;
use crate::replay::source::range_within;

/// Longer texts are left to the filter, whose budget they may exceed.
const MOST_TEXT_BYTES: usize = 64 << 10;

/// Why there is no value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The filter must be run.
    Unsure,
    /// The term has no output.
    Empty,
}

/// The text of an event, with the index of its chunk if there is one.
#[derive(Clone, Copy)]
pub(in super::super) struct EventText<'e> {
    pub text: &'e str,
    pub indexed: Option<IndexedText<'e>>,
}

impl<'e> EventText<'e> {
    fn scanner(&self, part: &'e str) -> Scanner<'e> {
        match self.indexed {
            Some(IndexedText { text, index, from }) => {
                let from = from + range_within(text.as_bytes(), part.as_bytes()).start;
                Scanner::indexed(IndexedText { text: part, index, from })
            }
            None => Scanner::new(part),
        }
    }

    /// The member of an object with this key. If the key is repeated, the last member counts.
    pub(super) fn member(&self, object: &'e str, key: &str) -> Result<Option<&'e str>, Stop> {
        let mut found = None;
        self.members(object, &mut |name, value| {
            if name == key {
                found = Some(value);
            }
        })
        .ok_or(Stop::Unsure)?;
        Ok(found)
    }

    fn members(&self, object: &'e str, see: &mut dyn FnMut(&str, &'e str)) -> Option<()> {
        let mut scanner = self.scanner(object);
        scanner.skip_blanks();
        scanner.take(b'{')?;
        if scanner.peek()? == b'}' {
            return Some(());
        }
        loop {
            let key = scanner.key()?;
            see(key, value(&mut scanner, object)?);
            if !scanner.more(b'}')? {
                return Some(());
            }
        }
    }

    /// The elements of a list.
    pub(super) fn items(&self, list: &'e str) -> Option<Vec<&'e str>> {
        let mut scanner = self.scanner(list);
        let mut items = Vec::new();
        scanner.skip_blanks();
        scanner.take(b'[')?;
        if scanner.peek()? == b']' {
            return Some(items);
        }
        loop {
            items.push(value(&mut scanner, list)?);
            if !scanner.more(b']')? {
                return Some(items);
            }
        }
    }
}

/// The text of the value at the scanner.
fn value<'e>(scanner: &mut Scanner<'e>, text: &'e str) -> Option<&'e str> {
    let from = scanner.at();
    scanner.skip_value()?;
    text.get(from..scanner.at())
}

/// The inside of a string literal, if it has no escapes.
pub(super) fn plain_text(json: &str) -> Option<&[u8]> {
    let inside = json.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let is_plain = inside.len() <= MOST_TEXT_BYTES && memchr::memchr(b'\\', inside).is_none();
    is_plain.then_some(inside)
}

/// The value of a text.
pub(super) fn parsed(json: &str) -> Result<Val, Stop> {
    if let Some(whole) = small_number(json) {
        return Ok(Val::from(whole));
    }
    let clean = clean_json(json.as_bytes()).map_err(|_| Stop::Unsure)?;
    match &clean {
        Cow::Borrowed(clean) => read::parse_single(clean).map_err(|_| Stop::Unsure),
        Cow::Owned(_) => Err(Stop::Unsure),
    }
}

/// A whole number that is certainly small and has no other spelling.
fn small_number(json: &str) -> Option<isize> {
    let digits = json.as_bytes();
    let is_plain = (1..=15).contains(&digits.len()) && (digits[0] != b'0' || digits.len() == 1);
    if !is_plain || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |number, digit| number * 10 + isize::from(digit - b'0')))
}

/// The bytes of a text value.
pub(super) fn text_of(value: &Val) -> Option<&[u8]> {
    match value {
        Val::TStr(text) => Some(text).filter(|text| text.len() <= MOST_TEXT_BYTES).map(|text| &text[..]),
        _ => None,
    }
}
