//! Input that was crafted to break redaction, or to make it slow.

use super::laws::masker;
use crate::tests::shapes::SHAPES;

/// Their cost is measured by `benches/redact.rs`.
#[test]
fn nothing_panics() {
    for shape in SHAPES {
        let bytes = shape(20_000);
        let mut masker = masker();
        masker.look("hostile", &bytes);
        assert!(!masker.apply("hostile", &bytes).is_empty());
    }
}

#[test]
fn each_of_many_secrets_is_found() {
    let line = |n: usize| format!("{{\"token\":\"tok-{n:08}-x\",\"text\":\"again tok-{n:08}-x\"}}");
    let mut masker = masker();
    let lines: Vec<String> = (0..5_000).map(line).collect();
    lines.iter().for_each(|line| masker.look("a line", line.as_bytes()));
    let masked = lines.iter().map(|line| masker.apply("a line", line.as_bytes()).into_owned());
    let left = masked.filter(|line| memchr::memmem::find(line, b"tok-0").is_some()).count();
    assert_eq!(left, 0);
    assert_eq!(masker.found().len(), 5_000);
}

#[test]
fn secrets_between_binary_bytes_are_found() {
    let mut masker = masker();
    let bytes = b"\xff\xfe password=hunter2-hunter2 \xc3(\x80\nraw hunter2-hunter2\xf0";
    masker.look("bytes", br#"{"a":"\ud800 password=hunter2-hunter2"}"#);
    masker.look("bytes", bytes);
    let masked = masker.apply("bytes", bytes).into_owned();
    assert!(memchr::memmem::find(&masked, b"hunter2").is_none());
    assert!(masked.starts_with(b"\xff\xfe password=REDACTED-") && masked.ends_with(b"ch\xf0"));
    assert_eq!(masker.found().len(), 1);
}

#[test]
fn a_common_word_stays_without_a_sensitive_name() {
    let mut masker = masker();
    let text =
        br#"{"password":"success","outcome":"success","text":"a success","kind":"swordfish","token":"swordfish"}"#;
    masker.look("x", text);
    let masked = masker.apply("x", text).into_owned();
    let expected = r#"{"password":"REDACTED-field-1-1to7ch","outcome":"success","text":"a success","kind":"swordfish","token":"REDACTED-field-2-8to15ch"}"#;
    assert_eq!(String::from_utf8_lossy(&masked), expected);
}
