//! `kill -9` at random moments of everything that writes: the old files or the new ones remain, complete, and the next
//! run succeeds and removes what the killed one has left.
//!
//! `KILLS=200 cargo test --test commands kills` kills every command that many times.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::desk::Desk;
use crate::files::files;

const DEMO: &str = "assets/demo.json";

/// A command that writes; `OUT` is replaced by the path of its output.
struct WritingCommand {
    arguments: &'static [&'static str],
    /// The output is replaced instead of refused.
    replaces: bool,
}

const COMMANDS: [WritingCommand; 6] = [
    WritingCommand { arguments: &["export", DEMO, "-o", "OUT"], replaces: false },
    WritingCommand { arguments: &["export", DEMO, "-o", "OUT", "--force"], replaces: true },
    WritingCommand { arguments: &["convert", DEMO, "-o", "OUT"], replaces: false },
    WritingCommand { arguments: &["minimize", DEMO, "-o", "OUT"], replaces: false },
    WritingCommand { arguments: &["minimize", "fixtures/tape/damaged-store.tape", "-o", "OUT"], replaces: false },
    WritingCommand {
        arguments: &["export", "fixtures/tape/damaged-store.tape", "-o", "OUT", "--minimize"],
        replaces: false,
    },
];

fn kills() -> u32 {
    std::env::var("KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}

/// The arguments with an output below the folder of the desk. Its ending fits both kinds of logs.
fn arguments_for(desk: &Desk, command: &WritingCommand) -> Vec<String> {
    let out = desk.path("out.tape").to_str().expect("a name").to_owned();
    command.arguments.iter().map(|argument| argument.replace("OUT", &out)).collect()
}

/// Runs to the end and returns how long it took.
fn complete(desk: &Desk, arguments: &[String]) -> Duration {
    let start = Instant::now();
    let output = desk.command(&[]).args(arguments).output().expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    start.elapsed()
}

fn kill_after(desk: &Desk, arguments: &[String], time: Duration) {
    let mut command = desk.command(&[]);
    let mut child =
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    std::thread::sleep(time);
    child.kill().expect("killed");
    child.wait().expect("an end");
}

/// The files that are not leftovers of a killed run: neither hidden nor in the store of a tape that was not finished.
fn visible(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    let all = files(&desk.path(""));
    let is_unfinished = all.contains_key("out.tape.cas/.unfinished") && !all.contains_key("out.tape");
    let is_left = |name: &str| {
        name.split('/').any(|part| part.starts_with('.')) || (is_unfinished && name.starts_with("out.tape.cas/"))
    };
    all.into_iter().filter(|(name, _)| !is_left(name)).collect()
}

/// The old pack has been moved aside, and the next export finds it.
fn is_aside(desk: &Desk, expected: &BTreeMap<String, Vec<u8>>) -> bool {
    let found = files(&desk.path(""));
    let aside = found.iter().filter_map(|(name, bytes)| Some((name.split_once(".old/")?.1, bytes)));
    aside.eq(expected.iter().filter_map(|(name, bytes)| Some((name.split_once('/')?.1, bytes))))
}

/// A minimized log is written before the report about it.
fn without_report(files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let is_report = |name: &str| name.ends_with(".tape.minimization.json");
    files.iter().filter(|(name, _)| !is_report(name)).map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
}

#[test]
fn a_killed_command_leaves_the_old_files_or_the_new_ones() {
    for command in &COMMANDS {
        let whole = Desk::new();
        let arguments = arguments_for(&whole, command);
        let time = complete(&whole, &arguments);
        let expected = visible(&whole);
        for run in 0..kills() {
            let desk = Desk::new();
            let mut arguments = arguments_for(&desk, command);
            if command.replaces {
                complete(&desk, &arguments);
            }
            kill_after(&desk, &arguments, time * (run * 7919 % 1000) / 1000);
            let left = visible(&desk);
            let is_old_or_new =
                left == expected || (left.is_empty() && (!command.replaces || is_aside(&desk, &expected)));
            assert!(is_old_or_new || left == without_report(&expected), "{arguments:?}: {:?}", left.keys());
            if left.contains_key("out.tape") && left.keys().any(|name| name.starts_with("out.tape.cas/")) {
                // The store of a finished tape is not replaced.
                continue;
            }
            arguments.extend((!left.is_empty() && !command.replaces).then(|| "--force".to_owned()));
            complete(&desk, &arguments);
            assert_eq!(visible(&desk), expected, "{arguments:?}");
            desk.leaves_nothing_hidden();
        }
    }
}

#[test]
fn a_killed_bookmark_command_loses_no_earlier_bookmark() {
    let desk = Desk::new();
    let add =
        |at: u32| ["bookmark", DEMO, "add", &(at % 38).to_string(), "--name", &format!("mark-{at}")].map(str::to_owned);
    let time = complete(&desk, &add(0));
    let mut kept = vec![0];
    for run in 1..=kills() * 2 {
        if run % 2 == 0 {
            complete(&desk, &add(run));
            kept.push(run);
        } else {
            kill_after(&desk, &add(run), time * (run * 7919 % 1000) / 1000);
        }
        let list = desk.run(&["bookmark", DEMO, "list", "--json"]);
        assert!(list.status.success(), "{}", String::from_utf8_lossy(&list.stderr));
        let text = String::from_utf8_lossy(&list.stdout).into_owned();
        for at in &kept {
            assert!(text.contains(&format!("\"mark-{at}\"")), "mark-{at} is lost: {text}");
        }
    }
}
