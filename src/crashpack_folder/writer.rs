//! Writing a crashpack: to a hidden folder beside its target, which is renamed when every byte is on disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::crashpack::MANIFEST;
use crate::crashpack::manifest::{Bad, FileRow, Manifest, Subject, bad_name, pack_id};
use crate::wholefile;

#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    #[error("{0}: this is not a folder; choose another name")]
    NoFolder(String),

    #[error(
        "{0}: this folder exists and is not empty; choose another name (an unchanged crashpack can be replaced with --force)"
    )]
    NotEmpty(String),

    #[error("{0}: this folder is not an unchanged crashpack, so it is not replaced; choose another name, or remove it")]
    NoPack(String),

    #[error("{path}: the pack cannot be written: {error}")]
    Io { path: String, error: io::Error },

    #[error("{path}: {reason}")]
    Refused { path: String, reason: String },
}

/// How to handle signals while a pack is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnSignal {
    /// A signal ends the program and leaves nothing behind.
    CleanUp,
    /// The caller handles signals, and calls [`clean_up`] before the program ends.
    Nothing,
}

/// The folders of unfinished packs. The lock is held while a pack is renamed and while clean-up removes it, so that
/// only one of the two happens.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// The export may still be writing to a folder that clean-up removes.
const TRIES: usize = 20;

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes unfinished packs, for a program that ends now. A pack that is just being renamed is finished first; a pack
/// that is removed here is never renamed.
pub(crate) fn clean_up() {
    let mut unfinished = unfinished();
    unfinished.drain(..).for_each(|partial| remove(&partial));
    // The program ends because of the signal, not because an export finds its folder gone.
    std::mem::forget(unfinished);
}

fn remove(partial: &Path) {
    for _ in 0..TRIES {
        if fs::remove_dir_all(partial).is_ok() || fs::symlink_metadata(partial).is_err() {
            break;
        }
    }
}

/// A crashpack under a temporary name. If it is dropped before `finish`, it leaves nothing behind.
pub(crate) struct PackWriter {
    target: PathBuf,
    partial: Option<PathBuf>,
    files: Vec<FileRow>,
    is_whole: IsWhole,
    _lock: Option<File>,
}

/// Whether a folder is an unchanged pack, which may be replaced.
type IsWhole = fn(&Path) -> bool;

impl PackWriter {
    /// Rejects a target that is taken, before any work is done.
    pub(crate) fn begin(target: &Path, force: bool, on_signal: OnSignal) -> Result<PackWriter, WriteError> {
        PackWriter::begin_own(target, force, on_signal, super::is_whole_pack)
    }

    /// Like [`PackWriter::begin`], for a form of crashpack that belongs to a dialect.
    pub(crate) fn begin_own(
        target: &Path,
        force: bool,
        on_signal: OnSignal,
        is_whole: IsWhole,
    ) -> Result<PackWriter, WriteError> {
        restore_old(target, is_whole);
        wholefile::remove_leftovers(target);
        refuse_taken(target, force, is_whole)?;
        let partial = hidden(target, "partial");
        let failed = |error| WriteError::Io { path: target.display().to_string(), error };
        // First of all, because a signal may arrive at any time.
        if on_signal == OnSignal::CleanUp {
            clean_up_on_signal().map_err(failed)?;
        }
        let mut unfinished = unfinished();
        fs::create_dir(&partial).map_err(failed)?;
        // The lock says that the folder is still being written. Some systems cannot lock a folder.
        let lock = File::open(&partial).ok().filter(|folder| folder.try_lock().is_ok());
        unfinished.push(partial.clone());
        Ok(PackWriter { target: target.to_owned(), partial: Some(partial), files: Vec::new(), is_whole, _lock: lock })
    }

