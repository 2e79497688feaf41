//! A transfer crashpack on disk: regular files, read with size limits and verified.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads files")]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::journal;
use super::manifest::{FileList, MANIFEST, TITLE, file_list};
use super::trace::{self, TRACE};
use crate::crashpack::checks::{damaged, missing};
use crate::crashpack::manifest::FileRow;
use crate::crashpack::{JOURNAL, JOURNAL_DIGEST};
use crate::crashpack_folder::{is_plain_file, read_beginning, unlisted_files, verify_file};
use crate::dialect::folder::FolderRecords;
use crate::replay::finding::Finding;

/// A longer journal is not read.
const JOURNAL_LIMIT_BYTES: u64 = 64 << 20;
const SMALL_LIMIT_BYTES: u64 = 1 << 20;
/// A longer trace is not read.
pub(crate) const TRACE_LIMIT_BYTES: u64 = 1 << 30;

pub(crate) fn is_transfer(folder: &Path) -> bool {
    let beginning = read_beginning(&folder.join(MANIFEST));
    let first = beginning.split(|byte| *byte == b'\n').next().unwrap_or_default();
    first.trim_ascii() == TITLE.as_bytes()
}

/// Whether a folder is an unchanged transfer crashpack that stepback wrote, and holds nothing else.
pub(crate) fn is_whole(folder: &Path) -> bool {
    is_transfer(folder) && list_of(folder).is_some() && open(folder).damage.is_empty()
}

/// The states in the trace, if it has any, followed by the entries of the journal.
pub(crate) fn open(folder: &Path) -> FolderRecords {
    let mut damage = Vec::new();
    let journal = read(folder, JOURNAL, JOURNAL_LIMIT_BYTES, &mut damage);
    let digest = read(folder, JOURNAL_DIGEST, SMALL_LIMIT_BYTES, &mut damage);
    if let (Some(journal), Some(digest)) = (&journal, &digest) {
        damage.extend(journal::verify(journal, &String::from_utf8_lossy(digest)));
    }
    let list = list_of(folder);
    let has_trace = list.is_some() || is_plain_file(&folder.join(TRACE));
    let trace = if has_trace { read(folder, TRACE, TRACE_LIMIT_BYTES, &mut damage) } else { None };
    if let Some(list) = &list {
        let held = [(JOURNAL, &journal), (JOURNAL_DIGEST, &digest), (TRACE, &trace)];
        verify_list(folder, list, &held, &mut damage);
    }
    // The trace of another program may hold other events, which are not opened.
    let states = trace.filter(|trace| list.is_some() || trace::holds_states(trace));
    let mut lines = match states.map(|trace| trace::lines(&trace)) {
        Some(Some(lines)) => lines,
        Some(None) => {
            report_once(&mut damage, damaged(TRACE, "a JSON array", "something else"));
            Vec::new()
        }
        None => Vec::new(),
    };
    let text = String::from_utf8_lossy(journal.as_deref().unwrap_or_default()).into_owned();
    lines.extend(journal::lines(&text).bytes());
    FolderRecords { lines, damage }
}

/// The files that the manifest lists, if stepback wrote it.
fn list_of(folder: &Path) -> Option<FileList> {
    let manifest = read(folder, MANIFEST, SMALL_LIMIT_BYTES, &mut Vec::new())?;
    file_list(&String::from_utf8_lossy(&manifest))
}

/// Verifies every listed file. Files whose content is used are verified as they were read.
fn verify_list(folder: &Path, list: &FileList, held: &[(&str, &Option<Vec<u8>>)], damage: &mut Vec<Finding>) {
    if let Some(reason) = list.damage {
        damage.push(damaged(MANIFEST, "a sealed manifest", reason));
    }
    for row in &list.files {
        let found = match held.iter().find(|(name, _)| *name == row.name) {
            Some((_, Some(bytes))) => differs(row, bytes),
            Some((_, None)) => None,
            None => verify_file(folder, row),
        };
        found.into_iter().for_each(|finding| report_once(damage, finding));
    }
    match unlisted_files(folder, &list.files, MANIFEST) {
        Ok(unlisted) => damage.extend(unlisted),
        Err(error) => damage.push(damaged(MANIFEST, "a folder that can be read", error.to_string())),
    }
}

fn differs(row: &FileRow, bytes: &[u8]) -> Option<Finding> {
    let FileRow { name, bytes: expected, blake3 } = row;
    let (length, hash) = (bytes.len() as u64, blake3::hash(bytes).to_hex());
    let is_same = length == *expected && hash.as_str() == blake3;
    let text = |length: &u64, hash: &str| format!("{length} bytes, blake3 {hash}");
    (!is_same).then(|| damaged(name, text(expected, blake3), text(&length, hash.as_str())))
}

/// Adds a finding, unless there is one about the same file.
fn report_once(damage: &mut Vec<Finding>, finding: Finding) {
    if damage.iter().all(|known| known.subject("file") != finding.subject("file")) {
        damage.push(finding);
    }
}

fn read(folder: &Path, name: &str, most: u64, damage: &mut Vec<Finding>) -> Option<Vec<u8>> {
    let path = folder.join(name);
    if !is_plain_file(&path) {
        damage.push(match path.symlink_metadata() {
            Ok(_) => damaged(name, "a regular file", "a link or another special file"),
            Err(_) => missing(name),
        });
        return None;
    }
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    let reason = match read {
        Ok(_) if bytes.len() as u64 <= most => return Some(bytes),
        Ok(_) => format!("longer than {most} bytes"),
        Err(error) => error.to_string(),
    };
    damage.push(damaged(name, "a file that can be read", reason));
    None
}
