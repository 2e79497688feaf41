//! stepback beside other programs that read JSON lines: grep, jq and DuckDB, where they are installed, on the same logs.
//! It prints CPU and wall time as ratios, since seconds depend on the machine, and how they grow with the log.
//!
//! `cargo bench --bench peers` measures from ten thousand to ten million events (2.7 GB of disk, half an hour);
//! `EVENTS=100000 cargo bench --bench peers` stops at that size. DuckDB is used through its Python package: `PYTHON`
//! names the interpreter, `python3` by default.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod logs;
mod measure;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use measure::{Limits, run};

const BINARY: &str = env!("CARGO_BIN_EXE_stepback");
const SIZES: [u32; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
/// Smaller logs are over before anything but the start of a program is measured.
const SMALLEST_JUDGED: u32 = 1_000_000;
/// Ten times the log may cost so many times as much.
const GROWTH: f64 = 11.0;
/// What `query` may take of DuckDB's wall time for the same question.
const QUERY_SHARE: f64 = 1.5;

const FILTER: &str = ".event.duration_ms > 900";
const SQL: &str = "import duckdb, sys; \
    print(duckdb.sql(\"select count(*) from read_json_auto('\" + sys.argv[1] + \"', format='newline_delimited') \
    where duration_ms > 900\").fetchall())";

/// A command that reads a log, and what it is called in the table.
struct Peer {
    name: &'static str,
    command: Vec<String>,
}

/// The best of some runs: seconds of CPU and of wall time, and peak memory.
#[derive(Clone, Copy)]
struct Best {
    cpu: f64,
    wall: f64,
    peak_kb: u64,
}

fn main() {
    let most: u32 = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(SIZES[SIZES.len() - 1]);
    let mut sizes: Vec<u32> = SIZES.into_iter().filter(|size| *size < most).collect();
    sizes.push(most);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let peers = installed();
    let mut limits = Limits::default();
    let mut last: Vec<Option<(u32, Best)>> = vec![None; peers.len()];
    for events in sizes {
        let log = folder.path().join("log.jsonl");
        logs::write(&log, events, 10);
        let bytes = std::fs::metadata(&log).map_or(0, |file| file.len());
        println!("\n{events} events, {} MB", bytes >> 20);
        let times = if events > SMALLEST_JUDGED { 2 } else { 5 };
        let results: Vec<Best> = peers.iter().map(|peer| best(peer, &log, times)).collect();
        print_table(&peers, &results);
        judge(events, &peers, &results, &mut last, &mut limits);
    }
    limits.finish();
}

/// Our commands, and the peers that this machine has.
fn installed() -> Vec<Peer> {
    let peer = |name, words: &[&str]| Peer { name, command: words.iter().map(|word| (*word).to_owned()).collect() };
    let runs = |words: &[&str]| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut peers = vec![
        peer("stepback check", &[BINARY, "check", "--fail-on", "never"]),
        peer("stepback query", &[BINARY, "query", FILTER, "--count"]),
    ];
    let others = [
        (peer("grep -c", &["grep", "-c", "\"duration_ms\":9[0-9][0-9]"]), runs(&["grep", "--version"])),
        (peer("jq", &["jq", "-c", "select(.duration_ms > 900)"]), runs(&["jq", "--version"])),
        (peer("DuckDB", &[&python, "-c", SQL]), runs(&[&python, "-c", "import duckdb"])),
    ];
    for (other, is_installed) in others {
        if is_installed {
            peers.push(other);
        } else {
            println!("{} is not installed: not measured", other.name);
        }
    }
    peers
}

fn best(peer: &Peer, log: &Path, times: usize) -> Best {
    // `query` takes its filter after the file.
    let mut words: Vec<&str> = peer.command.iter().map(String::as_str).collect();
    let path = log.to_str().expect("a plain path");
    if peer.name == "stepback query" {
        words.insert(2, path);
    }
    let mut best = Best { cpu: f64::INFINITY, wall: f64::INFINITY, peak_kb: 0 };
    for _ in 0..times {
        let start = Instant::now();
        let (cpu, peak_kb) = match peer.name {
            "stepback query" => measure::run_as_given(&words),
            _ => run(&words, log),
        };
        best.cpu = best.cpu.min(cpu);
        best.wall = best.wall.min(start.elapsed().as_secs_f64());
        best.peak_kb = best.peak_kb.max(peak_kb);
    }
    best
}

fn print_table(peers: &[Peer], results: &[Best]) {
    println!("{:<16} {:>9} {:>9} {:>10} {:>10} {:>8}", "", "CPU s", "wall s", "CPU/check", "wall/check", "MB");
    let ours = results[0];
    for (peer, result) in peers.iter().zip(results) {
        let ratio = |theirs: f64, ours: f64| theirs / ours.max(0.001);
        println!(
            "{:<16} {:>9.2} {:>9.2} {:>10.2} {:>10.2} {:>8}",
            peer.name,
            result.cpu,
            result.wall,
            ratio(result.cpu, ours.cpu),
            ratio(result.wall, ours.wall),
            result.peak_kb >> 10
        );
    }
}

/// Compares with the limits, from a size on at which the start of a program no longer counts.
fn judge(events: u32, peers: &[Peer], results: &[Best], last: &mut [Option<(u32, Best)>], limits: &mut Limits) {
    if events < SMALLEST_JUDGED {
        return;
    }
    let by_name = |name: &str| peers.iter().position(|peer| peer.name == name).map(|at| results[at]);
    if let (Some(query), Some(duckdb)) = (by_name("stepback query"), by_name("DuckDB")) {
        limits.report("query", query.wall / duckdb.wall, QUERY_SHARE, "of DuckDB's wall time");
    }
    for ((peer, result), last) in peers.iter().zip(results).zip(last) {
        if let Some((fewer, before)) = last.replace((events, *result))
            && peer.name.starts_with("stepback")
        {
            let per_ten = result.cpu / before.cpu * 10.0 * f64::from(fewer) / f64::from(events);
            limits.report(&format!("{}, ten times the log", peer.name), per_ten, GROWTH, "times");
        }
    }
}
