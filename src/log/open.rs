//! Opening a log: what it is, and a stream of its records as often as somebody asks for one.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::container::{Container, Detected, Shape, Wrapping, bom_length, detect, head_line};
use super::error::{LogError, json_error, shown};
use super::holding::Holding;
use super::records::{Item, Mark, Records};
use super::sqlite::{RowStream, Store};
use crate::dialect::Dialect;
pub use crate::dialect::open_log::Around;
use crate::replay::Place;
use crate::replay::finding::Finding;
use crate::replay::source::Head;

/// Enough of a file to tell what it is.
const HEAD_BYTES: usize = 256 << 10;
/// What must be held whole (standard input, bundles and packs) may not be larger than this.
const HELD_LIMIT_BYTES: u64 = 1 << 30;
/// What bundles, packs and stores hold.
const STORED_DIALECT: &str = "turn";

#[derive(Clone, Debug)]
pub struct Options {
    /// Only this turn of a SQLite store.
    pub turn: Option<String>,
    /// Take the file for lines or an array of this dialect, even if nothing of it is recognised in its beginning.
    pub dialect: Option<&'static Dialect>,
    /// The dialects that a file may be of. The first one takes a file that holds nothing.
    pub dialects: &'static [&'static Dialect],
}

/// A log that can be read from its beginning any number of times. A clone shares what it holds.
#[derive(Clone)]
pub struct Log {
    /// As the person named it.
    pub name: String,
    pub path: Option<PathBuf>,
    /// Whose records these are.
    pub dialect: &'static Dialect,
    /// The dialects that it may have been of.
    pub dialects: &'static [&'static Dialect],
    /// The dialect that the user has named, whatever the log looks like.
    pub named_dialect: Option<&'static Dialect>,
    pub wrapping: Wrapping,
    pub container: Container,
    /// The line before the records, where the dialect has one.
    pub head: Option<Head>,
    body: Body,
    /// What a bundle or pack says besides its events, as it stands there.
    pub around: Option<Around>,
    /// What was found wrong around the log before its first record was read.
    pub found: Vec<Finding>,
}

#[derive(Clone)]
enum Body {
    File { path: PathBuf, shape: Shape, start: Place },
    Held { bytes: Arc<Vec<u8>>, from: usize, to: usize, shape: Shape, place: Place },
    Store(Store),
}

/// The records of a log, wherever they come from.
pub enum Stream {
    Bytes(Records<Box<dyn Read + Send>>),
    Rows(RowStream),
}

impl Stream {
    /// Where reading can go on once there is more; rows have no such place.
    pub fn mark(&self) -> Option<Mark> {
        match self {
            Stream::Bytes(records) => Some(records.mark()),
            Stream::Rows(_) => None,
        }
    }

    /// The last record would be another one if anything but a line break followed it.
    pub fn has_open_end(&self) -> bool {
        match self {
            Stream::Bytes(records) => records.has_open_end(),
            Stream::Rows(_) => false,
        }
    }

