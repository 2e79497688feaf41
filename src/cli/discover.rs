//! Discovery of logs in folders, in a stable order.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::crashpack_folder::is_pack;
use crate::log::{Log, Options};
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

/// If more files are named, only these are checked: looking for the families of each would take too long.
const MOST_WITH_FAMILY: usize = 16;
/// The longest list of names.
const MOST_LIST_BYTES: u64 = 256 << 20;

/// The names in a list: one per line, or separated by NUL, so that names may contain line breaks. `-` is standard input.
pub(super) fn listed(list: &Path) -> io::Result<Vec<PathBuf>> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", list.display()));
    let mut bytes = Vec::new();
    let read =
        |mut from: Box<dyn Read>, bytes: &mut Vec<u8>| from.by_ref().take(MOST_LIST_BYTES + 1).read_to_end(bytes);
    match list.as_os_str() == "-" {
        true => read(Box::new(io::stdin().lock()), &mut bytes),
        false => File::open(list).and_then(|file| read(Box::new(file), &mut bytes)),
    }
    .map_err(named)?;
    if bytes.len() as u64 > MOST_LIST_BYTES {
        return Err(named(io::Error::other("the list of names is longer than 256 MiB; split it")));
    }
    Ok(names_in(&bytes))
}

fn names_in(list: &[u8]) -> Vec<PathBuf> {
    let separator = if list.contains(&0) { 0 } else { b'\n' };
    let names = list.split(|byte| *byte == separator);
    let names = names.map(|name| if separator == 0 { name } else { name.strip_suffix(b"\r").unwrap_or(name) });
    names.filter(|name| !name.is_empty()).map(path_of).collect()
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}

/// The given files with the logs that belong to their runs, and the possible logs in the given folders. Links to
/// folders are not followed, hidden names are
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
            let family = if paths.len() <= MOST_WITH_FAMILY { checked_with(path) } else { Vec::new() };
            found.extend(family.into_iter().map(|path| FoundFile { path, walked: true }));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|file| !file.walked || !paths.contains(&file.path) && seen.insert(file.path.clone()));
    Ok(found)
}

/// The logs that are checked along with a log. Only its own dialect is asked: others would search the beginning of the
/// file in vain.
fn checked_with(log: &Path) -> Vec<PathBuf> {
    if !log.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Vec::new();
    }
    let dialect = Log::open(log, &Options::default()).ok().map(|log| log.dialect);
    dialect.and_then(|dialect| dialect.family).map_or_else(Vec::new, |column| (column.checked_with)(log))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lines_or_separated_by_nul() {
        let names = |list: &[u8]| names_in(list).iter().map(|name| name.display().to_string()).collect::<Vec<_>>();
        assert_eq!(names(b"a.json\r\n\nb c.jsonl\n"), ["a.json", "b c.jsonl"]);
        assert_eq!(names(b"a\nb.json\0c.json\0"), ["a\nb.json", "c.json"]);
        assert!(names(b"\n").is_empty());
    }
}
