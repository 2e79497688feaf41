//! Damaged sessions: lines that are cut, changed, reordered and repeated. Nothing panics, and nothing is counted twice.

use std::fs;
use std::path::Path;

use serde_json::Value;
use stepback::agent::report::facts_of;
use stepback::log::Log;

use super::facts::samples;
use super::laws::{loaded, options};
use crate::tests::corpus::Dice;

fn facts(text: Vec<u8>) -> Value {
    let log = Log::from_bytes("test".to_owned(), None, text, &options()).expect("a log");
    facts_of(&log).expect("readable")
}

/// Every session below a folder.
fn sessions(folder: &Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                found.push(fs::read(path).expect("a file"));
            }
        }
    }
    found.sort();
    found
}

fn damaged(text: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..1 + dice.below(4) {
        let (one, two) = (dice.below(lines.len()), dice.below(lines.len()));
        match dice.below(6) {
            0 => lines.swap(one, two),
            1 => lines.truncate(one + 1),
            2 => lines.insert(one, lines[two].clone()),
            3 => {
                lines.remove(one);
                if lines.is_empty() {
                    lines.push(Vec::new());
                }
            }
            4 if !lines[one].is_empty() => {
                let at = dice.below(lines[one].len());
                lines[one][at] = dice.below(256) as u8;
            }
            _ => {
                let cut = dice.below(lines[one].len() + 1);
                lines[one].truncate(cut);
            }
        }
    }
    lines.join(&b'\n')
}

fn try_all(sessions: &[Vec<u8>], rounds: usize, most_bytes: usize) {
    let mut dice = Dice(7);
    for text in sessions.iter().filter(|text| text.len() <= most_bytes) {
        for _ in 0..rounds {
            let damaged = damaged(text, &mut dice);
            let counted = facts(damaged.clone());
            let events = &counted["events"];
            let number = |name: &str| events[name].as_u64().unwrap_or_default();
            assert!(number("tool_call_finished") <= number("tool_call_planned"));
            let replay = loaded(damaged);
            let last = replay.replay().len().saturating_sub(1);
            let _ = replay.replay().moment(stepback::replay::Seq(last));
        }
    }
}

#[test]
fn our_own_sessions_survive_damage() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/agent");
    try_all(&sessions(&folder), 12, usize::MAX);
}

#[test]
fn real_sessions_survive_damage() {
    let Some(folder) = samples() else { return };
    for format in ["claude-code", "codex"] {
        try_all(&sessions(&folder.join(format)), 3, 100_000);
    }
}

/// A file that has no records when it is opened shows its format later.
#[test]
fn a_session_that_grows_from_nothing_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.jsonl");
    fs::write(&path, "").expect("a file");
    let log = Log::open(&path, &options()).expect("a log");
    let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/agent/codex/rollout-finished.jsonl"));
    fs::write(&path, text.expect("a fixture")).expect("a file");
    let grown = stepback::loader::Loaded::begin_log_only(log, false).expect("a pass");
    grown.wait_to_end(|_| {}).expect("the end");
    let last = grown.replay().len() - 1;
    let moment = grown.replay().moment(stepback::replay::Seq(last)).expect("readable").expect("a moment");
    let vocabulary = grown.replay().vocabulary();
    let outcome = vocabulary.field("outcome").expect("a field");
    assert_eq!(moment.sides.after(outcome), "completed");
}