    pub fn next_item(&mut self) -> io::Result<Option<Item<'_>>> {
        match self {
            Stream::Bytes(records) => records.next_item(),
            Stream::Rows(rows) => rows.next_item(),
        }
    }
}

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
            // A pipe can be read once only.
            let bytes = read_held(&mut file, &name, "pipe")?;
            return Log::from_bytes(name, None, bytes, options);
        }
        let head = read_head(&mut file).map_err(|error| LogError::io(&name, error))?;
        let container = detect_or_trust(&name, &head, head.len() < HEAD_BYTES, options)?;
        let path = path.to_path_buf();
        match container {
            Detected::Records { shape, wrapping, dialect } => {
                let (head, start) = head_and_start(dialect, &head);
                let dialect = row(&name, dialect, options)?;
                Ok(Log {
                    body: Body::File { path: path.clone(), shape, start },
                    name,
                    path: Some(path),
                    dialect,
                    dialects: options.dialects,
                    named_dialect: options.dialect,
                    wrapping,
                    container: shape.into(),
                    head,
                    around: None,
                    found: Vec::new(),
                })
            }
            Detected::Sqlite => Ok(Log {
                dialect: row(&name, STORED_DIALECT, options)?,
                body: Body::Store(Store::open(&path, options.turn.as_deref())?),
                name,
                path: Some(path),
                dialects: options.dialects,
                named_dialect: options.dialect,
                wrapping: Wrapping::Bare,
                container: Container::Sqlite,
                head: None,
                around: None,
                found: Vec::new(),
            }),
            Detected::Bundle | Detected::Pack => {
                let kind = container_name(container);
                let bytes = file
                    .seek(SeekFrom::Start(0))
                    .map_err(|error| LogError::io(&name, error))
                    .and_then(|_| read_held(&mut file, &name, kind))?;
                Log::from_container(name, Some(path), bytes, container, options)
            }
        }
    }

    /// A log that is in memory already.
    pub fn from_bytes(name: String, path: Option<PathBuf>, bytes: Vec<u8>, options: &Options) -> Result<Log, LogError> {
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        match detect_or_trust(&name, head, head.len() == bytes.len(), options)? {
            Detected::Records { shape, wrapping, dialect } => {
                let (head, place) = head_and_start(dialect, head);
                let dialect = row(&name, dialect, options)?;
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
                    around: None,
                    found: Vec::new(),
                })
            }
            Detected::Sqlite => Err(LogError::Refused {
                path: name,
                reason: "a SQLite store cannot be read from a pipe; name its file".to_owned(),
            }),
            container => Log::from_container(name, path, bytes, container, options),
        }
    }

    fn from_container(
        name: String,
        path: Option<PathBuf>,
        bytes: Vec<u8>,
        container: Detected,
        options: &Options,
    ) -> Result<Log, LogError> {
        let is_pack = container == Detected::Pack;
        let dialect = row(&name, STORED_DIALECT, options)?;
        let (from, to, around) = find_events(&name, &bytes, is_pack)?;
        let line = memchr::memchr_iter(b'\n', &bytes[..from]).count() as u64 + 1;
        let place = Place { line, byte: from as u64 };
        let body = Body::Held { bytes: Arc::new(bytes), from, to, shape: Shape::Array, place };
        Ok(Log {
            name,
            path,
            dialect,
            dialects: options.dialects,
            named_dialect: options.dialect,
            wrapping: Wrapping::TraceRow,
            container: if is_pack { Container::ReplayPack } else { Container::Bundle },
            head: None,
            body,
            around: Some(around),
            found: Vec::new(),
        })
    }

    /// Opens a copy or a part of this log as it was opened itself.
    pub fn options(&self) -> Options {
        Options { turn: None, dialect: self.named_dialect, dialects: self.dialects }
    }

    /// A fresh stream of the log's records.
    pub fn records(&self) -> Result<Stream, LogError> {
        let io = |error| LogError::io(&self.name, error);
        match &self.body {
            Body::File { path, shape, start } => {
                let mut file = File::open(path).map_err(io)?;
                file.seek(SeekFrom::Start(start.byte)).map_err(io)?;
                Ok(Stream::Bytes(Records::new(Box::new(file), *shape, *start)))
            }
            Body::Held { bytes, from, to, shape, place } => {
                let reader = HeldReader { bytes: Arc::clone(bytes), at: *from, to: *to };
                Ok(Stream::Bytes(Records::new(Box::new(reader), *shape, *place)))
            }
            Body::Store(store) => store.rows(0).map(Stream::Rows),
        }
    }

    /// All of a file, for what must be held whole.
    pub fn bytes(&self) -> Result<Vec<u8>, LogError> {
        match &self.body {
            Body::File { path, .. } => {
                let mut file = File::open(path).map_err(|error| LogError::io(&self.name, error))?;
                read_held(&mut file, &self.name, "log that is held whole")
            }
            Body::Held { bytes, .. } => Ok(bytes.to_vec()),
            Body::Store(_) => {
                Err(LogError::Refused { path: self.name.clone(), reason: "a store is read row by row".to_owned() })
            }
        }
    }

    /// Opens the log for good: what is read from now on is this file, whatever its name comes to mean.
    pub fn hold(&self) -> Result<Holding, LogError> {
        let io = |error| LogError::io(&self.name, error);
        match &self.body {
            Body::File { path, shape, start } => {
                let file = File::open(path).map_err(io)?;
                Holding::of_file(self, path, file, *shape, *start).map_err(io)
            }
            Body::Held { bytes, .. } => Ok(Holding::of_bytes(self, Arc::clone(bytes), self.path.as_deref())),
            Body::Store(store) => Holding::of_store(self, store.clone()),
        }
    }

    /// The turn of a store that was chosen, when one was asked for.
    pub fn turn(&self) -> Option<&str> {
        match &self.body {
            Body::Store(store) => store.turn.as_deref(),
            _ => None,
        }
    }

    /// Compaction rows kept beside the events, where the container has them.
    pub fn artifact_rows(&self) -> Result<Option<Vec<super::sqlite::ArtifactRow>>, LogError> {
        match &self.body {
            Body::Store(store) => store.artifacts(),
            _ => Ok(None),
        }
    }

    /// When an event of a store was written: its sequence number and milliseconds.
    pub fn row_times(&self) -> Result<Option<Vec<(u64, u64)>>, LogError> {
        match &self.body {
            Body::Store(store) => store.times().map(Some),
            _ => Ok(None),
        }
    }
}

