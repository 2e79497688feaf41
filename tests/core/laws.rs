//! Laws that hold for every log, tested with random ones.

use std::io::{self, Read};

use crate::tests::random::{events, lines};
use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::dialect::container::Shape;
use stepback::log::records::{Item, Records};
use stepback::log::{Log, Options};
use stepback::replay::finding::Finding;
use stepback::replay::machine::Malformed;
use stepback::replay::{Place, Seq};
use stepback::tape;
use stepback::turn;
use stepback::turn::checker::TurnChecker;
use stepback::turn::decode::{TurnDecoder, exact};
use stepback::turn::digest::Digest;
use stepback::turn::event::Event;
use stepback::turn::input::InputFacts;
use stepback::turn::projection::Projection;
use stepback::turn::state::TurnState;

fn check<'a>(events: impl Iterator<Item = Result<Event<'a>, Malformed>>) -> Vec<Finding> {
    let mut checker = TurnChecker::new(None);
    for (at, event) in events.enumerate() {
        let at = Seq(at as u32);
        match event {
            Ok(event) => checker.see(at, &event),
            Err(malformed) => checker.see_malformed(at, Place::default(), &malformed),
        }
    }
    checker.finish().into_sorted()
}

/// The findings of a log in any container.
fn findings_of(text: &str) -> Vec<Finding> {
    let log = Log::from_bytes("test".to_owned(), None, text.as_bytes().to_vec(), &Options::default()).expect("a log");
    let mut stream = log.records().expect("a stream");
    let mut records = Vec::new();
    while let Some(item) = stream.next_item().expect("memory") {
        match item {
            Item::Record { bytes, .. } => records.push(log.wrapping.unwrap(bytes).expect("wrapped").event.to_vec()),
            other => panic!("a whole log has no {other:?}"),
        }
    }
    let mut decoder = TurnDecoder::default();
    let mut checker = TurnChecker::new(None);
    for (at, record) in records.iter().enumerate() {
        match decoder.decode(record) {
            Ok(event) => checker.see(Seq(at as u32), &event),
            Err(malformed) => checker.see_malformed(Seq(at as u32), Place::default(), &malformed),
        }
    }
    checker.finish().into_sorted()
}

fn fold(events: &[Value]) -> (Projection, Vec<Value>) {
    let mut state = TurnState::default();
    let mut effects = Vec::new();
    for event in events {
        let text = event.to_string();
        let event = exact(text.as_bytes()).expect("made to be an event");
        state.step(&event, &Digest::of(&event), &mut |effect| effects.push(effect.to_json()));
    }
    (state.projection, effects)
}

