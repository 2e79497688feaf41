//! Screenshots: the picture in the README is up to date, and what `--screenshot` rejects.

use std::fs;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The keys of the walk in the README, as a script: the last key of each row is followed by time to read.
fn walk() -> String {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let part = readme.split_once("<!-- walk:begin -->").and_then(|(_, rest)| rest.split_once("<!-- walk:end -->"));
    let rows: Vec<&str> = part.expect("a walk").0.lines().filter(|line| line.starts_with("| `")).collect();
    let mut script = "1.5s".to_owned();
    for (number, row) in rows.iter().enumerate() {
        let (keys, sees) = row[1..].split_once('|').expect("two columns");
        let keys: Vec<&str> = keys.split('`').skip(1).step_by(2).collect();
        // The screen shown longest is the one for viewers that do not animate: it says what contradicts what.
        let hold = if sees.contains("expected") { 2600 } else { 1800 };
        let hold = if number + 1 == rows.len() { 2200 } else { hold };
        script.push_str(&format!(" {} {hold}ms", keys.join(" 350ms ")));
    }
    script
}

/// `UPDATE_PICTURE=1` rewrites the picture.
#[test]
fn the_picture_in_the_readme_is_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("screen.svg");
    let output = Command::new(env!("CARGO_BIN_EXE_stepback"))
        .current_dir(root())
        .env("XDG_CONFIG_HOME", folder.path())
        .env("XDG_STATE_HOME", folder.path())
        .args(["--demo", "--size", "120x36", "--keys", &walk(), "--screenshot"])
        .arg(&picture)
        .output()
        .expect("a run");
    assert!(output.status.success(), "{output:?}");
    let drawn = fs::read_to_string(&picture).expect("a picture");
    assert!(drawn.len() < 300_000, "a page should load it at once: {} bytes", drawn.len());
    let asset = root().join("assets/screen.svg");
    if std::env::var_os("UPDATE_PICTURE").is_some() {
        fs::write(&asset, &drawn).expect("written");
    }
    assert!(
        drawn == fs::read_to_string(&asset).unwrap_or_default(),
        "assets/screen.svg is not what the program draws now: UPDATE_PICTURE=1 cargo test --test commands picture::"
    );
}

#[test]
fn keys_are_pressed_before_the_screen_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let play = |name: &str, keys: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        command.current_dir(root()).env("XDG_CONFIG_HOME", folder.path()).env("XDG_STATE_HOME", folder.path());
        command.args(["--demo", "--size", "80x24", "--force", "--keys", keys, "--screenshot"]);
        let output = command.arg(folder.path().join(name)).output().expect("a run");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let saved = fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        (output.status.success(), error, saved)
    };
    let (_, _, texts) = play("keys.txt", r#"3 l / "call-5" Enter"#);
    let screens: Vec<&str> = texts.split("\n\n").collect();
    let titles: Vec<&str> = screens.iter().filter_map(|screen| screen.lines().next()).collect();
    assert_eq!(screens.len(), 6, "{texts}");
    assert_eq!(titles[0], "$ stepback --demo");
    assert!(titles[2].starts_with("[l] go one event forward"), "{titles:?}");
    assert_eq!(titles[4], "[call-5] type this text");
    assert!(screens[0].contains("event 1 of 38") && screens[2].contains("event 4 of 38"), "{texts}");
    assert!(screens[4].contains("/call-5") && !screens[3].contains("/call-5"), "{texts}");
    // While it plays, the screen moves on: four events per second.
    let (_, _, played) = play("played.txt", "Space 1s");
    assert!(["event 2 of 38", "event 3 of 38", "event 4 of 38"].iter().all(|place| played.contains(place)), "{played}");
    let (_, _, svg) = play("keys.svg", "l 2s l");
    assert!(svg.contains("g{animation:4000ms step-end infinite}") && svg.contains("event 3 of 38"), "{svg}");
    let (done, error, saved) = play("left.txt", "l q l");
    assert!(!done && error.contains("the key q leaves the screen") && saved.is_empty(), "{error}");
    let (done, error, _) = play("wrong.txt", "l Entr");
    assert!(!done && error.contains("did you mean \"Enter\""), "{error}");
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
