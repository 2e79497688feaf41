//! The toy dialect through every part of stepback, by the commands that a user types.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use serde_json::Value;

use crate::cli::{Arguments, Exit, execute};
use crate::loader::Loaded;
use crate::log::{Log, Options};
use crate::replay::Seq;
use crate::replay::debugger::Debugger;

const SECRET: &str = "sk-ant-api03-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFy";

/// The doors stay open when the lift moves to floor 4, and floor 9 is never reached.
fn faulty() -> String {
    let lines = [
        r#"{"lift":"called","floor":2,"note":null}"#.to_owned(),
        r#"{"lift":"moved","floor":2,"took_ms":800}"#.to_owned(),
        r#"{"lift":"opened"}"#.to_owned(),
        r#"{"lift":"closed"}"#.to_owned(),
        format!(r#"{{"lift":"called","floor":4,"note":"key {SECRET}"}}"#),
        r#"{"lift":"opened"}"#.to_owned(),
        r#"{"lift":"moved","floor":4,"took_ms":900}"#.to_owned(),
        r#"{"lift":"called","floor":9,"note":null}"#.to_owned(),
    ];
    lines.join("\n") + "\n"
}

/// A folder for the test with a faulty log in it.
fn scene(name: &str) -> (PathBuf, String) {
    let folder = std::env::temp_dir().join(format!("stepback-lift-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let log = folder.join("lift.jsonl");
    fs::write(&log, faulty()).expect("a file");
    (folder, log.to_string_lossy().into_owned())
}

/// Runs a command line and returns how it ended and what it printed.
fn stepback(words: &[&str]) -> (Exit, String) {
    let arguments = Arguments::try_parse_from(["stepback"].iter().chain(words)).expect("arguments");
    let mut out = Vec::new();
    let exit = execute(&arguments, &mut out).expect("a command that succeeds");
    (exit, String::from_utf8(out).expect("text"))
}

fn json(words: &[&str]) -> (Exit, Value) {
    let (exit, text) = stepback(words);
    (exit, serde_json::from_str(&text).expect("JSON"))
}

fn open(path: &Path) -> Loaded {
    let log = Log::open(path, &Options::default()).expect("a log");
    assert_eq!(log.dialect.name, "lift");
    let loaded = Loaded::begin_without_checks(log).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    loaded
}

#[test]
fn it_is_recognized_and_steps_forward_and_back() {
    let (folder, log) = scene("steps");
    let loaded = open(Path::new(&log));
    let replay = loaded.replay();
    let floors = || -> Vec<Value> {
        let floor = replay.vocabulary().field("floor").expect("a field");
        let at = |at| replay.moment(Seq(at)).expect("a log").expect("a moment").sides.after(floor);
        (0..replay.len()).map(at).collect()
    };
    let forward = floors();
    assert_eq!(forward, [0, 2, 2, 2, 2, 2, 4, 4].map(Value::from));
    let mut debugger = Debugger::new(std::sync::Arc::clone(replay));
    debugger.step(3);
    assert_eq!(debugger.at(), Seq(3));
    debugger.step(-2);
    assert_eq!(debugger.at(), Seq(1));
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn its_checks_run_and_its_report_is_printed() {
    let (folder, log) = scene("checks");
    let (exit, found) = json(&["check", "--json", &log]);
    assert_eq!(exit, Exit::Findings);
    let text = found.to_string();
    assert!(text.contains("lift/moved-open") && text.contains("lift/never-served"), "{text}");
    let (_, report) = json(&["report", "--json", &log]);
    assert_eq!((&report["dialect"], &report["projection"]["doors"]), (&Value::from("lift"), &Value::from("open")));
    let (_, text) = stepback(&["report", &log]);
    assert!(text.contains("lift log (lines), 8 events") && text.contains("with open doors"), "{text}");
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn it_is_queried_and_compared() {
    let (folder, log) = scene("queries");
    let (_, text) = stepback(&["query", &log, r#".event.lift == "moved""#]);
    assert_eq!(text.lines().count(), 2, "{text}");
    let other = folder.join("other.jsonl");
    fs::write(&other, faulty().replace(r#""floor":9"#, r#""floor":8"#).replace("900", "950")).expect("a file");
    let (exit, diff) = json(&["diff", "--json", &log, &other.to_string_lossy()]);
    assert_eq!(exit, Exit::Findings);
    assert_eq!((&diff["aligned"]["changed"], &diff["aligned"]["drift"]["events"]), (&Value::from(1), &Value::from(1)));
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn it_is_minimized() {
    let (folder, log) = scene("minimize");
    let small = folder.join("small.jsonl");
    stepback(&["minimize", &log, "-o", &small.to_string_lossy()]);
    let text = fs::read_to_string(&small).expect("a file");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("opened") && text.contains("moved"), "{text}");
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn it_is_redacted_and_exported() {
    let (folder, log) = scene("export");
    let pack = folder.join("pack").to_string_lossy().into_owned();
    stepback(&["export", &log, "--redact", "--minimize", "-o", &pack]);
    let packed = fs::read_to_string(Path::new(&pack).join("trace.jsonl")).expect("a trace");
    assert!(packed.contains("REDACTED-") && !packed.contains(SECRET), "{packed}");
    assert!(Path::new(&pack).join("trace.min.jsonl").is_file());
    let (exit, found) = json(&["check", "--json", &pack]);
    assert_eq!(exit, Exit::Findings);
    assert!(found.to_string().contains("lift/moved-open"));
    let _ = fs::remove_dir_all(folder);
}