    /// The temporary path of a file in the pack.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.partial.as_deref().unwrap_or(&self.target).join(name)
    }

    /// Creates a file for the caller to fill; [`PackWriter::adopt`] adds it to the pack.
    pub(crate) fn create(&self, name: &str) -> io::Result<BufWriter<File>> {
        if let Some(reason) = bad_name(name) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?}: {reason}")));
        }
        let path = self.path(name);
        if let Some((folders, _)) = name.rsplit_once('/') {
            self.create_folders(folders)?;
        }
        Ok(BufWriter::new(OpenOptions::new().write(true).create_new(true).open(path)?))
    }

    /// Creates folders inside the pack, but never the pack's own folder, which clean-up may have removed.
    fn create_folders(&self, names: &str) -> io::Result<()> {
        let mut path = self.path("");
        for name in names.split('/') {
            path.push(name);
            match fs::create_dir(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.create(name)?;
        file.write_all(bytes)?;
        file.flush()?;
        drop(file);
        self.adopt(name)
    }

    /// Writes an executable file.
    pub(crate) fn write_script(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.write(name, text.as_bytes())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    /// Adds a file that the caller wrote, once it is on disk.
    pub(crate) fn adopt(&mut self, name: &str) -> io::Result<()> {
        let file = File::open(self.path(name))?;
        let mut hasher = blake3::Hasher::new();
        let mut reader = &file;
        hasher.update_reader(&mut reader as &mut dyn Read)?;
        file.sync_all()?;
        let (bytes, blake3) = (hasher.count(), hasher.finalize().to_hex().to_string());
        self.files.push(FileRow { name: name.to_owned(), bytes, blake3 });
        Ok(())
    }

    /// Adds every file of a folder inside the pack, if the folder exists.
    pub(crate) fn adopt_folder(&mut self, name: &str) -> io::Result<()> {
        let path = self.path(name);
        if !path.is_dir() {
            return Ok(());
        }
        for entry in fs::read_dir(&path)? {
            let entry = entry?.file_name().to_string_lossy().into_owned();
            self.adopt(&format!("{name}/{entry}"))?;
        }
        sync_folder(&path)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// Seals the pack and renames it. Returns its id.
    pub(crate) fn finish(mut self, subject: Subject) -> Result<String, WriteError> {
        let shown = self.target.display().to_string();
        let sealed = Manifest::seal(subject, self.files.clone()).map_err(|bad| {
            let (Bad::Unreadable(reason) | Bad::Refused(reason)) = bad;
            WriteError::Refused { path: shown.clone(), reason }
        })?;
        self.put_in_place(MANIFEST, &sealed).map_err(|error| WriteError::Io { path: shown, error })?;
        Ok(pack_id(&self.files))
    }

    /// Adds a manifest that lists all files, and renames the pack. Returns its id.
    pub(crate) fn finish_own(
        mut self,
        manifest: &str,
        seal: impl FnOnce(&[FileRow]) -> String,
    ) -> Result<String, WriteError> {
        self.files.sort();
        let sealed = seal(&self.files);
        let shown = self.target.display().to_string();
        self.put_in_place(manifest, sealed.as_bytes()).map_err(|error| WriteError::Io { path: shown, error })?;
        Ok(pack_id(&self.files))
    }

    fn put_in_place(&mut self, name: &str, manifest: &[u8]) -> io::Result<()> {
        let Some(partial) = self.partial.clone() else { return Ok(()) };
        let mut file = OpenOptions::new().write(true).create_new(true).open(partial.join(name))?;
        file.write_all(manifest)?;
        file.sync_all()?;
        let logs = partial.join("logs");
        if logs.is_dir() {
            sync_folder(&logs)?;
        }
        sync_folder(&partial)?;
        let mut unfinished = unfinished();
        let Some(own) = unfinished.iter().position(|known| *known == partial) else {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "a signal ends the program"));
        };
        replace(&partial, &self.target, self.is_whole)?;
        self.partial = None;
        unfinished.remove(own);
        sync_folder(parent_of(&self.target))
    }
}

impl Drop for PackWriter {
    fn drop(&mut self) {
        if let Some(partial) = self.partial.take() {
            unfinished().retain(|known| *known != partial);
            let _ = fs::remove_dir_all(partial);
        }
    }
}

fn refuse_taken(target: &Path, force: bool, is_whole: IsWhole) -> Result<(), WriteError> {
    let shown = || target.display().to_string();
    let Ok(found) = fs::symlink_metadata(target) else { return Ok(()) };
    // The pack would not be where the user named it.
    if !found.is_dir() || target.file_name().is_none() {
        return Err(WriteError::NoFolder(shown()));
    }
    let mut entries = fs::read_dir(target).map_err(|error| WriteError::Io { path: shown(), error })?;
    match entries.next().is_some() {
        true if !force => Err(WriteError::NotEmpty(shown())),
        // A folder that is not a pack may hold files that cannot be made again.
        true if !is_whole(target) => Err(WriteError::NoPack(shown())),
        _ => Ok(()),
    }
}

/// Completes what a killed program began: a pack that it had moved aside gets its name back, or is removed if the new
/// one has the name.
fn restore_old(target: &Path, is_whole: IsWhole) {
    let Some(name) = target.file_name() else { return };
    let prefix = format!(".{}.", name.to_string_lossy());
    for entry in fs::read_dir(parent_of(target)).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        let process = found.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".old"));
        let is_old = process.is_some_and(|process| process.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_old || !is_whole(&entry.path()) {
            continue;
        }
        if target.symlink_metadata().is_err() {
            let _ = fs::rename(entry.path(), target);
        } else if is_whole(target) {
            let _ = remove_aside(&entry.path(), target);
        }
    }
}

