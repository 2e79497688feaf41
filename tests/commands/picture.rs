//! Screenshots: the picture in the README is up to date, and what `--screenshot` rejects.

use std::fs;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_picture_in_the_readme_is_up_to_date() {
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
        "assets/screen.svg is not what the program draws now; take it again:\n\
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
