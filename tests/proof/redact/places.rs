//! Secrets in realistic places, in every spelling, and ordinary texts beside them.

use super::laws::masker;
use crate::tests::corpus::{Dice, SPELLINGS, spelled};
use crate::tests::secrets::{ORDINARY, SECRETS, secrets};

/// The places where something is left, never the secrets. No two places share a secret.
fn left(spell: impl Fn(&str) -> String) -> Vec<&'static str> {
    let all = secrets(&mut Dice(41));
    let mut masker = masker();
    let texts: Vec<String> = all.iter().map(|(text, _)| spell(text)).collect();
    texts.iter().for_each(|text| masker.look("a text", text.as_bytes()));
    let mut left = Vec::new();
    for (((form, _), (_, parts)), text) in SECRETS.iter().zip(&all).zip(&texts) {
        let output = masker.apply("a text", text.as_bytes());
        if parts.iter().any(|part| memchr::memmem::find(&output, part.as_bytes()).is_some()) {
            left.push(*form);
        }
    }
    left
}

#[test]
fn no_secret_is_left_in_its_place() {
    let failed = left(str::to_owned);
    assert!(failed.is_empty(), "{} of {}: {failed:#?}", failed.len(), SECRETS.len());
}

#[test]
fn no_secret_is_left_in_a_sentence_or_a_script() {
    let failed = left(|text| format!("#!/bin/sh\nset -e\n{text}\necho done\n"));
    assert!(failed.is_empty(), "{} of {}: {failed:#?}", failed.len(), SECRETS.len());
}

#[test]
fn no_secret_is_left_in_any_spelling() {
    for how in 1..SPELLINGS {
        let failed = left(|text| spelled(text, how));
        assert!(failed.is_empty(), "spelling {how}, {} of {}: {failed:#?}", failed.len(), SECRETS.len());
    }
}

#[test]
fn ordinary_texts_stay() {
    let mut masker = masker();
    ORDINARY.iter().for_each(|text| masker.look("a text", text.as_bytes()));
    let mut masked = |text: &str| String::from_utf8_lossy(&masker.apply("a text", text.as_bytes())).into_owned();
    let changed: Vec<String> = ORDINARY
        .iter()
        .map(|text| masked(text))
        .zip(ORDINARY)
        .filter(|(output, text)| output != text)
        .map(|(output, _)| output)
        .collect();
    assert!(changed.is_empty(), "{changed:#?}");
}
