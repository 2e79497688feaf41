//! Sidecars of tapes and process tapes against recorded results, and samples that are recorded again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::tests::tapes::{all, folders, json, load};
use stepback::tape::annotation::Annotations;
use stepback::tape::event::Phase;
use stepback::tape::header::Header;
use stepback::tape::kind::{FileBytes, Kind, ProcessSpawn};
use stepback::tape::payload::Payload;
use stepback::tape::process::ProcessEntry;
use stepback::tape::recorder::{Clocks, Recorder};
use stepback::tape::store::{PayloadStore, TapeFile};
use stepback::tape::stored::Payloads;
use stepback::tape::whole::{Newer, Tape};

#[test]
fn annotations_are_validated_as_by_the_reference() {
    for folder in folders() {
        let (tape, _) = load(&folder, "stock-a");
        let expected = json(&folder.join("annotations.expect.json"));
        for (name, expected) in expected.as_object().expect("a table") {
            let bytes = fs::read(folder.join(name)).expect("a sample");
            match Annotations::read(&bytes, name) {
                Err(error) => {
                    assert_eq!(expected["stderr"], format!("error: load annotations {name}: {error}\n"));
                    assert_eq!(expected["exit_code"], 1, "{name}");
                }
                Ok(annotations) => {
                    let validation = annotations.validate(&tape).expect("a report");
                    let report = fs::read_to_string(folder.join(expected["report"].as_str().expect("a path")));
                    let written = serde_json::to_string_pretty(&validation).expect("JSON");
                    assert_eq!(written, report.expect("a report").trim_end(), "{name}");
                    assert_eq!(expected["exit_code"], if validation.problems.is_empty() { 0 } else { 2 }, "{name}");
                }
            }
        }
    }
}

#[test]
fn annotations_are_written_as_the_reference_exports_them() {
    for folder in folders() {
        let bytes = fs::read(folder.join("stock-a.tape.annotations.jsonl")).expect("a sample");
        let annotations = Annotations::read(&bytes, "stock-a").expect("annotations");
        let chosen =
            annotations.list.iter().filter(|annotation| ["marker", "friction"].contains(&annotation.kind.name()));
        let lines: Vec<String> = chosen.map(|annotation| serde_json::to_string(annotation).expect("JSON")).collect();
        let exported = fs::read_to_string(folder.join("annotations/stock-a.marker-friction.jsonl")).expect("a sample");
        assert_eq!(lines, exported.lines().collect::<Vec<_>>());
    }
}

#[test]
fn process_tapes_match_their_event_tapes() {
    for (folder, name) in all(".process.json") {
        let text = fs::read_to_string(folder.join(format!("{name}.process.json"))).expect("text");
        let entries: Vec<ProcessEntry> = serde_json::from_str(&text).expect("a process tape");
        let (tape, _) = load(&folder, &name);
        let spawns = tape.records.iter().filter_map(|record| match &record.kind {
            Kind::ProcessSpawn(spawn) => Some(spawn),
            _ => None,
        });
        assert_eq!(spawns.clone().count(), entries.len());
        for (spawn, entry) in spawns.zip(&entries) {
            assert_eq!((&entry.program, &entry.args), (&spawn.program, &spawn.args));
            assert!(entry.cwd.is_none() || entry.cwd == spawn.cwd);
            assert_eq!(Payload::of(entry.stdout.as_bytes()), spawn.stdout_payload);
            assert_eq!(entry.exit_code, spawn.exit_code);
        }
    }
}

/// The files of a store; empty if there is no folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("bytes")))
        .collect()
}

