//! Redaction: secrets are masked before a log is shared.
//!
//! Two interfaces:
//!
//! - [`Masker`] (in [`mask`]) is what sharing uses: it looks at everything once, then masks everything, in every spelling
//!   of a secret. [`rule`] is the table of what counts as a secret and [`compiled`] its search, [`false_positive`] a second
//!   look at what patterns match. [`name`] has the names whose values are secrets, [`value`] what values look like,
//!   [`assignment`] names and values in texts, [`client`] the options of programs, [`prefix`] the prefixes of tokens.
//!   [`secret`] keeps what was found (in [`texts`]), and [`search`] finds it again. [`pass`] goes over a text and [`members`] over JSON,
//!   through every [`layer`] of encoding; the results are [`replacement`]s. [`streamed`] finds secrets that are split over
//!   several events, [`loose`] those in text between the records. [`rehash`] is what a dialect does whose records name bytes by their hash.
//! - [`redact()`] is older and simpler, for documents that are compared with those of the reference. It has two sets of
//!   rules: those of the reference mask the first occurrence of each key in a text and treat JSON inside a string as
//!   plain text; ours mask every occurrence and look into JSON inside a string.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod assignment;
pub(crate) mod client;
pub(crate) mod compiled;
pub(crate) mod false_positive;
pub(crate) mod layer;
pub(crate) mod loose;
pub(crate) mod mask;
pub(crate) mod members;
pub(crate) mod memo;
pub(crate) mod name;
pub(crate) mod pass;
pub(crate) mod prefix;
pub(crate) mod rehash;
pub(crate) mod replacement;
pub(crate) mod rule;
pub(crate) mod search;
pub(crate) mod secret;
pub(crate) mod streamed;
pub(crate) mod texts;
pub(crate) mod value;

pub(crate) use compiled::BadPattern;
pub(crate) use mask::{MaskOptions, Masker, Removal};

use std::collections::BTreeSet;

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentRules {
    Reference,
    Thorough,
}

const MASK: &str = "[REDACTED]";
const FIELDS: [&str; 6] = ["api_key", "authorization", "token", "secret", "password", "access_token"];
const INLINE_KEYS: [&str; 6] = ["api_key=", "apikey=", "api-key=", "token=", "secret=", "password="];
const BEARER: &str = "bearer";
/// A shorter text after `bearer` is taken for a word.
const BEARER_TOKEN_FROM_BYTES: usize = 8;

/// Redacts every string of `value` in place; `hit` collects the rules that fired.
pub(crate) fn redact(value: &mut Value, rules: DocumentRules, hit: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => redact_text(text, rules, hit),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, rules, hit)),
        Value::Object(members) => {
            for (key, member) in members {
                let name = key.to_ascii_lowercase();
                match member {
                    Value::String(text) if FIELDS.contains(&name.as_str()) => {
                        if !text.is_empty() {
                            MASK.clone_into(text);
                            hit.insert(format!("field:{name}"));
                        }
                    }
                    member => redact(member, rules, hit),
                }
            }
        }
        _ => {}
    }
}

fn redact_text(text: &mut String, rules: DocumentRules, hit: &mut BTreeSet<String>) {
    if rules == DocumentRules::Thorough
        && text.trim_start().starts_with(['{', '['])
        && let Ok(mut inner) = serde_json::from_str::<Value>(text)
    {
        let mut inside = BTreeSet::new();
        redact(&mut inner, rules, &mut inside);
        if !inside.is_empty() {
            *text = inner.to_string();
            hit.extend(inside);
        }
        return;
    }
    let mut redacted = hide_bearers(text);
    for key in INLINE_KEYS {
        redacted = match rules {
            DocumentRules::Reference => hide_first(&redacted, key),
            DocumentRules::Thorough => hide_all(&redacted, key),
        };
    }
    if redacted != *text {
        *text = redacted;
        hit.insert("inline_secret".to_owned());
    }
}

fn hide_bearers(text: &str) -> String {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+/=".contains(byte);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = find_ignoring_case(rest, BEARER) {
        let after = &rest[found + BEARER.len()..];
        let value = after.trim_start();
        let length = value.bytes().take_while(|byte| is_token(byte)).count();
        if value.len() < after.len() && length >= BEARER_TOKEN_FROM_BYTES {
            out.push_str(&rest[..found]);
            out.push_str("Bearer ");
            out.push_str(MASK);
            rest = &value[length..];
        } else {
            out.push_str(&rest[..found + BEARER.len()]);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// Like the reference: searches a lower-cased copy and cuts the original at that position.
fn hide_first(text: &str, key: &str) -> String {
    let start = match text.to_lowercase().find(key) {
        Some(found) => found + key.len(),
        None => return text.to_owned(),
    };
    let Some(value) = text.get(start..) else { return text.to_owned() };
    match value_length(value) {
        0 => text.to_owned(),
        length => format!("{}{MASK}{}", &text[..start], &value[length..]),
    }
}

fn hide_all(text: &str, key: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = find_ignoring_case(rest, key) {
        let (before, value) = rest.split_at(found + key.len());
        let length = value_length(value);
        out.push_str(before);
        if length > 0 {
            out.push_str(MASK);
        }
        rest = &value[length..];
    }
    out.push_str(rest);
    out
}

fn value_length(value: &str) -> usize {
    value
        .find(|character: char| character.is_whitespace() || matches!(character, '&' | '"' | ',' | '}'))
        .unwrap_or(value.len())
}

/// Compares ASCII letters only, so that the position is valid in the original text.
fn find_ignoring_case(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len()).position(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(rules: DocumentRules, value: Value, expected: Value, hits: &[&str]) {
        let (mut value, mut hit) = (value, BTreeSet::new());
        redact(&mut value, rules, &mut hit);
        assert_eq!(value, expected);
        assert!(hit.iter().map(String::as_str).eq(hits.iter().copied()), "{hit:?}");
    }

    #[test]
    fn every_occurrence_is_masked_where_the_reference_stops_at_the_first() {
        let text = json!("password=one password=two");
        check(DocumentRules::Reference, text.clone(), json!("password=[REDACTED] password=two"), &["inline_secret"]);
        check(DocumentRules::Thorough, text, json!("password=[REDACTED] password=[REDACTED]"), &["inline_secret"]);
    }

    #[test]
    fn json_inside_a_string_is_searched() {
        let input = json!({"input_json": r#"{"api_key":"zzz","q":"bearer abcdefgh1"}"#});
        let expected = json!({"input_json": r#"{"api_key":"[REDACTED]","q":"Bearer [REDACTED]"}"#});
        check(DocumentRules::Thorough, input, expected, &["field:api_key", "inline_secret"]);
    }

    #[test]
    fn letters_whose_case_changes_their_length_do_not_shift_the_cut() {
        let text = json!("İİİ token=abc");
        check(DocumentRules::Thorough, text, json!("İİİ token=[REDACTED]"), &["inline_secret"]);
    }

    #[test]
    fn harmless_text_is_left_alone() {
        for text in ["bearer short", "token=", "a token of thanks"] {
            check(DocumentRules::Thorough, json!(text), json!(text), &[]);
        }
    }
}
