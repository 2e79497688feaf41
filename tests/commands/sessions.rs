//! `stepback sessions`: the list, its order, what it searches, and files that must not harm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use serde_json::Value;

/// A home folder with sessions.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Home {
        Home { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file that is this many minutes old.
    fn write(&self, name: &str, minutes: u64, content: &str) -> &Home {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, content).expect("written");
        let time = SystemTime::now() - Duration::from_secs(60 * minutes);
        fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("a date");
        self
    }

    fn with_examples() -> Home {
        let home = Home::new();
        let fixture = |name: &str| {
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/agent").join(name)).expect("a log")
        };
        home.write(".claude/projects/app/one.jsonl", 30, &fixture("claude-code/finished.jsonl"));
        home.write(".claude/projects/app/two.jsonl", 10, &fixture("claude-code/killed.jsonl"));
        home.write(".claude/projects/app/agent-1.jsonl", 1, &fixture("claude-code/finished.jsonl"));
        let rollout = ".codex/sessions/2026/10/11/rollout-2026-10-11T09-00-00-a.jsonl";
        home.write(rollout, 20, &fixture("codex/rollout-finished.jsonl"));
        home
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        command.arg("sessions").args(arguments).env_clear().env("HOME", self.folder.path()).current_dir(&self.folder);
        command.output().expect("the program runs")
    }

    fn document(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    /// The names of the listed files.
    fn names(&self, arguments: &[&str]) -> Vec<String> {
        let document = self.document(arguments);
        let name = |session: &Value| {
            let file = session["file"].as_str().expect("a file").to_owned();
            file.rsplit('/').next().expect("a name").to_owned()
        };
        document["sessions"].as_array().expect("sessions").iter().map(name).collect()
    }
}

const ROLLOUT: &str = "rollout-2026-10-11T09-00-00-a.jsonl";

#[test]
fn sessions_of_all_programs_are_listed_newest_first() {
    let home = Home::with_examples();
    assert_eq!(home.names(&[]), ["two.jsonl", ROLLOUT, "one.jsonl"]);
    assert_eq!(home.names(&["--limit", "2"]), ["two.jsonl", ROLLOUT]);
    assert_eq!(home.names(&["codex"]), [ROLLOUT]);
    assert_eq!(home.names(&["two.js"]), ["two.jsonl"]);
    assert!(home.names(&["no such thing"]).is_empty());
    let sessions = home.document(&[])["sessions"].clone();
    assert_eq!((&sessions[0]["program"], &sessions[0]["outcome"]), (&"claude-code".into(), &"open".into()));
    assert_eq!((&sessions[1]["program"], &sessions[1]["outcome"]), (&"codex".into(), &"completed".into()));
    assert_eq!(sessions[2]["outcome"], "completed");
    for session in sessions.as_array().expect("sessions") {
        assert!(session["prompt"].is_string() && session["bytes"].is_u64(), "{session}");
        assert!(session["context_tokens"].is_u64() && session["findings"].is_u64(), "{session}");
    }
    let text = String::from_utf8(home.run(&[]).stdout).expect("UTF-8");
    assert_eq!(text.lines().count(), 6, "{text}");
    assert!(text.starts_with("10 min") && text.contains(ROLLOUT), "{text}");
}

/// The list and `report` must not say different things about a session.
#[test]
fn a_list_says_what_the_report_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let home = Home::new();
    let folder = root.join("fixtures/agent");
    let listed = home.document(&["--dir", folder.to_str().expect("a name")]);
    let mut compared = 0;
    for session in listed["sessions"].as_array().expect("sessions") {
        let file = session["file"].as_str().expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        let output = command.args(["check", "--json", "--fail-on", "never", file]).output().expect("the program runs");
        let checked: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let findings = checked["files"][0]["findings"].as_array().expect("findings").clone();
        let worse = findings.iter().filter(|finding| finding["severity"] != "info").count();
        if let Some(known) = session["findings"].as_u64() {
            assert_eq!(known as usize, worse, "{file}");
            compared += 1;
        }
    }
    assert!(compared > 20, "only {compared}");
}

