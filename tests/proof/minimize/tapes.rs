//! The same laws over random tapes. Every record is a unit; the header comes before them and always stays.

use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::replay::Place;
use stepback::replay::source::Head;
use stepback::tape::machine::{EventTape, TapeLedger};

use super::lab::Lab;
use crate::tests::random::lines;

const TAPES: Lab<EventTape> = Lab { fresh: ledger };

fn ledger() -> TapeLedger {
    let header =
        json!({"type": "header", "version": 5, "harn_version": "x", "started_at_unix_ms": 1000, "script_path": "a"});
    TapeLedger::new(Some(&Head { place: Place { line: 1, byte: 0 }, bytes: header.to_string().into_bytes() }))
}

fn kind() -> impl Strategy<Value = Value> {
    let path = prop::sample::select(vec!["/a", "/b"]);
    let payload =
        |text: &str| json!({"content_hash": blake3::hash(text.as_bytes()).to_hex().to_string(), "text": text});
    (0..10_u32, path, 0..3_u64).prop_map(move |(kind, path, number)| match kind {
        0 | 1 => json!({"kind": "file_write", "path": path, "content_hash": format!("h{number}"), "len_bytes": 3}),
        2 | 3 => json!({"kind": "file_read", "path": path, "content_hash": format!("h{number}"), "len_bytes": number}),
        4 => json!({"kind": "file_delete", "path": path}),
        5 => json!({"kind": "clock_sleep", "duration_ms": number * 10}),
        6 => json!({"kind": "payload_redaction"}),
        7 => json!({"kind": "cache_lookup", "namespace": "n", "key": path, "after_calls": number}),
        8 => json!({"kind": "llm_call", "request_digest": "d", "call_index": number, "response": payload("{}"),
            "messages": [{"content_hash": "not a hash", "text": "hello"}]}),
        _ => json!({"kind": format!("newer_{number}"), "what": path}),
    })
}

fn tape(most: usize) -> impl Strategy<Value = Vec<Value>> {
    let record = (kind(), 0..4_i64, any::<bool>());
    prop::collection::vec(record, 0..most).prop_map(|records| {
        let line = |(seq, (kind, step, is_last)): (usize, (Value, i64, bool))| {
            let phase = if is_last && seq % 7 == 6 { "runtime_finalize" } else { "user_script" };
            json!({"type": "record", "seq": seq, "phase": phase, "virtual_time_ms": 1000 + step, "monotonic_ms": step, "kind": kind})
        };
        records.into_iter().enumerate().map(line).collect()
    })
}

/// Other files and keys with the same sort order, so that findings keep their places.
fn renamed(record: &Value) -> Value {
    let mut record = record.clone();
    for key in ["path", "key", "what", "namespace"] {
        if let Some(name) = record["kind"].get(key).and_then(Value::as_str).filter(|name| !name.is_empty()) {
            record["kind"][key] = json!(format!("/my{name}"));
        }
    }
    record
}

fn as_values(text: &str, change: impl Fn(&Value) -> Value) -> Vec<Value> {
    text.lines().map(|line| change(&serde_json::from_str(line).expect("JSON"))).collect()
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(100, "minimize-tapes"))]

    #[test]
    fn any_finding_of_any_tape_is_minimized(tape in tape(30), pick in any::<prop::sample::Index>()) {
        let text = lines(&tape);
        let found = TAPES.findings(&text);
        prop_assume!(!found.is_empty());
        TAPES.holds_the_laws(&text, &found[pick.index(found.len())])?;
    }

    #[test]
    fn renaming_and_minimizing_commute(tape in tape(30), pick in any::<prop::sample::Index>()) {
        let (text, other) = (lines(&tape), lines(&tape.iter().map(renamed).collect::<Vec<_>>()));
        let (found, found_other) = (TAPES.findings(&text), TAPES.findings(&other));
        prop_assume!(!found.is_empty());
        prop_assert_eq!(found.len(), found_other.len());
        let pick = pick.index(found.len());
        let (one, two) = (TAPES.small(&text, &found[pick]), TAPES.small(&other, &found_other[pick]));
        prop_assert_eq!(as_values(&one.text, renamed), as_values(&two.text, Value::clone));
        prop_assert_eq!(one.minimized.best.kept, two.minimized.best.kept);
    }

    /// Reads and writes of other files, and what comes after.
    #[test]
    fn unrelated_records_change_nothing(before in 0..20_usize, between in 0..20_usize, behind in 0..20_usize) {
        let noisy = |counts: [usize; 3]| {
            let file = |kind: &str, path: &str, hash: &str| json!({"kind": kind, "path": path, "content_hash": hash, "len_bytes": 3});
            let mut kinds = vec![file("file_write", "/other", "h1"); counts[0]];
            kinds.push(file("file_write", "/mine", "h1"));
            kinds.extend(vec![file("file_read", "/other", "h1"); counts[1]]);
            kinds.push(file("file_read", "/mine", "h2"));
            kinds.extend(vec![file("file_write", "/other", "h1"); counts[2]]);
            let records = kinds.into_iter().enumerate().map(|(seq, kind)| {
                json!({"type": "record", "seq": seq, "phase": "user_script", "virtual_time_ms": 0, "monotonic_ms": 0, "kind": kind})
            });
            lines(&records.collect::<Vec<_>>())
        };
        let (alone, noisy) = (noisy([0, 0, 0]), noisy([before, between, behind]));
        let found = TAPES.findings(&noisy);
        let finding = found.iter().find(|finding| finding.check.id == "tape/read-after-write").expect("it was planted");
        let without_numbers = |text: &str| -> Vec<Value> {
            let line = |line: &str| {
                let mut line: Value = serde_json::from_str(line).expect("JSON");
                line["seq"] = Value::Null;
                line
            };
            text.lines().map(line).collect()
        };
        let (one, two) = (TAPES.small(&alone, finding), TAPES.small(&noisy, finding));
        prop_assert_eq!(without_numbers(&one.text), without_numbers(&two.text));
        prop_assert_eq!(two.text.lines().count(), 2);
    }
}

/// Removing records leaves gaps in their numbers, which have the same fingerprint. The remaining record is still one of
/// those that the finding was about.
#[test]
fn a_duplicate_number_is_reported_with_one_of_its_records() {
    let record = |seq: usize| {
        let kind = json!({"kind": "clock_sleep", "duration_ms": 0});
        json!({"type": "record", "seq": seq, "phase": "user_script", "virtual_time_ms": 1000, "monotonic_ms": 0, "kind": kind})
    };
    let numbers = [0, 1, 2, 3, 4, 5, 5, 6, 7, 8];
    let text = lines(&numbers.map(record));
    let found = TAPES.findings(&text);
    let finding = found.iter().find(|finding| finding.check.id == "tape/seq").expect("a duplicate number");
    assert_eq!(*TAPES.small(&text, finding).minimized.best.kept, [finding.at[0].0]);
}
