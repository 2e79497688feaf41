//! Opening a log: its container and dialect, and any number of streams over its records.

use std::any::Any;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::detect::{Detected, Dialects, Unknown, bom_length, detect, head_line};
use super::error::{LogError, json_error, shown};
use super::file_handle::FileHandle;
use super::held::{HeldReader, read_held};
use super::holding::Holding;
use super::line_reader::LineReader;
use super::records::{Mark, Records};
use super::sqlite::Store;
use super::stream::Stream;
use super::walk::Walk;
use crate::dialect::Dialect;
use crate::dialect::container::{Container, Document, Enclosed, Shape, Wrapping};
use crate::replay::finding::Finding;
use crate::replay::source::{Head, range_within};
use crate::replay::{Place, Seq};

/// How much of a file is read to detect what it is.
const HEAD_BYTES: usize = 256 << 10;
/// How much is read if that is not enough, for example because the first record is very long.
const HEAD_LIMIT_BYTES: usize = 16 << 20;
#[derive(Clone, Debug)]
pub struct Options {
    /// Read only this turn of a SQLite database.
    pub(crate) turn: Option<String>,
    /// Read the file as lines or an array of this dialect, even if no record at its start is recognized.
    pub(crate) dialect: Option<&'static Dialect>,
    /// The dialects that are tried. A file without records is opened as the first one.
    pub(crate) dialects: Dialects,
}

/// A log that can be read from its beginning any number of times. Clones share the open file or its bytes.
#[derive(Clone)]
pub struct Log {
    /// The name as the user typed it.
    pub name: String,
    pub path: Option<PathBuf>,
    /// The dialect of the records.
    pub(crate) dialect: &'static Dialect,
    /// The dialects that were tried.
    pub(crate) dialects: Dialects,
    /// The dialect that the user named; it overrides detection.
    pub(crate) named_dialect: Option<&'static Dialect>,
    pub(crate) wrapping: Wrapping,
    pub(crate) container: Container,
    /// The line before the records, if the dialect has one.
    pub(crate) head: Option<Head>,
    body: Body,
    /// The parts of a document other than its events.
    rest: Option<Rest>,
    /// Findings made before the first record was read, such as a damaged crashpack.
    pub(crate) found: Vec<Finding>,
    /// Why it cannot be packed, if it cannot.
    pub(crate) refusal: Option<&'static str>,
}

#[derive(Clone)]
enum Body {
    File { path: PathBuf, file: Option<FileHandle>, shape: Shape, start: Place },
    Held { bytes: Arc<Vec<u8>>, from: usize, to: usize, shape: Shape, place: Place },
    Store(Store),
}

/// The parts of a document other than its events. Only its dialect knows the type.
type Rest = Arc<dyn Any + Send + Sync>;

impl Log {
    /// Opens a path; `-` is standard input.
    pub fn open(path: &Path, options: &Options) -> Result<Log, LogError> {
        let name = shown(path);
        if name == "-" {
            let bytes = read_held(&mut io::stdin().lock(), "standard input", "log on standard input")?;
            return Log::from_bytes("-".to_owned(), None, bytes, options);
        }
        let metadata = std::fs::metadata(path).map_err(|error| LogError::io(&name, error))?;
        if metadata.is_dir() {
            return Err(LogError::IsDirectory { path: name });
        }
        let mut file = File::open(path).map_err(|error| LogError::io(&name, error))?;
        if !metadata.is_file() {
            // A pipe can be read only once.
            let bytes = read_held(&mut file, &name, "pipe")?;
            return Log::from_bytes(name, None, bytes, options);
        }
        Log::from_file(path, file, options)
    }

