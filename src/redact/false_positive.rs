//! A second look at matches of the rules' patterns: rejects placeholders, code and other false positives.

use std::ops::Range;

use regex::Captures;

use super::layer;
use super::name::{is_folder, is_no_secret, is_sensitive, is_sensitive_in_query};

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

/// Code and prose are full of sensitive names that are followed by something harmless.
pub(crate) fn assignment(found: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    let (Some(name), Some(between)) = (found.get(1), found.get(2)) else { return false };
    if secret == name.range() || secret == between.range() {
        return false;
    }
    let value = &text[secret.clone()];
    let short_name = name.as_str();
    let short_name = &short_name[short_name.len().saturating_sub(64)..];
    let bare_name = short_name.trim_start_matches(['-', '.', '_']);
    if is_no_secret(value) || !is_sensitive(bare_name) || is_folder(bare_name, value) || is_placeholder(text, &secret) {
        return false;
    }
    let is_quoted = found.get(3).or(found.get(4)).is_some();
    let sign = between.as_str().trim();
    if sign.is_empty() {
        let is_flag = short_name.starts_with('-') || text[..name.start()].ends_with('-');
        return is_flag && !value.starts_with('-');
    }
    if is_quoted {
        // An unclosed quote may end an earlier string: `"token=" + name`.
        let is_closed = matches!(text.as_bytes().get(secret.end), Some(b'"' | b'\''));
        return is_closed || !value.starts_with([' ', ')', ',', '+', ';', '.']);
    }
    if between.as_str().contains('\n') {
        return is_on_its_own_line(text, name.start(), &secret) && sign == ":" && value.len() >= 6 && digits(value);
    }
    // `next(…)` and `parts[0]`.
    let is_indexed = value
        .split_once('[')
        .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_.".contains(&byte)));
    let is_called =
        matches!(text.as_bytes().get(secret.end), Some(b'(' | b'[')) || (is_indexed && !is_of_a_shell(short_name));
    let last = value.rsplit('.').next().unwrap_or(value);
    let is_path = !digits(value) && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:*&".contains(&byte));
    if is_called || (is_path && is_sensitive(last)) || (value.starts_with('(') && !is_of_a_shell(short_name)) {
        return false;
    }
    let is_tight = sign == between.as_str() && sign == "=";
    if is_tight { !(is_path && value.contains('.')) } else { value.len() >= 6 && digits(value) }
}

/// A variable or a placeholder of a template: `%s`, `${…}`, `{{ … }}`, `$(…)`.
fn is_placeholder(text: &str, secret: &Range<usize>) -> bool {
    let value = &text[secret.clone()];
    let is_small = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let rest = &text.as_bytes()[secret.start..text.len().min(secret.end + FOLLOWED_BYTES)];
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_closed = |open: &str, close: u8| line.starts_with(open.as_bytes()) && line.contains(&close);
    value.strip_prefix('$').is_some_and(is_small)
        || (value.len() == 2 && value.starts_with('%'))
        || is_closed("${", b'}')
        || is_closed("{{", b'}')
        || is_closed("$(", b')')
}

/// As in YAML: there is nothing before the name, and nothing after the value.
fn is_on_its_own_line(text: &str, name: usize, secret: &Range<usize>) -> bool {
    let before = text[..name].bytes().rev().take(FOLLOWED_BYTES).take_while(|byte| *byte != b'\n');
    let mut after = text[secret.end..].bytes();
    before.into_iter().all(|byte| b" \t-\"'".contains(&byte))
        && matches!(after.next(), None | Some(b'\n' | b'\r'))
        && !text[secret.clone()].ends_with(':')
}

fn is_of_a_shell(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The value of a shell variable, or of a line of settings, extends to the next blank, whatever is in it.
pub(crate) fn widened(found: &Captures<'_>, text: &str, secret: &Range<usize>) -> Option<Range<usize>> {
    let (name, between) = (found.get(1)?, found.get(2)?);
    let before = text[..name.start()].bytes().next_back();
    let is_line = matches!(before, None | Some(b'\n'));
    let is_variable = is_of_a_shell(name.as_str()) && (is_line || matches!(before, Some(b' ' | b'\t')));
    if between.as_str() != "=" || found.get(5).is_none() || !(is_variable || is_line) {
        return None;
    }
    let most = (secret.end + FOLLOWED_BYTES).min(text.len());
    let most = (secret.end..=most).rev().find(|at| text.is_char_boundary(*at))?;
    let rest = &text[secret.end..most];
    let mut end = 0;
    let mut letters = rest.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        // An escaped quote ends a string around all of this.
        let is_end = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '"';
        let is_last =
            is_end(letter) || (letter == '\\' && letters.peek().is_none_or(|(_, next)| is_end(*next) || *next == '\\'));
        if is_last {
            break;
        }
        end = at + letter.len_utf8();
    }
    let more = rest[..end].trim_end_matches(['\'', ',', ';', ')', ']', '}', '&', '|', '<', '>']);
    // Code that begins a line, such as `token=next(x)`.
    let is_code = !is_variable && more.contains('(');
    (!more.is_empty() && !is_code).then(|| secret.start..secret.end + more.len())
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