#[test]
fn folders_can_be_moved_named_and_configured() {
    let home = Home::with_examples();
    home.write(
        "moved/projects/x/three.jsonl",
        5,
        &fs::read_to_string(home.path(".claude/projects/app/one.jsonl")).expect("a log"),
    );
    assert_eq!(home.names(&["--dir", "moved"]), ["three.jsonl"]);
    assert_eq!(home.names(&["--dir", ".codex", "--dir", "moved"]), ["three.jsonl", ROLLOUT]);
    home.write(".config/stepback/config.toml", 0, "sessions = '~/moved'");
    assert_eq!(home.names(&[]), ["three.jsonl"]);
    fs::remove_dir_all(home.path(".config")).expect("removed");
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command.args(["sessions", "--json"]).env_clear().env("CLAUDE_CONFIG_DIR", home.path("moved"));
    let output = command.output().expect("the program runs");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["sessions"].as_array().map(Vec::len), Some(1), "{document}");
    let output = home.run(&["--dir", "absent"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("absent: "));
}

#[test]
fn an_empty_machine_is_not_an_error() {
    let home = Home::new();
    let output = home.run(&[]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no session in ~/.claude/projects, ~/.codex/sessions"));
    let output = Command::new(env!("CARGO_BIN_EXE_stepback")).arg("sessions").env_clear().output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("HOME is not set"), "{output:?}");
}

#[test]
fn hostile_files_are_listed_harmlessly_or_left_out() {
    let home = Home::with_examples();
    let hostile = r#"{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","cwd":"/p/\u001b[31mred","message":{"content":"\u001b]0;owned\u0007\u202e fix"}}"#;
    home.write(".claude/projects/app/\u{1b}[2J.jsonl", 1, hostile);
    home.write(".claude/projects/app/empty.jsonl", 1, "");
    home.write(".claude/projects/app/nul.jsonl", 1, &"\0".repeat(100_000));
    home.write(".claude/projects/app/deep.jsonl", 1, &"[".repeat(200_000));
    home.write(
        ".claude/projects/app/long.jsonl",
        1,
        &format!("{{\"type\":\"user\",\"sessionId\":\"{}", "x".repeat(1 << 20)),
    );
    home.write(".codex/sessions/rollout-z.jsonl.zst", 1, "\u{28}\u{b5}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(home.path(""), home.path(".claude/projects/app/loop")).expect("a link");
        let fifo = home.path(".claude/projects/app/pipe.jsonl");
        assert!(Command::new("mkfifo").arg(fifo).status().expect("mkfifo").success());
    }
    let before = tree(&home.path(".claude"));
    for arguments in [&[][..], &["--json"], &["red"]] {
        let output = home.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        for bytes in [&output.stdout, &output.stderr] {
            let text = String::from_utf8(bytes.clone()).expect("UTF-8");
            let is_harmful = |character: char| character != '\n' && (character.is_control() || character == '\u{202e}');
            assert!(!text.contains(is_harmful), "{text}");
        }
    }
    assert!(home.names(&[]).len() >= 4);
    assert_eq!(tree(&home.path(".claude")), before, "nothing was written");
}

fn tree(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let metadata = entry.metadata().expect("metadata");
        if metadata.is_dir() {
            found.extend(tree(&entry.path()));
        }
        found.push((entry.path(), metadata.len()));
    }
    found.sort();
    found
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_named_and_the_others_are_listed() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::with_examples();
    let path = home.path(".claude/projects/app/one.jsonl");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("no permission");
    if fs::File::open(&path).is_ok() {
        // The administrator may read everything.
        return;
    }
    let document = home.document(&[]);
    assert_eq!(document["sessions"].as_array().map(Vec::len), Some(2));
    assert_eq!(document["unreadable"][0]["file"], path.to_string_lossy().as_ref());
}