fn detect_or_trust(name: &str, head: &[u8], is_all: bool, options: &Options) -> Result<Detected, LogError> {
    match detect(head, is_all) {
        Ok(Detected::Records { shape, wrapping, dialect })
            if options.dialect.is_some_and(|named| named.name != dialect) =>
        {
            let shape = if shape == Shape::Values { Shape::Lines } else { shape };
            Ok(Detected::Records { shape, wrapping, dialect: options.dialect.map_or(dialect, |named| named.name) })
        }
        Ok(container) => {
            if options.turn.is_some() && container != Detected::Sqlite {
                let reason = "`--turn` chooses a turn of a SQLite store, and this is none".to_owned();
                return Err(LogError::Refused { path: name.to_owned(), reason });
            }
            Ok(container)
        }
        Err(unknown) => match options.dialect {
            Some(dialect) => {
                let is_array = head.trim_ascii_start().starts_with(b"[");
                let shape = if is_array { Shape::Array } else { Shape::Lines };
                Ok(Detected::Records { shape, wrapping: Wrapping::Bare, dialect: dialect.name })
            }
            None => Err(LogError::NotALog {
                path: name.to_owned(),
                line: unknown.place.line,
                byte: unknown.place.byte,
                found: unknown.found,
            }),
        },
    }
}

/// The line before the records, and where those begin.
fn head_and_start(dialect: &str, beginning: &[u8]) -> (Option<Head>, Place) {
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

fn row(file: &str, name: &str, options: &Options) -> Result<&'static Dialect, LogError> {
    let found = options.dialects.iter().copied().find(|dialect| dialect.name == name);
    found.ok_or_else(|| LogError::Refused { path: file.to_owned(), reason: format!("no dialect {name:?} is known") })
}

const fn container_name(container: Detected) -> &'static str {
    match container {
        Detected::Records { .. } => "log",
        Detected::Bundle => "trace bundle",
        Detected::Pack => "replay pack",
        Detected::Sqlite => "store",
    }
}

fn read_head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn read_held(input: &mut dyn Read, name: &str, container: &'static str) -> Result<Vec<u8>, LogError> {
    let mut bytes = Vec::new();
    input.take(HELD_LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(|error| LogError::io(name, error))?;
    let length = bytes.len() as u64;
    if length > HELD_LIMIT_BYTES {
        return Err(LogError::TooLarge { path: name.to_owned(), container, bytes: length, limit: HELD_LIMIT_BYTES });
    }
    Ok(bytes)
}

#[derive(Deserialize)]
struct BundleParts<'a> {
    #[serde(borrow)]
    events: &'a RawValue,
    #[serde(default)]
    schema_version: u32,
    #[serde(default)]
    replay_summary: StoredSummary,
}

#[derive(Default, Deserialize)]
struct StoredSummary {
    #[serde(default)]
    coherence_ok: bool,
}

#[derive(Deserialize)]
struct PackParts<'a> {
    schema_version: u32,
    #[serde(borrow)]
    trace: BundleParts<'a>,
    #[serde(default)]
    metadata: StoredMetadata,
    #[serde(borrow, default)]
    session_messages: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct StoredMetadata {
    #[serde(default)]
    includes_session: bool,
}

/// Where the events of a bundle or pack stand in its text, and what stands around them.
fn find_events(name: &str, bytes: &[u8], is_pack: bool) -> Result<(usize, usize, Around), LogError> {
    let container = if is_pack { "replay pack" } else { "trace bundle" };
    let broken = |line: u64, byte: u64, reason: String| LogError::BrokenContainer {
        path: name.to_owned(),
        container,
        line,
        byte,
        reason,
    };
    let not_json = |error: serde_json::Error| {
        let (place, reason) = json_error(bytes, &error);
        broken(place.line, place.byte, reason)
    };
    let skipped = bom_length(bytes);
    let text = std::str::from_utf8(&bytes[skipped..]).map_err(|error| {
        let byte = skipped + error.valid_up_to();
        let line = memchr::memchr_iter(b'\n', &bytes[..byte]).count() as u64 + 1;
        broken(line, byte as u64, "these bytes are not UTF-8".to_owned())
    })?;
    let (bundle, mut around) = if is_pack {
        let pack: PackParts<'_> = serde_json::from_str(text).map_err(not_json)?;
        let around = Around {
            is_pack,
            schema_version: pack.schema_version,
            includes_session: pack.metadata.includes_session,
            session_messages: pack.session_messages.map(|raw| raw.get().to_owned()),
            stored_coherence_ok: false,
        };
        (pack.trace, around)
    } else {
        let bundle: BundleParts<'_> = serde_json::from_str(text).map_err(not_json)?;
        let around = Around { schema_version: bundle.schema_version, ..Around::default() };
        (bundle, around)
    };
    around.stored_coherence_ok = bundle.replay_summary.coherence_ok;
    let events = bundle.events.get();
    // The raw value is a slice of the text, so its address tells where it stands.
    let from = skipped + (events.as_ptr() as usize - text.as_ptr() as usize);
    if !events.starts_with('[') {
        let line = memchr::memchr_iter(b'\n', &bytes[..from]).count() as u64 + 1;
        return Err(broken(line, from as u64, "`events` is no array".to_owned()));
    }
    Ok((from, from + events.len(), around))
}

/// Reads a part of bytes that several streams share.
struct HeldReader {
    bytes: Arc<Vec<u8>>,
    at: usize,
    to: usize,
}

impl Read for HeldReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.to - self.at);
        buffer[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
