//! Tests of `stepback bookmark`: bookmarks follow their events, and several processes can change them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A folder with logs, and a separate state folder.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        Desk { folder: tempfile::tempdir().expect("folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("XDG_STATE_HOME", self.path("state")).env("NO_COLOR", "1").env_remove("COLUMNS");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    fn good(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// The error output of a command that fails.
    fn bad(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stderr).expect("UTF-8")
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("written");
    }

    fn write_lines(&self, name: &str, events: &[Value]) {
        self.write(name, events.iter().map(|event| format!("{event}\n")).collect::<String>());
    }

    fn rows(&self, log: &str) -> Vec<Value> {
        let document: Value = serde_json::from_str(&self.good(&["bookmark", log, "--json"])).expect("JSON");
        document["bookmarks"].as_array().expect("rows").clone()
    }

    /// The name, state and place of every bookmark of a log.
    fn places(&self, log: &str) -> Vec<(String, String, Option<u64>)> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        self.rows(log).iter().map(|row| (text(&row["name"]), text(&row["found"]), row["at"].as_u64())).collect()
    }

    fn expect(&self, log: &str, expected: &[(&str, &str, Option<u64>)]) {
        let expected: Vec<_> =
            expected.iter().map(|(name, state, at)| ((*name).to_owned(), (*state).to_owned(), *at)).collect();
        assert_eq!(self.places(log), expected, "{log}");
    }

    /// The only bookmark file.
    fn file(&self) -> PathBuf {
        let files: Vec<PathBuf> = listed(&self.path("state/stepback/bookmarks"));
        let [file] =
            files.iter().filter(|path| path.extension().is_some_and(|end| end == "json")).collect::<Vec<_>>()[..]
        else {
            panic!("one file, not {files:?}")
        };
        file.clone()
    }
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

/// The built-in failed turn: 38 events, every one of them different.
fn demo() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo.json");
    serde_json::from_str(&fs::read_to_string(path).expect("file")).expect("JSON")
}

#[test]
fn bookmarks_are_set_listed_noted_and_removed() {
    let desk = Desk::new();
    desk.write_lines("log.jsonl", &demo());
    assert!(
        desk.good(&["bookmark", "log.jsonl"])
            .starts_with("no bookmarks; add one with `stepback bookmark log.jsonl add PLACE`")
    );
    desk.good(&["bookmark", "log.jsonl", "add", "call:call-4", "--name", "the call", "--note", "look\nhere"]);
    assert!(desk.good(&["bookmark", "log.jsonl", "add", "3"]).starts_with("m1 event 3\n"));
    let added: Value =
        serde_json::from_str(&desk.good(&["bookmark", "log.jsonl", "add", "finding:1", "--json"])).expect("JSON");
    assert_eq!((&added["bookmarks"][0]["name"], &added["bookmarks"][0]["at"]), (&json!("m2"), &json!(19)));
    let list = desk.good(&["bookmark", "log.jsonl", "list"]);
    assert!(list.contains("the call event 18\n  tool_call_planned"), "{list}");
    assert!(list.contains("\n  look\n  here\n"), "{list}");
    desk.good(&["bookmark", "log.jsonl", "note", "m1", "why"]);
    let shown = desk.good(&["show", "log.jsonl", "--at", "bookmark:the call"]);
    assert!(shown.contains("event 18 of 37"), "{shown}");
    assert!(desk.bad(&["show", "log.jsonl", "--at", "bookmark:unknown"]).contains("there is no bookmark"));
    assert_eq!(desk.good(&["bookmark", "log.jsonl", "remove", "the call"]), "removed the call\n");
    desk.expect("log.jsonl", &[("m1", "exact", Some(3)), ("m2", "exact", Some(19))]);
    assert_eq!(desk.rows("log.jsonl")[0]["note"], "why");
    let unknown = desk.bad(&["bookmark", "log.jsonl", "remove", "m3"]);
    assert_eq!(unknown, "error: log.jsonl: there is no bookmark \"m3\"; there are \"m1\", \"m2\"\n");
    desk.bad(&["bookmark", "log.jsonl", "add", "99"]);
    desk.bad(&["bookmark", "log.jsonl", "add", "3", "--name", "m1"]);
    desk.bad(&["bookmark", "log.jsonl", "add", "3", "--name", ""]);
    desk.bad(&["bookmark", "list"]);
    assert_eq!(desk.rows("log.jsonl").len(), 2);
}

