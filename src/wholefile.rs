//! Files that appear complete or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// What to do with a file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Refuse to write.
    Keep,
    /// Refuse to write, and name the option `--force`.
    KeepUnlessForced,
    Replace,
}

impl Existing {
    pub(crate) fn unless_forced(is_forced: bool) -> Existing {
        if is_forced { Existing::Replace } else { Existing::KeepUnlessForced }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DestinationError {
    #[error("{}: this is the log itself; choose another name", .0.display())]
    IsLog(PathBuf),

    #[error("{}: this file exists; choose another name", .0.display())]
    Exists(PathBuf),

    #[error("{}: this file exists; choose another name, or --force to replace it", .0.display())]
    ExistsUnforced(PathBuf),
}

/// Where a file will be written, checked before the work begins: it is never the log itself.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    path: PathBuf,
    existing: Existing,
}

impl Destination {
    /// `log` is the log that is read, if it is a file. A device or pipe always counts as free.
    pub(crate) fn new(path: &Path, log: Option<&Path>, existing: Existing) -> Result<Destination, DestinationError> {
        let path = path.to_path_buf();
        if log.is_some_and(|log| are_same(log, &path)) {
            return Err(DestinationError::IsLog(path));
        }
        // A link that leads nowhere exists, too.
        let is_taken = path.symlink_metadata().is_ok() && path.metadata().map_or(true, |found| found.is_file());
        match existing {
            Existing::Keep if is_taken => Err(DestinationError::Exists(path)),
            Existing::KeepUnlessForced if is_taken => Err(DestinationError::ExistsUnforced(path)),
            _ => Ok(Destination { path, existing }),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file that can be made again. `verify` sees it under another name before it gets its own.
    pub(crate) fn write(&self, bytes: &[u8], verify: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        match self.existing {
            Existing::Keep => {
                let mut file = WholeFile::create_new(&self.path)?.that_can_be_made_again();
                file.write_all(bytes)?;
                file.finish_new_after(verify)
            }
            Existing::KeepUnlessForced | Existing::Replace => {
                let mut file = WholeFile::create(&self.path)?.that_can_be_made_again();
                file.write_all(bytes)?;
                file.finish_after(verify)
            }
        }
    }
}

/// Whether two names mean one file, also if the file is gone and only its folder is left.
fn are_same(one: &Path, two: &Path) -> bool {
    let real = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    real(one).is_some_and(|one| real(two) == Some(one))
}

/// A file that has another name until it is complete. Dropped before that, it leaves nothing behind. A device or pipe
/// is written directly: renaming a file over it would destroy it.
pub(crate) struct WholeFile {
    target: PathBuf,
    partial: Option<PathBuf>,
    writer: Option<BufWriter<File>>,
    /// The file is renamed only after its bytes are on the disk.
    is_synced: bool,
}

impl WholeFile {
    /// A file that may replace another one. A signal that ends the program leaves nothing behind.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        if target.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            let writer = Some(BufWriter::new(File::options().write(true).open(target)?));
            return Ok(WholeFile { target: target.to_path_buf(), partial: None, writer, is_synced: true });
        }
        // A link stays a link; the file that it names is replaced.
        let target = &target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
        remove_leftovers(target);
        remove_on_signal(&partial_of(target))?;
        let created = Self::open(target)?;
        if let (Ok(replaced), Some(writer)) = (target.metadata(), &created.writer) {
            // A private file stays private.
            writer.get_ref().set_permissions(replaced.permissions())?;
        }
        Ok(created)
    }

    /// A file that replaces nothing. For callers that handle signals themselves, such as the screen, which must restore
    /// the terminal.
    pub(crate) fn create_new(target: &Path) -> io::Result<Self> {
        if target.symlink_metadata().is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Self::open(target)
    }

    fn open(target: &Path) -> io::Result<Self> {
        let partial = partial_of(target);
        let file = File::options().write(true).create_new(true).open(&partial)?;
        // The lock says that the file is still being written. Some file systems have none.
        let _ = file.try_lock();
        let writer = Some(BufWriter::new(file));
        Ok(WholeFile { target: target.to_path_buf(), partial: Some(partial), writer, is_synced: true })
    }

    /// For files that can be made again: unless the file replaces another one, it does not wait for the disk. It is
    /// still whole or absent if the program is killed, since it is renamed last. After a power failure the new file may
    /// be empty; nothing existing is lost.
    #[must_use]
    pub(crate) fn that_can_be_made_again(mut self) -> Self {
        self.is_synced = self.target.symlink_metadata().is_ok();
        self
    }

    /// Renames the file once every byte is on the disk. An existing file is replaced.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.finish_by(|partial, target| std::fs::rename(partial, target))
    }

    /// As `finish`, after `verify` has accepted the file under its temporary name. A device or pipe cannot be read
    /// again and is not verified.
    pub(crate) fn finish_after(mut self, verify: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        self.verified(verify)?;
        self.finish()
    }

    /// As `finish`, but a file that has the name by now is not replaced.
    pub(crate) fn finish_new(self) -> io::Result<()> {
        self.finish_by(|partial, target| match std::fs::hard_link(partial, target) {
            // The file has both names now; remove the temporary one.
            Ok(()) => std::fs::remove_file(partial),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // Not every file system has hard links.
            Err(_) if target.symlink_metadata().is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => std::fs::rename(partial, target),
        })
    }

