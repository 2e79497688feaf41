//! A second look at matches of the rules' patterns: rejects placeholders, code and other false positives.

use std::ops::Range;

use regex::Captures;

use super::name::{is_sensitive, is_sensitive_in_query};
use super::value::{is_no_secret, is_random};
use super::{layer, prefix};

/// How far a value is followed beyond its match. Bounded, since a text may hold many matches in a row.
const FOLLOWED_BYTES: usize = 512;

pub(crate) fn always(_: &Captures<'_>, _: &str, _: Range<usize>) -> bool {
    true
}

fn digits(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

pub(crate) fn has_digit(_: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    digits(&text[secret])
}

/// A word after `bearer` is mostly prose.
pub(crate) fn long_or_digit(_: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    secret.len() >= 24 || digits(&text[secret])
}

pub(crate) fn query(found: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    let name = &found[1];
    found.get(2).is_some_and(|value| value.range() == secret)
        && is_sensitive_in_query(name)
        && (is_sensitive(name) || secret.len() >= 16)
        && !is_no_secret(&text[secret])
}

pub(crate) fn basic(_: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    layer::base64_text(&text[secret]).is_some_and(|(text, _)| text.contains(':'))
}

pub(crate) fn header(found: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    let value = &text[secret.clone()];
    let is_value = found.get(2).is_some_and(|group| group.range() == secret);
    is_value && if found.get(1).is_some() { value.contains('=') } else { value.len() >= 16 || digits(value) }
}

/// A port and a path after it may hold an `@`, too.
pub(crate) fn url_credentials(found: &Captures<'_>, _: &str, _: Range<usize>) -> bool {
    let is_port = |value: &str| {
        value.split(['/', '?', '#']).next().is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
    };
    !found.get(2).is_some_and(|value| is_port(value.as_str()))
}

/// Words follow a prefix in code and prose, too.
pub(crate) fn token(_: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    prefix::is_token(&text[secret])
}

/// A long value, or one that is not a word.
pub(crate) fn signature(_: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    digits(&text[secret])
}

/// The last field of a line of `.pgpass`, or the password before a host.
pub(crate) fn not_a_word(_: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    let value = &text[secret];
    !is_no_secret(value) && (digits(value) || is_random(value))
}

/// A value before the member that names it.
pub(crate) fn named_after(found: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    found.get(1).is_some_and(|value| value.range() == secret)
        && found.get(2).is_some_and(|name| is_sensitive(name.as_str()))
        && !is_no_secret(&text[secret])
}

/// The user's name before a password is not a secret, and neither are user and group numbers.
pub(crate) fn login(found: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    let is_group = |number: usize| found.get(number).is_some_and(|group| group.range() == secret);
    let value = &text[secret.clone()];
    if is_no_secret(value) || is_group(1) {
        return false;
    }
    if is_group(2) {
        let from = secret.start.saturating_sub(FOLLOWED_BYTES);
        let before = text.as_bytes()[from..secret.start].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let calls = |program: &[u8]| memchr::memmem::find(before, program).is_some();
        return calls(b"curl") || calls(b"wget") || calls(b"http");
    }
    // Prose uses both words, too, but without such a value after them.
    !is_group(6) || digits(value)
}
