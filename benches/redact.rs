//! The cost of redaction on pathological texts and with many secrets: growth, not seconds.
//!
//! `cargo bench --bench redact`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod measure;
#[path = "../tests/support/shapes.rs"]
mod shapes;

use std::path::Path;

use measure::{Limits, best_of_three};
use shapes::SHAPES;

const BINARY: &str = env!("CARGO_BIN_EXE_stepback");
/// Eight times the text may take this many times as long.
const MOST_GROWTH: f64 = 16.0;
/// The kernel counts CPU time in hundredths of a second, so shorter times are rounded up to this.
const LEAST_SECONDS: f64 = 0.05;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("log.jsonl");
    let mut limits = Limits::default();
    for (number, shape) in SHAPES.iter().enumerate() {
        let time = |length: usize| review(&log, &[String::from_utf8_lossy(&shape(length)).into_owned()]);
        let growth = time(1_600_000) / time(200_000);
        limits.report(&format!("shape {number}, eight times the text"), growth, MOST_GROWTH, "times");
    }
    let secrets = |count: usize| -> Vec<String> {
        (0..count).map(|n| format!("token=tok-{n:08}-x and again tok-{n:08}-x")).collect()
    };
    let growth = review(&log, &secrets(40_000)) / review(&log, &secrets(5_000));
    limits.report("eight times the secrets", growth, MOST_GROWTH, "times");
    export_with_many_secrets(folder.path(), &mut limits);
    limits.finish();
}

/// An export of 12 MB with 50,000 secrets, compared with the same export without redaction.
fn export_with_many_secrets(folder: &Path, limits: &mut Limits) {
    let (log, pack) = (folder.join("many.jsonl"), folder.join("pack"));
    let demo = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo.json")).expect("the demo");
    let demo: Vec<serde_json::Value> = serde_json::from_slice(&demo).expect("an array");
    let mut text: String = demo.iter().map(|event| format!("{event}\n")).collect();
    for number in 0..50_000_u64 {
        let random = format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let secret = match number % 4 {
            0 => format!("ghp_{random}{random}Kq7z"),
            1 => format!("export DB_PASSWORD=K{random}"),
            2 => format!("https://bob:K{random}@db.example/x"),
            _ => format!("token=tok-{number:08}-x"),
        };
        let words =
            "the build failed because a module could not be found while the configuration was loaded ".repeat(2);
        let event = serde_json::json!({"event_type": "steer_injected", "turn_id": "turn-4e1b", "step_idx": 1, "text": format!("{secret} {words}")});
        text.push_str(&format!("{event}\n"));
    }
    std::fs::write(&log, text).expect("written");
    let pack = pack.to_str().expect("a plain name");
    let plain = best_of_three(&[BINARY, "export", "-o", pack, "--force"], &log);
    let redacted = best_of_three(&[BINARY, "export", "-o", pack, "--force", "--redact"], &log);
    limits.report("50,000 secrets, time compared with a plain export", redacted.0 / plain.0, 5.0, "times");
    limits.report(
        "50,000 secrets, memory compared with a plain export",
        redacted.1 as f64 / plain.1 as f64,
        3.0,
        "times",
    );
}

/// CPU seconds of a review of a log that contains these texts.
fn review(log: &Path, texts: &[String]) -> f64 {
    let event = |text: &String| {
        let event = serde_json::json!({"event_type": "steer_injected", "turn_id": "t", "step_idx": 1, "text": text});
        format!("{event}\n")
    };
    std::fs::write(log, texts.iter().map(event).collect::<String>()).expect("written");
    best_of_three(&[BINARY, "export", "--redact", "--review"], log).0.max(LEAST_SECONDS)
}
