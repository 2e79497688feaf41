//! A signal at any moment of `export` leaves a complete pack or none, and with `--force` the old pack or the new one.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const RUNS: u32 = 40;

fn export(target: &Path, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_stepback"))
        .args(["export", "assets/demo.json", "-o", target.to_str().expect("a plain path")])
        .args(more)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs")
}

/// Sends a signal shortly after the manifest of the unfinished pack appears.
fn interrupt(mut child: Child, target: &Path, signal: &str, after: Duration) {
    let name = target.file_name().expect("a name").to_string_lossy();
    let manifest = target.with_file_name(format!(".{name}.{}.partial/manifest.json", child.id()));
    let begun = Instant::now();
    while !manifest.exists() && child.try_wait().expect("a child").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the export takes too long");
    }
    let seen = Instant::now();
    while seen.elapsed() < after {
        std::hint::spin_loop();
    }
    let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
    child.wait().expect("a child");
}

/// Every file in the manifest exists in full.
fn is_complete(pack: &Path) -> bool {
    let Ok(bytes) = fs::read(pack.join("manifest.json")) else { return false };
    let manifest: Value = serde_json::from_slice(&bytes).expect("a manifest");
    let files = manifest["files"].as_array().expect("files");
    files.iter().all(|file| {
        let path = pack.join(file["name"].as_str().expect("a name"));
        fs::metadata(path).is_ok_and(|found| Some(found.len()) == file["bytes"].as_u64())
    })
}

fn left_behind(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder");
    let names = names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with('.')).collect()
}

fn signal_of(run: u32) -> &'static str {
    ["-TERM", "-INT", "-HUP"][run as usize % 3]
}

fn delay_of(run: u32) -> Duration {
    Duration::from_micros(u64::from(run * 7919 % 3000))
}

#[test]
fn a_signal_leaves_a_complete_pack_or_none() {
    for run in 0..RUNS {
        let folder = tempfile::tempdir().expect("folder");
        let target = folder.path().join("p");
        interrupt(export(&target, &[]), &target, signal_of(run), delay_of(run));
        assert!(!target.exists() || is_complete(&target), "run {run}: an incomplete pack");
        assert_eq!(left_behind(folder.path()), [""; 0], "run {run}");
    }
}

#[test]
fn a_signal_leaves_the_old_pack_or_the_new_one() {
    let folder = tempfile::tempdir().expect("folder");
    let target = folder.path().join("p");
    assert!(export(&target, &[]).wait().expect("a child").success());
    for run in 0..RUNS {
        interrupt(export(&target, &["--force"]), &target, signal_of(run), delay_of(run));
        assert!(is_complete(&target), "run {run}: neither the old pack nor the new one");
        assert_eq!(left_behind(folder.path()), [""; 0], "run {run}");
    }
}
