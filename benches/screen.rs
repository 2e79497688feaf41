//! The latency of a key on the screen of a long log, in a real terminal: from the key to the frame that answers it,
//! compared with a short log. It also checks that no key is lost while the log is being read.
//!
//! `cargo bench --bench screen` (a million events), `EVENTS=100000 cargo bench --bench screen` for a quick look.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod logs;
mod measure;
#[path = "../tests/support/program.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod program;
#[path = "../tests/support/pty.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod pty;

use std::time::{Duration, Instant};

use measure::Limits;
use pty::{Desk, ENTER, Window, footer, row};
use vt100::Screen;

const FRAME_MS: f64 = 16.0;

fn main() {
    let events: u32 = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let desk = Desk::new();
    logs::write(&desk.path("small.jsonl"), 1_000, 1);
    logs::write(&desk.path("large.jsonl"), events, 1);
    println!("{events} events, {} MB", std::fs::metadata(desk.path("large.jsonl")).map_or(0, |file| file.len()) >> 20);
    let mut limits = Limits::default();

    let first = |log: &str| (0..15).map(|_| first_frame(&desk, log)).min().unwrap_or_default().as_secs_f64();
    let (first_small, first_large) = (first("small.jsonl"), first("large.jsonl"));
    println!("{:<58} {:>9.1} ms", "first frame of a thousand events", first_small * 1e3);
    println!("{:<58} {:>9.1} ms", "first frame of the large log", first_large * 1e3);
    limits.report("first frame of the large log against the small one", first_large / first_small, 1.5, "times");

    all_keys_during_the_pass(&desk);
    let meanwhile = quietest(|| during_the_pass(&desk));
    report(&mut limits, "a step while the log is read", &meanwhile);

    let mut small = open(&desk, "small.jsonl");
    let mut large = open(&desk, "large.jsonl");
    for window in [&mut small, &mut large] {
        window.until("the end of the pass", |screen| !row(screen, 0).contains('…'));
    }
    let (to_end_small, to_end_large) = (milliseconds(answer(&mut small, "G")), milliseconds(answer(&mut large, "G")));
    println!("{:<58} {to_end_small:>9.3} ms", "to the end of the small log");
    println!("{:<58} {to_end_large:>9.3} ms", "to the end of the large log");
    let (steps_small, steps_large) = (quietest(|| steps(&mut small)), quietest(|| steps(&mut large)));
    println!("{:<58} {:>9.3} ms", "a step at the end of the small log", at(&steps_small, 50));
    report(&mut limits, "a step at the end of the large log", &steps_large);
    limits.report(
        "the median of a step, large against small",
        at(&steps_large, 50) / at(&steps_small, 50),
        3.0,
        "times",
    );
    let (jumps_small, jumps_large) = (quietest(|| jumps(&mut small)), quietest(|| jumps(&mut large)));
    println!("{:<58} {:>9.3} ms", "a jump in the small log", at(&jumps_small, 50));
    report(&mut limits, "a jump in the large log", &jumps_large);
    limits.report(
        "the median of a jump, large against small",
        at(&jumps_large, 50) / at(&jumps_small, 50),
        2.0,
        "times",
    );
    limits.finish();
}

fn open(desk: &Desk, log: &str) -> Window {
    let mut window = desk.open(&[log]);
    window.until("the first frame", |screen| footer(screen).contains("q quit") && place(screen) == Some(0));
    window
}

fn first_frame(desk: &Desk, log: &str) -> Duration {
    let start = Instant::now();
    let window = open(desk, log);
    let time = start.elapsed();
    drop(window);
    time
}

/// Types keys all at once while the log is being read: the screen must end at the event that all of them lead to.
fn all_keys_during_the_pass(desk: &Desk) {
    let mut window = open(desk, "large.jsonl");
    let start = Instant::now();
    window.keys(&"l".repeat(200)).until("event 200", |screen| place(screen) == Some(200));
    let header = window.read(|screen| row(screen, 0));
    let when = if header.contains('…') { "while the log was read" } else { "after the log was read" };
    println!("{:<58} {:>9.3} ms, {when}", "200 keys at once, none lost", milliseconds(start.elapsed()));
}

/// Sorted milliseconds of steps from the first frame on, until the pass is over.
fn during_the_pass(desk: &Desk) -> Vec<f64> {
    let mut window = open(desk, "large.jsonl");
    let mut times = Vec::new();
    while window.read(|screen| row(screen, 0)).contains('…') {
        times.push(milliseconds(answer(&mut window, "l")));
    }
    assert!(!times.is_empty(), "the log was read before its first frame; use a longer one");
    times.sort_by(f64::total_cmp);
    times
}

/// The series with the lowest p99 of three: the load of the machine only adds to it.
fn quietest(mut series: impl FnMut() -> Vec<f64>) -> Vec<f64> {
    let mut all: Vec<Vec<f64>> = (0..3).map(|_| series()).collect();
    all.sort_by(|one, two| at(one, 99).total_cmp(&at(two, 99)));
    all.swap_remove(0)
}

/// Sorted milliseconds of steps back and forth.
fn steps(window: &mut Window) -> Vec<f64> {
    let keys = ["h", "h", "h", "l", "h", "l", "l", "l"];
    let mut times: Vec<f64> = keys.iter().cycle().take(400).map(|key| milliseconds(answer(window, key))).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Sorted milliseconds of jumps between distant parts of the log, measured from Enter on.
fn jumps(window: &mut Window) -> Vec<f64> {
    let jump = |number: u32| {
        let command = format!(":{}%", (number * 37) % 99 + 1);
        window.keys(&command).until("what was typed", |screen| footer(screen).contains(&command));
        milliseconds(answer(window, ENTER))
    };
    let mut times: Vec<f64> = (0..200).map(jump).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// The time from a key to the frame of another event.
fn answer(window: &mut Window, key: &str) -> Duration {
    let before = window.read(place);
    let start = Instant::now();
    window.keys(key).until("another event", |screen| place(screen).is_some_and(|at| Some(at) != before));
    start.elapsed()
}

/// The current event, once the header and the event pane agree: until then, the frame is incomplete.
fn place(screen: &Screen) -> Option<u32> {
    let header = row(screen, 0);
    let (_, rest) = header.split_once(" seq ")?;
    let digits: String = rest.split('/').next()?.chars().filter(char::is_ascii_digit).collect();
    let title = format!("┌ Event {digits} ");
    screen.rows(0, screen.size().1).any(|row| row.starts_with(&title)).then(|| digits.parse().ok())?
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn at(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

fn report(limits: &mut Limits, name: &str, sorted: &[f64]) {
    println!("{:<58} {:>9.3} ms, the longest of {} {:.3} ms", name, at(sorted, 50), sorted.len(), at(sorted, 100));
    limits.report(&format!("{name}, p99"), at(sorted, 99), FRAME_MS, "ms");
}