#[test]
fn bookmarks_follow_a_log_that_is_moved_converted_or_extended() {
    let desk = Desk::new();
    desk.write_lines("log.jsonl", &demo());
    for at in ["0", "19", "37"] {
        desk.good(&["bookmark", "log.jsonl", "add", at, "--name", &format!("at {at}")]);
    }
    let same = [("at 0", "exact", Some(0)), ("at 19", "exact", Some(19)), ("at 37", "exact", Some(37))];
    fs::create_dir(desk.path("away")).expect("a folder");
    fs::rename(desk.path("log.jsonl"), desk.path("away/other.name")).expect("moved");
    desk.expect("away/other.name", &same);
    for form in ["array", "lines", "envelope", "trace", "pack"] {
        desk.good(&["convert", "away/other.name", "--to", form, "-o", form]);
        desk.expect(form, &same);
    }
    desk.write("pretty", serde_json::to_string_pretty(&demo()).expect("JSON"));
    desk.expect("pretty", &same);
    let mut grown = demo();
    grown.extend(demo().drain(1..));
    desk.write_lines("grown", &grown);
    desk.expect("grown", &same);
}

#[test]
fn bookmarks_find_their_event_or_are_lost() {
    let desk = Desk::new();
    desk.write_lines("log.jsonl", &demo());
    for at in ["3", "19", "28"] {
        desk.good(&["bookmark", "log.jsonl", "add", at, "--name", &format!("at {at}")]);
    }
    let mut cut = demo();
    cut.drain(5..9);
    desk.write_lines("cut", &cut);
    desk.expect("cut", &[("at 3", "exact", Some(3)), ("at 19", "moved", Some(15)), ("at 28", "moved", Some(24))]);
    assert!(desk.good(&["bookmark", "cut"]).contains("at 19 event 15, moved from event 19"));

    let again = Value::Array(demo()).to_string().replace("call-", "other-");
    desk.write("again", again);
    let near = [("at 3", "near", Some(3)), ("at 19", "near", Some(19)), ("at 28", "near", Some(28))];
    desk.expect("again", &near);
    let turn = demo()[0]["turn_id"].as_str().expect("a turn").to_owned();
    let under_another_name = Value::Array(demo()).to_string().replace(&turn, "another turn");
    desk.write("renamed", under_another_name);
    desk.expect("renamed", &near);

    desk.write_lines("short", &demo()[..10]);
    desk.expect("short", &[("at 3", "exact", Some(3)), ("at 19", "lost", None), ("at 28", "lost", None)]);
    let list = desk.good(&["bookmark", "short"]);
    assert!(list.contains("at 28 lost, was event 28\n  tool_call_finished\n"), "{list}");
    desk.good(&["bookmark", "short", "add", "2"]);
    // Lost in this log, but still in the file.
    assert_eq!(desk.places("log.jsonl").len(), 4);
}

#[test]
fn processes_can_add_bookmarks_at_the_same_time() {
    let desk = Desk::new();
    desk.write_lines("log.jsonl", &demo());
    std::thread::scope(|scope| {
        for who in ["one", "two"] {
            let desk = &desk;
            scope.spawn(move || {
                for number in 0..25 {
                    desk.good(&["bookmark", "log.jsonl", "add", "7", "--name", &format!("{who} {number}")]);
                }
            });
        }
    });
    let names: std::collections::BTreeSet<String> = desk.places("log.jsonl").into_iter().map(|row| row.0).collect();
    let expected = (0..25).flat_map(|number| [format!("one {number}"), format!("two {number}")]).collect();
    assert_eq!(names, expected);
}

