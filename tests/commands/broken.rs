//! Damaged input of every kind: no panic, no hang, no control characters on the terminal, and errors with a place.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// File, exit code of `check`, texts that `check --all` must print.
type Case = (&'static str, i32, &'static [&'static str]);

const CASES: &[Case] = &[
    ("bad-sidecar.json", 0, &["bad-sidecar.session.json", "line 1", "saved messages are not checked"]),
    ("bad-sidecar.session.json", 2, &["not a log", "a list of chat messages"]),
    ("bom.jsonl", 0, &["9 events"]),
    ("broken-bundle.json", 2, &["trace bundle", "line 69, byte 1742", "not valid JSON"]),
    ("crlf.jsonl", 0, &["9 events"]),
    ("deep-nesting.json", 1, &["log/malformed", "line 7, byte 1398", "recursion limit"]),
    ("duplicate-keys.json", 1, &["log/malformed", "line 7, byte 1001", "tool_name"]),
    ("empty.json", 1, &["log/empty"]),
    ("hostile-not-json.json", 2, &["not a log", "line 1, byte 0"]),
    ("hostile-text.json", 1, &["gate/loop-guard-unreferenced", "ghost"]),
    ("invalid-utf8.jsonl", 1, &["log/malformed", "line 6, byte 1188"]),
    ("lone-surrogate.json", 1, &["log/malformed", "line 7, byte 1194"]),
    ("missing-comma.json", 1, &["log/malformed", "line 6, byte 910", "no comma", "9 events"]),
    ("not-json.json", 2, &["not a log", "line 1, byte 0", "Dear colleagues"]),
    ("nul-bytes.jsonl", 1, &["log/malformed", "line 6, byte 994", "9 events"]),
    ("numbers-out-of-range.json", 1, &["log/malformed", "line 8, byte 1266", "line 13, byte 1832", "9 events"]),
    ("other-json.json", 2, &["not a log", "line 1, byte 0", "scripts"]),
    ("trailing-text.json", 1, &["log/malformed", "line 12, byte 1890", "9 events"]),
    ("truncated-array.json", 1, &["log/torn-tail", "gate/missing-turn-ended", "5 events"]),
    ("truncated-line.jsonl", 1, &["log/torn-tail", "gate/missing-turn-ended", "5 events"]),
    ("truncated-pretty.json", 1, &["log/torn-tail", "gate/missing-turn-ended", "5 events"]),
    ("unknown-kind.json", 0, &["turn/unknown-event", "sandbox_snapshot_taken"]),
    ("utf16.jsonl", 2, &["not a log", "UTF-16"]),
    ("whitespace.json", 1, &["log/empty"]),
];

/// The commands that are run on every file; `FILE` is replaced by its name.
const COMMANDS: &[&[&str]] = &[
    &["FILE"],
    &["check", "FILE"],
    &["check", "--json", "FILE"],
    &["check", "--format", "sarif", "FILE"],
    &["check", "--format", "junit", "FILE"],
    &["check", "--format", "github", "FILE"],
    &["check", "--strict", "FILE"],
    &["report", "FILE"],
    &["report", "--json", "FILE"],
    &["report", "--strict", "FILE"],
    &["replay", "FILE"],
    &["show", "FILE", "--at", "0"],
    &["blame", "FILE", "step_idx"],
];

const FOLDER: &str = "fixtures/broken";
const TIME_LIMIT: Duration = Duration::from_secs(20);
const LONG_LINE_BYTES: usize = 50 << 20;
/// Kilobytes of address space: enough for the program and its threads, but not for many copies of a long line.
const ADDRESS_SPACE_KB: u32 = 600_000;

struct Ran {
    exit: i32,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Ran {
    fn text(&self) -> String {
        String::from_utf8_lossy(&[&self.stdout[..], &self.stderr].concat()).into_owned()
    }

    fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Runs a command with its output in files, so that it never waits for a full pipe.
fn run(command: &mut Command, named: &str) -> Ran {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let create = |name: &str| fs::File::create(folder.path().join(name)).expect("an output file");
    let began = Instant::now();
    let mut child = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(create("stdout"))
        .stderr(create("stderr"))
        .spawn()
        .expect("the program starts");
    let status = loop {
        match child.try_wait().expect("a status") {
            Some(status) => break status,
            None if began.elapsed() > TIME_LIMIT => {
                let _ = child.kill();
                panic!("{named}: still running after {TIME_LIMIT:?}");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let read = |name: &str| fs::read(folder.path().join(name)).expect("the output");
    let ran = Ran { exit: status.code().unwrap_or(-1), stdout: read("stdout"), stderr: read("stderr") };
    behaves(&ran, named);
    ran
}

/// What must be true of every run, for any input.
fn behaves(ran: &Ran, named: &str) {
    let text = ran.text();
    assert!((0..=2).contains(&ran.exit), "{named}: exit code {}\n{text}", ran.exit);
    assert!(!text.contains("panicked"), "{named}: {text}");
    assert!(ran.exit != 2 || !text.trim().is_empty(), "{named}: no error message");
}

/// Control characters and characters that change the direction of writing.
fn is_hostile(char: char) -> bool {
    let turns_direction = matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns_direction || (char.is_control() && !matches!(char, '\n' | '\t'))
}

fn on_file(command: &[&str], path: &Path) -> Ran {
    let arguments = command.iter().map(|word| if *word == "FILE" { path.as_os_str() } else { OsStr::new(word) });
    let mut program = Command::new(env!("CARGO_BIN_EXE_stepback"));
    run(program.args(arguments), &format!("{command:?} on {}", path.display()))
}

/// The commands that print a control character, and the first one that they print.
fn leaks(path: &Path) -> Vec<String> {
    let leak = |command: &&[&str]| {
        let text = on_file(command, path).text();
        let hostile = text.chars().find(|char| is_hostile(*char))?;
        Some(format!("{command:?} on {path:?}: {hostile:?}"))
    };
    COMMANDS.iter().filter_map(leak).collect()
}

fn in_folder(file: &str) -> PathBuf {
    Path::new(FOLDER).join(file)
}

/// Every place in `check --json` is a place in the file, and damage always has a place.
fn places_are_true(path: &Path) {
    let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("the file");
    let document: Value = serde_json::from_slice(&on_file(&["check", "--json", "FILE"], path).stdout).expect("JSON");
    for finding in document["files"][0]["findings"].as_array().into_iter().flatten() {
        let id = finding["check"].as_str().expect("a check id");
        let place = finding["line"].as_u64().zip(finding["byte"].as_u64());
        let Some((line, byte)) = place else {
            assert!(!id.starts_with("log/") || id == "log/empty", "{}: {id} has no place", path.display());
            continue;
        };
        let before = bytes.get(..byte as usize).unwrap_or_else(|| panic!("{}: no byte {byte}", path.display()));
        let newlines = before.iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!(line, newlines + 1, "{}: {id} at byte {byte}", path.display());
    }
}

#[test]
fn every_file_is_reported_correctly() {
    for (file, exit, texts) in CASES {
        let ran = on_file(&["check", "--all", "FILE"], &in_folder(file));
        let text = ran.text();
        assert_eq!(ran.exit, *exit, "{file}: {text}");
        for expected in texts.iter().chain([file]) {
            assert!(text.contains(expected), "{file}: {expected:?} is missing in:\n{text}");
        }
    }
}

#[test]
fn every_file_has_a_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let names = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let names: BTreeSet<String> = names.map(|name| name.into_string().expect("a plain name")).collect();
    let found: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.starts_with('.')).collect();
    let cases: Vec<&str> = CASES.iter().map(|(file, ..)| *file).collect();
    assert_eq!(found, cases);
}

#[test]
fn no_command_panics_hangs_or_passes_on_control_characters() {
    let leaks: Vec<String> = CASES.iter().flat_map(|(file, ..)| leaks(&in_folder(file))).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn places_lead_to_the_damage() {
    for (file, ..) in CASES {
        places_are_true(&in_folder(file));
    }
}

/// Errors go to standard error with path, line and byte, or the kind of the file; standard output is only for results.
#[test]
fn files_that_are_not_logs_are_reported_on_standard_error() {
    for (file, ..) in CASES.iter().filter(|(_, exit, _)| *exit == 2) {
        for command in
            [&["report", "FILE"][..], &["replay", "FILE"], &["show", "FILE", "--at", "0"], &["check", "FILE"]]
        {
            let ran = on_file(command, &in_folder(file));
            assert_eq!(ran.exit, 2, "{command:?} on {file}");
            let errors = ran.errors();
            assert!(errors.contains(*file), "{command:?} on {file}: {errors}");
            // A file of a known kind is named as a whole.
            let is_named = errors.contains("this looks like");
            assert!(
                is_named || errors.contains("line ") && errors.contains("byte "),
                "{command:?} on {file}: {errors}"
            );
        }
    }
}

#[test]
fn files_that_cannot_be_opened_are_errors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = folder.path().join("missing.json");
    let directory = folder.path().join("directory");
    fs::create_dir(&directory).expect("a directory");
    let mut cases = vec![(missing, "missing.json"), (directory.clone(), "directory")];
    let unreadable = folder.path().join("unreadable.json");
    fs::write(&unreadable, "[]").expect("a file");
    forbid_reading(&unreadable);
    // Root can read it anyway.
    if fs::File::open(&unreadable).is_err() {
        cases.push((unreadable, "unreadable.json"));
    }
    for (path, name) in &cases {
        for command in [&["FILE"][..], &["report", "FILE"], &["replay", "FILE"], &["show", "FILE", "--at", "0"]] {
            let ran = on_file(command, path);
            assert_eq!(ran.exit, 2, "{command:?} on {name}");
            assert!(ran.errors().contains(name), "{command:?}: {}", ran.errors());
            assert!(ran.stdout.is_empty(), "{command:?} on {name}");
        }
    }
    let ran = on_file(&["check", "FILE"], &directory);
    assert_eq!(ran.exit, 2, "a folder without a log: {}", ran.text());
}

#[cfg(unix)]
fn forbid_reading(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("permissions");
}

#[cfg(not(unix))]
fn forbid_reading(_path: &Path) {}

/// File names are hostile, too. Other systems reject such names themselves.
#[cfg(target_os = "linux")]
#[test]
fn a_hostile_file_name_is_escaped() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join("unknown-kind.json")).expect("a log");
    for name in [&b"a\x1b[31m\n::error::b\xe2\x80\xae.json"[..], b"not utf-8 \xff.json"] {
        let path = folder.path().join(OsStr::from_bytes(name));
        fs::write(&path, &log).expect("a file");
        let nowhere = folder.path().join(OsStr::from_bytes(&[name, b"-missing"].concat()));
        let leaks = [leaks(&path), leaks(&nowhere)].concat();
        assert!(leaks.is_empty(), "{leaks:#?}");
    }
}

/// A record of 50 MB is skipped in bounded memory, and the other records are replayed.
#[cfg(target_os = "linux")]
#[test]
fn a_line_of_fifty_megabytes_is_skipped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("long.jsonl");
    let log = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join("crlf.jsonl")).expect("a log");
    let mut file = fs::File::create(&path).expect("a file");
    for (index, line) in log.lines().enumerate() {
        writeln!(file, "{line}").expect("a line");
        if index == 4 {
            write!(file, "{{\"event_type\":\"steer_injected\",\"text\":\"").expect("a beginning");
            file.write_all(&vec![b'x'; LONG_LINE_BYTES]).expect("a long line");
            writeln!(file, "\"}}").expect("an end");
        }
    }
    drop(file);
    for arguments in ["check", "report", "report --json", "replay", "show --at 5", "blame --at 6"] {
        let field = if arguments.starts_with("blame") { "step_idx" } else { "" };
        let script = format!("ulimit -v {ADDRESS_SPACE_KB}; exec \"$0\" {arguments} \"$1\" {field}");
        let mut command = Command::new("sh");
        // Each thread reserves address space that it never uses; this test is about memory that grows with the line.
        command.env("RAYON_NUM_THREADS", "2").env("MALLOC_ARENA_MAX", "2");
        let ran = run(command.args(["-c", &script, env!("CARGO_BIN_EXE_stepback")]).arg(&path), arguments);
        assert_eq!(ran.exit, i32::from(arguments == "check"), "{arguments}: {}", ran.text());
        if arguments == "check" {
            for expected in ["log/too-long-line", "line 6, byte ", "9 events"] {
                assert!(ran.text().contains(expected), "{expected:?} is missing in:\n{}", ran.text());
            }
        }
    }
}
