//! The cost of `stepback check`: compared with `jq -c .event_type` on the same file, with half the log, and in memory.
//! It measures ratios and growth, since seconds depend on the machine and its load.
//!
//! `cargo bench --bench check` (a million events), `EVENTS=100000 cargo bench --bench check` for a quick look.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod logs;
mod measure;

use std::process::{Command, Stdio};

use measure::{Limits, best_of_three};

const BINARY: &str = env!("CARGO_BIN_EXE_stepback");
/// `check` may take this share of jq's CPU time.
const JQ_SHARE: f64 = 0.20;
/// Twice the log may cost this many times as much.
const GROWTH: f64 = 2.2;
const ONE_TURN_KB: u64 = 150 * 1024;
const MANY_TURNS_KB: u64 = 60 * 1024;
/// A byte of a session log may cost this many times a byte of a turn log, which has no numbers around its events.
const SESSION_SHARE: f64 = 1.4;

fn main() {
    let events: u32 = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let (half, whole, many) = (path("half.jsonl"), path("whole.jsonl"), path("many.jsonl"));
    logs::write(&half, events / 2, 1);
    logs::write(&whole, events, 1);
    logs::write(&many, events, 1000);
    let bytes = std::fs::metadata(&whole).map_or(0, |file| file.len());
    println!("{events} events, {} MB", bytes >> 20);

    let mut limits = Limits::default();
    let (half_cpu, _) = best_of_three(&[BINARY, "check"], &half);
    let (cpu, memory_kb) = best_of_three(&[BINARY, "check"], &whole);
    let (_, many_kb) = best_of_three(&[BINARY, "check"], &many);
    println!("{:<58} {cpu:>9.3} s CPU", "check, one turn");
    limits.report("twice the log", cpu / half_cpu, GROWTH, "times");
    limits.report("peak memory, one turn", memory_kb as f64, ONE_TURN_KB as f64, "KB");
    limits.report("peak memory, a thousand turns", many_kb as f64, MANY_TURNS_KB as f64, "KB");
    check_sessions(events, cpu / bytes as f64, folder.path(), &mut limits);
    if Command::new("jq").arg("--version").stdout(Stdio::null()).status().is_ok() {
        let (jq, _) = best_of_three(&["jq", "-c", ".event_type"], &whole);
        println!("{:<58} {jq:>9.3} s CPU", "jq -c .event_type");
        limits.report("check against jq", cpu / jq, JQ_SHARE, "of its CPU time");
    } else {
        println!("jq is not installed: its share was not measured");
    }
    limits.finish();
}

/// The same for session logs. `per_byte` is the CPU time per byte of a turn log.
fn check_sessions(events: u32, per_byte: f64, folder: &std::path::Path, limits: &mut Limits) {
    let (half, whole) = (folder.join("half-session.jsonl"), folder.join("session.jsonl"));
    logs::write_session(&half, events / 2);
    logs::write_session(&whole, events);
    let bytes = std::fs::metadata(&whole).map_or(1, |file| file.len());
    let (half_cpu, _) = best_of_three(&[BINARY, "check"], &half);
    let (cpu, memory_kb) = best_of_three(&[BINARY, "check"], &whole);
    println!("{:<58} {cpu:>9.3} s CPU", format!("check, a session log of {} MB", bytes >> 20));
    limits.report("twice the session log", cpu / half_cpu, GROWTH, "times");
    limits.report("peak memory, a session log", memory_kb as f64, ONE_TURN_KB as f64, "KB");
    limits.report("a byte of a session log", cpu / bytes as f64 / per_byte, SESSION_SHARE, "of a turn log's");
}
