//! `replay --follow`: a log that grows and is replaced while the program prints it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::growing::{append, text};

/// The command prints appended events, reports that the log was replaced, and continues with the new one.
#[test]
fn replay_follows_a_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    fs::write(&path, text(0..2)).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_stepback"))
        .args(["replay", "--follow", "--json"])
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let (send, received) = mpsc::channel();
    let mut pipes: Vec<(bool, Box<dyn std::io::Read + Send>)> = vec![
        (true, Box::new(child.stdout.take().expect("a pipe"))),
        (false, Box::new(child.stderr.take().expect("a pipe"))),
    ];
    for (is_output, pipe) in pipes.drain(..) {
        let send = send.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                let _ = send.send((is_output, line));
            }
        });
    }
    let mut output = Vec::new();
    let mut notes = String::new();
    let mut until = |what: &str, done: &dyn Fn(&[Value], &str) -> bool| {
        while !done(&output, &notes) {
            match received.recv_timeout(Duration::from_secs(30)) {
                Ok((true, line)) => output.push(serde_json::from_str(&line).expect("JSON")),
                Ok((false, line)) => notes.push_str(&line),
                Err(_) => panic!("timed out before {what}: {output:?} {notes}"),
            }
        }
    };
    until("the log is printed", &|rows, _| rows.len() == 3);
    append(&path, &text(2..4));
    until("the new events are printed", &|rows, _| rows.len() == 5 && rows[4]["index"] == 4);
    fs::write(path.with_extension("new"), text(0..1)).expect("written");
    fs::rename(path.with_extension("new"), &path).expect("renamed");
    until("the other log is printed", &|rows, notes| rows.len() == 7 && notes.contains("replaced"));
    child.kill().expect("killed");
    child.wait().expect("ended");
}