    /// Opens a regular file that the caller has opened already.
    pub(crate) fn from_file(path: &Path, file: File, options: &Options) -> Result<Log, LogError> {
        let name = shown(path);
        let io = |error| LogError::io(&name, error);
        let file = FileHandle::of(file).map_err(io)?;
        let (head, container) = detect_file(&file, &name, options)?;
        let path = path.to_path_buf();
        match container {
            Detected::Records { shape, wrapping, dialect } => {
                let (head, start) = head_and_start(dialect, &head);
                Ok(Log {
                    body: Body::File { path: path.clone(), file: Some(file), shape, start },
                    name,
                    path: Some(path),
                    dialect,
                    dialects: options.dialects,
                    named_dialect: options.dialect,
                    wrapping,
                    container: shape.into(),
                    head,
                    rest: None,
                    found: Vec::new(),
                    refusal: None,
                })
            }
            Detected::Sqlite(_) if file.is_compressed() => Err(LogError::Refused {
                path: name,
                reason: "a SQLite database cannot be read while it is compressed; decompress it first".to_owned(),
            }),
            Detected::Sqlite(dialect) => Ok(Log {
                dialect,
                body: Body::Store(Store::open(&path, options.turn.as_deref())?),
                name,
                path: Some(path),
                dialects: options.dialects,
                named_dialect: options.dialect,
                wrapping: Wrapping::Bare,
                container: Container::Sqlite,
                head: None,
                rest: None,
                found: Vec::new(),
                refusal: None,
            }),
            Detected::Document(dialect, document) => {
                let bytes = read_held(&mut *file.cursor(0), &name, document.name)?;
                Log::from_document(name, Some(path), bytes, (dialect, document), options)
            }
        }
    }

    /// Opens a log that is already in memory.
    pub fn from_bytes(name: String, path: Option<PathBuf>, bytes: Vec<u8>, options: &Options) -> Result<Log, LogError> {
        let part = |limit: usize| &bytes[..bytes.len().min(limit)];
        let mut head = part(HEAD_BYTES);
        if head.len() < bytes.len() && detect(head, false, options.dialects).is_err() {
            head = part(HEAD_LIMIT_BYTES);
        }
        match detect_or_trust(&name, head, head.len() == bytes.len(), options)? {
            Detected::Records { shape, wrapping, dialect } => {
                let (head, place) = head_and_start(dialect, head);
                let (from, to) = (place.byte as usize, bytes.len());
                let body = Body::Held { bytes: Arc::new(bytes), from, to, shape, place };
                let (named_dialect, container) = (options.dialect, shape.into());
                Ok(Log {
                    name,
                    path,
                    dialect,
                    dialects: options.dialects,
                    named_dialect,
                    wrapping,
                    container,
                    head,
                    body,
                    rest: None,
                    found: Vec::new(),
                    refusal: None,
                })
            }
            Detected::Sqlite(_) => Err(LogError::Refused {
                path: name,
                reason: "a SQLite database cannot be read from a pipe; name the file".to_owned(),
            }),
            Detected::Document(dialect, document) => {
                Log::from_document(name, path, bytes, (dialect, document), options)
            }
        }
    }

    fn from_document(
        name: String,
        path: Option<PathBuf>,
        bytes: Vec<u8>,
        (dialect, document): (&'static Dialect, &'static Document),
        options: &Options,
    ) -> Result<Log, LogError> {
        let (Range { start: from, end: to }, rest) = find_events(&name, &bytes, document)?;
        let line = memchr::memchr_iter(b'\n', &bytes[..from]).count() as u64 + 1;
        let place = Place { line, byte: from as u64 };
        let body = Body::Held { bytes: Arc::new(bytes), from, to, shape: Shape::Array, place };
        Ok(Log {
            name,
            path,
            dialect,
            dialects: options.dialects,
            named_dialect: options.dialect,
            wrapping: document.wrapping,
            container: Container::Document(document),
            head: None,
            body,
            rest: Some(rest),
            found: Vec::new(),
            refusal: None,
        })
    }

    /// The options to open a copy or a part of this log in the same way.
    pub(crate) fn options(&self) -> Options {
        Options { turn: None, dialect: self.named_dialect, dialects: self.dialects }
    }

