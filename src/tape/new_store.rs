//! The payload store of a tape that is being written: complete when the tape gets its name, or removed.
//!
//! Two names cannot appear at once, so a marker in the folder says that the tape is not finished. A killed program
//! leaves the marker behind, and the next one that writes the tape removes what is left.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads and writes files")]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::payload::is_content_hash;
use super::store::PayloadStore;
use crate::wholefile::{self, WholeFile};

/// The marker. It is locked as long as the tape is being written.
pub(super) const UNFINISHED: &str = ".unfinished";

pub(super) struct NewStore {
    folder: PathBuf,
    /// What is removed if the tape is not finished.
    entries: Vec<PathBuf>,
    marker: Option<File>,
}

impl NewStore {
    /// Starts the store of a tape that has none yet. Creates nothing before the first entry.
    pub(super) fn begin(tape: &Path) -> io::Result<NewStore> {
        let folder = PayloadStore::of_tape(tape).folder().to_owned();
        if tape.symlink_metadata().is_err() {
            remove_leftover(&folder);
        }
        if folder.symlink_metadata().is_ok() {
            // Other tapes may refer to its payloads, so it is not replaced.
            let message = format!("{} exists; choose another name for the tape, or remove it", folder.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        Ok(NewStore { folder, entries: Vec::new(), marker: None })
    }

    /// Writes an entry, unless the store has it already: equal payloads are stored once.
    pub(super) fn put(
        &mut self,
        content_hash: &str,
        write: impl FnOnce(&mut WholeFile) -> io::Result<()>,
    ) -> io::Result<()> {
        if !is_content_hash(content_hash) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if self.marker.is_none() {
            self.marker = Some(create_marked(&self.folder)?);
        }
        let path = self.folder.join(content_hash);
        if path.symlink_metadata().is_ok() {
            return Ok(());
        }
        let mut entry = WholeFile::create_new(&path)?;
        write(&mut entry)?;
        entry.finish_new()?;
        self.entries.push(path);
        Ok(())
    }

    /// Keeps the store: the tape has its name.
    pub(super) fn keep(mut self) -> io::Result<()> {
        match self.marker.take() {
            Some(_) => fs::remove_file(self.folder.join(UNFINISHED)),
            None => Ok(()),
        }
    }
}

impl Drop for NewStore {
    fn drop(&mut self) {
        if self.marker.take().is_some() {
            self.entries.iter().for_each(|entry| drop(fs::remove_file(entry)));
            let _ = fs::remove_file(self.folder.join(UNFINISHED));
            // It stays if it contains other files.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// Creates a folder that has its marker from the first moment. Returns the marker, locked.
fn create_marked(folder: &Path) -> io::Result<File> {
    wholefile::remove_leftovers(folder);
    let partial = wholefile::partial_of(folder);
    fs::create_dir(&partial)?;
    let marker = File::create_new(partial.join(UNFINISHED))?;
    // On a file system without locks, the marker looks like that of a killed program, but writing is still possible.
    let _ = marker.try_lock();
    if let Err(error) = fs::rename(&partial, folder) {
        let _ = fs::remove_dir_all(&partial);
        return Err(error);
    }
    Ok(marker)
}

/// Removes the store that a killed program left behind. Files that no program of ours writes into a store stay, and the
/// folder with them.
fn remove_leftover(folder: &Path) {
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return;
    }
    let marker = folder.join(UNFINISHED);
    if !fs::symlink_metadata(&marker).is_ok_and(|found| found.is_file()) {
        return;
    }
    let Ok(file) = File::open(&marker) else { return };
    if file.try_lock().is_err() {
        // Another program is writing it.
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let partial = name.strip_prefix('.').and_then(|name| name.split_once('.'));
        if is_content_hash(&name) || partial.is_some_and(|(entry, _)| is_content_hash(entry)) {
            let _ = fs::remove_file(entry.path());
        }
    }
    let others = fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| entry.file_name() != UNFINISHED);
    if others {
        // The marker stays, so that the rest is recognized when the user has taken the files out.
        return;
    }
    let _ = fs::remove_file(&marker);
    let _ = fs::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const HASH: &str = "00000000000000000000000000000000000000000000000000000000000000ff";

    fn begun(tape: &Path) -> NewStore {
        let mut store = NewStore::begin(tape).expect("no store yet");
        store.put(HASH, |entry| entry.write_all(b"payload")).expect("written");
        store
    }

    #[test]
    fn a_store_is_kept_or_removed_with_its_tape() {
        let folder = tempfile::tempdir().expect("a folder");
        let tape = folder.path().join("x.tape");
        drop(begun(&tape));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        begun(&tape).keep().expect("kept");
        let names: Vec<_> = fs::read_dir(folder.path().join("x.tape.cas")).expect("a store").flatten().collect();
        assert_eq!(names.len(), 1);
        assert!(NewStore::begin(&tape).is_err(), "a finished store without its tape is not ours to remove");
    }

    #[test]
    fn the_store_of_a_killed_program_is_removed_by_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let tape = folder.path().join("x.tape");
        let running = begun(&tape);
        assert!(NewStore::begin(&tape).is_err(), "another program is writing it");
        // Killed: the lock is gone, the files are not.
        let mut killed = running;
        drop(killed.marker.take());
        drop(killed);
        let store = folder.path().join("x.tape.cas");
        assert!(store.join(UNFINISHED).exists());
        fs::write(store.join("notes.txt"), "of the user").expect("written");
        assert!(NewStore::begin(&tape).is_err(), "it holds a file that is not ours");
        assert_eq!(fs::read(store.join("notes.txt")).expect("kept"), b"of the user");
        fs::remove_file(store.join("notes.txt")).expect("removed");
        drop(begun(&tape));
        assert!(!store.exists());
    }
}
