//! The cost of `stepback diff` as a multiple of one `check`, for two logs that differ in one event in the middle or by
//! an additional event at the beginning.
//!
//! `cargo bench --bench compare` (a million events), `EVENTS=100000 cargo bench --bench compare` for a quick look.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod logs;
mod measure;

use std::fs;
use std::path::Path;

use measure::{Limits, best_of_three};

const BINARY: &str = env!("CARGO_BIN_EXE_stepback");
/// Comparing two logs may take this many times as long as checking one.
const CHECKS: f64 = 2.2;

fn main() {
    let events: u32 = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let (log, changed, longer) = (path("log.jsonl"), path("changed.jsonl"), path("longer.jsonl"));
    logs::write(&log, events, 1);
    let text = fs::read_to_string(&log).expect("a log");
    let middle = text[text.len() / 2..].find('\n').expect("a line") + text.len() / 2 + 1;
    fs::write(&changed, format!("{}{}", &text[..middle], text[middle..].replacen(":1", ":7", 1))).expect("a log");
    let first = text.lines().next().expect("a line");
    fs::write(&longer, format!("{first}\n{text}")).expect("a log");
    println!("{events} events, {} MB", text.len() >> 20);
    drop(text);

    let mut limits = Limits::default();
    let (check, _) = best_of_three(&[BINARY, "check"], &log);
    println!("{:<58} {check:>9.3} s CPU", "check");
    let diff = |other: &Path| best_of_three(&[BINARY, "diff", log.to_str().expect("a name")], other).0;
    limits.report("diff, one event in the middle", diff(&changed) / check, CHECKS, "checks");
    limits.report("diff, an additional event at the beginning", diff(&longer) / check, CHECKS, "checks");
    limits.finish();
}
