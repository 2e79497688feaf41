//! Files that are written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// A file under another name until it is complete; dropped before that, it leaves nothing behind. A device or
/// a pipe is written as it is: it cannot be half there, and putting a file in its place would destroy it.
pub struct WholeFile {
    target: PathBuf,
    partial: Option<PathBuf>,
    writer: Option<BufWriter<File>>,
}

impl WholeFile {
    pub fn create(target: &Path) -> io::Result<Self> {
        if target.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            let device = File::options().write(true).open(target)?;
            return Ok(WholeFile { target: target.to_path_buf(), partial: None, writer: Some(BufWriter::new(device)) });
        }
        // A link stays a link: what it names is replaced.
        let target = &target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
        let name = target.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let partial = target.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        remove_on_signal(&partial)?;
        let file = File::options().write(true).create_new(true).open(&partial)?;
        if let Ok(replaced) = target.metadata() {
            // What only its owner could read stays so.
            file.set_permissions(replaced.permissions())?;
        }
        Ok(WholeFile { target: target.to_path_buf(), partial: Some(partial), writer: Some(BufWriter::new(file)) })
    }

    /// Puts the file in its place once every byte is on disk.
    pub fn finish(mut self) -> io::Result<()> {
        let file = match self.writer.take() {
            Some(writer) => writer.into_inner().map_err(io::IntoInnerError::into_error)?,
            None => return Ok(()),
        };
        if let Some(partial) = self.partial.take() {
            file.sync_all().inspect_err(|_| {
                let _ = std::fs::remove_file(&partial);
            })?;
            std::fs::rename(&partial, &self.target).inspect_err(|_| {
                let _ = std::fs::remove_file(&partial);
            })?;
        }
        Ok(())
    }
}

/// Ctrl-C and its kin must not leave the partial file behind.
fn remove_on_signal(partial: &Path) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let partial = partial.to_path_buf();
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _ = std::fs::remove_file(&partial);
            // As a shell reports a program that died of the signal.
            std::process::exit(128 + signal);
        }
    });
    Ok(())
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
            let _ = std::fs::remove_file(partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
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

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_never_replaced() {
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
