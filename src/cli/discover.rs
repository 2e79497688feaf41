//! Finds logs in folders, in a stable order.

use std::io;
use std::path::{Path, PathBuf};

use crate::crashpack_folder::is_pack;
use crate::registry;

/// Endings of sidecar files, which are not logs.
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
/// The ending of payload stores.
const STORE: &str = ".cas";

pub(super) struct FoundFile {
    pub path: PathBuf,
    /// Found in a folder: it is skipped if it is not a log.
    pub walked: bool,
}

/// The given files, and the possible logs in the given folders. Links to folders are not followed, hidden names are
/// skipped.
pub(super) fn logs(paths: &[PathBuf]) -> io::Result<Vec<FoundFile>> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() && !is_any_pack(path) {
            let mut below = Vec::new();
            walk(path, &mut below)?;
            below.sort();
            found.extend(below.into_iter().map(|path| FoundFile { path, walked: true }));
        } else {
            found.push(FoundFile { path: path.clone(), walked: false });
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
            // A crashpack is one log.
            found.push(entry.path());
        } else if kind.is_dir() {
            walk(&entry.path(), found)?;
        } else if may_be_a_log(&name) && (kind.is_file() || entry.path().is_file()) {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// Whether a folder is a crashpack or a transfer crashpack.
fn is_any_pack(folder: &Path) -> bool {
    is_pack(folder) || registry::of_folder(folder).is_some()
}

/// Logs are recognized by content, not by name; only sidecars are recognized by name.
fn may_be_a_log(name: &str) -> bool {
    !BESIDE.iter().any(|ending| name.ends_with(ending))
}
