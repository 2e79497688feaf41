//! Files that are written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file under another name until it is complete; dropped before that, it leaves nothing behind.
pub struct WholeFile {
    target: PathBuf,
    partial: Option<PathBuf>,
    writer: Option<BufWriter<File>>,
}

impl WholeFile {
    pub fn create(target: &Path) -> io::Result<Self> {
        let name = target.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let partial = target.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        let file = File::options().write(true).create_new(true).open(&partial)?;
        Ok(WholeFile { target: target.to_path_buf(), partial: Some(partial), writer: Some(BufWriter::new(file)) })
    }

    /// Puts the file in its place once every byte is on disk.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        }
        if let Some(partial) = self.partial.take() {
            std::fs::rename(&partial, &self.target).inspect_err(|_| {
                let _ = std::fs::remove_file(&partial);
            })?;
        }
        Ok(())
    }
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
