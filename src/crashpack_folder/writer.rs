//! Writing a pack: into a hidden folder beside its target, every byte on disk, then under its name by renaming.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::crashpack::MANIFEST;
use crate::crashpack::manifest::{Bad, FileRow, Manifest, Subject, bad_name};

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{0}: this is no folder; choose another name")]
    NoFolder(String),

    #[error("{0}: this folder exists and is not empty; choose another name, or --force to replace a pack")]
    NotEmpty(String),

    #[error("{0}: this folder is no pack, so it is not replaced; choose another name")]
    NoPack(String),

    #[error("{path}: the pack cannot be written: {error}")]
    Io { path: String, error: io::Error },

    #[error("{path}: {reason}")]
    Refused { path: String, reason: String },
}

/// What a signal means while a pack is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSignal {
    /// It ends the program and leaves nothing behind.
    CleanUp,
    /// Somebody else hears it, and calls [`clean_up`] before the program ends.
    Nothing,
}

/// Packs on their way: the folder that is filled, and the one that it takes the place of.
static UNFINISHED: Mutex<Vec<(PathBuf, PathBuf)>> = Mutex::new(Vec::new());
/// Somebody may still be writing into a folder that is taken away.
const TRIES: usize = 20;

fn unfinished() -> MutexGuard<'static, Vec<(PathBuf, PathBuf)>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes away what is half written, and puts back what was about to be replaced. For a program that ends at once.
pub fn clean_up() {
    for (partial, target) in unfinished().drain(..) {
        let aside = hidden(&target, "old");
        if fs::symlink_metadata(&target).is_err() && aside.is_dir() {
            let _ = fs::rename(&aside, &target);
        }
        for _ in 0..TRIES {
            if fs::remove_dir_all(&partial).is_ok() || fs::symlink_metadata(&partial).is_err() {
                break;
            }
        }
    }
}

/// A pack under another name until it is complete; dropped before that, it leaves nothing behind.
pub struct PackWriter {
    target: PathBuf,
    partial: Option<PathBuf>,
    files: Vec<FileRow>,
}

impl PackWriter {
    /// Refuses a target that is taken before anything is done.
    pub fn begin(target: &Path, force: bool, on_signal: OnSignal) -> Result<PackWriter, WriteError> {
        refuse_taken(target, force)?;
        let partial = hidden(target, "partial");
        let failed = |error| WriteError::Io { path: target.display().to_string(), error };
        // Before there is anything to clean up: a signal may come at once.
        if on_signal == OnSignal::CleanUp {
            clean_up_on_signal().map_err(failed)?;
        }
        unfinished().push((partial.clone(), target.to_owned()));
        fs::create_dir(&partial).map_err(failed)?;
        Ok(PackWriter { target: target.to_owned(), partial: Some(partial), files: Vec::new() })
    }

    /// Where a file of the pack stands meanwhile.
    pub fn path(&self, name: &str) -> PathBuf {
        self.partial.as_deref().unwrap_or(&self.target).join(name)
    }

    /// A file of the pack that somebody fills, and that [`PackWriter::adopt`] takes in.
    pub fn create(&self, name: &str) -> io::Result<BufWriter<File>> {
        if let Some(reason) = bad_name(name) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?}: {reason}")));
        }
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(BufWriter::new(OpenOptions::new().write(true).create_new(true).open(path)?))
    }

    pub fn write(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.create(name)?;
        file.write_all(bytes)?;
        file.flush()?;
        drop(file);
        self.adopt(name)
    }

    /// The same for one that can be run.
    pub fn write_script(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.write(name, text.as_bytes())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    /// Takes a file in as it stands now, once it is on disk.
    pub fn adopt(&mut self, name: &str) -> io::Result<()> {
        let file = File::open(self.path(name))?;
        let mut hasher = blake3::Hasher::new();
        let mut reader = &file;
        hasher.update_reader(&mut reader as &mut dyn Read)?;
        file.sync_all()?;
        let (bytes, blake3) = (hasher.count(), hasher.finalize().to_hex().to_string());
        self.files.push(FileRow { name: name.to_owned(), bytes, blake3 });
        Ok(())
    }

    /// The same for every file of a folder of the pack, if there is one.
    pub fn adopt_folder(&mut self, name: &str) -> io::Result<()> {
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

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// Seals the pack and gives it its name. Answers its id.
    pub fn finish(mut self, subject: Subject) -> Result<String, WriteError> {
        let shown = self.target.display().to_string();
        let sealed = Manifest::seal(subject, self.files.clone()).map_err(|bad| {
            let (Bad::Unreadable(reason) | Bad::Refused(reason)) = bad;
            WriteError::Refused { path: shown.clone(), reason }
        })?;
        let id = crate::crashpack::manifest::pack_id(&self.files);
        self.put_in_place(&sealed).map_err(|error| WriteError::Io { path: shown, error })?;
        Ok(id)
    }

    fn put_in_place(&mut self, manifest: &[u8]) -> io::Result<()> {
        let Some(partial) = self.partial.clone() else { return Ok(()) };
        let mut file = OpenOptions::new().write(true).create_new(true).open(partial.join(MANIFEST))?;
        file.write_all(manifest)?;
        file.sync_all()?;
        let logs = partial.join("logs");
        if logs.is_dir() {
            sync_folder(&logs)?;
        }
        sync_folder(&partial)?;
        replace(&partial, &self.target)?;
        self.partial = None;
        unfinished().retain(|(known, _)| *known != partial);
        sync_folder(parent_of(&self.target))
    }
}

impl Drop for PackWriter {
    fn drop(&mut self) {
        if let Some(partial) = self.partial.take() {
            unfinished().retain(|(known, _)| *known != partial);
            let _ = fs::remove_dir_all(partial);
        }
    }
}

fn refuse_taken(target: &Path, force: bool) -> Result<(), WriteError> {
    let shown = || target.display().to_string();
    let Ok(found) = fs::symlink_metadata(target) else { return Ok(()) };
    // A link would put the pack where nobody said.
    if !found.is_dir() || target.file_name().is_none() {
        return Err(WriteError::NoFolder(shown()));
    }
    let mut entries = fs::read_dir(target).map_err(|error| WriteError::Io { path: shown(), error })?;
    match entries.next().is_some() {
        true if !force => Err(WriteError::NotEmpty(shown())),
        // What is no pack somebody made by other means, and cannot make again.
        true if !super::is_pack(target) => Err(WriteError::NoPack(shown())),
        _ => Ok(()),
    }
}

/// A folder takes the place of another one. What stood there goes away only when the new one stands there.
fn replace(partial: &Path, target: &Path) -> io::Result<()> {
    if fs::symlink_metadata(target).is_err() {
        return fs::rename(partial, target);
    }
    let aside = hidden(target, "old");
    fs::rename(target, &aside)?;
    if let Err(error) = fs::rename(partial, target) {
        let _ = fs::rename(&aside, target);
        return Err(error);
    }
    fs::remove_dir_all(&aside)
}

fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn hidden(target: &Path, ending: &str) -> PathBuf {
    let name = target.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    target.with_file_name(format!(".{name}.{}.{ending}", std::process::id()))
}

/// The names in a folder are on disk, too. Not every system can say so of a folder.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Ctrl-C and its kin leave no half pack.
fn clean_up_on_signal() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            clean_up();
            // As a shell reports a program that died of the signal.
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}