/// Returns its bytes in pieces of the given sizes, repeatedly.
struct Pieces<'a> {
    bytes: &'a [u8],
    sizes: &'a [usize],
    next: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.next % self.sizes.len()];
        self.next += 1;
        let count = self.bytes.len().min(size).min(buffer.len());
        buffer[..count].copy_from_slice(&self.bytes[..count]);
        self.bytes = &self.bytes[count..];
        Ok(count)
    }
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(200, "laws"))]

    #[test]
    fn folding_is_deterministic(log in events(60)) {
        let (one, two) = (fold(&log), fold(&log));
        prop_assert!(one.0 == two.0);
        prop_assert_eq!(one.1, two.1);
    }

    #[test]
    fn a_state_is_the_same_whichever_clone_of_it_is_stepped(log in events(40), cut in 0..40_usize) {
        let cut = cut.min(log.len());
        let mut state = TurnState::default();
        let mut kept = TurnState::default();
        for (at, event) in log.iter().enumerate() {
            if at == cut {
                kept = state.clone();
            }
            let text = event.to_string();
            let event = exact(text.as_bytes()).expect("event");
            state.step(&event, &Digest::of(&event), &mut |_| {});
        }
        if cut < log.len() {
            for event in &log[cut..] {
                let text = event.to_string();
                let event = exact(text.as_bytes()).expect("event");
                kept.step(&event, &Digest::of(&event), &mut |_| {});
            }
            prop_assert!(kept == state);
        }
    }

    #[test]
    fn decoding_never_panics_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = TurnDecoder::default().decode(&bytes);
    }

    #[test]
    fn opening_never_panics_on_any_bytes(lead in "[\\[{ \n]{0,3}", bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut text = lead.into_bytes();
        text.extend(bytes);
        for dialect in [None, Some(&turn::dialect::DIALECT), Some(&tape::dialect::DIALECT)] {
            let options = Options { dialect, ..Options::default() };
            if let Ok(log) = Log::from_bytes("test".to_owned(), None, text.clone(), &options) {
                let mut stream = log.records().expect("memory");
                while let Some(item) = stream.next_item().expect("memory") {
                    if let Item::Record { bytes, .. } = item {
                        let _ = TurnDecoder::default().decode(bytes);
                    }
                }
            }
        }
    }

    /// The fast decoder, with any layouts that it has learned, gives the same result as serde.
    #[test]
    fn fast_and_exact_decoding_agree(
        log in events(12),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), edit()), 0..12),
    ) {
        let mut records: Vec<Vec<u8>> = log.iter().map(|event| event.to_string().into_bytes()).collect();
        for (record, place, edit) in edits {
            if records.is_empty() {
                break;
            }
            let index = record.index(records.len());
            let at = place.index(records[index].len().max(1)).min(records[index].len());
            match edit {
                Edit::Insert(text) => { records[index].splice(at..at, text.bytes()); }
                Edit::Delete(count) => {
                    let end = (at + count).min(records[index].len());
                    records[index].drain(at..end);
                }
            }
        }
        let mut decoder = TurnDecoder::default();
        for record in records.iter().chain(&records) {
            let (fast, exact) = (decoder.decode(record), exact(record));
            prop_assert_eq!(fast, exact, "{}", String::from_utf8_lossy(record));
        }
    }

    #[test]
    fn findings_do_not_depend_on_how_the_log_was_chunked(
        log in events(40),
        sizes in prop::collection::vec(1..40_usize, 1..6),
        pretty in any::<bool>(),
    ) {
        let text = if pretty { serde_json::to_string_pretty(&log).expect("JSON") } else { json!(log).to_string() };
        let read = |sizes: &[usize]| {
            let pieces = Pieces { bytes: text.as_bytes(), sizes, next: 0 };
            let mut records = Records::new(pieces, Shape::Array, Place { line: 1, byte: 0 });
            let mut found = Vec::new();
            while let Some(item) = records.next_item().expect("memory") {
                if let Item::Record { bytes, place } = item {
                    found.push((bytes.to_vec(), place));
                }
            }
            found
        };
        let (chunked, at_once) = (read(&sizes), read(&[usize::MAX]));
        prop_assert_eq!(&chunked, &at_once);
        prop_assert_eq!(chunked.len(), log.len());
        let findings = |records: &[(Vec<u8>, Place)]| check(records.iter().map(|(record, _)| exact(record)));
        prop_assert_eq!(findings(&chunked), findings(&at_once));
    }

    #[test]
    fn the_container_does_not_change_the_findings(log in events(40)) {
        prop_assume!(!log.is_empty());
        let direct: Vec<String> = log.iter().map(Value::to_string).collect();
        let expected = check(direct.iter().map(|record| exact(record.as_bytes())));
        let envelopes: Vec<Value> = log.iter().enumerate().map(|(seq, event)| {
            json!({"seq": seq, "ts_ms": 1000 + seq, "kind": event["event_type"], "event": event})
        }).collect();
        let rows: Vec<Value> = log.iter().enumerate().map(|(seq, event)| {
            json!({"seq": seq, "ts_ms": 1000 + seq, "payload": event})
        }).collect();
        let bundle = json!({"schema_version": 1, "generator": {}, "events": rows});
        for text in [
            lines(&log),
            lines(&log).trim_end().replace('\n', "\r\n\r\n"),
            json!(log).to_string(),
            serde_json::to_string_pretty(&log).expect("JSON"),
            lines(&envelopes),
            json!(envelopes).to_string(),
            bundle.to_string(),
            json!({"schema_version": 1, "metadata": {}, "trace": bundle}).to_string(),
        ] {
            prop_assert_eq!(&findings_of(&text), &expected, "{}", text);
        }
    }

    #[test]
    fn a_round_trip_keeps_every_event(log in events(30)) {
        for event in &log {
            let text = event.to_string();
            let one = exact(text.as_bytes()).expect("event");
            let written = serde_json::to_vec(&one).expect("JSON");
            let two = exact(&written).expect("event");
            prop_assert_eq!(&one, &two);
            prop_assert_eq!(serde_json::to_vec(&two).expect("JSON"), written.clone());
        }
    }

    /// Identity and path touch of an input do not depend on the way they are computed or on key order.
    #[test]
    fn an_input_is_the_same_in_any_key_order(
        members in prop::collection::btree_map("[a-z]{1,6}", "[ a-z./\\\\\"é]{0,12}", 0..10),
        tool in prop::sample::select(vec!["read_file", "exec_shell"]),
    ) {
        let forward: Vec<String> = members.iter().map(|(key, value)| format!("{}:{}", json!(key), json!(value))).collect();
        let backward: Vec<String> = forward.iter().rev().cloned().collect();
        let spaced = format!("{{ {} }}", backward.join(" , "));
        let plain = format!("{{{}}}", forward.join(","));
        prop_assert_eq!(InputFacts::of(tool, &plain), InputFacts::of(tool, &spaced));
        let nested = format!("[{plain}]");
        prop_assert_eq!(InputFacts::of(tool, &plain).touches_path, InputFacts::of(tool, &nested).touches_path);
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Insert(&'static str),
    Delete(usize),
}

/// Small damage of the kind that decoders disagree about.
fn edit() -> impl Strategy<Value = Edit> {
    let texts = vec![
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
        "e3",
        "\"turn_id\":\"x\",",
        "\"usage\":{},",
        "\"x\":[1],",
        "99999999999",
        "true",
        "\n",
        "\u{0}",
    ];
    prop_oneof![prop::sample::select(texts).prop_map(Edit::Insert), (1..6_usize).prop_map(Edit::Delete),]
}
