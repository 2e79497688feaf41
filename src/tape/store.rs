//! The payload store of a tape on disk. Names on a tape are hostile: only plain hashes are opened, links are not
//! followed, and sizes are limited.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads and writes files")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::annotation::{AnnotationError, Annotations};
use super::new_store::{NewStore, UNFINISHED};
use super::payload::is_content_hash;
use super::recorder::Sink;
use super::stored::{Payloads, Stored, StoredEntry, references};
use super::whole::Tape;
use crate::wholefile::WholeFile;

/// Larger entries are reported and not read.
pub(crate) const ENTRY_LIMIT_BYTES: u64 = 1 << 30;
/// The largest file of annotations, which is read as a whole.
const ANNOTATIONS_LIMIT_BYTES: u64 = 64 << 20;
/// The largest number of orphans that are named: the folder may contain anything.
pub(crate) const ORPHANS_KEPT: usize = 10_000;

/// The payload store of a tape. The folder does not exist if no payload was large enough to be stored.
#[derive(Clone, Debug)]
pub(crate) struct PayloadStore {
    folder: PathBuf,
}

impl PayloadStore {
    /// The folder has the name of the tape with `.cas` appended.
    pub(crate) fn of_tape(tape: &Path) -> PayloadStore {
        let mut name = OsString::from(tape);
        name.push(".cas");
        PayloadStore { folder: PathBuf::from(name) }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the folder exists and is not a link.
    fn exists(&self) -> bool {
        fs::symlink_metadata(&self.folder).is_ok_and(|found| found.is_dir())
    }

    /// Opens an entry, or returns why not. The length is that of the opened file.
    fn open(&self, name: &str) -> Result<(File, u64), StoredEntry> {
        if !is_content_hash(name) {
            return Err(StoredEntry::BadName);
        }
        if !self.exists() {
            // A store that is a link or a file is as suspicious as such an entry.
            let exists = self.folder.symlink_metadata().is_ok();
            return Err(if exists { StoredEntry::NotAFile } else { StoredEntry::Missing });
        }
        let path = self.folder.join(name);
        let unreadable = |error: io::Error| StoredEntry::Unreadable { reason: error.to_string() };
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(StoredEntry::Missing),
            Err(error) => return Err(unreadable(error)),
            // Opening a pipe would block, and a link could lead anywhere.
            Ok(found) if !found.is_file() => return Err(StoredEntry::NotAFile),
            Ok(_) => {}
        }
        let file = File::open(&path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        match found.len() {
            _ if !found.is_file() => Err(StoredEntry::NotAFile),
            length_bytes if length_bytes > ENTRY_LIMIT_BYTES => Err(StoredEntry::TooLarge { length_bytes }),
            length_bytes => Ok((file, length_bytes)),
        }
    }

    /// Hashes an entry, piece by piece.
    pub(crate) fn examine(&self, name: &str) -> StoredEntry {
        let file = match self.open(name) {
            Ok((file, _)) => file,
            Err(entry) => return entry,
        };
        // It may have grown since its length was read.
        let mut bounded = file.take(ENTRY_LIMIT_BYTES + 1);
        let mut hasher = blake3::Hasher::new();
        if let Err(error) = hasher.update_reader(&mut bounded) {
            return StoredEntry::Unreadable { reason: error.to_string() };
        }
        let length_bytes = hasher.count();
        if length_bytes > ENTRY_LIMIT_BYTES {
            return StoredEntry::TooLarge { length_bytes };
        }
        StoredEntry::Read { length_bytes, content_hash: hasher.finalize().to_hex().to_string() }
    }

    /// The bytes of an entry, whether or not they match its name. `None` if it cannot be read.
    pub(crate) fn unverified_bytes(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(name).ok()?.0.take(ENTRY_LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The total length of the entries.
    pub(crate) fn length_bytes(&self) -> u64 {
        let Ok(entries) = fs::read_dir(&self.folder) else { return 0 };
        entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
    }

    /// Examines all entries that a tape refers to, and lists the other files of the folder.
    pub(crate) fn survey(&self, tape: &Tape) -> io::Result<Stored> {
        self.survey_names(&references(tape), &|_| true)
    }

    /// Examines the entries with these names on all cores. `progress` gets the length of each entry and returns whether
    /// to continue; otherwise the remaining entries are skipped.
    pub(crate) fn survey_names<'n>(
        &self,
        names: &BTreeSet<&'n str>,
        progress: &(dyn Fn(u64) -> bool + Sync),
    ) -> io::Result<Stored> {
        let continues = AtomicBool::new(true);
        let examined = names.par_iter().filter_map(|name: &&'n str| {
            let entry = continues.load(Ordering::Relaxed).then(|| self.examine(name))?;
            if let StoredEntry::Read { length_bytes, .. } = entry
                && !progress(length_bytes)
            {
                continues.store(false, Ordering::Relaxed);
            }
            Some(((*name).to_owned(), entry))
        });
        let referenced: BTreeMap<String, StoredEntry> = examined.collect();
        let mut stored = Stored { referenced, ..Stored::default() };
        if !self.exists() {
            return Ok(stored);
        }
        for found in fs::read_dir(&self.folder)? {
            let name = found?.file_name().to_string_lossy().into_owned();
            if name == UNFINISHED {
                continue;
            }
            stored.entries += 1;
            if !names.contains(name.as_str()) && stored.orphans.len() < ORPHANS_KEPT {
                stored.orphans.push(name);
            }
        }
        stored.orphans.sort();
        Ok(stored)
    }
}

impl Payloads for PayloadStore {
    fn bytes(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        let (file, length_bytes) = self.open(name).ok()?;
        if length_bytes > most {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= most && blake3::hash(&bytes).to_hex().as_str() == name).then_some(bytes)
    }
}

/// The path of the annotations of a tape.
pub(crate) fn annotations_path(tape: &Path) -> PathBuf {
    let mut name = OsString::from(tape);
    name.push(".annotations.jsonl");
    PathBuf::from(name)
}

/// Why the annotations of a tape cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnnotationFileError {
    #[error("read {path}: {error}")]
    Io { path: String, error: io::Error },
    #[error("read {path}: not a regular file of at most {ANNOTATIONS_LIMIT_BYTES} bytes")]
    NotPlain { path: String },
    #[error(transparent)]
    Content(#[from] AnnotationError),
}

/// The annotations of a tape, if there are any.
pub(crate) fn read_annotations(tape: &Path) -> Result<Option<Annotations>, AnnotationFileError> {
    let path = annotations_path(tape);
    let shown = path.display().to_string();
    let failed = |error| AnnotationFileError::Io { path: shown.clone(), error };
    // A link could lead anywhere.
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(found) if !found.is_file() || found.len() > ANNOTATIONS_LIMIT_BYTES => {
            return Err(AnnotationFileError::NotPlain { path: shown });
        }
        Ok(_) => {}
    }
    let bytes = fs::read(&path).map_err(failed)?;
    Ok(Some(Annotations::read(&bytes, &shown)?))
}

