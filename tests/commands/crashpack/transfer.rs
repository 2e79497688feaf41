//! Transfer crashpacks, which another program writes: a manifest, a journal and its digest, as text.

use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::desk::{Desk, checks_of};
use crate::files::files;

const JOURNAL: &str = "# ATP Oracle Journal\noracle: obligation_leak\n  events_recorded: 41\n  entities_tracked: 7\n  passed: false\n  \
                       violations:\n    - type: obligation_leak\n      severity: high\n      description: two permits never returned\n      \
                       evidence: permit-3, permit-9\noracle: quiescence\n  events_recorded: 12\n  entities_tracked: 2\n  passed: true\n";

fn write(desk: &Desk, name: &str, journal: &str) -> PathBuf {
    let pack = desk.path(name);
    fs::create_dir(&pack).expect("a folder");
    fs::write(pack.join("manifest"), "# ATP Crashpack Manifest\ntrace: trace.json\n").expect("written");
    fs::write(pack.join("journal"), journal).expect("written");
    fs::write(pack.join("trace.json"), "[{\"a\":1},2]").expect("written");
    fs::write(pack.join("journal.digest"), digest(journal)).expect("written");
    pack
}

fn digest(journal: &str) -> String {
    let hash: String = Sha256::digest(journal).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("digest: sha256:{hash}\nbytes: {}\n", journal.len())
}

#[test]
fn oracles_and_violations_are_events() {
    let desk = Desk::new();
    let pack = write(&desk, "pack", JOURNAL);
    let before = files(&pack);
    let file = desk.check(&pack);
    assert_eq!((&file["dialect"], &file["events"]), (&"transfer".into(), &3.into()));
    assert_eq!(checks_of(&file), ["pack/violation"]);
    assert_eq!(file["findings"][0]["severity"], "error");
    let name = pack.to_str().expect("a name");
    for arguments in [
        &["report", name][..],
        &["report", "--json", name],
        &["replay", name],
        &["show", name, "--at", "finding:1"],
        &["blame", name, "violations"],
        &["query", name, "violation", "--count"],
        &["diff", name, name],
        &[name],
    ] {
        let output = desk.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let shown = desk.json(&["show", "--json", name, "--at", "1"]);
    assert_eq!(shown["kind"], "violation");
    assert_eq!(desk.run(&["export", name, "-o", desk.path("out").to_str().expect("a name")]).status.code(), Some(2));
    assert!(before == files(&pack), "it opens read-only");
}

/// The layout of the program that invented these folders: the evidence is nested, and a ledger is beside the journal.
#[test]
fn evidence_below_its_key_is_read_and_a_ledger_does_not_make_it_a_pack_of_ours() {
    let desk = Desk::new();
    let journal =
        JOURNAL.replace("evidence: permit-3, permit-9\n", "evidence:\n        type: permits\n        leak_count: 2\n");
    let pack = write(&desk, "pack", &journal);
    fs::write(pack.join("evidence-ledger.json"), "{}").expect("written");
    fs::write(pack.join("transfer.atp-trace"), "[{\"seq\": 1, \"kind\": \"UserTrace\"}]").expect("written");
    let file = desk.check(&pack);
    assert_eq!((&file["dialect"], &file["events"]), (&"transfer".into(), &3.into()), "{file}");
    assert_eq!(checks_of(&file), ["pack/violation"]);
    let shown = desk.json(&["show", "--json", pack.to_str().expect("a name"), "--at", "1"]);
    assert_eq!(shown["event"]["evidence"], "type: permits, leak_count: 2");
    assert_eq!(shown["event"]["type"], "obligation_leak");
}

/// A journal that says less than the states in the same folder.
#[test]
fn a_journal_is_compared_with_the_states_beside_it() {
    let desk = Desk::new();
    let pack = write(&desk, "pack", JOURNAL);
    let state = r#"{"manifest_hash":"a","expected_manifest_hash":"a","journal_gaps":0,"pending_operations":5,"leaked_obligations":2,"path_outcomes_consistent":true}"#;
    fs::write(pack.join("transfer.atp-trace"), format!("[{state}]")).expect("written");
    // The leak is confirmed by the state; quiescence passed in the journal, but the state violates it.
    let checks = checks_of(&desk.check(&pack));
    assert_eq!(checks, ["transfer/obligation_leak", "transfer/quiescence", "pack/contradiction"]);
}

#[test]
fn contradictions_and_damage_are_findings() {
    let desk = Desk::new();
    let lies =
        JOURNAL.replace("passed: false", "passed: true").replace("passed: true\n", "passed: true\n  violations: 2\n");
    assert!(checks_of(&desk.check(&write(&desk, "lies", &lies))).contains(&"pack/contradiction".to_owned()));
    let pack = write(&desk, "changed", JOURNAL);
    fs::write(pack.join("journal"), JOURNAL.replace("41", "42")).expect("written");
    let file = desk.check(&pack);
    assert_eq!(checks_of(&file), ["pack/damaged", "pack/violation"], "{file}");
    assert_eq!(file["findings"][0]["subjects"]["file"], "journal");
    fs::remove_file(pack.join("journal.digest")).expect("removed");
    assert_eq!(checks_of(&desk.check(&pack)), ["pack/missing", "pack/violation"]);
    let evil = JOURNAL.replace("two permits", "\u{1b}[2J\u{202e}two\rpermits");
    let pack = write(&desk, "evil", &evil);
    for arguments in [&["check"][..], &["report"], &["replay"], &["report", "--json"]] {
        let output = desk.run(&[arguments, &[pack.to_str().expect("a name")]].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\r']), "{arguments:?}: {text:?}");
    }
}
