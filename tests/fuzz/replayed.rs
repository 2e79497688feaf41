//! Every seed and every past finding of the fuzz targets, tried again.

use std::fs;
use std::path::{Path, PathBuf};

use super::log::open;
use super::{TARGETS, Target};
use crate::log::Options;
use crate::registry::DIALECTS;

const SEEDS_LIMIT: usize = 300;
const SEEDS_LIMIT_BYTES: usize = 1 << 20;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz")
}

/// The inputs of a target in one of its folders. A target without findings has no such folder.
fn inputs(folder: &str, target: &str) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(root().join(folder).join(target)) else { return Vec::new() };
    let read = |path: PathBuf| (format!("{folder}/{target}/{}", name(&path)), fs::read(&path).expect("an input"));
    let mut found: Vec<_> = entries.map(|entry| read(entry.expect("an entry").path())).collect();
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Says which input broke which law, after the assertion has said how.
struct Trying<'n>(&'n str, &'static Target);

impl Drop for Trying<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("tests/fuzz/{} breaks this law: {}", self.0, self.1.holds);
        }
    }
}

fn replay(targets: impl Fn(&str) -> bool) {
    for target in TARGETS.iter().filter(|target| targets(target.name)) {
        let seeds = inputs("corpus", target.name);
        assert!(!seeds.is_empty(), "{} has no seed", target.name);
        for (name, input) in seeds.into_iter().chain(inputs("findings", target.name)) {
            let _trying = Trying(&name, target);
            (target.run)(&input);
        }
    }
}

#[test]
fn seeds_and_findings_of_logs_hold() {
    replay(|name| matches!(name, "log" | "container" | "agent" | "decode" | "sqlite"));
}

#[test]
fn seeds_and_findings_of_folders_hold() {
    replay(|name| matches!(name, "folder" | "pack"));
}

#[test]
fn seeds_and_findings_of_redaction_hold() {
    replay(|name| matches!(name, "redact" | "export"));
}

#[test]
fn seeds_and_findings_of_everything_else_hold() {
    let elsewhere = ["log", "container", "agent", "decode", "sqlite", "folder", "pack", "redact", "export"];
    replay(|name| !elsewhere.contains(&name));
}

#[test]
fn every_dialect_has_a_seed() {
    let seeds = inputs("corpus", "log");
    for dialect in DIALECTS.iter().copied() {
        let is_one = |bytes: &[u8]| open(bytes, &Options::default()).is_ok_and(|log| log.dialect == dialect);
        assert!(seeds.iter().any(|(_, bytes)| is_one(bytes)), "tests/fuzz/corpus/log has no log of {}", dialect.name);
    }
}

#[test]
fn seeds_are_few_and_small_and_each_folder_is_a_targets() {
    let seeds: Vec<_> = TARGETS.iter().flat_map(|target| inputs("corpus", target.name)).collect();
    assert!(seeds.len() <= SEEDS_LIMIT, "{} seeds", seeds.len());
    let bytes: usize = seeds.iter().map(|(_, bytes)| bytes.len()).sum();
    assert!(bytes <= SEEDS_LIMIT_BYTES, "{bytes} bytes of seeds");
    for folder in ["corpus", "findings"] {
        for entry in fs::read_dir(root().join(folder)).into_iter().flatten() {
            let name = name(&entry.expect("an entry").path());
            assert!(TARGETS.iter().any(|target| target.name == name), "{folder}/{name} is not a target");
        }
    }
}
