//! Laws for any text: equal masks for equal secrets, nothing else is changed, and a second run finds nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use stepback::redact::rule::{OWN, OWN_HIDES, RULES};
use stepback::redact::{MaskOptions, Masker, Removal};

use crate::tests::corpus::{Dice, Planted, SPELLINGS, assert_gone, base64, planted, spelled};

pub(super) fn masker() -> Masker {
    Masker::new(&MaskOptions::default()).expect("our own rules")
}

fn masked(masker: &mut Masker, texts: &[String]) -> Vec<String> {
    texts.iter().for_each(|text| masker.look("a text", text.as_bytes()));
    texts
        .iter()
        .map(|text| String::from_utf8(masker.apply("a text", text.as_bytes()).into_owned()).expect("text"))
        .collect()
}

pub(super) fn one(text: &str) -> String {
    masked(&mut masker(), &[text.to_owned()]).remove(0)
}

#[test]
fn every_secret_is_masked_in_every_encoding() {
    let all = planted(&mut Dice(1));
    for how in 0..SPELLINGS {
        let texts: Vec<String> = all.iter().map(|planted| spelled(&planted.text, how)).collect();
        let mut masker = masker();
        let output = masked(&mut masker, &texts);
        for (number, (before, after)) in texts.iter().zip(&output).enumerate() {
            assert_eq!(serde_json::from_str::<Value>(before).is_ok(), serde_json::from_str::<Value>(after).is_ok());
            assert_ne!(before, after, "secret {number} ({}), spelling {how}", all[number].rule);
        }
        assert_gone(&all, output.join("\n").as_bytes());
        assert_gone(&all, serde_json::to_string(&masker.removals().collect::<Vec<_>>()).expect("JSON").as_bytes());
        assert_gone(&all, serde_json::to_string(&masker.found().collect::<Vec<_>>()).expect("JSON").as_bytes());
    }
}

#[test]
fn a_secret_is_found_by_its_own_rule() {
    for (number, planted) in planted(&mut Dice(2)).iter().enumerate() {
        let mut masker = masker();
        masked(&mut masker, std::slice::from_ref(&planted.text));
        let rules: BTreeSet<&str> = masker.removals_by_rule().into_keys().collect();
        assert!(rules.contains(planted.rule), "secret {number}: {rules:?} instead of {}", planted.rule);
    }
}

#[test]
fn a_secret_found_by_its_name_is_masked_everywhere() {
    let secret = "correct-Horse 9/battery";
    let all = [Planted { rule: "field", secret: secret.to_owned(), text: String::new() }];
    let texts = [
        json!({"Api-Key": secret}).to_string(),
        format!("no name beside {secret} here"),
        json!({"a": json!({"b": format!("x{secret}y")}).to_string()}).to_string(),
        json!({secret: 1}).to_string(),
        format!("log: {}", base64(format!("ab{secret}cd").as_bytes(), 0, false)),
        format!("/x?y={}", crate::tests::corpus::percent(secret)),
    ];
    let mut masker = masker();
    let output = masked(&mut masker, &texts);
    assert_gone(&all, output.join("\n").as_bytes());
    let masks: BTreeSet<String> = masker.removals().map(|removal| removal.mask).collect();
    assert_eq!(masks, BTreeSet::from(["REDACTED-field-1-16to31ch".to_owned()]));
    assert_eq!(output[1], "no name beside REDACTED-field-1-16to31ch here");
}

#[test]
fn masks_are_equal_only_for_equal_secrets() {
    let all = planted(&mut Dice(3));
    let texts: Vec<String> = all.iter().flat_map(|planted| [planted.text.clone(), spelled(&planted.text, 2)]).collect();
    let mut masker = masker();
    let output = masked(&mut masker, &texts);
    let mut owner: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..all.len() {
        let masks: BTreeSet<String> = masks_in(&output[2 * number]);
        assert_eq!(masks, masks_in(&output[2 * number + 1]), "secret {number} ({})", all[number].rule);
        assert!(!masks.is_empty());
        for mask in masks {
            assert_eq!(*owner.entry(mask).or_insert(number), number, "two secrets with one mask");
        }
    }
}

fn masks_in(text: &str) -> BTreeSet<String> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '-';
    text.split(|character| !is_part(character))
        // The end of a colour sequence may be before it.
        .filter_map(|word| word.find("REDACTED-").map(|at| word[at..].to_owned()))
        .collect()
}

/// Layout, order, escapes and everything else stay: putting the secrets back restores the text.
#[test]
fn nothing_but_the_secrets_is_changed() {
    let mut dice = Dice(4);
    let token = format!("ghp_{}", dice.letters("abcdefghijklmnopqrstuvwxyz0123456789", 36));
    for round in 0..200 {
        let text = document(&mut dice, &token, 3);
        let mut masker = masker();
        let output = masked(&mut masker, std::slice::from_ref(&text)).remove(0);
        let restored = masker.found().fold(output.clone(), |text, found| text.replace(&found.mask, &token));
        assert!(masker.found().len() <= 1 && !output.contains(&token), "round {round}");
        assert!(restored == text, "round {round}: something else was changed");
        assert!(serde_json::from_str::<Value>(&output).is_ok(), "round {round}");
    }
}

