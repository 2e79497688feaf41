//! Logs that are compressed with gzip or zstd.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::desk::{Desk, ours};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn word(path: &Path) -> &str {
    path.to_str().expect("a name")
}

/// Text output, with the name of the log replaced.
fn printed(desk: &Desk, command: &[&str], path: &Path) -> (Option<i32>, String) {
    let arguments: Vec<&str> = command.iter().map(|part| if *part == "LOG" { word(path) } else { part }).collect();
    let output = desk.run(&arguments);
    let text = String::from_utf8_lossy(&output.stdout).replace(word(path), "LOG");
    (output.status.code(), text)
}

#[test]
fn every_command_reads_a_compressed_log_like_the_plain_one() {
    let desk = Desk::new();
    for log in ["assets/demo.json", "fixtures/turn/crash-mid-tool.jsonl", "fixtures/session/ask-user.jsonl"] {
        let text = fs::read(ours(log)).expect("a fixture");
        let plain = desk.path("plain.json");
        fs::write(&plain, &text).expect("written");
        for (name, bytes) in [("log.gz", gzip(&text)), ("log.jsonl.zst", zstd(&text))] {
            let packed = desk.path(name);
            fs::write(&packed, bytes).expect("written");
            for command in [
                &["check", "LOG"][..],
                &["check", "--json", "LOG"],
                &["show", "LOG", "--at", "50%"],
                &["replay", "LOG"],
                &["query", "LOG", ".seq < 3"],
                &["diff", "LOG", "LOG"],
            ] {
                assert_eq!(printed(&desk, command, &packed), printed(&desk, command, &plain), "{log} {command:?}");
            }
        }
    }
}

#[test]
fn a_pack_of_a_compressed_log_holds_its_text() {
    let desk = Desk::new();
    let text = fs::read(ours("assets/demo.json")).expect("a fixture");
    let packed = desk.path("demo.json.gz");
    fs::write(&packed, gzip(&text)).expect("written");
    let pack = desk.export(word(&packed), "pack", &[]);
    assert_eq!(fs::read(pack.join("trace.json")).expect("a trace"), text);
    assert_eq!(desk.run(&["check", word(&pack)]).status.code(), Some(1));
}

#[test]
fn a_cut_file_is_trouble_and_says_so() {
    let desk = Desk::new();
    let text = fs::read(ours("assets/demo.json")).expect("a fixture");
    for (name, bytes) in [("cut.json.gz", gzip(&text)), ("cut.json.zst", zstd(&text))] {
        let path = desk.path(name);
        fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        let output = desk.run(&["check", word(&path)]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("damaged") && errors.contains(name), "{errors}");
    }
}

#[test]
fn a_file_that_is_known_not_to_be_a_log_is_named() {
    let desk = Desk::new();
    for (text, expected) in [
        (r#"{"resourceSpans":[]}"#, "an OpenTelemetry export"),
        (r#"{"type":"thread.started","thread_id":"t"}"#, "below ~/.codex/sessions"),
        (r#"{"ts":1,"dir":"meta","kind":"session_start","payload":{"seq":1}}"#, "the Codex terminal interface"),
    ] {
        for (name, bytes) in [("file.json", text.as_bytes().to_vec()), ("file.json.gz", gzip(text.as_bytes()))] {
            let path = desk.path(name);
            fs::write(&path, bytes).expect("written");
            let output = desk.run(&["check", word(&path)]);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && errors.contains(expected), "{errors}");
        }
    }
}