    /// As `finish_new`, after `verify` has accepted the file.
    pub(crate) fn finish_new_after(mut self, verify: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        self.verified(verify)?;
        self.finish_new()
    }

    fn verified(&mut self, verify: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        self.flush()?;
        self.partial.as_deref().map_or(Ok(()), verify)
    }

    fn finish_by(mut self, put: impl FnOnce(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(partial) = &self.partial {
            if self.is_synced {
                file.sync_all()?;
            }
            put(partial, &self.target)?;
            forget_on_signal(partial);
            // The file has its own name now. Until then, dropping removes it.
            self.partial = None;
        }
        Ok(())
    }
}

/// Removes the partial files and folders that killed programs left next to a target: those that no program has locked.
pub(crate) fn remove_leftovers(target: &Path) {
    let Some(name) = target.file_name() else { return };
    let name = name.to_string_lossy();
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let process = found.to_str().and_then(|found| {
            found.strip_prefix('.')?.strip_prefix(&*name)?.strip_prefix('.')?.strip_suffix(".partial")
        });
        let is_process = |process: &str| !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
        let (true, Ok(kind)) = (process.is_some_and(is_process), entry.file_type()) else { continue };
        let Ok(file) = File::open(entry.path()) else { continue };
        if kind.is_symlink() || file.try_lock().is_err() {
            continue;
        }
        let _ = if kind.is_dir() { std::fs::remove_dir_all(entry.path()) } else { std::fs::remove_file(entry.path()) };
    }
}

/// The temporary name of a target, for this process.
pub(crate) fn partial_of(target: &Path) -> PathBuf {
    let name = target.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    target.with_file_name(format!(".{name}.{}.partial", std::process::id()))
}

/// The files that a signal removes; `None` until a thread waits for signals.
static REMOVED_ON_SIGNAL: Mutex<Option<Vec<PathBuf>>> = Mutex::new(None);

/// Signals such as Ctrl-C must not leave the partial file behind. One thread handles all files.
fn remove_on_signal(partial: &Path) -> io::Result<()> {
    let mut known = REMOVED_ON_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner);
    if known.is_none() {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                let known = REMOVED_ON_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner);
                known.iter().flatten().for_each(|partial| drop(std::fs::remove_file(partial)));
                // The exit code with which a shell reports a signal.
                std::process::exit(128 + signal);
            }
        });
    }
    known.get_or_insert_default().push(partial.to_path_buf());
    Ok(())
}

/// The partial file is removed or has its own name.
fn forget_on_signal(partial: &Path) {
    let mut known = REMOVED_ON_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner);
    known.iter_mut().for_each(|known| known.retain(|known| known != partial));
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().map_or(Ok(0), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(partial) = self.partial.take() {
            let _ = std::fs::remove_file(&partial);
            forget_on_signal(&partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_complete_or_not_at_all() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("out");
        let mut file = WholeFile::create(&path).expect("created");
        file.write_all(b"half").expect("written");
        assert!(!path.exists());
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 0);
        let mut file = WholeFile::create(&path).expect("created");
        file.write_all(b"whole").expect("written");
        file.finish().expect("finished");
        assert_eq!(std::fs::read(&path).expect("file"), b"whole");
    }

    #[test]
    fn a_file_that_fails_verification_is_removed() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("out");
        let written = |text: &[u8]| {
            let mut file = WholeFile::create(&path).expect("created");
            file.write_all(text).expect("written");
            file
        };
        let is_good = |partial: &Path| match std::fs::read(partial)?.as_slice() {
            b"good" => Ok(()),
            _ => Err(io::Error::other("bad")),
        };
        assert!(written(b"bad").finish_after(is_good).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 0);
        written(b"good").finish_after(is_good).expect("finished");
        assert_eq!(std::fs::read(&path).expect("file"), b"good");
    }

    #[test]
    fn a_new_file_replaces_nothing() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("out");
        let begin = || WholeFile::create_new(&path);
        let (mut one, text) = (begin().expect("created"), |path: &Path| std::fs::read(path).expect("file"));
        one.write_all(b"late").expect("written");
        std::fs::write(&path, b"first").expect("written");
        assert_eq!(one.finish_new().expect_err("it is there").kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(begin().err().map(|error| error.kind()), Some(io::ErrorKind::AlreadyExists));
        assert_eq!(text(&path), b"first");
        std::fs::remove_file(&path).expect("removed");
        let mut two = begin().expect("created");
        two.write_all(b"second").expect("written");
        two.finish_new().expect("finished");
        assert_eq!(text(&path), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_never_replaced() {
        let folder = tempfile::tempdir().expect("folder");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/null", &link).expect("a link");
        let mut device = WholeFile::create(&link).expect("opened");
        device.write_all(b"gone").expect("written");
        device.finish().expect("finished");
        assert!(link.symlink_metadata().expect("still there").is_symlink());
        assert!(!Path::new("/dev/null").metadata().expect("still there").is_file());
    }
}
