//! Laws of the timeline for random session logs, and of their decoding for any bytes.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::dialect::container::Wrapping;
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::debugger::Debugger;
use stepback::replay::machine::Machine;
use stepback::replay::moment::Moment;
use stepback::replay::timeline::Replay;
use stepback::session;
use stepback::session::checker::SessionChecker;
use stepback::session::decode::decode;
use stepback::session::machine::{SessionLog, VOCABULARY};
use stepback::session::members::Members;
use stepback::session::report::report;
use stepback::session::state::SessionState;
use stepback::session::whole::WholeSession;

use super::random::{event, records};

fn loaded(text: String) -> Loaded {
    let options = Options { dialect: Some(&session::dialect::DIALECT), ..Options::default() };
    let log = Log::from_bytes("test".to_owned(), None, text.into_bytes(), &options).expect("a log");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    loaded
}

fn as_lines(records: &[String]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn values(state: &SessionState) -> Vec<Value> {
    VOCABULARY.field_ids().map(|field| SessionLog::value(state, field)).collect()
}

/// The values of every field after each record, computed the slow way; the first entry has the initial values.
fn folded(records: &[String]) -> Vec<Vec<Value>> {
    let mut state = SessionState::default();
    let mut all = vec![values(&state)];
    for (record, at) in records.iter().zip(0..) {
        let event = Wrapping::Numbered.event_in(record.as_bytes()).expect("bytes");
        if let Ok(event) = decode(event) {
            state.apply(Seq(at), &event);
        }
        all.push(values(&state));
    }
    all
}

fn moment(replay: &dyn Replay, at: u32) -> Moment {
    replay.moment(Seq(at)).expect("the log is as it was").expect("the pass has been here")
}

fn assert_moment(replay: &dyn Replay, expected: &[Vec<Value>], at: u32) {
    let moment = moment(replay, at);
    for field in VOCABULARY.field_ids() {
        let (index, name, at) = (field.0 as usize, VOCABULARY.field_name(field), at as usize);
        assert_eq!(moment.sides.before(field), expected[at][index], "{name} before {at}");
        assert_eq!(moment.sides.after(field), expected[at + 1][index], "{name} after {at}");
        let differs = expected[at][index] != expected[at + 1][index];
        assert_eq!(moment.sides.changed().contains(field), differs, "{name} changed at {at}");
    }
}

/// The findings of the pass: check, first event, subjects.
fn found(replay: &dyn Replay) -> Vec<Value> {
    let findings = replay.findings();
    let row = |finding: &Value| json!([finding["at"][0], finding["check"], finding["subjects"]]);
    let mut rows: Vec<Value> = findings.list.iter().map(|finding| row(&finding.to_json())).collect();
    rows.retain(|row| !row[1].as_str().is_some_and(|check| check.starts_with("log/")));
    rows.sort_by_key(Value::to_string);
    rows
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(24, "session"))]

    #[test]
    fn a_moment_is_the_fold_up_to_it(
        records in records(700),
        seeks in prop::collection::vec(any::<prop::sample::Index>(), 1..30),
    ) {
        let loaded = loaded(as_lines(&records));
        let replay = loaded.replay();
        prop_assert_eq!(replay.len() as usize, records.len());
        let expected = folded(&records);
        for seek in seeks {
            assert_moment(&**replay, &expected, seek.index(records.len()) as u32);
        }
    }

    #[test]
    fn back_after_forward_is_where_it_was(records in records(300), from in any::<prop::sample::Index>(), steps in 1..40_i64) {
        let loaded = loaded(as_lines(&records));
        let mut debugger = Debugger::new(Arc::clone(loaded.replay()));
        let expected = folded(&records);
        let from = Seq(from.index(records.len()) as u32);
        debugger.jump(from);
        debugger.step(steps);
        let moved = i64::from(debugger.at().0) - i64::from(from.0);
        debugger.step(-moved);
        prop_assert_eq!(debugger.at(), from);
        assert_moment(&**loaded.replay(), &expected, from.0);
    }

    #[test]
    fn the_container_does_not_change_the_findings(events in prop::collection::vec(event(), 1..40)) {
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        let expected = found(&**loaded(lines).replay());
        let wrapped: Vec<Value> = events.iter().zip(0..).map(|(event, seq)| json!({"seq": seq, "event": event})).collect();
        // An event with a member `event` and a kind is not a wrapping.
        for text in [
            json!(events).to_string(),
            serde_json::to_string_pretty(&events).expect("JSON"),
            wrapped.iter().map(|record| format!("{record}\r\n\n")).collect(),
            serde_json::to_string_pretty(&wrapped).expect("JSON"),
        ] {
            prop_assert_eq!(found(&**loaded(text.clone()).replay()), expected.clone(), "{}", text);
        }
    }

    #[test]
    fn the_findings_of_the_pass_are_the_audit_of_the_report(records in records(120)) {
        let text = as_lines(&records);
        let audit = report(&WholeSession::load(text.as_bytes()))["audit"].clone();
        let strip = |check: &Value| check.as_str().expect("a check").trim_start_matches("session/").to_owned();
        let subject = |subjects: &Value| subjects.as_object().and_then(|all| all.values().next()).cloned().unwrap_or_default();
        let pass = found(&**loaded(text).replay());
        let mut found: Vec<String> =
            pass.iter().map(|row| json!([row[0], strip(&row[1]), subject(&row[2])]).to_string()).collect();
        let rows = audit.as_array().expect("rows").iter();
        let mut audited: Vec<String> = rows.map(|row| json!([row["i"], row["check"], row["subject"]]).to_string()).collect();
        found.sort_unstable();
        audited.sort_unstable();
        prop_assert_eq!(found, audited);
    }

    #[test]
    fn the_end_of_a_prefix_can_be_taken_back(records in records(120), cut in any::<prop::sample::Index>()) {
        let check = |records: &[String], asked_at: Option<usize>| {
            let mut checker = SessionChecker::default();
            for (record, at) in records.iter().zip(0..) {
                if asked_at == Some(at as usize) {
                    checker.at_end();
                }
                match decode(Wrapping::Numbered.event_in(record.as_bytes()).expect("bytes")) {
                    Ok(event) => checker.see(Seq(at), &event),
                    Err(malformed) => checker.see_malformed(Seq(at), Default::default(), &malformed),
                }
            }
            checker.finish().into_sorted()
        };
        prop_assert_eq!(check(&records, Some(cut.index(records.len()))), check(&records, None));
    }

    #[test]
    fn members_are_found_in_exactly_the_objects_that_serde_reads(
        event in event(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(EDITS)), 0..3),
    ) {
        let mut text = event.to_string();
        for (place, edit) in edits {
            let mut at = place.index(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, edit);
        }
        let expected = serde_json::from_str::<Value>(&text).ok().filter(Value::is_object);
        let found = Members::of(&text);
        prop_assert_eq!(found.is_some(), expected.is_some(), "{}", text);
        if let (Some(found), Some(Value::Object(expected))) = (found, expected) {
            for (name, value) in expected {
                prop_assert_eq!(found.value(&name), value, "{} of {}", name, text);
            }
        }
    }

    #[test]
    fn no_bytes_panic(lead in "[\\[{ \n]{0,3}", bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut text = lead.into_bytes();
        text.extend(&bytes);
        let _ = decode(&text);
        report(&WholeSession::load(&text));
        let options = Options { dialect: Some(&session::dialect::DIALECT), ..Options::default() };
        if let Ok(log) = Log::from_bytes("test".to_owned(), None, text, &options) {
            Loaded::begin_log_only(log, false).expect("a pass").wait_to_end(|_| {}).expect("the end");
        }
    }
}

const EDITS: &[&str] = &[
    "null",
    "\"",
    "\\",
    "\\u00e9",
    "\\ud800",
    "1.0",
    "-1",
    "01",
    "{",
    "}",
    "[]",
    ",",
    "\t",
    " ",
    "é",
    "\u{7f}",
    "true",
    "\n",
    "\"turn\":7,",
    "\"x\":[1],",
    "\u{0}",
];