/// JSON in an unusual layout, with a token here and there.
fn document(dice: &mut Dice, token: &str, deep: usize) -> String {
    let blanks = [" ", "", "\n\t", "  "][dice.below(4)];
    match dice.below(if deep == 0 { 4 } else { 7 }) {
        0 => format!(r#"{blanks}"\u0061 {token}\/\ud83d\ude00 \n""#),
        1 => format!(r#""{}""#, ["plain", "é\\\\", r"\ud800 lone", ""][dice.below(4)]),
        2 => ["0", "-1.5e+3", "true", "null"][dice.below(4)].to_owned(),
        3 => Value::from(format!("{{\"x\":\"{token}\" , \"y\":1}}")).to_string(),
        4 => format!("[{blanks}{}{blanks},{}]", document(dice, token, deep - 1), document(dice, token, deep - 1)),
        5 => format!("{{\"{token}\"{blanks}:{}}}", document(dice, token, deep - 1)),
        _ => format!(
            "{{\"z\":{}{blanks},{blanks}\"a\" :{}}}",
            document(dice, token, deep - 1),
            Value::from(document(dice, token, deep - 1))
        ),
    }
    // A lone surrogate is not valid JSON for all parsers.
    .replace(r"\ud800 lone", if deep == 3 { "whole" } else { "half" })
}

#[test]
fn a_second_run_finds_nothing_more() {
    let all = planted(&mut Dice(5));
    let texts: Vec<String> =
        all.iter().flat_map(|planted| (0..SPELLINGS).map(|how| spelled(&planted.text, how))).collect();
    let first = masked(&mut masker(), &texts);
    let mut again = masker();
    let second = masked(&mut again, &first);
    for (at, (first, second)) in first.iter().zip(&second).enumerate() {
        let (number, how) = (at / SPELLINGS, at % SPELLINGS);
        assert!(first == second, "secret {number} ({}), spelling {how}", all[number].rule);
    }
    assert!(again.removals().len() == 0);
}

#[test]
fn numbers_and_lists_below_a_sensitive_name_are_masked_too() {
    let text = r#"{"password": 48151623, "tokens": 12, "secret":["first-one-x",{"value":"second-one"}], "token":{"type":"string"}}"#;
    let expected = r#"{"password": "REDACTED-field-1-8to15ch", "tokens": 12, "secret":["REDACTED-field-2-8to15ch",{"value":"REDACTED-field-3-8to15ch"}], "token":{"type":"string"}}"#;
    assert_eq!(one(text), expected);
    assert_eq!(one(r#"["--token","abc-def-1","x"]"#), r#"["--token","REDACTED-field-1-8to15ch","x"]"#);
    assert_eq!(one(r#"{"authorization":"Bearer abc"}"#), r#"{"authorization":"Bearer REDACTED-field-1-1to7ch"}"#);
}

#[test]
fn removals_name_the_place_and_never_the_secret() {
    let inner = json!({"headers": {"X-Api-Key": "abcdef-123456"}}).to_string();
    let mut masker = masker();
    masked(&mut masker, &[json!({"calls": [{"input_json": inner}]}).to_string()]);
    let removals: Vec<Removal> = masker.removals().collect();
    let [removal] = &removals[..] else { panic!("{} removals", removals.len()) };
    let listed = serde_json::to_value(removal).expect("JSON");
    let expected = json!({
        "where": "a text", "path": ".calls[0].input_json | fromjson | .headers[\"X-Api-Key\"]", "rule": "field",
        "length_class": "8-15", "mask": "REDACTED-field-1-8to15ch",
    });
    assert_eq!(listed, expected);
}

#[test]
fn requested_patterns_are_masked_and_spared_secrets_stay() {
    let options = MaskOptions { emails: true, homes: true, patterns: vec![r"ticket-(\d+)".to_owned()] };
    let mut masker = Masker::new(&options).expect("patterns");
    let text = "mail mara@example.org about ticket-40813".to_owned();
    let output = masked(&mut masker, std::slice::from_ref(&text)).remove(0);
    assert_eq!(output, "mail REDACTED-email-1-16to31ch about ticket-REDACTED-pattern-1-1-1to7ch");
    assert_eq!(one(&text), text);
    masker.spare("REDACTED-email-1-16to31ch", true);
    assert!(masker.apply("x", text.as_bytes()).starts_with(b"mail mara@example.org about ticket-REDACTED"));
    let bad = MaskOptions { patterns: vec!["a[".to_owned()], ..MaskOptions::default() };
    assert_eq!(Masker::new(&bad).err().map(|error| error.column), Some(2));
}

/// The logs and documents of this repository contain no secrets, and are full of names, hashes and code.
#[test]
fn files_without_secrets_stay_byte_for_byte() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for folder in ["fixtures/turn", "fixtures/tape", "src/replay", "src/tui", "src/log"] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
        for path in entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()) {
            let bytes = fs::read(&path).expect("a file");
            let mut masker = masker();
            masker.look("a file", &bytes);
            let is_same = *masker.apply("a file", &bytes) == *bytes;
            assert!(is_same, "{}: {:?}", path.display(), masker.removals().collect::<Vec<_>>());
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} files");
}

#[test]
fn the_documentation_lists_every_rule() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/redaction.md");
    let page = fs::read_to_string(page).expect("docs/redaction.md");
    let part = page.split_once("<!-- redact:begin -->").and_then(|(_, rest)| rest.split_once("<!-- redact:end -->"));
    let rows = RULES.iter().map(|rule| (rule.name, rule.hides)).chain([(OWN, OWN_HIDES)]);
    let rows: String = rows.map(|(name, hides)| format!("| `{name}` | {hides} |\n")).collect();
    let expected = format!("| rule | hides |\n| --- | --- |\n{rows}");
    assert_eq!(part.expect("marks").0.replace("\r\n", "\n").trim(), expected.trim());
}
