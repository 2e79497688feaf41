//! The folder of payloads beside a tape, on disk. What a tape names is hostile: only plain hashes are looked for,
//! links are not followed, and what is read is bounded.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads and writes files")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::annotation::{AnnotationError, Annotations};
use super::payload::is_content_hash;
use super::recorder::Sink;
use super::stored::{Payloads, Stored, StoredEntry, references};
use super::whole::Tape;
use crate::wholefile::WholeFile;

/// An entry above this is told and not read.
pub(crate) const ENTRY_LIMIT_BYTES: u64 = 1 << 30;
/// Annotations are held whole, so they may not be longer than this.
const ANNOTATIONS_LIMIT_BYTES: u64 = 64 << 20;
/// As many orphans are named; a folder may hold anything.
pub(crate) const ORPHANS_KEPT: usize = 10_000;

/// The store that belongs to a tape. It may not exist: then nothing was ever spilled.
#[derive(Clone, Debug)]
pub(crate) struct PayloadStore {
    folder: PathBuf,
}

impl PayloadStore {
    /// The tape's whole name with `.cas` behind it.
    pub(crate) fn beside(tape: &Path) -> PayloadStore {
        let mut name = OsString::from(tape);
        name.push(".cas");
        PayloadStore { folder: PathBuf::from(name) }
    }

