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
    limits.finish();
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
