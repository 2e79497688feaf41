//! A log that is held open, to be read again in parts and watched for changes.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::LogError;
use super::file_handle::FileHandle;
use super::line_reader::LineReader;
use super::open::Log;
use super::paged::{PagedFile, read_full};
use super::records::{Mark, Records};
use super::source::{Bytes, LogSource};
use super::sqlite::Store;
use super::stream::Stream;
use super::walk::Walk;
use crate::dialect::container::Shape;
use crate::replay::{Place, Seq};

/// How much of the beginning and of the end of a changed file is compared with what was read.
const PROBE_BYTES: u64 = 4 << 10;

pub(crate) struct Holding {
    name: String,
    pub source: Arc<LogSource>,
    paged: Option<PagedLog>,
    store: Option<Store>,
    /// The path that is watched; `None` for standard input and pipes.
    path: Option<PathBuf>,
    /// The file as it was when it was opened.
    known: Option<Known>,
    /// Length and time of the database's write-ahead log.
    unmerged: Option<(u64, Option<std::time::SystemTime>)>,
}

/// The file of a log whose records are read again by their positions.
struct PagedLog {
    file: FileHandle,
    paged: Arc<PagedFile>,
    shape: Shape,
    start: Place,
}

/// A file as it was at the last look.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    identity: Identity,
    length: u64,
    modified: Option<std::time::SystemTime>,
    /// The beginning of the file, and the bytes before `length`.
    probes: (Vec<u8>, Vec<u8>),
}

/// Identifies the file behind a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Identity(metadata.dev(), metadata.ino())
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let since = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).ok();
        let created = metadata.created().ok().and_then(since).map_or(0, |age| age.as_nanos() as u64);
        Identity(0, created)
    }
}

/// What happened to a log since the last look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Nothing,
    /// Bytes were appended.
    Grown,
    /// The file is a different log now; the text says why. It must be opened again.
    Other(&'static str),
    /// No file has this name at the moment. Everything that was read is still available.
    Missing,
}

impl Holding {
    pub(crate) fn of_file(log: &Log, path: &Path, file: FileHandle, shape: Shape, start: Place) -> io::Result<Self> {
        // A compressed log does not grow: the file that is read is not the one with the name.
        let known = if file.is_compressed() { None } else { Some(Known::of(file.file())?) };
        let paged = Arc::new(PagedFile::new(Arc::clone(file.file())));
        let source = LogSource::new(log.wrapping, log.head.clone(), Bytes::File(Arc::clone(&paged)));
        Ok(Holding {
            name: log.name.clone(),
            source: Arc::new(source),
            path: known.is_some().then(|| path.to_path_buf()),
            paged: Some(PagedLog { file, paged, shape, start }),
            store: None,
            known,
            unmerged: None,
        })
    }

    pub(crate) fn of_bytes(log: &Log, bytes: Arc<Vec<u8>>, path: Option<&Path>) -> Self {
        Self::of_other(log, Bytes::Held(bytes), path)
    }

    pub(crate) fn of_store(log: &Log, store: Store) -> Result<Self, LogError> {
        let rows = Bytes::Rows(store.reader()?.into());
        let holding = Self::of_other(log, rows, Some(store.path()));
        Ok(Holding { store: Some(store), ..holding })
    }

    fn of_other(log: &Log, bytes: Bytes, path: Option<&Path>) -> Self {
        let known = path.and_then(|path| File::open(path).ok()).and_then(|file| Known::of(&file).ok());
        let source = Arc::new(LogSource::new(log.wrapping, log.head.clone(), bytes));
        let (path, unmerged) = (path.map(Path::to_path_buf), path.and_then(unmerged));
        Holding { name: log.name.clone(), source, paged: None, store: None, path, known, unmerged }
    }

    /// Whether the log can grow.
    pub(crate) fn can_change(&self) -> bool {
        self.path.is_some()
    }

    /// Where reading continues if the records are lines: at the mark, or at the beginning.
    pub(crate) fn start_of_lines(&self, from: Option<Mark>) -> Option<Place> {
        let PagedLog { shape, start, .. } = self.paged.as_ref()?;
        (*shape == Shape::Lines).then(|| from.map_or(*start, |mark| mark.place))
    }

