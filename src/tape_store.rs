//! The folder of payloads beside a tape, on disk. What a tape names is hostile: only plain hashes are looked for,
//! links are not followed, and what is read is bounded.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::tape::payload::is_content_hash;
use crate::tape::read::Tape;
use crate::tape::stored::{Entry, Stored, references};

/// An entry above this is told and not read.
pub const ENTRY_LIMIT_BYTES: u64 = 1 << 30;
/// As many orphans are named; a folder may hold anything.
pub const ORPHANS_KEPT: usize = 10_000;

/// The store that belongs to a tape. It may not exist: then nothing was ever spilled.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The tape's whole name with `.cas` behind it.
    pub fn beside(tape: &Path) -> Store {
        let mut name = OsString::from(tape);
        name.push(".cas");
        Store { folder: PathBuf::from(name) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the folder is one, and not a link to one somewhere else.
    fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.folder).is_ok_and(|found| found.is_dir())
    }

    /// Opens an entry, or says why not. The file that is measured is the file that was opened.
    fn open(&self, name: &str) -> Result<(File, u64), Entry> {
        if !is_content_hash(name) {
            return Err(Entry::BadName);
        }
        if !self.is_there() {
            return Err(Entry::Missing);
        }
        let path = self.folder.join(name);
        let unreadable = |error: io::Error| Entry::Unreadable { reason: error.to_string() };
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Entry::Missing),
            Err(error) => return Err(unreadable(error)),
            // A pipe would keep us waiting, a link would lead away.
            Ok(found) if !found.is_file() => return Err(Entry::NotAFile),
            Ok(_) => {}
        }
        let file = File::open(&path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        match found.len() {
            _ if !found.is_file() => Err(Entry::NotAFile),
            length_bytes if length_bytes > ENTRY_LIMIT_BYTES => Err(Entry::TooLarge { length_bytes }),
            length_bytes => Ok((file, length_bytes)),
        }
    }

    /// Reads an entry through a hash, a piece at a time.
    pub fn examine(&self, name: &str) -> Entry {
        let file = match self.open(name) {
            Ok((file, _)) => file,
            Err(entry) => return entry,
        };
        // It may have grown since it was measured.
        let mut bounded = file.take(ENTRY_LIMIT_BYTES + 1);
        let mut hasher = blake3::Hasher::new();
        if let Err(error) = hasher.update_reader(&mut bounded) {
            return Entry::Unreadable { reason: error.to_string() };
        }
        let length_bytes = hasher.count();
        if length_bytes > ENTRY_LIMIT_BYTES {
            return Entry::TooLarge { length_bytes };
        }
        Entry::Read { length_bytes, content_hash: hasher.finalize().to_hex().to_string() }
    }

    /// The bytes of an entry, if there are at most `most` and they are those that its name promises.
    pub fn bytes(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        let (file, length_bytes) = self.open(name).ok()?;
        if length_bytes > most {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= most && blake3::hash(&bytes).to_hex().as_str() == name).then_some(bytes)
    }

    /// Looks up all that a tape refers to, and what else lies in the folder.
    pub fn survey(&self, tape: &Tape) -> io::Result<Stored> {
        let names = references(tape);
        let referenced: BTreeMap<String, Entry> =
            names.iter().map(|name| ((*name).to_owned(), self.examine(name))).collect();
        let mut stored = Stored { referenced, ..Stored::default() };
        if !self.is_there() {
            return Ok(stored);
        }
        for found in fs::read_dir(&self.folder)? {
            let name = found?.file_name().to_string_lossy().into_owned();
            stored.entries += 1;
            if !names.contains(name.as_str()) && stored.orphans.len() < ORPHANS_KEPT {
                stored.orphans.push(name);
            }
        }
        stored.orphans.sort();
        Ok(stored)
    }
}
