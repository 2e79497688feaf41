//! Event tapes against recorded results: loading, facts, findings, and writing them again.
//!
//! The samples are in `tests/conformance/tape`. `STEPBACK_TAPES` names a folder with more samples.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::tests::tapes::{all, folders, json, load};
use proptest::prelude::*;
use serde_json::Value;
use stepback::tape::checker::check_tape;
use stepback::tape::event::{Line, Phase, Record};
use stepback::tape::facts::Facts;
use stepback::tape::kind::{ClockSource, Kind, LlmCall};
use stepback::tape::payload::Payload;
use stepback::tape::store::PayloadStore;
use stepback::tape::stored::Payloads;
use stepback::tape::stored::Stored;
use stepback::tape::whole::{Newer, Tape};

#[test]
fn files_that_are_not_tapes_are_rejected_with_the_reference_message() {
    for folder in folders() {
        let expected: BTreeMap<String, String> =
            serde_json::from_value(json(&folder.join("load-errors.json"))).expect("a table");
        assert!(!expected.is_empty());
        for (name, error) in expected {
            let bytes = fs::read(folder.join(&name)).expect("a sample");
            let met = Tape::read(&bytes, &name, Newer::Refused).expect_err(&name).to_string();
            assert_eq!(met, error);
        }
    }
}

#[test]
fn facts_equal_the_recorded_ones() {
    for (folder, name) in
        all(".expect.json").iter().filter(|(_, name)| !["pairs", "annotations"].contains(&name.as_str()))
    {
        let mut expected = json(&folder.join(format!("{name}.expect.json")));
        let expected = expected.as_object_mut().expect("an object");
        expected.remove("tape");
        expected.remove("upstream_cas_loaded");
        let (tape, stored) = load(folder, name);
        let facts = serde_json::to_value(Facts::of(&tape, &stored).expect("facts")).expect("JSON");
        assert_eq!(facts, Value::Object(expected.clone()), "{name}");
    }
}

#[test]
fn every_sample_has_its_findings() {
    const FINDINGS: &[(&str, u32, &str)] = &[
        ("binary", 4, "tape/not-finalized"),
        ("build-thrown", 0, "tape/not-finalized"),
        ("odd-cas-escape", 1, "tape/bad-reference"),
        ("odd-cas-escape", 5, "tape/orphan"),
        ("odd-cas-flipped", 1, "tape/cas-hash"),
        ("odd-cas-len", 1, "tape/cas-size"),
        ("odd-cas-missing", 1, "tape/cas-missing"),
        ("odd-cas-orphan", 5, "tape/orphan"),
        ("odd-clock-back", 6, "tape/monotonic-back"),
        ("odd-clock-back", 6, "tape/short-sleep"),
        ("odd-clock-back", 6, "tape/virtual-time-back"),
        ("odd-inline-hash", 0, "tape/inline-hash"),
        ("odd-mcp-digest", 1, "tape/mcp-digest"),
        ("odd-phase-order", 1, "tape/phase-order"),
        ("odd-seq-gap", 4, "tape/seq"),
        ("odd-seq-repeat", 3, "tape/seq"),
        ("odd-seq-repeat", 4, "tape/seq"),
        ("odd-torn-tail", 11, "tape/torn-tail"),
        ("odd-unknown-kind", 3, "tape/unknown-kind"),
        ("redacted", 1, "tape/redacted"),
        ("redacted", 3, "tape/not-finalized"),
        ("secret", 0, "tape/redacted"),
    ];
    for (folder, name) in all(".tape").iter().filter(|(_, name)| !name.starts_with("bad-")) {
        let (tape, stored) = load(folder, name);
        let found = check_tape(&tape, &stored);
        let mut found: Vec<_> =
            found.iter().map(|finding| (finding.at[finding.at.len() - 1].0, finding.check.id)).collect();
        found.sort_unstable();
        let expected: Vec<_> = FINDINGS.iter().filter(|row| row.0 == name).map(|row| (row.1, row.2)).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_tape_that_is_written_again_is_equal() {
    // Writing omits blank and incomplete lines.
    const NOT_EQUAL: [&str; 2] = ["odd-blank-lines", "odd-torn-tail"];
    for (folder, name) in all(".tape").iter().filter(|(_, name)| !name.starts_with("bad-")) {
        let text = fs::read_to_string(folder.join(format!("{name}.tape"))).expect("text");
        let tape = Tape::read(text.as_bytes(), name, Newer::Refused).expect("a tape");
        assert_eq!(tape.write().expect("text") == text, !NOT_EQUAL.contains(&name.as_str()), "{name}");
        // Not only because lines are kept: without the kept lines, the record is still the same.
        let own = tape.records.iter().filter(|record| record.verbatim.is_some()).count();
        let kept = match name.as_str() {
            "v1-nophase" => 12,
            "odd-unknown-kind" => 2,
            _ => 0,
        };
        assert_eq!((own, tape.header.verbatim.is_some()), (kept, false), "{name}");
    }
}

#[test]
fn names_of_entries_do_not_lead_out_of_the_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let tape = folder.path().join("run.tape");
    fs::write(&tape, "secret").expect("written");
    let store = PayloadStore::of_tape(&tape);
    fs::create_dir(store.folder()).expect("a folder");
    let name = "a".repeat(64);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&tape, store.folder().join(&name)).expect("a link");
        assert_eq!(store.examine(&name), stepback::tape::stored::StoredEntry::NotAFile);
        assert_eq!(store.bytes(&name, 100), None);
    }
    for name in ["../run.tape", "", ".", &"A".repeat(64), &format!("{}/", "a".repeat(63))] {
        assert_eq!(store.examine(name), stepback::tape::stored::StoredEntry::BadName, "{name}");
        assert_eq!(store.bytes(name, 100), None);
    }
    assert_eq!(store.examine(&"b".repeat(64)), stepback::tape::stored::StoredEntry::Missing);
}

