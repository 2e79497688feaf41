//! Input that was made to break something, or to take forever.

use std::time::{Duration, Instant};

use super::laws::masker;

/// Texts that grow with a number and hold no secret of their own.
const SHAPES: [fn(usize) -> Vec<u8>; 20] = [
    |n| b"[".repeat(n),
    |n| [b"[".repeat(n), b"]".repeat(n)].concat(),
    |n| [br#"{"a":"#.repeat(n / 5), b"1".to_vec(), b"}".repeat(n / 5)].concat(),
    |n| b"\\".repeat(n),
    |n| format!("\"{}\"", "\\\\".repeat(n / 2)).into_bytes(),
    |n| b"%25".repeat(n / 3),
    |n| b"QUFB".repeat(n / 4),
    |n| b"\xff{\"".repeat(n / 3),
    |n| b"password".repeat(n / 8),
    |n| b"token= ".repeat(n / 7),
    |n| b"-----BEGIN PRIVATE KEY-----".repeat(n / 27),
    |n| b"a://b:c".repeat(n / 7),
    |n| b"{}\n[\n".repeat(n / 5),
    |n| br"\ud800\u".repeat(n / 8),
    |n| b"\x1b[3\x1b[0m2m".repeat(n / 11),
    |n| br"\\x1b[1m\x1b[".repeat(n / 14),
    |n| b"PASSWORD=a,".repeat(n / 11),
    |n| b"token:\n \"\\".repeat(n / 10),
    |n| b"a://b:c@".repeat(n / 8),
    |n| [br#"[{"value":"x1","#.to_vec(), br#""name":"token","#.repeat(n / 15), br#""z":1}]"#.to_vec()].concat(),
];

#[test]
fn nothing_panics_and_time_grows_with_the_text() {
    let time = |bytes: &[u8]| {
        let begin = Instant::now();
        let mut masker = masker();
        masker.look("hostile", bytes);
        let length = masker.apply("hostile", bytes).len();
        assert!(length > 0);
        begin.elapsed()
    };
    for (number, shape) in SHAPES.iter().enumerate() {
        let (short, long) = (time(&shape(20_000)), time(&shape(160_000)));
        // Eight times the text; other work on the machine may take its share too.
        let most = short * 8 * 5 + Duration::from_secs(2);
        assert!(long < most, "shape {number}: {short:?}, then {long:?}");
    }
}

#[test]
fn many_secrets_take_no_longer_each() {
    let line = |n: usize| format!("{{\"token\":\"tok-{n:08}-x\",\"text\":\"again tok-{n:08}-x\"}}");
    let begin = Instant::now();
    let mut masker = masker();
    let lines: Vec<String> = (0..5_000).map(line).collect();
    lines.iter().for_each(|line| masker.look("a line", line.as_bytes()));
    let masked = lines.iter().map(|line| masker.apply("a line", line.as_bytes()).into_owned());
    let left = masked.filter(|line| memchr::memmem::find(line, b"tok-0").is_some()).count();
    assert_eq!(left, 0);
    assert_eq!(masker.found().len(), 5_000);
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn secrets_between_bytes_that_are_no_text_are_found() {
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
fn a_common_word_stays_where_no_name_tells() {
    let mut masker = masker();
    let text =
        br#"{"password":"success","outcome":"success","text":"a success","kind":"swordfish","token":"swordfish"}"#;
    masker.look("x", text);
    let masked = masker.apply("x", text).into_owned();
    let expected = r#"{"password":"REDACTED-field-1-1to7ch","outcome":"success","text":"a success","kind":"swordfish","token":"REDACTED-field-2-8to15ch"}"#;
    assert_eq!(String::from_utf8_lossy(&masked), expected);
}
