//! A log that is written, truncated, replaced and removed while it is open.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stepback::loader::{FileChange, Loaded};
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::timeline::Replay;
use stepback::turn;
use stepback::turn::decode::exact;
use stepback::turn::digest::Digest;
use stepback::turn::projection::FIELDS;
use stepback::turn::state::TurnState;

use crate::tests::growing::{append, event, text};

fn open(path: &Path) -> Loaded {
    let options = Options { dialect: Some(&turn::dialect::DIALECT), ..Options::default() };
    Loaded::begin_log_only(Log::open(path, &options).expect("a log"), true).expect("a pass")
}

/// Waits for another thread, long enough for a busy machine.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < until, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The state at an event must be the fold of the records before it, whatever happened to the file.
fn assert_consistent(replay: &dyn Replay, at: u32) {
    let (Ok(Some(moment)), mut state) = (replay.moment(Seq(at)), TurnState::default()) else { return };
    let mut seen = 0;
    let read = replay.records(0..at + 1, &mut |_, record| {
        if let Ok(event) = exact(record) {
            state.step(&event, &Digest::of(&event), &mut |_| {});
        }
        seen += 1;
        ControlFlow::Continue(())
    });
    if read.is_ok() && seen == at + 1 {
        for (field, known) in replay.vocabulary().field_ids().zip(FIELDS) {
            assert_eq!(moment.sides.after(field), known.value(&state.projection), "{} at {at}", known.name);
        }
    }
}

#[test]
fn appended_records_appear() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("growing.jsonl");
    fs::write(&path, text(0..10)).expect("written");
    let loaded = open(&path);
    let replay = loaded.replay();
    wait_until("the first part is there", || loaded.standing().at_end && replay.len() == 11);
    assert!(replay.findings().list.iter().any(|finding| finding.check.id == "gate/missing-turn-ended"));
    // A record in two pieces: first torn, then complete, and never counted twice.
    let next = format!("{}\n", event(10));
    append(&path, &next[..20]);
    wait_until("the torn record is there", || replay.progress().torn && replay.len() == 12);
    assert!(replay.findings().list.iter().any(|finding| finding.check.id == "log/torn-tail"));
    append(&path, &next[20..]);
    wait_until("it is whole", || loaded.standing().at_end && !replay.progress().torn && replay.len() == 12);
    assert!(!replay.findings().list.iter().any(|finding| finding.check.id.starts_with("log/")));
    // A record without a line break at its end is shown, too, and stays the same when the break follows.
    append(&path, event(11).to_string().as_str());
    wait_until("the open record is there", || replay.len() == 13);
    append(&path, &format!("\n{}", text(12..600)));
    let end = json!({"event_type": "turn_ended", "turn_id": "t", "outcome": "completed", "total_steps": 3});
    append(&path, &format!("{end}\n"));
    wait_until("all of it is there", || loaded.standing().at_end && replay.len() == 602);
    assert!(!replay.findings().list.iter().any(|finding| finding.check.id == "gate/missing-turn-ended"));
    assert_eq!(loaded.standing().news, None);
    for at in [0, 11, 12, 13, 255, 256, 601] {
        assert_consistent(&**replay, at);
    }
    let fresh = open(&path);
    wait_until("a fresh look is done", || fresh.standing().at_end);
    let findings = |loaded: &Loaded| -> Vec<Value> {
        loaded.replay().findings().list.iter().map(|finding| finding.to_json()).collect()
    };
    assert_eq!(findings(&loaded), findings(&fresh));
}

#[test]
fn a_growing_array_is_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("growing.json");
    fs::write(&path, format!("[\n{},\n{}", event(0), event(1))).expect("written");
    let loaded = open(&path);
    wait_until("the first part is there", || loaded.standing().at_end);
    assert_eq!(loaded.replay().len(), 2);
    append(&path, &format!(",\n{},\n{}", event(2), &event(3).to_string()[..9]));
    wait_until("more is there", || loaded.standing().at_end && loaded.replay().len() == 4);
    append(&path, &format!("{}\n]\n", &event(3).to_string()[9..]));
    wait_until("it is closed", || loaded.standing().at_end && !loaded.replay().progress().torn);
    assert_eq!(loaded.replay().len(), 4);
    assert!(!loaded.replay().findings().list.iter().any(|finding| finding.check.id.starts_with("log/")));
}

