//! The open file of a log, plain or compressed: a handle that outlives a change of the file's name.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::inflating::{Compression, Inflating, InflatingCursor};
use super::paged::read_full;
use super::source::FileCursor;

#[derive(Clone)]
pub(crate) enum FileHandle {
    Plain(Arc<File>),
    Compressed(Arc<Inflating>),
}

impl FileHandle {
    pub(crate) fn open(path: &Path) -> io::Result<FileHandle> {
        FileHandle::of(File::open(path)?)
    }

    /// A handle of a file that the caller has opened.
    pub(crate) fn of(file: File) -> io::Result<FileHandle> {
        let mut head = [0; 4];
        let length = read_full(&file, 0, &mut head)?;
        Ok(match Compression::of(&head[..length]) {
            Some(compression) => FileHandle::Compressed(Arc::new(Inflating::start(file, compression)?)),
            None => FileHandle::Plain(Arc::new(file)),
        })
    }

    /// The file that holds the text of the log.
    pub(crate) fn file(&self) -> &Arc<File> {
        match self {
            FileHandle::Plain(file) => file,
            FileHandle::Compressed(inflating) => inflating.file(),
        }
    }

    /// Reads the text of the log from an offset on, independently of other readers.
    pub(crate) fn cursor(&self, at: u64) -> Box<dyn Read + Send> {
        match self {
            FileHandle::Plain(file) => Box::new(FileCursor::new(Arc::clone(file), at)),
            FileHandle::Compressed(inflating) => Box::new(InflatingCursor::new(Arc::clone(inflating), at)),
        }
    }

    /// The length of the text, as far as it is known.
    pub(crate) fn length_bytes(&self) -> u64 {
        self.file().metadata().map_or(0, |file| file.len())
    }

    pub(crate) fn is_compressed(&self) -> bool {
        matches!(self, FileHandle::Compressed(_))
    }
}
