//! Pairs of tapes against the reference's own reports, in all four modes, byte for byte.

use std::fs;

use crate::tests::tapes::{folders, json, load};
use serde_json::Value;
use stepback::tape::fidelity::{FidelityMode, TapeWithBodies, compare};
use stepback::tape::payload::Payload;
use stepback::tape::store::PayloadStore;
use stepback::tape::stored::Payloads;

const LARGEST_BODY_BYTES: u64 = 1 << 20;

#[test]
fn reports_equal_those_of_the_reference() {
    for folder in folders() {
        let pairs = json(&folder.join("pairs.expect.json"));
        let mut compared = 0;
        for pair in pairs.as_array().expect("a list") {
            let name = |side: &str| pair[side].as_str().expect("a name").trim_end_matches(".tape").to_owned();
            let store = |side: &str| PayloadStore::of_tape(&folder.join(format!("{}.tape", name(side))));
            let (one, two) = (load(&folder, &name("recorded")).0, load(&folder, &name("replay")).0);
            let (one_store, two_store) = (store("recorded"), store("replay"));
            let one_bodies = |payload: &Payload| one_store.bytes(payload.content_hash(), LARGEST_BODY_BYTES);
            let two_bodies = |payload: &Payload| two_store.bytes(payload.content_hash(), LARGEST_BODY_BYTES);
            for (mode, expected) in pair["modes"].as_object().expect("modes") {
                let mode = FidelityMode::named(mode).expect("a mode");
                let sides = (
                    TapeWithBodies { tape: &one, bodies: &one_bodies },
                    TapeWithBodies { tape: &two, bodies: &two_bodies },
                );
                let report = compare(sides.0, sides.1, mode);
                let path = expected["report"].as_str().expect("a path");
                let verbatim = fs::read_to_string(folder.join(path)).expect("a report");
                assert_eq!(serde_json::to_string_pretty(&report).expect("JSON"), verbatim.trim_end(), "{path}");
                let exit_code = if report.divergences.is_empty() { 0 } else { 2 };
                assert_eq!(expected["exit_code"], exit_code, "{path}");
                assert_eq!(expected["divergences"], report.divergences.len(), "{path}");
                let first = report.divergences.first();
                assert_eq!(expected["first"]["category"], first.map_or(Value::Null, |found| found.category.into()));
                assert_eq!(
                    expected["first"]["seq"],
                    first.and_then(|found| found.seq).map_or(Value::Null, Value::from)
                );
                compared += 1;
            }
        }
        assert!(compared >= 100, "{compared}");
    }
}

#[test]
fn modes_have_the_names_of_the_reference() {
    assert_eq!(FidelityMode::named("byte"), Ok(FidelityMode::ByteIdentical));
    assert_eq!(FidelityMode::named("byte-user-semantic-runtime"), Ok(FidelityMode::PhaseAware));
    let error = FidelityMode::named("exact").expect_err("no such mode");
    assert!(error.starts_with("unknown fidelity mode `exact` — expected `byte-identical`"));
}