/// Every line of every sample.
fn lines() -> Vec<String> {
    let read = |(folder, name): (PathBuf, String)| fs::read_to_string(folder.join(name + ".tape")).ok();
    let texts = all(".tape").into_iter().filter_map(read);
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn written(line: &Line) -> String {
    match line {
        Line::Process(_) => panic!("no process tape was written"),
        Line::Header(header) => header.line().expect("text"),
        Line::Record(record) => record.line().expect("text"),
    }
}

#[test]
fn a_damaged_byte_is_reported_or_kept() {
    for line in lines().iter().filter(|line| line.len() < 700).step_by(41) {
        for at in 0..line.len() {
            for damage in [b' ', b'"', b'9', b'}', b'x'] {
                let mut bytes = line.clone().into_bytes();
                bytes[at] = damage;
                let Ok(damaged) = String::from_utf8(bytes) else { continue };
                // A line that still loads is written as it was, so that damage is not repaired.
                if let Ok(parsed) = Line::parse(&damaged) {
                    assert_eq!(written(&parsed), damaged);
                    assert_eq!(Line::parse(&written(&parsed)).expect("a line"), parsed);
                }
            }
        }
    }
}

/// Records of a few kinds with arbitrary texts and numbers.
fn records() -> impl Strategy<Value = Record> {
    let payload = || any::<String>().prop_map(|text| Payload::of(text.as_bytes()));
    let kind = prop_oneof![
        any::<i64>().prop_map(|value_ms| Kind::ClockRead { source: ClockSource::Monotonic, value_ms }),
        any::<u64>().prop_map(|duration_ms| Kind::ClockSleep { duration_ms }),
        any::<String>().prop_map(|path| Kind::FileDelete { path }),
        (any::<String>(), any::<String>(), any::<u64>(), prop::option::of(payload()))
            .prop_map(|(namespace, key, after_calls, value)| Kind::CacheLookup { namespace, key, after_calls, value }),
        (any::<String>(), payload(), prop::option::of(any::<u64>()), prop::collection::vec(payload(), 0..3)).prop_map(
            |(request_digest, response, call_index, messages)| {
                let request = messages.first().cloned();
                Kind::LlmCall(LlmCall { request_digest, response, call_index, request, messages, attribution: None })
            }
        ),
        Just(Kind::PayloadRedaction),
    ];
    (any::<u64>(), any::<bool>(), any::<i64>(), any::<i64>(), kind).prop_map(|(seq, ends, time, monotonic, kind)| {
        Record::new(seq, if ends { Phase::RuntimeFinalize } else { Phase::UserScript }, time, monotonic, kind)
    })
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(256, "tape-samples"))]

    #[test]
    fn written_records_are_read_back(record in records()) {
        let line = record.line().expect("text");
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(Line::parse(&line).expect("a line"), Line::Record(Box::new(record)));
    }

    #[test]
    fn the_reader_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Tape::read(&bytes, "x", Newer::Shown);
        let mut tape = b"{\"type\":\"header\",\"version\":1,\"harn_version\":\"x\"}\n".to_vec();
        tape.extend(bytes);
        if let Ok(tape) = Tape::read(&tape, "x", Newer::Shown) {
            let _ = Facts::of(&tape, &Stored::default());
            let _ = check_tape(&tape, &Stored::default());
        }
    }
}
