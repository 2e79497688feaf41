//! A transfer crashpack on disk: three regular files, read with size limits.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads files")]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::event::{JOURNAL, JOURNAL_DIGEST, MANIFEST, TITLE, lines, verify};
use crate::crashpack::checks::{damaged, missing};
use crate::crashpack_folder::{is_plain_file, read_beginning};
use crate::dialect::folder::FolderRecords;
use crate::replay::finding::Finding;

/// A longer journal is not read.
const JOURNAL_LIMIT_BYTES: u64 = 64 << 20;
const DIGEST_LIMIT_BYTES: u64 = 4096;

pub(crate) fn is_transfer(folder: &Path) -> bool {
    let beginning = read_beginning(&folder.join(MANIFEST));
    let first = beginning.split(|byte| *byte == b'\n').next().unwrap_or_default();
    first.trim_ascii() == TITLE.as_bytes()
}

pub(crate) fn open(folder: &Path) -> FolderRecords {
    let mut damage = Vec::new();
    let journal = read(folder, JOURNAL, JOURNAL_LIMIT_BYTES, &mut damage);
    let digest = read(folder, JOURNAL_DIGEST, DIGEST_LIMIT_BYTES, &mut damage);
    if let (Some(journal), Some(digest)) = (&journal, &digest) {
        damage.extend(verify(journal, &String::from_utf8_lossy(digest)));
    }
    let text = String::from_utf8_lossy(journal.as_deref().unwrap_or_default()).into_owned();
    FolderRecords { lines: lines(&text).into_bytes(), damage }
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