#[test]
fn a_damaged_bookmark_file_is_rejected_and_not_changed() {
    let desk = Desk::new();
    desk.write_lines("log.jsonl", &demo());
    desk.good(&["bookmark", "log.jsonl", "add", "7"]);
    let file = desk.file();
    let whole = fs::read_to_string(&file).expect("file");
    let cut = &whole[..whole.len() / 2];
    for damaged in [cut, "", "\0\0\0\0", "[]", &whole.replace("\"version\": 1", "\"version\": 9")] {
        fs::write(&file, damaged).expect("written");
        for action in [&["list"][..], &["add", "3"], &["remove", "m1"]] {
            let printed = desk.bad(&[&["bookmark", "log.jsonl"], action].concat());
            assert!(
                printed.contains(file.to_str().expect("a plain path")) && printed.contains("move it away"),
                "{printed}"
            );
        }
        assert_eq!(fs::read_to_string(&file).expect("file"), damaged);
    }
    fs::write(&file, cut).expect("written");
    assert!(desk.bad(&["bookmark", "log.jsonl"]).contains(": line "), "a place");
    fs::write(&file, vec![b' '; (16 << 20) + 1]).expect("written");
    assert!(desk.bad(&["bookmark", "log.jsonl", "add", "3"]).contains("more than the limit of"));
    fs::remove_file(&file).expect("removed");
    desk.write("state/stepback/bookmarks/.partial", "");
    desk.good(&["bookmark", "log.jsonl", "add", "3"]);
}

#[cfg(unix)]
#[test]
fn bookmark_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.write_lines("log.jsonl", &demo());
    desk.good(&["bookmark", "log.jsonl", "add", "7"]);
    let folder = desk.path("state/stepback/bookmarks");
    let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert!(listed(&folder).iter().all(|path| mode(path) == 0o600));
    let other =
        desk.command(&["bookmark", "log.jsonl", "add", "7"]).env("XDG_STATE_HOME", desk.path("log.jsonl")).output();
    let other = other.expect("the binary runs");
    let printed = String::from_utf8_lossy(&other.stderr);
    assert!(
        other.status.code() == Some(2) && printed.contains("set XDG_STATE_HOME to use another folder"),
        "{printed}"
    );
}

#[test]
fn hostile_texts_are_rejected_or_escaped() {
    let desk = Desk::new();
    let mut events = demo();
    events[18]["tool_name"] = json!("\u{1b}[2J\u{202e}");
    desk.write_lines("log.jsonl", &events);
    for name in ["a\u{1b}[2J", "a\nb", "\u{202e}", " ", &"x".repeat(101)] {
        desk.bad(&["bookmark", "log.jsonl", "add", "18", "--name", name]);
    }
    desk.bad(&["bookmark", "log.jsonl", "add", "18", "--note", &"x".repeat(100_000)]);
    desk.good(&["bookmark", "log.jsonl", "add", "18", "--name", "日本", "--note", "\u{1b}]0;x\u{7}\u{202e}\u{9b}"]);
    for arguments in [&["bookmark", "log.jsonl"][..], &["bookmark", "log.jsonl", "--json"]] {
        let printed = desk.good(arguments);
        assert!(printed.chars().all(|character| character == '\n' || !character.is_control()), "{printed:?}");
        assert!(!printed.contains('\u{202e}'), "{printed:?}");
    }
    // In a bookmark file that another program wrote.
    let file = desk.file();
    let odd = fs::read_to_string(&file).expect("file").replace("日本", "\\u001b[2J");
    fs::write(&file, odd).expect("written");
    assert!(!desk.bad(&["bookmark", "log.jsonl"]).contains('\u{1b}'));
    let long = format!("\"note\": \"{}\"", "x".repeat(1 << 20));
    let note = fs::read_to_string(&file).expect("file").replace("\\u001b[2J", "a");
    let from = note.find("\"note\"").expect("a note");
    let to = from + note[from..].find('\n').expect("an end") - 1;
    fs::write(&file, format!("{}{long}{}", &note[..from], &note[to..])).expect("written");
    assert!(desk.bad(&["bookmark", "log.jsonl"]).contains("10000 characters"));
}