    /// A fresh stream of the log's records.
    pub(crate) fn records(&self) -> Result<Stream, LogError> {
        let io = |error| LogError::io(&self.name, error);
        match &self.body {
            Body::File { path, file, shape, start } => {
                let reader = handle(path, file).map_err(io)?.cursor(start.byte);
                let records = Records::new(reader, *shape, *start);
                Ok(Stream::Bytes(records.splitting_lines(self.dialect.joins_lines)))
            }
            Body::Held { bytes, from, to, shape, place } => {
                let reader = HeldReader { bytes: Arc::clone(bytes), at: *from, to: *to };
                let records = Records::new(Box::new(reader) as _, *shape, *place);
                Ok(Stream::Bytes(records.splitting_lines(self.dialect.joins_lines)))
            }
            Body::Store(store) => store.rows(0).map(Stream::Rows),
        }
    }

    /// Where the records begin, if each is a line.
    pub(crate) fn start_of_lines(&self) -> Option<Place> {
        match &self.body {
            Body::File { shape: Shape::Lines, start, .. } => Some(*start),
            Body::Held { shape: Shape::Lines, place, .. } => Some(*place),
            _ => None,
        }
    }

    /// A reader of whole lines from a place between two of them.
    pub(crate) fn lines_from(&self, place: Place) -> Result<LineReader, LogError> {
        Ok(LineReader::new(self.text_from(place.byte)?).stopping_at_odd_lines(self.dialect.joins_lines))
    }

    /// A walk from a place between two lines.
    pub(crate) fn walk_lines_from(&self, place: Place, next: Seq) -> Result<Walk, LogError> {
        let records = Records::resume(self.text_from(place.byte)?, Shape::Lines, Mark::between_lines(place));
        let records = records.splitting_lines(self.dialect.joins_lines);
        Ok(Walk::from(Stream::Bytes(records), next, self.name.clone()))
    }

    /// The length of the log in bytes, as far as it is known without reading it.
    pub(crate) fn length_bytes(&self) -> u64 {
        match &self.body {
            Body::File { path, file, .. } => handle(path, file).map_or(0, |file| file.length_bytes()),
            Body::Held { bytes, .. } => bytes.len() as u64,
            Body::Store(_) => 0,
        }
    }

    /// The whole file, for formats that must be read as a whole.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, LogError> {
        match &self.body {
            Body::File { .. } => read_held(&mut *self.text()?, &self.name, "log that must be read as a whole"),
            Body::Held { bytes, .. } => Ok(bytes.to_vec()),
            Body::Store(_) => self.text().map(|_| Vec::new()),
        }
    }

    /// A reader of the whole file from its beginning, decompressed.
    pub(crate) fn text(&self) -> Result<Box<dyn Read + Send>, LogError> {
        self.text_from(0)
    }

    fn text_from(&self, byte: u64) -> Result<Box<dyn Read + Send>, LogError> {
        match &self.body {
            Body::File { path, file, .. } => {
                Ok(handle(path, file).map_err(|error| LogError::io(&self.name, error))?.cursor(byte))
            }
            Body::Held { bytes, .. } => {
                let at = usize::try_from(byte).unwrap_or(usize::MAX).min(bytes.len());
                Ok(Box::new(HeldReader { bytes: Arc::clone(bytes), at, to: bytes.len() }))
            }
            Body::Store(_) => Err(LogError::Refused {
                path: self.name.clone(),
                reason: "a SQLite database can only be read row by row".to_owned(),
            }),
        }
    }

    /// Whether the file is open and compressed: then opening it again means decompressing it again.
    pub(crate) fn is_compressed(&self) -> bool {
        matches!(&self.body, Body::File { file: Some(file), .. } if file.is_compressed())
    }

    /// Closes the file, for callers that keep many logs. Reading the log again opens it by name.
    pub(crate) fn close(&mut self) {
        if let Body::File { file, .. } = &mut self.body {
            *file = None;
        }
    }

    /// Holds the log open, to read parts of it again and to follow it.
    pub(crate) fn hold(&self) -> Result<Holding, LogError> {
        let io = |error| LogError::io(&self.name, error);
        match &self.body {
            Body::File { path, file, shape, start } => {
                let file = handle(path, file).map_err(io)?;
                Holding::of_file(self, path, file, *shape, *start).map_err(io)
            }
            Body::Held { bytes, .. } => Ok(Holding::of_bytes(self, Arc::clone(bytes), self.path.as_deref())),
            Body::Store(store) => Holding::of_store(self, store.clone()),
        }
    }

    /// The parts of the container other than the events, in the dialect's own type.
    pub(crate) fn around(&self) -> Option<&(dyn Any + Send + Sync)> {
        match &self.body {
            Body::Store(store) => Some(store),
            _ => self.rest.as_deref(),
        }
    }

    /// The turn of a database that the user selected.
    pub fn turn(&self) -> Option<&str> {
        match &self.body {
            Body::Store(store) => store.turn.as_deref(),
            _ => None,
        }
    }
}