/// Removes a pack that was moved aside. It first becomes a leftover by name: if the program is killed while removing
/// it, what remains is no longer a pack, and the next export could not know that it may be removed.
fn remove_aside(aside: &Path, target: &Path) -> io::Result<()> {
    let doomed = hidden(target, "partial");
    fs::rename(aside, &doomed)?;
    fs::remove_dir_all(doomed)
}

/// Replaces a folder. The old one is removed only after the new one has its name.
fn replace(partial: &Path, target: &Path, is_whole: IsWhole) -> io::Result<()> {
    if fs::symlink_metadata(target).is_err() {
        return fs::rename(partial, target);
    }
    let aside = hidden(target, "old");
    fs::rename(target, &aside)?;
    // It may have changed since it was looked at.
    let is_empty = fs::read_dir(&aside).is_ok_and(|mut entries| entries.next().is_none());
    let renamed = if is_empty || is_whole(&aside) {
        fs::rename(partial, target)
    } else {
        Err(io::Error::other("the crashpack that it replaces has changed meanwhile"))
    };
    if let Err(error) = renamed {
        let _ = fs::rename(&aside, target);
        return Err(error);
    }
    remove_aside(&aside, target)
}

fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn hidden(target: &Path, ending: &str) -> PathBuf {
    let name = target.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    target.with_file_name(format!(".{name}.{}.{ending}", std::process::id()))
}

/// Makes sure that the names in a folder are on disk. Some systems cannot sync a folder.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Makes SIGINT, SIGTERM and SIGHUP remove unfinished packs before they end the program.
fn clean_up_on_signal() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            clean_up();
            // The exit code with which a shell reports the signal.
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crashpack::manifest::{Environment, Expected};
    use std::time::Duration;

    fn subject() -> Subject {
        let word = || "x".to_owned();
        let finding = Expected { check: word(), fingerprint: word(), severity: word(), at: vec![0] };
        let environment = Environment { tool_version: word(), os: word(), arch: word() };
        Subject { dialect: "turn".to_owned(), trace: "trace.jsonl".to_owned(), minimized: None, finding, environment }
    }

    /// The signal arrives when everything is written and only the renaming is left.
    #[test]
    fn a_pack_that_clean_up_removes_is_never_renamed() {
        let folder = tempfile::tempdir().expect("folder");
        let target = folder.path().join("pack");
        let mut writer = PackWriter::begin(&target, false, OnSignal::Nothing).expect("begun");
        writer.write("trace.jsonl", b"{}\n").expect("written");
        let partial = writer.partial.clone().expect("a folder");
        let mut held = unfinished();
        let export = std::thread::spawn(move || writer.finish(subject()));
        while !partial.join(MANIFEST).exists() {
            std::thread::yield_now();
        }
        // Enough time to rename the pack, if clean-up did not prevent that.
        std::thread::sleep(Duration::from_millis(200));
        assert!(!target.exists(), "the pack got its name while it was about to be removed");
        held.retain(|known| *known != partial);
        remove(&partial);
        drop(held);
        assert!(export.join().expect("no panic").is_err());
        assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 0);
    }
}