/// Entries that are being copied to the store of another tape. Unless [`StoreCopy::keep`] is called, they are removed.
pub(crate) struct StoreCopy {
    from: PayloadStore,
    to: NewStore,
}

impl StoreCopy {
    /// Starts copying to a tape that has no store yet.
    pub(crate) fn begin(from: PayloadStore, tape: &Path) -> io::Result<StoreCopy> {
        Ok(StoreCopy { from, to: NewStore::begin(tape)? })
    }

    /// Copies an entry byte for byte, once. An entry that cannot be opened is skipped: the copy is as damaged as the
    /// original. Returns whether the entry exists.
    pub(crate) fn copy(&mut self, name: &str) -> io::Result<bool> {
        let Ok((file, _)) = self.from.open(name) else { return Ok(false) };
        self.to.put(name, |entry| io::copy(&mut file.take(ENTRY_LIMIT_BYTES), entry).map(|_| ()))?;
        Ok(true)
    }

    pub(crate) fn keep(self) -> io::Result<()> {
        self.to.keep()
    }
}

/// A tape that is being written. Its payloads are on disk before it gets its name. If it is dropped before
/// [`TapeFile::finish`], neither a tape nor a store is left.
pub struct TapeFile {
    store: NewStore,
    body: WholeFile,
}

impl TapeFile {
    /// Starts a tape. Neither the tape nor its store may exist.
    pub fn create_new(tape: &Path) -> io::Result<TapeFile> {
        let store = NewStore::begin(tape)?;
        Ok(TapeFile { store, body: WholeFile::create_new(tape)? })
    }

    /// Gives the tape its name when every byte is on disk.
    pub fn finish(self) -> io::Result<()> {
        self.body.finish_new()?;
        self.store.keep()
    }
}

impl Sink for TapeFile {
    type Error = io::Error;

    fn keep(&mut self, content_hash: &str, bytes: &[u8]) -> io::Result<()> {
        self.store.put(content_hash, |entry| entry.write_all(bytes))
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        self.body.write_all(line.as_bytes())?;
        self.body.write_all(b"\n")
    }
}