#[test]
fn a_growing_store_is_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sessions.db");
    let store = rusqlite::Connection::open(&path).expect("a store");
    store
        .execute_batch(
            "PRAGMA journal_mode = WAL; CREATE TABLE kernel_events (id INTEGER PRIMARY KEY AUTOINCREMENT, \
             seq INTEGER NOT NULL, ts_ms INTEGER NOT NULL, kind TEXT NOT NULL, turn_id TEXT, payload TEXT NOT NULL)",
        )
        .expect("a table");
    let insert = |number: u32| {
        let row = rusqlite::params![number, event(number).to_string()];
        store.execute("INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (?, 0, 'x', 't', ?)", row)
    };
    (0..5).for_each(|number| assert!(insert(number).is_ok()));
    let loaded = open(&path);
    wait_until("the rows are there", || loaded.standing().at_end && loaded.replay().len() == 5);
    for number in 5..300 {
        insert(number).expect("a row");
    }
    wait_until("the new rows are there", || loaded.standing().at_end && loaded.replay().len() == 300);
    assert_eq!(loaded.standing().news, None);
    for at in [0, 4, 5, 255, 299] {
        assert_consistent(&**loaded.replay(), at);
    }
    store.execute("DELETE FROM kernel_events WHERE seq = 2", []).expect("deleted");
    wait_until("it is noticed", || matches!(loaded.standing().news, Some(FileChange::Other(_))));
}

#[test]
fn a_replaced_log_is_noticed() {
    let other = |path: &Path, change: &dyn Fn(&Path)| {
        fs::write(path, text(0..300)).expect("written");
        let loaded = open(path);
        wait_until("it is read", || loaded.standing().at_end);
        change(path);
        wait_until("it is noticed", || loaded.standing().news.is_some());
        for at in [0, 100, 300] {
            assert_consistent(&**loaded.replay(), at);
        }
        loaded.standing().news.expect("news")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let reason = |news: FileChange| match news {
        FileChange::Other(reason) => reason,
        FileChange::Missing => "missing".to_owned(),
    };
    let cut = other(&path, &|path| File::options().write(true).open(path).expect("the log").set_len(100).expect("cut"));
    assert!(reason(cut).contains("shorter"));
    let replaced = other(&path, &|path| {
        let new = path.with_extension("new");
        fs::write(&new, text(0..400)).expect("written");
        fs::rename(&new, path).expect("renamed");
    });
    assert!(reason(replaced).contains("replaced"));
    let rewritten = other(&path, &|path| {
        let mut file = File::options().write(true).open(path).expect("the log");
        file.write_all(text(0..900).replace("\"t\"", "\"u\"").as_bytes()).expect("written");
    });
    assert!(reason(rewritten).contains("rewritten"));
    let gone = other(&path, &|path| fs::remove_file(path).expect("removed"));
    assert_eq!(gone, FileChange::Missing);
}

/// Anything may happen to the file at any time: nothing panics, no state is wrong, and in the end the screen shows the
/// file.
#[test]
fn a_file_that_changes_at_random_is_followed() {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    fs::write(&path, text(0..700)).expect("written");
    let mut loaded = open(&path);
    let mut seen = [0_u32; 4];
    for round in 0..240_u32 {
        match next(6) {
            0 => {
                let length = next(200_000);
                if let Ok(file) = File::options().write(true).open(&path) {
                    file.set_len(length).expect("cut or stretched");
                }
            }
            1 => {
                let _ = fs::remove_file(&path);
            }
            2 => {
                let new = path.with_extension("new");
                fs::write(&new, text(0..next(900) as u32)).expect("written");
                fs::rename(&new, &path).expect("renamed");
            }
            3 => {
                // In place, over the existing content.
                let from = next(900) as u32;
                fs::write(&path, text(from..from + next(300) as u32)).expect("written");
            }
            _ => {
                if let Ok(mut file) = OpenOptions::new().append(true).open(&path) {
                    let piece = text(round..round + next(40) as u32);
                    let cut = next(piece.len() as u64 + 1) as usize;
                    file.write_all(&piece.as_bytes()[..cut]).expect("written");
                }
            }
        }
        for _ in 0..next(4) {
            let events = loaded.replay().len();
            if events > 0 {
                assert_consistent(&**loaded.replay(), next(u64::from(events)) as u32);
            }
        }
        let standing = loaded.standing();
        match (&standing.news, &standing.trouble) {
            (Some(FileChange::Other(reason)), _) | (_, Some(reason)) => {
                assert!(!reason.is_empty());
                seen[0] += 1;
                match Log::open(&path, &Options { dialect: Some(&turn::dialect::DIALECT), ..Options::default() }) {
                    Ok(log) => loaded = Loaded::begin_log_only(log, true).expect("a pass"),
                    Err(error) => assert!(error.to_string().contains("log.jsonl"), "{error}"),
                }
            }
            (Some(FileChange::Missing), _) => seen[1] += 1,
            _ => seen[2] += 1,
        }
        if next(3) == 0 {
            std::thread::sleep(Duration::from_millis(next(60)));
        }
    }
    assert!(seen[0] > 0 && seen[2] > 0, "{seen:?}");
    // In the end, the content of the file is shown.
    drop(loaded);
    fs::write(&path, text(0..500)).expect("written");
    let loaded = open(&path);
    wait_until("it is read", || loaded.standing().at_end);
    assert_eq!(loaded.replay().len(), 501);
    assert_consistent(&**loaded.replay(), 500);
}
