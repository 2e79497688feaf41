//! Transfer logs: the timeline against a plain fold, and transfer crashpacks that open with the findings of their log.

use clap::Parser;
use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::cli::{Arguments, execute};
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::machine::Machine;
use stepback::replay::variant::{Variant, VariantChange};
use stepback::transfer::machine::Transfer;
use stepback::transfer::state::TransferState;

/// How the states are arranged in a file.
#[derive(Clone, Copy, Debug)]
enum Arrangement {
    Lines,
    Array,
    Pretty,
}

fn state() -> impl Strategy<Value = Value> {
    let hash = || prop::sample::select(vec!["a", "a", "a", "b\nforged: 1"]);
    let number = || prop::sample::select(vec![0_u64, 0, 0, 1, 2, u64::MAX]);
    let numbers = (number(), number(), number());
    (hash(), hash(), numbers, 0..4_u32, 0..12_u32).prop_map(
        |(actual, expected, (gaps, pending, leaked), paths, odd)| {
            let mut state = json!({"manifest_hash": actual, "expected_manifest_hash": expected, "journal_gaps": gaps,
            "pending_operations": pending, "leaked_obligations": leaked, "path_outcomes_consistent": paths > 0});
            match odd {
                0 => drop(state.as_object_mut().and_then(|members| members.remove("journal_gaps"))),
                1 => state["pending_operations"] = json!("three"),
                2 => state["note"] = json!("another member"),
                3 => return json!("undecodable"),
                _ => {}
            }
            state
        },
    )
}

/// A log, beginning with a clean state, by which it is recognized.
fn log() -> impl Strategy<Value = (Arrangement, String)> {
    let arrangement = prop::sample::select(vec![Arrangement::Lines, Arrangement::Array, Arrangement::Pretty]);
    let torn = prop::option::of(any::<prop::sample::Index>());
    (arrangement, prop::collection::vec(state(), 0..40), torn).prop_map(|(arrangement, mut states, torn)| {
        let clean = r#"{"manifest_hash":"a","expected_manifest_hash":"a","journal_gaps":0,"pending_operations":0,"leaked_obligations":0,"path_outcomes_consistent":true}"#;
        states.insert(0, serde_json::from_str(clean).expect("JSON"));
        let pretty = |state: &Value| format!("{state:#}\n");
        let text = match arrangement {
            Arrangement::Array => format!("{:#}\n", json!(states)),
            // Only objects can follow each other.
            Arrangement::Pretty => states.iter().filter(|state| state.is_object()).map(pretty).collect(),
            Arrangement::Lines => {
                let mut lines: Vec<String> = states.iter().map(|state| format!("{state}\n")).collect();
                if let Some(torn) = torn {
                    let at = torn.index(lines.len());
                    lines.insert(at, "{\"manifest_hash\": \"a\u{1b}\n".to_owned());
                }
                lines.concat()
            }
        };
        (arrangement, text)
    })
}

fn json_of(words: &[&str]) -> Value {
    let arguments = Arguments::try_parse_from(["stepback"].iter().chain(words)).expect("arguments");
    let mut out = Vec::new();
    execute(&arguments, &mut out).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    serde_json::from_slice(&out).unwrap_or_default()
}

/// The findings of a log, without their places in its file.
fn findings(path: &str) -> Vec<Value> {
    let checked = json_of(&["check", "--json", path]);
    let file = &checked["files"][0];
    assert_eq!(file["dialect"], "transfer", "{file}");
    let mut findings = file["findings"].as_array().expect("findings").clone();
    for members in findings.iter_mut().filter_map(Value::as_object_mut) {
        members.remove("line");
        members.remove("byte");
    }
    findings
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(40, "transfer"))]

    #[test]
    fn a_transfer_crashpack_opens_with_the_findings_of_its_log((_, text) in log()) {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let (log, pack) = (name("log"), name("pack"));
        std::fs::write(&log, text).expect("written");
        json_of(&["export", &log, "--transfer", "-o", &pack, "--json"]);
        prop_assert_eq!(findings(&log), findings(&pack));
        // What was written is its own: it can be replaced as long as it is unchanged.
        json_of(&["export", &log, "--transfer", "-o", &pack, "--json", "--force"]);
        prop_assert_eq!(findings(&log), findings(&pack));
    }

    #[test]
    fn every_moment_is_the_fold_of_the_events_before_it(
        (_, text) in log(),
        visits in prop::collection::vec(any::<prop::sample::Index>(), 1..30),
    ) {
        let log = Log::from_bytes("log".to_owned(), None, text.into_bytes(), &Options::default()).expect("a log");
        let mut states = vec![TransferState::default()];
        log_records(&log, &mut |at, record| {
            let mut state = states.last().cloned().unwrap_or_default();
            if let Ok(event) = Transfer::decode(&mut (), record) {
                Transfer::apply(&mut state, at, &event);
            }
            states.push(state);
        });
        let loaded = Loaded::begin_log_only(log, false).expect("a pass");
        loaded.wait_to_end(|_| {}).expect("the end");
        let replay = loaded.replay();
        prop_assert_eq!(replay.len() as usize + 1, states.len());
        for visit in visits {
            let at = visit.index(states.len() - 1);
            let moment = replay.moment(Seq(at as u32)).expect("a log").expect("a moment");
            for field in replay.vocabulary().field_ids() {
                let (before, after) = (Transfer::value(&states[at], field), Transfer::value(&states[at + 1], field));
                prop_assert_eq!(moment.sides.before(field), before.clone());
                prop_assert_eq!(moment.sides.after(field), after.clone());
                prop_assert_eq!(moment.sides.changed().contains(field), before != after);
            }
        }
    }
}

fn log_records(log: &Log, visit: &mut dyn FnMut(Seq, &[u8])) {
    stepback::log::walk::each_record(log, |at, (_, record)| -> Result<(), ()> {
        visit(at, record);
        Ok(())
    })
    .expect("a log")
    .expect("no error");
}

/// Without the state in which the manifest is wrong, the log no longer reports it; the file stays as it is.
#[test]
fn a_variant_without_a_state_has_the_findings_of_the_rest() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/transfer/leaks.jsonl");
    let log = Log::open(path.as_ref(), &Options::default()).expect("a log");
    let original = Loaded::begin_log_only(log, false).expect("a pass");
    original.wait_to_end(|_| {}).expect("the end");
    let checks = |loaded: &Loaded| -> Vec<&'static str> {
        loaded.replay().findings().list.iter().map(|finding| finding.check.id).collect()
    };
    assert!(checks(&original).contains(&"transfer/manifest_integrity"));
    let mut variant = Variant::new(original.replay().len());
    variant.apply(VariantChange::Skip(Seq(5))).expect("possible");
    let varied = original.begin_variant(&variant).expect("a variant");
    varied.wait_to_end(|_| {}).expect("the end");
    let expected = ["quiescence", "obligation_leak", "path_consistency", "quiescence", "obligation_leak"];
    assert_eq!(checks(&varied), expected.map(|name| format!("transfer/{name}")));
}