/// Asks all dialects. If another one than the dialect that the user named is the most certain, the named one is asked
/// alone: it may recognize records that look more like the other's.
fn detect_as_named(head: &[u8], is_all: bool, options: &Options) -> Result<Detected, Unknown> {
    let detected = detect(head, is_all, options.dialects);
    let Some(named) = options.dialect else { return detected };
    if detected.as_ref().is_ok_and(|detected| detected.dialect() == named) {
        return detected;
    }
    let row = options.dialects.iter().position(|dialect| *dialect == named);
    row.and_then(|at| detect(head, is_all, &options.dialects[at..=at]).ok()).map_or(detected, Ok)
}

fn detect_or_trust(name: &str, head: &[u8], is_all: bool, options: &Options) -> Result<Detected, LogError> {
    match detect_as_named(head, is_all, options) {
        Ok(Detected::Records { shape, wrapping, dialect }) if options.dialect.is_some_and(|named| named != dialect) => {
            let shape = if shape == Shape::Values { Shape::Lines } else { shape };
            Ok(Detected::Records { shape, wrapping, dialect: options.dialect.unwrap_or(dialect) })
        }
        Ok(container) => {
            if options.turn.is_some() && !matches!(container, Detected::Sqlite(_)) {
                let reason = "`--turn` selects a turn of a SQLite database, but this is not one".to_owned();
                return Err(LogError::Refused { path: name.to_owned(), reason });
            }
            Ok(container)
        }
        Err(unknown) => match options.dialect {
            Some(dialect) => {
                let is_array = head.trim_ascii_start().starts_with(b"[");
                let shape = if is_array { Shape::Array } else { Shape::Lines };
                Ok(Detected::Records { shape, wrapping: Wrapping::Bare, dialect })
            }
            None => Err(not_a_log(name, is_all, unknown, options)),
        },
    }
}

fn not_a_log(name: &str, is_all: bool, unknown: Unknown, options: &Options) -> LogError {
    let path = name.to_owned();
    match unknown.looks_like {
        Some(row) => LogError::LookAlike {
            path,
            title: row.title,
            advice: row.advice,
            may_be_one: row.is_encoded && has_name_of_a_log(name),
            opens: titles(options.dialects),
        },
        None => LogError::NotALog {
            path,
            line: unknown.place.line,
            byte: unknown.place.byte,
            may_be_one: !is_all && unknown.is_json,
            found: unknown.found,
            known: known(options.dialects),
        },
    }
}

/// The line before the records, and the place where the records begin.
fn head_and_start(dialect: &Dialect, beginning: &[u8]) -> (Option<Head>, Place) {
    let at = |byte: usize| Place {
        line: memchr::memchr_iter(b'\n', &beginning[..byte]).count() as u64 + 1,
        byte: byte as u64,
    };
    match head_line(dialect, beginning) {
        Some(line) => {
            let after = (line.end + 1).min(beginning.len());
            (Some(Head { place: at(line.start), bytes: beginning[line].to_vec() }), at(after))
        }
        None => (None, Place { line: 1, byte: bom_length(beginning) as u64 }),
    }
}

