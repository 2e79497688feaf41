//! Measurements of time and memory, and their limits.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Prints measurements and remembers those that exceed their limits.
#[derive(Default)]
pub(crate) struct Limits {
    over: Vec<String>,
}

impl Limits {
    pub(crate) fn report(&mut self, name: &str, value: f64, limit: f64, unit: &str) {
        let is_over = value > limit;
        println!("{name:<58} {value:>9.3} {unit} (limit {limit}){}", if is_over { "  OVER" } else { "" });
        if is_over {
            self.over.push(name.to_owned());
        }
    }

    pub(crate) fn finish(self) {
        assert!(self.over.is_empty(), "over the limit: {}", self.over.join(", "));
    }
}

/// CPU seconds and peak memory of a command on a file: the best of three runs, since noise only adds.
#[allow(dead_code, reason = "each benchmark uses its part of this")]
pub(crate) fn best_of_three(command: &[&str], file: &Path) -> (f64, u64) {
    let runs: Vec<(f64, u64)> = (0..3).map(|_| run(command, file)).collect();
    let cpu = runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min);
    (cpu, runs.iter().map(|run| run.1).max().unwrap_or(0))
}

#[allow(dead_code, reason = "each benchmark uses its part of this")]
pub(crate) fn run(command: &[&str], file: &Path) -> (f64, u64) {
    let file = file.to_str().expect("a plain path");
    run_as_given(&[command, &[file]].concat())
}

/// The same for a command that names its file itself.
pub(crate) fn run_as_given(command: &[&str]) -> (f64, u64) {
    let before = children_cpu();
    let mut child = Command::new(command[0])
        .args(&command[1..])
        // grep stops at its first match if its output is /dev/null. Its output here fits into the pipe.
        .stdout(if command[0] == "grep" { Stdio::piped() } else { Stdio::null() })
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0;
    loop {
        // The peak only grows, so the last reading before the end is the peak or close to it.
        peak_kb = peak_of(&status).unwrap_or(peak_kb).max(peak_kb);
        if child.try_wait().expect("a child").is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    (children_cpu() - before, peak_kb)
}

/// CPU seconds of all children that have ended, user and system.
#[allow(dead_code, reason = "each benchmark uses its part of this")]
fn children_cpu() -> f64 {
    cpu_fields(13)
}

/// CPU seconds of this process, user and system.
#[allow(dead_code, reason = "each benchmark uses its part of this")]
pub(crate) fn own_cpu() -> f64 {
    cpu_fields(11)
}

/// CPU seconds of a running process, user and system.
#[allow(dead_code, reason = "each benchmark uses its part of this")]
pub(crate) fn cpu_of(stat: &Path) -> f64 {
    two_fields(stat, 11)
}

fn cpu_fields(first: usize) -> f64 {
    two_fields(Path::new("/proc/self/stat"), first)
}

/// The sum of two consecutive times in such a file, counted after the process name.
fn two_fields(stat: &Path, first: usize) -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string(stat).unwrap_or_default();
    let after_name = stat.rsplit_once(") ").map_or("", |parts| parts.1);
    let fields: Vec<f64> = after_name.split(' ').map(|field| field.parse().unwrap_or(0.0)).collect();
    (fields.get(first).unwrap_or(&0.0) + fields.get(first + 1).unwrap_or(&0.0)) / TICKS_PER_SECOND
}

/// The peak memory of this process.
#[allow(dead_code, reason = "each benchmark uses its part of this")]
pub(crate) fn peak_kb() -> u64 {
    peak_of("/proc/self/status").unwrap_or(0)
}

fn peak_of(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let mark = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    mark.trim().trim_end_matches(" kB").parse().ok()
}
