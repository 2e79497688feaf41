//! The README's walk and its picture: typed and drawn again, so that neither tells of a program that there was once.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, DEMO};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What stands between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_walk_leads_from_the_failure_to_the_event_that_is_why() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let part = readme.split_once("<!-- walk:begin -->").and_then(|(_, rest)| rest.split_once("<!-- walk:end -->"));
    let rows: Vec<&str> = part.expect("a walk").0.lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() >= 5, "{rows:?}");
    let mut bench = Bench::open(DEMO, 120, 40);
    let mut presses = 0;
    for row in rows {
        let (keys, sees) = row[1..].split_once('|').expect("two columns");
        for name in quoted(keys) {
            presses += 1;
            bench.keys(name);
        }
        let frame = bench.frame();
        let seen = quoted(sees);
        assert!(!seen.is_empty(), "{row} says nothing that can be looked for");
        for text in seen {
            assert!(frame.contains(text), "after {keys}: {text}\n{frame}");
        }
    }
    assert!(presses < 15, "a walk, not a journey: {presses} keys");
}

#[test]
fn the_picture_is_what_the_program_draws() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("screen.svg");
    let output = Command::new(env!("CARGO_BIN_EXE_stepback"))
        .current_dir(root())
        .env("XDG_CONFIG_HOME", folder.path())
        .env("XDG_STATE_HOME", folder.path())
        .args(["assets/demo.json", "--at", "19", "--size", "120x36", "--screenshot"])
        .arg(&picture)
        .output()
        .expect("a run");
    assert!(output.status.success(), "{output:?}");
    let drawn = fs::read_to_string(&picture).expect("a picture");
    let kept = fs::read_to_string(root().join("assets/screen.svg")).unwrap_or_default();
    assert!(
        drawn == kept,
        "assets/screen.svg is not what the program draws now; take it anew:\n\
         stepback assets/demo.json --at 19 --size 120x36 --force --screenshot assets/screen.svg"
    );
}

#[test]
fn a_screenshot_is_text_unless_its_name_says_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("screen.txt");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        command.current_dir(root()).env("XDG_CONFIG_HOME", folder.path()).env("XDG_STATE_HOME", folder.path());
        command.args(arguments).arg("--screenshot").arg(&path).output().expect("a run")
    };
    assert!(run(&["assets/demo.json", "--size", "80x24", "--ascii"]).status.success());
    let text = fs::read_to_string(&path).expect("a text");
    assert_eq!(text.lines().count(), 24);
    assert!(text.contains("+ Events") && text.is_ascii(), "{text}");
    let again = run(&["assets/demo.json"]);
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("this file exists"));
    assert!(run(&["assets/demo.json", "--force"]).status.success());
    fs::copy(root().join("assets/demo.json"), &path).expect("a copy");
    let itself = run(&[&path.to_string_lossy(), "--force"]);
    assert!(!itself.status.success() && String::from_utf8_lossy(&itself.stderr).contains("the log itself"));
    let nowhere = run(&["assets/demo.json", "--force", "--at", "99"]);
    assert!(!nowhere.status.success() && String::from_utf8_lossy(&nowhere.stderr).contains("there is no event 99"));
    let refused = run(&["assets/demo.json", "--size", "0x24"]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && error.contains("columns and rows"), "{error}");
}
