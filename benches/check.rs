//! What `stepback check` costs: against `jq -c .event_type` on the same file, against half the log, and in
//! memory. Ratios and growth, not seconds: machines differ, and this one is busy.
//!
//! `cargo bench --bench check` (a million events), `EVENTS=100000 cargo bench --bench check` for a quick look.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_stepback");
/// `check` may take this share of jq's CPU time.
const JQ_SHARE: f64 = 0.20;
/// Twice the log may cost this many times as much.
const GROWTH: f64 = 2.2;
const ONE_TURN_KB: u64 = 150 * 1024;
const MANY_TURNS_KB: u64 = 60 * 1024;

fn main() {
    let events: u32 = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let (half, whole, many) = (path("half.jsonl"), path("whole.jsonl"), path("many.jsonl"));
    write_log(&half, events / 2, 1);
    write_log(&whole, events, 1);
    write_log(&many, events, 1000);
    let bytes = std::fs::metadata(&whole).map_or(0, |file| file.len());
    println!("{events} events, {} MB", bytes >> 20);

    let mut failed = false;
    let mut tell = |name: &str, value: f64, limit: f64, unit: &str| {
        failed |= value > limit;
        println!("{name:<44} {value:>8.3} {unit} (limit {limit}){}", if value > limit { "  OVER" } else { "" });
    };
    let (half_cpu, _) = best_of_three(&[BINARY, "check"], &half);
    let (cpu, memory_kb) = best_of_three(&[BINARY, "check"], &whole);
    let (_, many_kb) = best_of_three(&[BINARY, "check"], &many);
    println!("{:<44} {cpu:>8.3} s CPU", "check, one turn");
    tell("twice the log", cpu / half_cpu, GROWTH, "times");
    tell("peak memory, one turn", memory_kb as f64, ONE_TURN_KB as f64, "KB");
    tell("peak memory, a thousand turns", many_kb as f64, MANY_TURNS_KB as f64, "KB");
    if Command::new("jq").arg("--version").stdout(Stdio::null()).status().is_ok() {
        let (jq, _) = best_of_three(&["jq", "-c", ".event_type"], &whole);
        println!("{:<44} {jq:>8.3} s CPU", "jq -c .event_type");
        tell("check against jq", cpu / jq, JQ_SHARE, "of its CPU time");
    } else {
        println!("jq is not installed: its share was not measured");
    }
    assert!(!failed, "a limit was passed");
}

/// CPU seconds and peak memory of a command on a file: the best of three, since noise only ever adds.
fn best_of_three(command: &[&str], file: &Path) -> (f64, u64) {
    let runs: Vec<(f64, u64)> = (0..3).map(|_| run(command, file)).collect();
    let cpu = runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min);
    (cpu, runs.iter().map(|run| run.1).max().unwrap_or(0))
}

fn run(command: &[&str], file: &Path) -> (f64, u64) {
    let before = children_cpu();
    let mut child = Command::new(command[0])
        .args(&command[1..])
        .arg(file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0;
    loop {
        // The high-water mark only grows, so the last look before the end is the peak or close to it.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let mark = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let mark = mark.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
        peak_kb = mark.unwrap_or(peak_kb).max(peak_kb);
        if child.try_wait().expect("a child").is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    (children_cpu() - before, peak_kb)
}

/// CPU seconds of all children that have ended, user and system.
fn children_cpu() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(") ").map_or("", |parts| parts.1);
    let fields: Vec<f64> = after_name.split(' ').map(|field| field.parse().unwrap_or(0.0)).collect();
    // Fields 16 and 17 of the line; the name and what stands before it are cut off.
    (fields.get(13).unwrap_or(&0.0) + fields.get(14).unwrap_or(&0.0)) / TICKS_PER_SECOND
}

/// A coherent log of reads and edits, the same every time.
fn write_log(path: &Path, events: u32, turns: u32) {
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    let mut random = 7_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let words = |count: u64, next: &mut dyn FnMut() -> u64| {
        const WORDS: [&str; 12] =
            ["the", "turn", "reads", "its", "log", "and", "every", "step", "can", "be", "seen", "again"];
        let mut text = String::new();
        for _ in 0..count {
            let _ = write!(text, "{} ", WORDS[(next() % 12) as usize]);
        }
        text
    };
    let mut written = 0;
    for turn in 0..turns {
        let until = (u64::from(events) * u64::from(turn + 1) / u64::from(turns)) as u32;
        let id = format!("turn-{turn:05}");
        let mut emit = |line: String| {
            written += 1;
            writeln!(out, "{line}").expect("written");
            written
        };
        emit(format!(
            r#"{{"event_type":"turn_started","turn_id":"{id}","mode":"agent","input_text":"go","max_steps":100000000}}"#
        ));
        let (mut step, mut count) = (0, 0);
        while count + 1 < until {
            step += 1;
            emit(format!(
                r#"{{"event_type":"model_request_issued","turn_id":"{id}","step_idx":{step},"request_fp":{{"static_prefix_sha256":"{:064x}","full_prefix_sha256":"{:064x}"}},"token_budget":32000}}"#,
                next(),
                next()
            ));
            let text = words(8 + next() % 30, &mut next);
            count = emit(format!(
                r#"{{"event_type":"model_message","turn_id":"{id}","step_idx":{step},"usage":{{"input_tokens":900,"output_tokens":80}},"block_count":2,"text_preview":"{text}"}}"#
            ));
            for call in 0..1 + next() % 3 {
                let writes = next() % 4 == 0;
                let tool = if writes { "edit_file" } else { "read_file" };
                let (file, query) = (next(), words(6, &mut next));
                emit(format!(
                    r#"{{"event_type":"tool_call_planned","turn_id":"{id}","step_idx":{step},"call_id":"call-{step}-{call}","tool_name":"{tool}","input_json":"{{\"path\": \"src/file_{file}.rs\", \"query\": \"{query}\"}}","decision":{{"approval_required":{writes},"parallel_eligible":true,"read_only":{}}}}}"#,
                    !writes
                ));
                emit(format!(
                    r#"{{"event_type":"tool_call_started","turn_id":"{id}","call_id":"call-{step}-{call}","wave_idx":0}}"#
                ));
                let text = words(10 + next() % 60, &mut next);
                count = emit(format!(
                    r#"{{"event_type":"tool_call_finished","turn_id":"{id}","call_id":"call-{step}-{call}","tool_name":"{tool}","outcome":"success","duration_ms":12,"wrote_state":{writes},"result_preview":"{text}"}}"#
                ));
            }
        }
        emit(format!(r#"{{"event_type":"turn_ended","turn_id":"{id}","outcome":"completed","total_steps":{step}}}"#));
    }
    out.flush().expect("written");
}
