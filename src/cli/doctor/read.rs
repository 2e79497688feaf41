//! Reading sessions: line by line from a file, or from memory.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use color_eyre::eyre::{self, WrapErr};

use crate::doctor::detect::Detection;
use crate::doctor::document::Piece;
use crate::doctor::lines::{LINE_LIMIT_BYTES, LineAt, Lines};
use crate::doctor::session::Session;
use crate::log::file_handle::FileHandle;
use crate::log::held::read_held;
use crate::log::paged::read_full;

const BUFFER_BYTES: usize = 1 << 18;

/// The text of a session, for reading lines again.
pub(super) enum Source {
    File {
        /// The text, decompressed.
        text: FileHandle,
        /// The file as it is on disk.
        original: File,
    },
    Held(Vec<u8>),
}

pub(super) struct OpenSession {
    pub session: Session,
    pub source: Source,
    /// Another program is writing the file, so it must not be repaired.
    pub is_being_written: bool,
}

/// Opens a session. `None` if it is not one.
pub(super) fn open(path: &Path) -> eyre::Result<Option<OpenSession>> {
    let shown = path.display();
    let failed = || format!("{shown}: cannot be read");
    let source = if path == Path::new("-") {
        Source::Held(read_held(&mut io::stdin().lock(), "standard input", "session on standard input")?)
    } else {
        let mut file = File::open(path).wrap_err_with(failed)?;
        let metadata = file.metadata().wrap_err_with(failed)?;
        if metadata.is_dir() {
            eyre::bail!("{shown}: this is a folder");
        }
        if metadata.is_file() {
            Source::of_file(file).wrap_err_with(failed)?
        } else {
            // A pipe can be read only once.
            Source::Held(read_held(&mut file, &shown.to_string(), "pipe")?)
        }
    };
    let before = source.stamp();
    let mut detection = Detection::default();
    source.each(u64::MAX, &mut |at, bytes| !detection.ask(at, bytes)).wrap_err_with(failed)?;
    let name = path.file_name().and_then(|name| name.to_str());
    let Some(agent) = detection.agent(name) else { return Ok(None) };
    let mut session = Session::new(agent);
    source
        .each(u64::MAX, &mut |at, bytes| {
            session.read(at, bytes);
            true
        })
        .wrap_err_with(failed)?;
    if let Session::Codex(rollout) = &mut session {
        let own = name.and_then(|name| rollout_id(name));
        rollout.read_bases(own, &mut |id, limit, line| read_base(path, id, limit, line));
    }
    let is_being_written = source.is_locked() || source.stamp() != before;
    Ok(Some(OpenSession { session, source, is_being_written }))
}

impl Source {
    fn of_file(file: File) -> io::Result<Source> {
        let original = file.try_clone()?;
        Ok(Source::File { text: FileHandle::of(file)?, original })
    }

    /// Calls a function for every line before a byte, until it returns false.
    fn each(&self, limit: u64, line: &mut dyn FnMut(LineAt, &[u8]) -> bool) -> io::Result<()> {
        match self {
            Source::File { text, .. } => {
                each_line(BufReader::with_capacity(BUFFER_BYTES, text.cursor(0).take(limit)), line)
            }
            Source::Held(bytes) => each_line(&bytes[..], line),
        }
    }

    /// The length of the text. A compressed one is decompressed to its end.
    fn length(&self) -> io::Result<u64> {
        match self {
            Source::File { text, .. } => {
                if text.is_compressed() {
                    io::copy(&mut text.cursor(0), &mut io::sink())?;
                }
                Ok(text.file().metadata()?.len())
            }
            Source::Held(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Changes when the file does.
    fn stamp(&self) -> Option<(u64, Option<SystemTime>)> {
        let of = |metadata: Metadata| (metadata.len(), metadata.modified().ok());
        match self {
            Source::File { original, .. } => original.metadata().ok().map(of),
            Source::Held(_) => None,
        }
    }

    /// Whether another program holds a lock on the file. Some file systems have none.
    fn is_locked(&self) -> bool {
        let Source::File { original, .. } = self else { return false };
        let is_locked = matches!(original.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock));
        if !is_locked {
            let _ = original.unlock();
        }
        is_locked
    }

    /// Writes a changed session.
    pub(super) fn write(&self, pieces: &[Piece<'_>], out: &mut impl Write) -> io::Result<()> {
        for piece in pieces {
            match (piece, self) {
                (Piece::Text(text), _) => out.write_all(text)?,
                (Piece::Input(range), Source::Held(bytes)) => {
                    out.write_all(&bytes[range.start as usize..range.end as usize])?;
                }
                (Piece::Input(range), Source::File { text, .. }) => {
                    let length = range.end - range.start;
                    if io::copy(&mut text.cursor(range.start).take(length), out)? != length {
                        return Err(io::Error::other("the session became shorter while it was copied"));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Lines for Source {
    fn read(&self, from: u64, length: usize) -> Option<Vec<u8>> {
        match self {
            Source::Held(bytes) => (&bytes[..]).read(from, length),
            Source::File { text, .. } => {
                let mut bytes = vec![0; length];
                (read_full(text.file(), from, &mut bytes).ok()? == length).then_some(bytes)
            }
        }
    }
}

fn each_line(mut input: impl BufRead, line: &mut dyn FnMut(LineAt, &[u8]) -> bool) -> io::Result<()> {
    let (mut from, mut number, mut bytes) = (0_u64, 1_u32, Vec::new());
    loop {
        bytes.clear();
        let length = input.by_ref().take(LINE_LIMIT_BYTES as u64 + 1).read_until(b'\n', &mut bytes)?;
        if length == 0 {
            return Ok(());
        }
        if length > LINE_LIMIT_BYTES {
            return Err(io::Error::other(format!("line {number} is longer than 1 GiB")));
        }
        let content = bytes.strip_suffix(b"\n");
        let at = LineAt { number, from, is_terminated: content.is_some() };
        if !line(at, content.unwrap_or(&bytes)) {
            return Ok(());
        }
        (from, number) = (from + length as u64, number.saturating_add(1));
    }
}

/// The id in the name of a rollout: `rollout-TIME-THREAD.jsonl` or `rollout-TIME-THREAD_ROLLOUT.jsonl`. Codex compresses
/// old ones.
fn rollout_id(name: &str) -> Option<&str> {
    /// The length of a uuid.
    const ID: usize = 36;
    let name = name.strip_suffix(".zst").unwrap_or(name);
    let stem = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
    stem.get(stem.len().checked_sub(ID)?..)
}

/// Reads the rollout with this id, which must be beside another one. Only names in the folder are compared, so an id can
/// never lead out of it; links are not followed.
fn read_base(beside: &Path, id: &str, limit: u64, line: &mut dyn FnMut(LineAt, &[u8])) -> Option<u64> {
    let folder = beside.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_str().and_then(rollout_id) == Some(id))
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    let source = Source::of_file(File::open(found.first()?).ok()?).ok()?;
    let length = source.length().ok()?;
    source
        .each(limit, &mut |at, bytes| {
            line(at, bytes);
            true
        })
        .ok()?;
    Some(length)
}
