//! Containers and decoders: the same records mean the same in every container and to every decoder.

use serde_json::value::RawValue;

use super::log::{checked, open};
use crate::dialect::container::{Container, Shape, Wrapping};
use crate::dialect::recognize::Sample;
use crate::json::spans::{ValueEnd, is_complete};
use crate::json::token::is_json;
use crate::loader::own_sidecars;
use crate::log::{Log, Options};
use crate::replay::finding::Finding;
use crate::turn;
use crate::turn::decode::{TurnDecoder, exact};

/// The lines of an input that are JSON objects.
fn objects(input: &[u8]) -> Vec<&str> {
    let texts = input.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()).map(str::trim);
    texts.filter(|text| text.starts_with('{') && serde_json::from_str::<&RawValue>(text).is_ok()).collect()
}

pub(super) fn target(input: &[u8]) {
    let records = objects(input);
    let lines = records.join("\n");
    let Ok(log) = open(lines.as_bytes(), &Options::default()) else {
        // An array may be recognized although lines are not: then it is another dialect's.
        return;
    };
    if records.is_empty() || matches!(log.container, Container::Document(_)) {
        return;
    }
    let expected = findings(&log);
    let mut texts = vec![("blank lines", format!("{}\n\n", records.join("\r\n\r\n")))];
    // Nothing may be before a header.
    if log.head.is_none() {
        texts.push(("a byte order mark", format!("\u{feff}\n{lines}\n")));
    }
    if is_in_arrays(&log, &records) {
        texts.push(("an array", format!("[{}]", records.join(","))));
        texts.push(("a spaced array", format!(" [\n  {}\n]\n", records.join("\n  ,\n  "))));
    }
    let is_turn = log.dialect == &turn::dialect::DIALECT;
    if is_turn && log.wrapping == Wrapping::Bare {
        let wrapped = |(seq, record): (usize, &&str)| format!("{{\"seq\":{seq},\"ts_ms\":7,\"event\":{record}}}");
        let envelopes: Vec<String> = records.iter().enumerate().map(wrapped).collect();
        texts.push(("envelopes", envelopes.join("\n")));
        texts.push(("an array of envelopes", format!("[{}]", envelopes.join(","))));
    }
    for (how, text) in texts {
        let other = open(text.as_bytes(), &Options::default()).unwrap_or_else(|error| panic!("{how}: {error}"));
        assert_eq!(other.dialect, log.dialect, "{how}");
        assert_eq!(findings(&other), expected, "{how}");
    }
}

/// Whether the dialect has such records in arrays, too.
fn is_in_arrays(log: &Log, records: &[&str]) -> bool {
    let recognized = |record: &str, shape| (log.dialect.recognize)(&Sample::new(record.as_bytes(), shape));
    let is_alike = |record: &&str| match recognized(record, Shape::Lines) {
        Some(recognized_as) => recognized(record, Shape::Array) == Some(recognized_as),
        None => true,
    };
    log.head.is_none() && log.dialect.shapes.contains(&Shape::Array) && records.iter().all(is_alike)
}

/// What a log reports, without the places in its file.
fn findings(log: &Log) -> Vec<Finding> {
    let sidecars = own_sidecars(log).expect("nothing beside a log in memory");
    let mut found = checked(log, &sidecars).map(|results| results.findings).unwrap_or_default();
    found.iter_mut().for_each(|finding| finding.place = None);
    found
}

/// The fast decoder agrees with serde, whatever it has learned, and our scanners accept what serde accepts.
pub(super) fn decoders(input: &[u8]) {
    let mut decoder = TurnDecoder::default();
    let lines = || input.split(|byte| *byte == b'\n').take(200);
    for line in lines().chain(lines()) {
        assert_eq!(decoder.decode(line), exact(line), "{}", String::from_utf8_lossy(line));
        let Ok(text) = std::str::from_utf8(line) else { continue };
        let text = text.trim_matches([' ', '\t', '\r']);
        let is_value = text.starts_with(['{', '[', '"']) && serde_json::from_str::<&RawValue>(text).is_ok();
        if is_value {
            assert!(is_json(text) && is_complete(text.as_bytes()), "{text}");
            assert_eq!(ValueEnd::default().feed(text.as_bytes()), Some(text.len()), "{text}");
        }
    }
}