#[test]
fn samples_that_are_recorded_again_are_equal() {
    // Their lines or stores are damaged, or contain what no recorder writes.
    let is_own =
        |(_, name): &(PathBuf, String)| !name.starts_with("bad-") && !name.starts_with("odd-") && name != "v1-nophase";
    for (folder, name) in all(".tape").into_iter().filter(is_own) {
        let sample = folder.join(format!("{name}.tape"));
        let (tape, _) = load(&folder, &name);
        let target = tempfile::tempdir().expect("a folder");
        let again = target.path().join("again.tape");
        let file = TapeFile::create_new(&again).expect("a new file");
        let mut recorder = Recorder::begin(tape.header.header.clone(), file).expect("begun");
        for record in &tape.records {
            for (field, payload) in record.kind.payloads() {
                let made = match payload {
                    Payload::Inline { text, .. } => recorder.payload(text.as_bytes()),
                    Payload::Cas { content_hash, len_bytes } => {
                        let bytes = PayloadStore::of_tape(&sample).bytes(content_hash, *len_bytes).expect("an entry");
                        recorder.stored_payload(&bytes)
                    }
                };
                assert_eq!(made.expect("kept"), *payload, "{name} {field}");
            }
            let clocks = Clocks { virtual_time_ms: record.virtual_time_ms, monotonic_ms: record.monotonic_ms };
            assert!(!again.exists(), "a tape has no name before it is complete");
            assert_eq!(recorder.record(record.phase, clocks, record.kind.clone()).expect("written"), record.seq);
        }
        recorder.end().finish().expect("finished");
        assert_eq!(fs::read(&again).expect("bytes"), fs::read(&sample).expect("bytes"), "{name}");
        assert_eq!(
            contents(PayloadStore::of_tape(&again).folder()),
            contents(PayloadStore::of_tape(&sample).folder()),
            "{name}"
        );
    }
}

fn spawn(recorder: &mut Recorder<TapeFile>, stdout: &[u8]) -> u64 {
    let stdout_payload = recorder.payload(stdout).expect("kept");
    let stderr_payload = recorder.payload(b"").expect("kept");
    let program = "sh".to_owned();
    let spawn =
        ProcessSpawn { program, args: vec![], cwd: None, exit_code: 0, duration_ms: 0, stdout_payload, stderr_payload };
    recorder.record(Phase::UserScript, Clocks::default(), Kind::ProcessSpawn(spawn)).expect("written")
}

#[test]
fn secrets_are_removed_before_anything_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.tape");
    let header = Header { version: 5, harn_version: "x".to_owned(), ..Header::default() };
    let recorder = Recorder::begin(header, TapeFile::create_new(&path).expect("new")).expect("begun");
    let mut recorder = recorder.redacting(Box::new(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        text.contains("hunter2").then(|| text.replace("hunter2", "[redacted]").into_bytes())
    }));
    assert_eq!(spawn(&mut recorder, b"plain"), 0);
    // The marker comes before the record and has the number in between.
    assert_eq!(spawn(&mut recorder, &[b"hunter2".to_vec(), vec![b'x'; 5000]].concat()), 2);
    let file = FileBytes { path: "/tmp/hunter2".to_owned(), content_hash: "0".repeat(64), len_bytes: 1 };
    let written = recorder.record(Phase::UserScript, Clocks::default(), Kind::FileWrite(file));
    assert_eq!(written.expect("written"), 4);
    recorder.end().finish().expect("finished");
    let bytes = fs::read(&path).expect("bytes");
    let tape = Tape::read(&bytes, "run", Newer::Refused).expect("a tape");
    assert_eq!(tape.records[1].kind, Kind::PayloadRedaction);
    let kept = contents(PayloadStore::of_tape(&path).folder());
    assert_eq!(kept.len(), 1);
    assert!(kept.values().all(|bytes| bytes.starts_with(b"[redacted]")));
    assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"));
    let stored = PayloadStore::of_tape(&path).survey(&tape).expect("a store");
    assert!(
        stepback::tape::checker::check_tape(&tape, &stored).iter().all(|finding| finding.check.id == "tape/redacted")
    );
}

#[test]
fn a_tape_never_replaces_another_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.tape");
    let header = Header { version: 5, harn_version: "x".to_owned(), ..Header::default() };
    let mut first = Recorder::begin(header, TapeFile::create_new(&path).expect("new")).expect("begun");
    spawn(&mut first, &[0xff; 10]);
    drop(first);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left of an unfinished tape");
    fs::write(&path, "mine").expect("written");
    assert!(TapeFile::create_new(&path).is_err());
    fs::create_dir(folder.path().join("other.tape.cas")).expect("a folder");
    assert!(TapeFile::create_new(&folder.path().join("other.tape")).is_err());
}
