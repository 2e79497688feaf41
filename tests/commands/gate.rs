//! The verdict of `check` and `diff` on logs that are spelled, wrapped or piped in unusual ways.

use std::fs;

use serde_json::{Value, json};

use crate::desk::{Desk, checks_of, ours};

/// The events of the demo, whose turn failed, and which has critical findings.
fn demo() -> Vec<Value> {
    serde_json::from_slice(&fs::read(ours("assets/demo.json")).expect("a file")).expect("JSON")
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// Writes a log into a folder next to a clean one, and answers what `check` of the folder says of it.
fn gate(desk: &Desk, name: &str, text: &str) -> (Option<i32>, Vec<String>) {
    let folder = desk.path(&format!("folder-{name}"));
    fs::create_dir(&folder).expect("a folder");
    fs::copy(ours("fixtures/turn/clean.json"), folder.join("clean.json")).expect("copied");
    fs::write(folder.join(name), text).expect("written");
    let folder = folder.to_str().expect("a name");
    let code = desk.run(&["check", folder]).status.code();
    let document = desk.json(&["check", "--json", folder]);
    let files = document["files"].as_array().expect("files").iter();
    let file = files.into_iter().find(|file| file["file"].as_str().is_some_and(|file| file.ends_with(name)));
    (code, file.map(checks_of).unwrap_or_default())
}

#[test]
fn the_verdict_does_not_depend_on_length_spelling_or_wrapping() {
    let desk = Desk::new();
    let events = demo();
    let (_, expected) = gate(&desk, "plain.jsonl", &lines(&events));
    assert!(!expected.is_empty());
    let mut long = events.clone();
    // The key that tells the kind comes last, behind more than one read of the file.
    let mut first = format!("{{\"input_text\":\"{}\"", "A".repeat(300_000));
    for (key, value) in long[0].as_object().expect("an object").iter().filter(|(key, _)| *key != "input_text") {
        first.push_str(&format!(",{}:{value}", json!(key)));
    }
    first.push_str("}\n");
    let rest = lines(&long.split_off(1));
    let escaped = lines(&events).replace("event_type", "\\u0065vent_type");
    let array = format!("[{{\"seq\":1,\"event\":{{}}}},{}]", lines(&events).trim().replace('\n', ","));
    for (name, text) in [
        ("long.jsonl", first + &rest),
        ("escaped.jsonl", escaped),
        ("empty-array.jsonl", format!("[]\n{}", lines(&events))),
        ("odd-wrapper.jsonl", format!("{{\"seq\":1,\"event\":{{}}}}\n{}", lines(&events))),
        ("odd-wrapper.json", array),
        ("late-wrapper.jsonl", format!("{}{{\"seq\":1,\"event\":{{}}}}\n", lines(&events))),
    ] {
        let (code, found) = gate(&desk, name, &text);
        assert_eq!(code, Some(1), "{name}");
        let missing: Vec<_> = expected.iter().filter(|check| !found.contains(check)).collect();
        assert!(missing.is_empty(), "{name}: {missing:?} of {found:?}");
    }
}

#[test]
fn a_file_that_may_be_a_log_and_cannot_be_read_fails_a_folder() {
    let desk = Desk::new();
    let gzip = "\u{1f}\u{8b}".chars().map(|character| character as u8).chain([8, 0]).collect::<Vec<u8>>();
    for (name, bytes, code) in [
        ("run.jsonl.gz", gzip.clone(), 2),
        ("archive.tar.gz", gzip, 0),
        ("package.json", b"{\"name\":\"x\"}".to_vec(), 0),
    ] {
        let folder = desk.path(&format!("of-{name}"));
        fs::create_dir(&folder).expect("a folder");
        fs::copy(ours("fixtures/turn/clean.json"), folder.join("clean.json")).expect("copied");
        fs::write(folder.join(name), bytes).expect("written");
        let folder = folder.to_str().expect("a name");
        let output = desk.run(&["check", folder]);
        assert_eq!(output.status.code(), Some(code), "{name}");
        assert_eq!(String::from_utf8_lossy(&output.stderr).contains(name), code == 2, "{name}");
        let allowed = desk.run(&["check", folder, "--allow-unreadable"]);
        assert_eq!(allowed.status.code(), Some(0), "{name}");
        assert_eq!(String::from_utf8_lossy(&allowed.stderr).contains("not checked"), code == 2, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn the_exit_code_is_the_verdict_when_the_reader_of_the_pipe_has_gone() {
    let desk = Desk::new();
    let other = "fixtures/turn/clean.json";
    for (arguments, code) in [
        (&["check", "assets/demo.json"][..], 1),
        (&["check", "assets/demo.json", "--json"], 1),
        (&["check", other], 0),
        (&["check", "no-such-file"], 2),
        (&["diff", "assets/demo.json", other], 1),
        (&["diff", "assets/demo.json", other, "--json"], 1),
        (&["show", "no-such-file", "--at", "0"], 2),
        (&["show", "assets/demo.json", "--at", "0"], 0),
    ] {
        // A pipe whose reading end is closed before the program starts.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let errors = writer.try_clone().expect("another end");
        drop(reader);
        let status = desk.command(arguments).stdout(writer).stderr(errors).status().expect("the program starts");
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn two_logs_make_the_same_document_twice() {
    let desk = Desk::new();
    let diff = || desk.run(&["diff", "--json", "assets/demo.json", "fixtures/turn/clean.json"]).stdout;
    let first = diff();
    std::thread::sleep(std::time::Duration::from_millis(5));
    assert!(first == diff());
}

#[cfg(unix)]
#[test]
fn a_replay_ends_when_the_reader_of_the_pipe_has_gone() {
    let desk = Desk::new();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut child =
        desk.command(&["replay", "assets/demo.json", "--follow"]).stdout(writer).spawn().expect("the program starts");
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}

/// One line per finding, in the order of the files, with the same findings as the document.
#[test]
fn lines_of_findings_are_those_of_the_document() {
    let desk = Desk::new();
    let list = desk.path("names");
    let names: Vec<String> =
        ["fixtures/turn/late-result.json", "fixtures/turn/clean.json", "assets/demo.json", "no-such-file"]
            .map(|name| ours(name).display().to_string())
            .into();
    fs::write(&list, names.join("\n")).expect("written");
    let list = list.to_str().expect("a name");
    let document = desk.json(&["check", "--json", "--files-from", list]);
    let mut expected = Vec::new();
    for file in document["files"].as_array().expect("files") {
        for finding in file["findings"].as_array().into_iter().flatten() {
            let mut line = json!({"file": file["file"], "dialect": file["dialect"], "verdict": file["verdict"]});
            line.as_object_mut().expect("an object").extend(finding.as_object().expect("an object").clone());
            expected.push(line);
        }
        if file["verdict"] == "trouble" {
            expected.push(file.clone());
        }
    }
    assert!(expected.len() > 3, "{expected:?}");
    let mut piped = desk.command(&["check", "--files-from", "-", "--format", "jsonl"]);
    let output = piped.stdin(fs::File::open(list).expect("a file")).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("JSON"))
        .collect();
    assert_eq!(lines, expected);
    let twice = desk.run(&["check", "-", "--files-from", "-"]);
    assert_eq!(twice.status.code(), Some(2), "standard input can be read only once");
}