    /// A reader of whole lines from a place between two of them.
    pub(crate) fn lines_from(&self, place: Place) -> Option<LineReader> {
        self.paged.as_ref().map(|log| LineReader::new(log.file.cursor(place.byte)))
    }

    /// The length of the file now, if the log is one.
    pub(crate) fn length_bytes(&self) -> u64 {
        self.paged.as_ref().map_or(0, |log| log.file.length_bytes())
    }

    /// Walks over the log, from the beginning or from where an earlier walk stopped.
    pub(crate) fn walk(&self, log: &Log, from: Option<(Option<Mark>, Seq)>) -> Result<Walk, LogError> {
        let next = from.map_or(Seq(0), |(_, next)| next);
        let walk = |stream| Walk::from(stream, next, self.name.clone());
        if let Some(store) = &self.store {
            return store.rows(next.0 as usize).map(Stream::Rows).map(walk);
        }
        let Some(PagedLog { file, shape, start, .. }) = &self.paged else { return Walk::new(log) };
        let records = match from.and_then(|(mark, _)| mark) {
            None => Records::new(file.cursor(start.byte), *shape, *start),
            Some(mark) => Records::resume(file.cursor(mark.place.byte), *shape, mark),
        };
        Ok(walk(Stream::Bytes(records.splitting_lines(log.dialect.joins_lines))))
    }

    /// The byte that is at an offset now.
    pub(crate) fn byte_at(&self, at: u64) -> Option<u8> {
        let PagedLog { file, .. } = self.paged.as_ref()?;
        let mut byte = [0];
        (read_full(file.file(), at, &mut byte).ok()? == 1).then_some(byte[0])
    }

    /// Checks the file that the log's name refers to now, and remembers what it found.
    pub(crate) fn look(&mut self) -> Change {
        let (Some(path), Some(known)) = (&self.path, &self.known) else { return Change::Nothing };
        let Ok(metadata) = std::fs::metadata(path) else { return Change::Missing };
        if Identity::of(&metadata) != known.identity {
            return Change::Other("the log was replaced by another file");
        }
        let is_as_known = metadata.len() == known.length && metadata.modified().ok() == known.modified;
        if is_as_known && (self.paged.is_some() || unmerged(path) == self.unmerged) {
            return Change::Nothing;
        }
        if let Some(store) = &self.store {
            let Some(now) = store.grown() else { return Change::Other("the database was rewritten") };
            let change = if now.row_count() > store.row_count() { Change::Grown } else { Change::Nothing };
            self.unmerged = unmerged(path);
            self.known = File::open(path).ok().and_then(|file| Known::of(&file).ok());
            self.store = Some(now);
            return change;
        }
        if self.paged.is_none() {
            return Change::Other("the log was rewritten");
        }
        if metadata.len() < known.length {
            return Change::Other("the log became shorter");
        }
        let Some(PagedLog { file, paged, .. }) = &self.paged else { return Change::Nothing };
        let Ok(now) = Known::of(file.file()) else { return Change::Missing };
        let Ok(probes) = Known::probes(file.file(), known.length) else { return Change::Missing };
        if probes != known.probes {
            return Change::Other("the log was rewritten");
        }
        paged.forget();
        let change = if now.length > known.length { Change::Grown } else { Change::Nothing };
        self.known = Some(now);
        change
    }
}

/// Length and time of the database's write-ahead log, which holds changes that are not merged yet.
fn unmerged(path: &Path) -> Option<(u64, Option<std::time::SystemTime>)> {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    let metadata = std::fs::metadata(name).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

impl Known {
    fn of(file: &File) -> io::Result<Known> {
        let metadata = file.metadata()?;
        let length = metadata.len();
        let probes = Self::probes(file, length)?;
        Ok(Known { identity: Identity::of(&metadata), length, modified: metadata.modified().ok(), probes })
    }

    fn probes(file: &File, length: u64) -> io::Result<(Vec<u8>, Vec<u8>)> {
        let probe = |from: u64| -> io::Result<Vec<u8>> {
            let mut bytes = vec![0; (length - from).min(PROBE_BYTES) as usize];
            let there = read_full(file, from, &mut bytes)?;
            bytes.truncate(there);
            Ok(bytes)
        };
        Ok((probe(0)?, probe(length.saturating_sub(PROBE_BYTES))?))
    }
}