/// The file that was opened, even if its name refers to another file by now.
fn handle(path: &Path, file: &Option<FileHandle>) -> io::Result<FileHandle> {
    file.as_ref().map_or_else(|| FileHandle::open(path), |file| Ok(file.clone()))
}

/// Whether a file is called like a log, also if it is compressed.
fn has_name_of_a_log(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = [".gz", ".zst", ".xz", ".bz2", ".lz4", ".zip"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    [".json", ".jsonl", ".ndjson", ".tape", ".log"].iter().any(|ending| name.ends_with(ending))
}

/// Names the logs that can be opened.
fn titles(dialects: Dialects) -> String {
    let titles: Vec<String> = dialects.iter().map(|dialect| format!("{}s", dialect.title)).collect();
    titles.join(", ")
}

/// Describes the logs that can be opened.
fn known(dialects: Dialects) -> String {
    let looks: Vec<&str> = dialects.iter().map(|dialect| dialect.looks).filter(|looks| !looks.is_empty()).collect();
    looks.join("; ")
}

/// Reads as much of a file as is needed to tell what it is.
fn detect_file(file: &FileHandle, name: &str, options: &Options) -> Result<(Vec<u8>, Detected), LogError> {
    let (mut head, mut file) = (Vec::new(), file.cursor(0));
    let mut read_to = |limit: usize, head: &mut Vec<u8>| {
        let wanted = limit.saturating_sub(head.len()) as u64;
        match (&mut file).take(wanted).read_to_end(head) {
            // What could be decompressed is shown; reading the log reports the damage.
            Err(error) if error.kind() == io::ErrorKind::InvalidData && !head.is_empty() => Ok(0),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(LogError::DamagedCompression {
                path: name.to_owned(),
                reason: error.to_string(),
                may_be_one: has_name_of_a_log(name),
            }),
            result => result.map_err(|error| LogError::io(name, error)),
        }
    };
    read_to(HEAD_BYTES, &mut head)?;
    if head.len() == HEAD_BYTES && detect(&head, false, options.dialects).is_err() {
        read_to(HEAD_LIMIT_BYTES, &mut head)?;
    }
    let is_all = head.len() != HEAD_BYTES && head.len() < HEAD_LIMIT_BYTES;
    let detected = detect_or_trust(name, &head, is_all, options)?;
    Ok((head, detected))
}

/// The range of the events in a document's bytes, and its other parts.
fn find_events(name: &str, bytes: &[u8], document: &Document) -> Result<(Range<usize>, Rest), LogError> {
    let broken = |line: u64, byte: u64, reason: String| LogError::BrokenContainer {
        path: name.to_owned(),
        container: document.name,
        line,
        byte,
        reason,
    };
    let skipped = bom_length(bytes);
    let text = std::str::from_utf8(&bytes[skipped..]).map_err(|error| {
        let byte = skipped + error.valid_up_to();
        let line = memchr::memchr_iter(b'\n', &bytes[..byte]).count() as u64 + 1;
        broken(line, byte as u64, "these bytes are not UTF-8".to_owned())
    })?;
    let Enclosed { events, rest, refusal } = (document.open)(text).map_err(|error| {
        let (place, reason) = json_error(bytes, &error);
        broken(place.line, place.byte, reason)
    })?;
    if let Some(reason) = refusal {
        return Err(LogError::Refused { path: name.to_owned(), reason });
    }
    let from = range_within(bytes, events.as_bytes()).start;
    if !events.starts_with('[') {
        let line = memchr::memchr_iter(b'\n', &bytes[..from]).count() as u64 + 1;
        return Err(broken(line, from as u64, "`events` is not an array".to_owned()));
    }
    Ok((from..from + events.len(), rest))
}
