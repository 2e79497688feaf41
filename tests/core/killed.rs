//! Bookmarks whose writer is killed again and again: the file contains the old set or the new one.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use stepback::bookmark::BookmarkFile;
use stepback::replay::Seq;
use stepback::replay::bookmark::anchor::Anchor;
use stepback::replay::bookmark::content::EventHash;
use stepback::replay::bookmark::{Bookmark, BookmarkEdit, Bookmarks};

const WRITER: &str = "STEPBACK_TEST_WRITER";
const KEY: &str = "0123456789abcdef0123456789abcdef";
/// The set grows to this many bookmarks and starts over, so that the kills hit small and large files.
const ROUND: u64 = 40;

fn numbered(name: String) -> Bookmark {
    let content = EventHash::of_event(name.as_bytes());
    let anchor = Anchor { at: Seq(1), kind: "steer_injected".to_owned(), step: 1, ordinal: 0, turn: None, content };
    Bookmark { name, note: "0".to_owned(), anchor }
}

/// The set after this many edits: a counter, and consecutively numbered bookmarks.
fn expected_names(edits: u64) -> Vec<String> {
    let numbers = (0..edits % ROUND).map(|number| format!("b{number}"));
    std::iter::once("count".to_owned()).chain(numbers).collect()
}

fn edits_made(set: &Bookmarks) -> u64 {
    let edits = set.get("count").map_or(0, |count| count.note.parse().expect("a number"));
    let names: Vec<String> = set.as_slice().iter().map(|bookmark| bookmark.name.clone()).collect();
    if edits > 0 {
        assert_eq!(names, expected_names(edits));
    }
    edits
}

/// The next edit: it changes the counter and the bookmarks together.
fn next_edits(set: &Bookmarks) -> Vec<BookmarkEdit> {
    let made = edits_made(set);
    let mut edits = Vec::new();
    if made == 0 {
        edits.push(BookmarkEdit::Add(numbered("count".to_owned())));
    }
    edits.push(BookmarkEdit::Note("count".to_owned(), (made + 1).to_string()));
    if (made + 1).is_multiple_of(ROUND) {
        edits.extend((0..made % ROUND).map(|number| BookmarkEdit::Remove(format!("b{number}"))));
    } else {
        edits.push(BookmarkEdit::Add(numbered(format!("b{}", made % ROUND))));
    }
    edits
}

/// Does nothing unless the test below starts it in its own process: then it writes until it is killed.
#[test]
fn the_writer_that_is_killed() {
    let Some(folder) = std::env::var_os(WRITER) else { return };
    let store = BookmarkFile::within(folder.into(), KEY);
    let mut out = std::io::stdout();
    loop {
        let edits = next_edits(&store.load().expect("whole"));
        let made = edits_made(&store.edit(edits).expect("written").bookmarks);
        writeln!(out, "\nmade {made}").expect("written");
    }
}

fn start_writer(folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "tests::core::killed::the_writer_that_is_killed", "--nocapture", "--test-threads=1"]);
    command.env(WRITER, folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    command.spawn().expect("the writer starts")
}

fn reported_edits(line: &str) -> Option<u64> {
    line.strip_prefix("made ")?.strip_suffix('\n')?.parse().ok()
}

#[test]
fn hundreds_of_kills_leave_the_old_set_or_the_new_one() {
    let folder = tempfile::tempdir().expect("folder");
    let store = BookmarkFile::within(folder.path().to_path_buf(), KEY);
    let (mut random, mut partial_left, mut edits) = (1_u64, 0, 0);
    for kill in 0..300 {
        let mut writer = start_writer(folder.path());
        let mut output = BufReader::new(writer.stdout.take().expect("a pipe"));
        let mut line = String::new();
        // Not before it writes: otherwise most kills would hit a process that is only starting.
        let first = loop {
            line.clear();
            assert!(output.read_line(&mut line).expect("a pipe") > 0, "the writer ended by itself");
            if let Some(made) = reported_edits(&line) {
                break made;
            }
        };
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((random >> 33) % 3000));
        writer.kill().expect("killed");
        writer.wait().expect("ended");
        let mut rest = String::new();
        output.read_to_string(&mut rest).expect("a pipe");
        let last_reported = rest.split_inclusive('\n').filter_map(reported_edits).next_back().unwrap_or(first);
        partial_left += usize::from(folder.path().join(format!(".{KEY}.partial")).exists());
        edits = edits_made(&store.load().expect("whole"));
        assert!(
            (last_reported..=last_reported + 1).contains(&edits),
            "kill {kill}: {last_reported} reported, {edits} there"
        );
    }
    assert!(edits >= 300 && partial_left > 0, "{edits} edits, {partial_left} caught while writing");
    // The next process does not wait, and removes the leftovers.
    store.edit(next_edits(&store.load().expect("whole"))).expect("written");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "the set and the lock");
}
