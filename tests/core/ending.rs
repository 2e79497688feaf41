//! How runs end: `check`, which has no states, says the same as the screen.

use std::path::{Path, PathBuf};

use stepback::api::check;
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::ending::{Ending, EndingKind};

fn logs_in(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            logs_in(&entry, found);
        } else {
            found.push(entry);
        }
    }
}

/// The ending of the last moment, and the one that `check` reports.
fn endings(log: Log) -> (Option<Ending>, Option<Ending>) {
    let checked = check(&log).expect("results");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    let last = loaded.replay().len().checked_sub(1);
    let moment = last.and_then(|last| loaded.replay().moment(Seq(last)).expect("a moment"));
    (moment.and_then(|moment| moment.ending), checked.ending)
}

#[test]
fn check_tells_the_ending_that_the_last_moment_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["assets", "fixtures/turn", "fixtures/session", "fixtures/agent", "fixtures/tape"] {
        logs_in(&root.join(folder), &mut paths);
    }
    let (mut compared, mut kinds) = (0, Vec::new());
    for path in paths {
        let Ok(log) = Log::open(&path, &Options::default()) else { continue };
        let (shown, checked) = endings(log);
        assert_eq!(shown, checked, "{}", path.display());
        compared += 1;
        kinds.extend(checked.map(|ending| ending.outcome));
    }
    assert!(compared > 40, "{compared}");
    for kind in [EndingKind::Done, EndingKind::Failed, EndingKind::Open] {
        assert!(kinds.contains(&kind), "{kind:?}");
    }
}

#[test]
fn a_new_turn_is_open_although_the_one_before_has_ended() {
    let started = |turn: &str| {
        format!(r#"{{"event_type":"turn_started","turn_id":"{turn}","mode":"agent","input_text":"x","max_steps":4}}"#)
    };
    let ended = r#"{"event_type":"turn_ended","turn_id":"a","outcome":"completed","total_steps":1}"#;
    let words = |text: String| {
        let log = Log::from_bytes("test".to_owned(), None, text.into_bytes(), &Options::default()).expect("a log");
        let (shown, checked) = endings(log);
        assert_eq!(shown, checked);
        checked.expect("an ending").words
    };
    assert_eq!(words(format!("{}\n{ended}\n", started("a"))), "completed");
    assert_eq!(words(format!("{}\n{ended}\n{}\n", started("a"), started("b"))), "still open");
}
