//! Folders to logs: every file below them that may be one, in a stable order.

use std::io;
use std::path::{Path, PathBuf};

use crate::crashpack_folder::is_pack;
use crate::transfer::folder::is_transfer;

/// Names of what stands beside a log and is none itself.
const BESIDE: [&str; 8] = [
    ".session.json",
    ".live.json",
    ".artifacts.json",
    ".annotations.jsonl",
    ".minimization.json",
    "-wal",
    "-shm",
    "-journal",
];
/// The folder of a tape's payloads.
const STORE: &str = ".cas";

pub struct Candidate {
    pub path: PathBuf,
    /// Met while walking: if it turns out to be no log, it is passed over without a word.
    pub walked: bool,
}

/// Named files as they are; named folders walked. Links to folders are not followed, hidden names are skipped.
pub fn candidates(paths: &[PathBuf]) -> io::Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() && !is_any_pack(path) {
            let mut below = Vec::new();
            walk(path, &mut below)?;
            below.sort();
            found.extend(below.into_iter().map(|path| Candidate { path, walked: true }));
        } else {
            found.push(Candidate { path: path.clone(), walked: false });
        }
    }
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        if name.starts_with('.') {
            continue;
        }
        if kind.is_dir() && name.strip_suffix(STORE).is_some_and(|tape| folder.join(tape).is_file()) {
            continue;
        }
        if kind.is_dir() && is_any_pack(&entry.path()) {
            // One log, with more to say than its trace.
            found.push(entry.path());
        } else if kind.is_dir() {
            walk(&entry.path(), found)?;
        } else if may_be_a_log(&name) && (kind.is_file() || entry.path().is_file()) {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// Packs are one log each, ours and those of others.
fn is_any_pack(folder: &Path) -> bool {
    is_pack(folder) || is_transfer(folder)
}

/// A log is told by its first bytes, not by its name; only what stands beside one is known by it.
fn may_be_a_log(name: &str) -> bool {
    !BESIDE.iter().any(|ending| name.ends_with(ending))
}
