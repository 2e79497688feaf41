//! The cost of replaying a log: ratios and growth, since seconds depend on the machine and its load.
//!
//! `cargo bench --bench timeline` (a million events), `EVENTS=100000 cargo bench --bench timeline` for a quick look.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod logs;
mod measure;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use measure::{Limits, own_cpu, peak_kb, run};
use stepback::{Loaded, Log, Options, Pattern, Replay, Scope, Search, Seq};

fn main() {
    let events: u32 = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let (small, middle, large) = (path("small.jsonl"), path("middle.jsonl"), path("large.jsonl"));
    logs::write(&small, 1_000, 1);
    logs::write(&middle, 10_000, 1);
    logs::write(&large, events, 1);
    println!("{events} events, {} MB", std::fs::metadata(&large).map_or(0, |file| file.len()) >> 20);
    let mut limits = Limits::default();

    let first = |path: &Path| (0..25).map(|_| first_moment(path)).min().unwrap_or_default().as_secs_f64();
    let (first_small, first_large) = (first(&small), first(&large));
    println!("{:<58} {:>9.0} µs", "first moment of a thousand events", first_small * 1e6);
    limits.report("first moment of the large log against it", first_large / first_small, 1.5, "times");

    let before_kb = peak_kb();
    let (of_middle, of_large) = (load(&middle), load(&large));
    let grown_kb = peak_kb().saturating_sub(before_kb);
    let (middle_log, large_log) = (&**of_middle.replay(), &**of_large.replay());
    limits.report("index and keyframes, as counted", large_log.index_bytes() as f64 / 1e6, 100.0, "MB");
    limits.report("memory growth, with ledgers", grown_kb as f64 / 1e3, 100.0, "MB");
    limits.report("index, bytes per event", large_log.index_bytes() as f64 / f64::from(large_log.len()), 40.0, "bytes");

    let (seek_middle, seek_large) = (seeks(middle_log), seeks(large_log));
    let median = |times: &[Duration]| times[times.len() / 2].as_secs_f64();
    println!("{:<58} {:>9.0} µs", "random seek among ten thousand events", median(&seek_middle) * 1e6);
    limits.report("random seek in the large log against it", median(&seek_large) / median(&seek_middle), 2.0, "times");
    let p99 = seek_large[seek_large.len() * 99 / 100].as_secs_f64();
    limits.report("random seek in the large log, p99", p99 * 1e3, 16.0, "ms");

    let step = |forward: bool| (0..5).map(|_| steps(large_log, forward)).fold(f64::INFINITY, f64::min);
    let (forward, back) = (step(true), step(false));
    println!("{:<58} {:>9.1} µs", "a step forward", forward * 1e6);
    limits.report("a step back against it", back / forward, 2.0, "times");

    let field = large_log.vocabulary().field("step_idx").expect("a field");
    let start = Instant::now();
    for at in (0..large_log.len()).step_by(large_log.len() as usize / 1000) {
        large_log.blame(field, Seq(at));
    }
    limits.report("blame without replaying", start.elapsed().as_secs_f64() * 1e3, 16.0, "µs each");

    // A scan that only steps: the cost of a pass without the checks.
    let pass = cpu(|| large_log.scan(0..large_log.len(), &mut |_| ControlFlow::Continue(())).expect("a scan"));
    println!("{:<58} {pass:>9.3} s CPU", "stepping over the whole log once");
    for (pattern, name) in
        [("call-99999-", "a literal"), ("tool_(error|timeout)", "an alternation"), ("src/file_[0-9]+7\\.rs", "a class")]
    {
        // A pattern without a capital letter ignores case, so grep does, too.
        let grep = (0..3).map(|_| run(&["grep", "-ciE", pattern], &large).0).fold(f64::INFINITY, f64::min);
        let searched = (0..3).map(|_| search(large_log, pattern, Scope::RECORDS)).fold(f64::INFINITY, f64::min);
        if grep > 0.0 {
            limits.report(&format!("search of {name} against grep -ci"), searched / grep, 3.0, "times its CPU");
        }
    }
    let scope = Scope { records: false, fields: true, effects: true };
    let steps = (0..3).map(|_| search(large_log, "call_model up to 7", scope)).fold(f64::INFINITY, f64::min);
    println!("{:<58} {steps:>9.3} s CPU", "search of fields and effects");
    let whole = cpu(|| drop(load(&large)));
    limits.report("search of fields and effects against the pass", steps / whole, 1.0, "passes");
    let start = Instant::now();
    let mut first_hit =
        Search::new(Pattern::parse("model_message", Scope::RECORDS).expect("a pattern"), Seq(events / 2));
    first_hit.advance(large_log, 1024).expect("a look");
    assert!(first_hit.count() > 0, "a hit in the first slice");
    limits.report("the first hit", start.elapsed().as_secs_f64() * 1e3, 16.0, "ms");
    limits.finish();
}

fn open(path: &Path) -> Loaded {
    let log = Log::open(path, &Options::default()).expect("a log");
    Loaded::begin_log_only(log, false).expect("a pass")
}

fn load(path: &Path) -> Loaded {
    let loaded = open(path);
    loaded.wait_to_end(|_| {}).expect("the end");
    loaded
}

fn first_moment(path: &Path) -> Duration {
    let start = Instant::now();
    let loaded = open(path);
    loaded.wait(Duration::from_secs(60), |replay| replay.progress().events > 0);
    loaded.replay().moment(Seq(0)).expect("a log").expect("a moment");
    start.elapsed()
}

/// Sorted times of random seeks. Each goes to another block, so that nothing is cached by the one before.
fn seeks(replay: &dyn Replay) -> Vec<Duration> {
    let mut random = 7_u64;
    let mut times: Vec<Duration> = (0..3000)
        .map(|_| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let at = Seq((random % u64::from(replay.len())) as u32);
            let start = Instant::now();
            replay.moment(at).expect("a log").expect("a moment");
            start.elapsed()
        })
        .collect();
    times.sort();
    times
}

/// Seconds per step, over many steps in a row.
fn steps(replay: &dyn Replay, forward: bool) -> f64 {
    let (middle, count) = (replay.len() / 2, 4000);
    let start = Instant::now();
    for step in 0..count {
        let at = if forward { middle + step } else { middle - step };
        replay.moment(Seq(at)).expect("a log").expect("a moment");
    }
    start.elapsed().as_secs_f64() / f64::from(count)
}

fn search(replay: &dyn Replay, pattern: &str, scope: Scope) -> f64 {
    cpu(|| {
        let mut search = Search::new(Pattern::parse(pattern, scope).expect("a pattern"), Seq(0));
        while search.advance(replay, 65_536).expect("a look") {}
    })
}

/// CPU seconds of this process for some work.
fn cpu(work: impl FnOnce()) -> f64 {
    let before = own_cpu();
    work();
    own_cpu() - before
}
