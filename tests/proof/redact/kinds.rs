//! Secrets in every text of every event of a turn log and every record of a tape.

use std::collections::BTreeSet;

use stepback::redact::Masker;
use stepback::redact::rehash::Rehash;
use stepback::tape::event::Line;
use stepback::tape::kind::Kind as TapeKind;
use stepback::tape::payload::{Payload, content_hash};
use stepback::tape::rehash::TapeHashes;
use stepback::turn::decode::decode;
use stepback::turn::kind::EventKind;

use super::laws::masker;
use crate::tests::corpus::{Dice, assert_gone, planted};
use crate::tests::templates::{events, filled, lines};

fn looked(records: &[String]) -> Masker {
    let mut masker = masker();
    records.iter().for_each(|record| masker.look("a record", record.as_bytes()));
    masker
}

#[test]
fn no_event_keeps_a_trace() {
    let all = planted(&mut Dice(11));
    let records = filled(&events(), &all);
    let mut masker = looked(&records);
    let mut output = Vec::new();
    let mut kinds = BTreeSet::new();
    for record in &records {
        let masked = masker.apply("a record", record.as_bytes());
        let before = decode(record.as_bytes()).expect("an event").kind();
        assert_eq!(decode(&masked).expect("still an event").kind(), before);
        kinds.insert(before.name());
        output.extend_from_slice(&masked);
    }
    assert_gone(&all, &output);
    let without_texts = ["schema_version"];
    for kind in EventKind::ALL.iter().map(|kind| kind.name()) {
        assert!(kinds.contains(kind) || without_texts.contains(&kind), "{kind} has no template");
    }
}

#[test]
fn no_record_of_a_tape_keeps_a_trace_and_hashes_hold() {
    let all = planted(&mut Dice(12));
    let records = filled(&lines(), &all);
    let mut masker = looked(&records);
    let mut hashes = TapeHashes::default();
    let mut output = Vec::new();
    let mut tags = BTreeSet::new();
    for record in &records {
        let masked = hashes.record(&mut masker, "a record", record.as_bytes()).into_owned();
        let text = std::str::from_utf8(&masked).expect("text");
        match (Line::parse(record).expect("a line"), Line::parse(text).expect("still a line")) {
            (Line::Record(before), Line::Record(after)) => {
                assert_eq!(before.tag(), after.tag());
                tags.insert(after.tag().to_owned());
                assert_hashes_hold(&after.kind);
            }
            (before, after) => assert_eq!(matches!(before, Line::Header(_)), matches!(after, Line::Header(_))),
        }
        output.extend_from_slice(&masked);
    }
    assert_gone(&all, &output);
    let without_texts = ["clock_read", "clock_sleep", "payload_redaction", "unknown"];
    for tag in TapeKind::TAGS {
        assert!(tags.contains(tag) || without_texts.contains(&tag), "{tag} has no template");
    }
}

fn assert_hashes_hold(kind: &TapeKind) {
    for (field, payload) in kind.payloads() {
        let text = payload.text().expect("inline");
        assert_eq!(payload.content_hash(), content_hash(text.as_bytes()), "{field} of {}", kind.tag());
    }
    match kind {
        TapeKind::McpJsonRpc(call) => {
            assert_eq!(call.request_digest, call.request_payload.content_hash());
            assert_eq!(call.response_digest, call.response_payload.content_hash());
        }
        TapeKind::FileRead(file) | TapeKind::FileWrite(file) => assert_eq!(file.content_hash, "true bytes"),
        _ => {}
    }
}

#[test]
fn an_entry_of_the_store_gets_a_new_name_and_length() {
    let bytes = b"stdout: password=hunter2-hunter2\n";
    let old = content_hash(bytes);
    let payload = serde_json::to_string(&Payload::stored(bytes)).expect("JSON");
    let line = format!(r#"{{"kind":{{"kind":"session_control","event":{payload}}}}}"#);
    let (mut masker, mut hashes) = (masker(), TapeHashes::default());
    masker.look(&old, bytes);
    let (name, entry) = hashes.payload(&mut masker, "an entry", &old, bytes);
    assert_eq!(name, content_hash(&entry));
    let masked = hashes.record(&mut masker, "line 2", line.as_bytes()).into_owned();
    let expected = line.replace(&payload, &serde_json::to_string(&Payload::stored(&entry)).expect("JSON"));
    assert_eq!(String::from_utf8_lossy(&masked), expected);
    // Bytes that were damaged before stay damaged, under their name.
    let damaged = content_hash(b"something else");
    assert_eq!(hashes.payload(&mut masker, "an entry", &damaged, bytes).0, damaged);
}
