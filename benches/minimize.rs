//! The cost of minimizing: the number of tests, the time as a multiple of one `check`, and the time compared with
//! picire (PyPI) with `check` as its predicate.
//!
//! `cargo bench --bench minimize`; `PICIRE` names the program, otherwise it is searched for on the path and skipped if
//! it is missing (`pip install picire`). `EVENTS=20000` for a quick look.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod logs;
mod measure;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use measure::Limits;

const BINARY: &str = env!("CARGO_BIN_EXE_stepback");
const MOST_TESTS: f64 = 160.0;
/// Minimizing may take this many times as long as one check.
const CHECKS: f64 = 10.0;
/// Minimizing may take this share of picire's time.
const PICIRE_SHARE: f64 = 0.01;
const FINGERPRINT: &str = "turn/rejected-ran call_id=planted turn_id=turn-00000";

fn main() {
    let events: u32 = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let mut limits = Limits::default();

    for (name, plant) in [("far apart", rejected as Plant), ("adjacent", rejected_at_once)] {
        let (log, out) = (path("small.jsonl"), path("small.min.jsonl"));
        write(&log, 1_000, plant);
        // The load of the machine only adds to the time; picire's many tests average it out.
        let ours = (0..9).map(|_| minimize(&log, &out)).fold(f64::INFINITY, f64::min);
        println!("{:<58} {ours:>9.4} s", format!("minimize, a thousand events, {name}"));
        limits.report(&format!("tests, a thousand events, {name}"), tests(&out), MOST_TESTS, "tests");
        match picire(&log, folder.path()) {
            Some(theirs) => {
                println!("{:<58} {theirs:>9.3} s", "picire with check as its predicate");
                limits.report(&format!("minimize against picire, {name}"), ours / theirs, PICIRE_SHARE, "of its time");
            }
            None => println!("picire is not installed: its share was not measured"),
        }
    }

    for (name, finding, plant) in [
        ("one call", "turn/rejected-ran", rejected as Plant),
        ("eight results far apart", "gate/loop-guard-failure-halt", halted),
        ("eight whole calls far apart", "gate/loop-guard-failure-halt", halted_in_whole_calls),
        ("three failures far apart", "turn/failing-tool", halted_in_whole_calls),
    ] {
        let (log, out) = (path("large.jsonl"), path("large.min.jsonl"));
        write(&log, events, plant);
        let out_name = out.to_str().expect("a plain name");
        let check = best(&[BINARY, "check"], &log);
        let minimize = best(&[BINARY, "minimize", "--force", "--finding", finding, "-o", out_name], &log);
        println!("{:<58} {:>9.3} s CPU", format!("check, {events} events"), check.cpu);
        println!("{:<58} {:>9} tests", format!("minimize, {name}"), tests(&out));
        limits.report(&format!("minimize against check, {name}"), minimize.cpu / check.cpu, CHECKS, "checks of CPU");
        limits.report(
            &format!("minimize against check, elapsed time, {name}"),
            minimize.wall / check.wall,
            CHECKS,
            "checks",
        );
    }
    limits.finish();
}

struct Seconds {
    wall: f64,
    cpu: f64,
}

/// The best of five runs each, since noise only adds.
fn best(command: &[&str], log: &Path) -> Seconds {
    let mut best = Seconds { wall: f64::INFINITY, cpu: f64::INFINITY };
    for _ in 0..5 {
        let begun = Instant::now();
        let (cpu, _) = measure::run(command, log);
        best = Seconds { wall: best.wall.min(begun.elapsed().as_secs_f64()), cpu: best.cpu.min(cpu) };
    }
    best
}

type Plant = fn(&mut Vec<String>);

/// Writes a log without findings and plants a fault in it.
fn write(path: &Path, events: u32, plant: Plant) {
    logs::write(path, events - 10, 1);
    let text = std::fs::read_to_string(path).expect("a log");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    plant(&mut lines);
    std::fs::write(path, lines.join("\n") + "\n").expect("written");
}

/// A call that was rejected and ran all the same. Cause and effect are far apart, as in real logs.
fn rejected(lines: &mut Vec<String>) {
    let quarter = lines.len() / 4;
    let [planned, verdict, started, finished] = rejected_call();
    lines.splice(3 * quarter..3 * quarter, [started, finished]);
    lines.splice(quarter..quarter, [planned, verdict]);
}

/// The same call in adjacent events, the best case for reducers that do not know the format.
fn rejected_at_once(lines: &mut Vec<String>) {
    let middle = lines.len() / 2;
    lines.splice(middle..middle, rejected_call());
}

