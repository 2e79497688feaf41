//! A long soak of `--follow`: the log grows by a thousand events per second while random keys are typed. Memory per
//! event, CPU time and the latency of a key must be the same at the end as at the beginning.
//!
//! `cargo bench --bench soak` runs for ten minutes, `MINUTES=1 cargo bench --bench soak` for a quick look.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

#[path = "../tests/support/growing.rs"]
mod growing;
mod measure;
#[path = "../tests/support/program.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod program;
#[path = "../tests/support/pty.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod pty;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use measure::Limits;
use pty::{Desk, ESCAPE, Window, footer};

/// Events per second, written in batches of a tenth of it.
const RATE: u32 = 1_000;
const BATCHES_PER_SECOND: u32 = 10;
const SAMPLE: Duration = Duration::from_secs(5);

/// Keys that move, search, fold, open and close. None of them quits or writes a file.
const KEYS: [&str; 40] = [
    "l", "l", "l", "h", "h", "j", "k", "j", "k", "G", "g", "n", "N", "f", "F", "b", "z", "t", "T", "m", "s", "?", "\t",
    "\t", "\r", ESCAPE, ESCAPE, "1", "2", "3", "4", " ", "i", "w", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "\x1b[C",
    "\x1b[D",
];

/// What is measured every few seconds.
struct Sample {
    events: u32,
    resident_kb: f64,
    cpu_seconds: f64,
    /// The slowest of a few keys.
    latency_ms: f64,
}

fn main() {
    let minutes: u64 = std::env::var("MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let desk = Desk::new();
    let log = desk.path("growing.jsonl");
    std::fs::write(&log, growing::text(0..1)).expect("the log");
    let writer = Writer::start(log);
    let mut window = desk.open(&["growing.jsonl", "--follow"]);
    window.until("the first frame", |screen| footer(screen).contains("q quit"));

    let samples = soak(&mut window, &writer, Duration::from_secs(minutes * 60));
    let written = writer.stop();
    window.keys(&ESCAPE.repeat(6)).keys("\x03");
    assert_eq!(window.exit_code(), 0, "Ctrl-C still works");
    println!("{written} events in {minutes} minutes");
    report(&samples);
}

fn soak(window: &mut Window, writer: &Writer, time: Duration) -> Vec<Sample> {
    let mut random = 0x5eed_u64;
    let mut samples = Vec::new();
    let (start, mut last) = (Instant::now(), Instant::now());
    while start.elapsed() < time {
        for _ in 0..8 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            window.keys(KEYS[(random >> 33) as usize % KEYS.len()]);
        }
        thread::sleep(Duration::from_millis(50));
        if last.elapsed() >= SAMPLE {
            last = Instant::now();
            samples.push(sample(window, writer));
        }
    }
    samples
}

fn sample(window: &mut Window, writer: &Writer) -> Sample {
    let latency = (0..5).map(|_| prompt_latency(window)).max().unwrap_or_default();
    let process = PathBuf::from(format!("/proc/{}", window.process_id()));
    Sample {
        events: writer.written.load(Ordering::Relaxed),
        resident_kb: resident_kb(&process),
        cpu_seconds: measure::cpu_of(&process.join("stat")),
        latency_ms: latency.as_secs_f64() * 1e3,
    }
}

/// The time from `:` to the frame with the prompt. Leaves everything that random keys have opened first.
fn prompt_latency(window: &mut Window) -> Duration {
    // Two bytes that are read together would be one key: Alt+Escape or Alt+colon.
    for _ in 0..6 {
        window.keys(ESCAPE);
        thread::sleep(Duration::from_millis(20));
    }
    window.until("the panes", |screen| footer(screen).contains("q quit"));
    thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    window.keys(":").until("the prompt", |screen| footer(screen).starts_with(':'));
    let time = start.elapsed();
    window.keys(ESCAPE).until("no prompt", |screen| !footer(screen).starts_with(':'));
    time
}

fn resident_kb(process: &Path) -> f64 {
    let text = std::fs::read_to_string(process.join("status")).expect("the program runs");
    let size = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    size.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Compares the first third with the last one. The first sample pays for the start of the program.
fn report(samples: &[Sample]) {
    for sample in samples.iter().step_by(samples.len().div_ceil(12)) {
        println!(
            "{:>9} events {:>9.1} MB {:>9.2} s CPU {:>9.3} ms",
            sample.events,
            sample.resident_kb / 1024.0,
            sample.cpu_seconds,
            sample.latency_ms
        );
    }
    let third = samples.len() / 3;
    let (early, late) = (&samples[1..=third], &samples[samples.len() - third..]);
    let mut limits = Limits::default();
    let middle = |part: &[Sample], of: fn(&Sample) -> f64| {
        let mut values: Vec<f64> = part.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let grown = |of: fn(&Sample) -> f64| middle(late, of) - middle(early, of);
    let per_event = grown(|sample| sample.resident_kb) * 1024.0 / grown(|sample| f64::from(sample.events));
    limits.report("memory per event, from the first third to the last", per_event, 150.0, "bytes");
    let cpu = |part: &[Sample]| part[part.len() - 1].cpu_seconds - part[0].cpu_seconds;
    limits.report("CPU time, last third against first", cpu(late) / cpu(early), 1.5, "times");
    let latency = |sample: &Sample| sample.latency_ms;
    println!("{:<58} {:>9.3} ms", "median of the slowest of five keys, first third", middle(early, latency));
    limits.report("median of the slowest of five keys, last third", middle(late, latency), 16.0, "ms");
    limits.finish();
}

/// A thread that appends to the log at a constant rate.
struct Writer {
    written: Arc<AtomicU32>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Writer {
    fn start(log: PathBuf) -> Writer {
        let (written, is_over) = (Arc::new(AtomicU32::new(1)), Arc::new(AtomicBool::new(false)));
        let (count, stop) = (Arc::clone(&written), Arc::clone(&is_over));
        let thread = thread::spawn(move || {
            let start = Instant::now();
            for batch in 1.. {
                let first = count.load(Ordering::Relaxed);
                let next = first + RATE / BATCHES_PER_SECOND;
                growing::append(&log, &growing::text(first..next));
                count.store(next, Ordering::Relaxed);
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let due = Duration::from_secs(1) * batch / BATCHES_PER_SECOND;
                thread::sleep(due.saturating_sub(start.elapsed()));
            }
        });
        Writer { written, is_over, thread }
    }

    fn stop(self) -> u32 {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().expect("the writer");
        self.written.load(Ordering::Relaxed)
    }
}