    #[cfg(test)]
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the folder is one, and not a link to one somewhere else.
    fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.folder).is_ok_and(|found| found.is_dir())
    }

    /// Opens an entry, or says why not. The file that is measured is the file that was opened.
    fn open(&self, name: &str) -> Result<(File, u64), StoredEntry> {
        if !is_content_hash(name) {
            return Err(StoredEntry::BadName);
        }
        if !self.is_there() {
            // A store that is a link or a file is as suspicious as an entry that is one.
            let stands = self.folder.symlink_metadata().is_ok();
            return Err(if stands { StoredEntry::NotAFile } else { StoredEntry::Missing });
        }
        let path = self.folder.join(name);
        let unreadable = |error: io::Error| StoredEntry::Unreadable { reason: error.to_string() };
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(StoredEntry::Missing),
            Err(error) => return Err(unreadable(error)),
            // A pipe would keep us waiting, a link would lead away.
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

    /// Reads an entry through a hash, a piece at a time.
    pub(crate) fn examine(&self, name: &str) -> StoredEntry {
        let file = match self.open(name) {
            Ok((file, _)) => file,
            Err(entry) => return entry,
        };
        // It may have grown since it was measured.
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

    /// The bytes of an entry, whether they are what its name says or not. `None` if it cannot be read.
    pub(crate) fn as_it_stands(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(name).ok()?.0.take(ENTRY_LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// How many bytes its entries have.
    pub(crate) fn length_bytes(&self) -> u64 {
        let Ok(entries) = fs::read_dir(&self.folder) else { return 0 };
        entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
    }

    /// Looks up all that a tape refers to, and what else lies in the folder.
    pub(crate) fn survey(&self, tape: &Tape) -> io::Result<Stored> {
        self.survey_names(&references(tape), &|_| true)
    }

    /// The same for names that somebody has gathered, on all cores. `tell` hears how many bytes each entry has, and
    /// may answer that nobody wants to know any more: the entries that are left are then not looked at.
    pub(crate) fn survey_names<'n>(
        &self,
        names: &BTreeSet<&'n str>,
        tell: &(dyn Fn(u64) -> bool + Sync),
    ) -> io::Result<Stored> {
        let goes_on = AtomicBool::new(true);
        let examined = names.par_iter().filter_map(|name: &&'n str| {
            let entry = goes_on.load(Ordering::Relaxed).then(|| self.examine(name))?;
            if let StoredEntry::Read { length_bytes, .. } = entry
                && !tell(length_bytes)
            {
                goes_on.store(false, Ordering::Relaxed);
            }
            Some(((*name).to_owned(), entry))
        });
        let referenced: BTreeMap<String, StoredEntry> = examined.collect();
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

/// Where the annotations of a tape stand.
pub(crate) fn annotations_path(tape: &Path) -> PathBuf {
    let mut name = OsString::from(tape);
    name.push(".annotations.jsonl");
    PathBuf::from(name)
}

/// Why the annotations beside a tape cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnnotationFileError {
    #[error("read {path}: {error}")]
    Io { path: String, error: io::Error },
    #[error("read {path}: no plain file of at most {ANNOTATIONS_LIMIT_BYTES} bytes")]
    NotPlain { path: String },
    #[error(transparent)]
    Content(#[from] AnnotationError),
}

/// The annotations beside a tape, if there are any.
pub(crate) fn read_annotations(tape: &Path) -> Result<Option<Annotations>, AnnotationFileError> {
    let path = annotations_path(tape);
    let shown = path.display().to_string();
    let failed = |error| AnnotationFileError::Io { path: shown.clone(), error };
    // A link would lead away.
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

/// Entries of a store on their way to that of another tape. Dropped before [`StoreCopy::keep`], nothing is left of them.
pub(crate) struct StoreCopy {
    from: PayloadStore,
    to: PayloadStore,
    copied: Vec<PathBuf>,
}

impl StoreCopy {
    /// To the store of a tape that has none.
    pub(crate) fn begin(from: PayloadStore, tape: &Path) -> io::Result<StoreCopy> {
        let to = PayloadStore::beside(tape);
        if to.folder.symlink_metadata().is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(StoreCopy { from, to, copied: Vec::new() })
    }

    /// Copies an entry as it stands, once. What cannot be opened is not there: the copy is as damaged as the original.
    /// Answers whether it is there.
    pub(crate) fn copy(&mut self, name: &str) -> io::Result<bool> {
        let Ok((file, _)) = self.from.open(name) else { return Ok(false) };
        if !self.to.is_there() {
            fs::create_dir(&self.to.folder)?;
        }
        let path = self.to.folder.join(name);
        if path.symlink_metadata().is_ok() {
            return Ok(true);
        }
        let mut entry = WholeFile::create_new(&path)?;
        io::copy(&mut file.take(ENTRY_LIMIT_BYTES), &mut entry)?;
        entry.finish_new()?;
        self.copied.push(path);
        Ok(true)
    }

    pub(crate) fn keep(mut self) {
        self.copied.clear();
    }
}

impl Drop for StoreCopy {
    fn drop(&mut self) {
        take_back(&self.copied, &self.to.folder);
    }
}

/// Entries that belong to no tape.
fn take_back(entries: &[PathBuf], folder: &Path) {
    if entries.is_empty() {
        return;
    }
    for entry in entries {
        let _ = fs::remove_file(entry);
    }
    // It stays if somebody else put something there.
    let _ = fs::remove_dir(folder);
}

/// A tape that is being written. Its payloads are on disk before it has its name; dropped before [`TapeFile::finish`],
/// it leaves neither a tape nor a store behind.
pub struct TapeFile {
    store: PayloadStore,
    body: Option<WholeFile>,
    /// What was put into the store and goes with a tape that was given up.
    kept: Vec<PathBuf>,
}

impl TapeFile {
    /// A tape where none stands, nor a store.
    pub fn create_new(tape: &Path) -> io::Result<TapeFile> {
        let store = PayloadStore::beside(tape);
        if store.folder.symlink_metadata().is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(TapeFile { store, body: Some(WholeFile::create_new(tape)?), kept: Vec::new() })
    }

    /// Gives the tape its name once every byte is on disk.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(body) = self.body.take() {
            body.finish_new()?;
            self.kept.clear();
        }
        Ok(())
    }
}

impl Drop for TapeFile {
    fn drop(&mut self) {
        take_back(&self.kept, &self.store.folder);
    }
}

impl Sink for TapeFile {
    type Error = io::Error;

    fn keep(&mut self, content_hash: &str, bytes: &[u8]) -> io::Result<()> {
        if !is_content_hash(content_hash) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if !self.store.is_there() {
            fs::create_dir(&self.store.folder)?;
        }
        let path = self.store.folder.join(content_hash);
        // Equal bytes are kept once.
        if path.symlink_metadata().is_ok() {
            return Ok(());
        }
        let mut entry = WholeFile::create_new(&path)?;
        entry.write_all(bytes)?;
        entry.finish_new()?;
        self.kept.push(path);
        Ok(())
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        let Some(body) = &mut self.body else { return Ok(()) };
        body.write_all(line.as_bytes())?;
        body.write_all(b"\n")
    }
}
