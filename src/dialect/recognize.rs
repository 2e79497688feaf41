//! Recognizing a dialect by its records: the input and the result of a recognizer.

use std::borrow::Cow;

use super::container::{Shape, Wrapping};
use crate::json::spans::{member, top_level_keys};

/// A record from the start of a file. It may be cut off.
pub(crate) struct Sample<'a> {
    bytes: &'a [u8],
    keys: Vec<Cow<'a, str>>,
    shape: Shape,
}

impl<'a> Sample<'a> {
    pub(crate) fn new(bytes: &'a [u8], shape: Shape) -> Sample<'a> {
        let bytes = bytes.trim_ascii_start();
        Sample { bytes, keys: top_level_keys(bytes), shape }
    }

    /// The arrangement of the records in the file, as far as it is known.
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn keys(&self) -> &[Cow<'a, str>] {
        &self.keys
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|own| own == key)
    }

    /// Whether it is a JSON array instead of an object.
    pub(crate) fn is_array(&self) -> bool {
        self.bytes.starts_with(b"[")
    }

    /// The text of a member that is a string without escapes.
    pub(crate) fn word(&self, key: &str) -> Option<&'a str> {
        let inside = member(self.bytes, key)?.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        std::str::from_utf8(inside).ok().filter(|word| !word.contains('\\'))
    }

    /// The value of a member, such as the event in an envelope.
    pub(crate) fn inner(&self, key: &str) -> Option<Sample<'a>> {
        member(self.bytes, key).map(|value| Sample::new(value, self.shape))
    }
}

/// How certain a dialect is that a record is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// It may be a damaged record of this dialect; any other answer wins.
    Guess,
    /// It looks like one, but another dialect's records may look the same.
    Likely,
    /// No other dialect has such records.
    Sure,
}

/// A dialect's answer about a record that may be its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recognized {
    pub certainty: Certainty,
    pub wrapping: Wrapping,
    /// Whether it is the line before the records, not a record.
    pub is_head: bool,
}

impl Recognized {
    pub(crate) const HEAD: Recognized =
        Recognized { certainty: Certainty::Sure, wrapping: Wrapping::Bare, is_head: true };

    pub(crate) fn event(certainty: Certainty, wrapping: Wrapping) -> Recognized {
        Recognized { certainty, wrapping, is_head: false }
    }
}