fn rejected_call() -> [String; 4] {
    let events = [
        r#"{"event_type":"tool_call_planned","turn_id":"turn-00000","step_idx":1,"call_id":"planted","tool_name":"exec_shell","input_json":"{}","decision":{"approval_required":true,"parallel_eligible":false,"read_only":false}}"#,
        r#"{"event_type":"approval_resolved","turn_id":"turn-00000","call_id":"planted","verdict":"rejected"}"#,
        r#"{"event_type":"tool_call_started","turn_id":"turn-00000","call_id":"planted","wave_idx":0}"#,
        r#"{"event_type":"tool_call_finished","turn_id":"turn-00000","call_id":"planted","tool_name":"exec_shell","outcome":"success","duration_ms":12,"wrote_state":true,"result_preview":"done"}"#,
    ];
    events.map(str::to_owned)
}

/// Eight failures of a tool that the guard did not stop. The finding needs all of them, and their positions give no
/// hint.
fn halted(lines: &mut Vec<String>) {
    plant_failures(lines, |number| vec![failed(number)]);
}

/// The same failures in complete calls that look like all others.
fn halted_in_whole_calls(lines: &mut Vec<String>) {
    let before = |number: usize| {
        [
            format!(
                r#"{{"event_type":"tool_call_planned","turn_id":"turn-00000","step_idx":1,"call_id":"bad-{number}","tool_name":"bash","input_json":"{{\"n\":{number}}}","decision":{{"approval_required":false,"parallel_eligible":true,"read_only":true}}}}"#
            ),
            format!(
                r#"{{"event_type":"tool_call_started","turn_id":"turn-00000","call_id":"bad-{number}","wave_idx":0}}"#
            ),
        ]
    };
    plant_failures(lines, |number| [&before(number)[..], &[failed(number)]].concat());
}

fn failed(number: usize) -> String {
    format!(
        r#"{{"event_type":"tool_call_finished","turn_id":"turn-00000","call_id":"bad-{number}","tool_name":"bash","outcome":{{"tool_error":{{"message":"no"}}}},"duration_ms":1,"wrote_state":false}}"#
    )
}

fn plant_failures(lines: &mut Vec<String>, call: impl Fn(usize) -> Vec<String>) {
    let stride = lines.len() / 9;
    for number in (1..9).rev() {
        lines.splice(number * stride..number * stride, call(number));
    }
    let guard = r#"{"event_type":"loop_guard_triggered","turn_id":"turn-00000","call_id":"bad-4","reason":"other"}"#;
    lines.insert(stride * 3, guard.to_owned());
}

/// Seconds for one minimization. The output files do not exist yet, as in normal use.
fn minimize(log: &Path, out: &Path) -> f64 {
    for old in [out.to_path_buf(), report_of(out)] {
        let _ = std::fs::remove_file(old);
    }
    let begun = Instant::now();
    let mut command = Command::new(BINARY);
    let status = command.args(["minimize", "-o"]).arg(out).arg(log).stdout(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "a minimal log");
    begun.elapsed().as_secs_f64()
}

fn report_of(out: &Path) -> PathBuf {
    PathBuf::from(format!("{}.minimization.json", out.display()))
}

fn tests(out: &Path) -> f64 {
    let report = std::fs::read(report_of(out)).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["complete"], true);
    report["tests"]["run"].as_f64().expect("a number")
}

/// Seconds that picire takes; `None` if it is not installed.
fn picire(log: &Path, folder: &Path) -> Option<f64> {
    let program = std::env::var("PICIRE").unwrap_or_else(|_| "picire".to_owned());
    Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    let script = folder.join("predicate.sh");
    let text =
        format!("#!/bin/sh\n'{BINARY}' check --json --fail-on never \"$1\" 2>/dev/null | grep -qF '{FINGERPRINT}'\n");
    std::fs::write(&script, text).expect("written");
    Command::new("chmod").arg("+x").arg(&script).status().ok()?;
    let begun = Instant::now();
    let mut command = Command::new(program);
    command.arg("--input").arg(log).arg("--test").arg(&script).arg("--out").arg(folder.join("picire"));
    let output = command.args(["--atom", "line"]).stdout(Stdio::null()).output().ok()?;
    assert!(output.status.success(), "picire: {}", String::from_utf8_lossy(&output.stderr));
    Some(begun.elapsed().as_secs_f64())
}
