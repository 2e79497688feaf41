//! Errors of opening and reading logs: the path, the line and byte if there are any, and what to do.

use std::io;
use std::path::PathBuf;

use crate::dialect::open_log::DialectError;
use crate::replay::Place;

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("{path}: {}", io_reason(.error))]
    Io { path: String, error: io::Error },

    #[error(
        "{path}: this is a directory; name a file in it, or use `stepback check {path}` to check every log below it"
    )]
    IsDirectory { path: String },

    #[error(
        "{path}: not a log that stepback knows: line {line}, byte {byte}: {found}; {known}; if the file is one of these and only its beginning is damaged, name its dialect with `--dialect`"
    )]
    NotALog {
        path: String,
        line: u64,
        byte: u64,
        found: String,
        known: String,
        /// The file may still be a log, because only a part of it was examined.
        may_be_one: bool,
    },

    #[error("{path}: not a log, this looks like {title}; {advice}. stepback opens {opens} and crashpacks")]
    LookAlike {
        path: String,
        title: &'static str,
        advice: &'static str,
        opens: String,
        /// The file may still contain a log, for example because it is compressed.
        may_be_one: bool,
    },

    #[error("{path}: {reason}")]
    DamagedCompression { path: String, reason: String, may_be_one: bool },

    #[error(
        "{path}: line {line}, byte {byte}: this {container} is not valid JSON: {reason}; export it again, or cut its `events` array into a file of its own"
    )]
    BrokenContainer { path: String, container: &'static str, line: u64, byte: u64, reason: String },

    #[error(
        "{path}: this {container} has {bytes} bytes, more than the limit of {limit}; export it as lines of events instead"
    )]
    TooLarge { path: String, container: &'static str, bytes: u64, limit: u64 },

    #[error("{path}: this SQLite file cannot be read: {reason}")]
    Store { path: String, reason: String },

    #[error(
        "{path}: the rows of this SQLite file are computed while they are read, which stepback does not trust: {reason}; copy the rows into a plain table, or have the engine export the turn as lines of events"
    )]
    ComputedRows { path: String, reason: String },

    #[error(
        "{path}: row {row} was deleted while it was read: an engine is writing to this database; make a copy of it and read that"
    )]
    RowGone { path: String, row: i64 },

    #[error("{path}: this SQLite file does not contain turns: it has no table `kernel_events`; {found}")]
    NoStore { path: String, found: String },

    #[error("{path}: there is no turn {turn:?} in this database; it has {known}")]
    NoSuchTurn { path: String, turn: String, known: String },

    #[error("{path}: {reason}")]
    Refused { path: String, reason: String },

    #[error(transparent)]
    Dialect(DialectError),
}

impl LogError {
    /// Whether the file is not a log, as opposed to a log that cannot be read.
    pub fn is_not_a_log(&self) -> bool {
        matches!(
            self,
            LogError::NotALog { may_be_one: false, .. }
                | LogError::LookAlike { may_be_one: false, .. }
                | LogError::DamagedCompression { may_be_one: false, .. }
                | LogError::NoStore { .. }
        )
    }

    pub fn io(path: &str, error: io::Error) -> Self {
        LogError::Io { path: path.to_owned(), error }
    }
}

fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "no such file; check the name (`-` is standard input, `stepback --help` lists the commands)".to_owned()
        }
        io::ErrorKind::PermissionDenied => "permission denied; this user may not read it".to_owned(),
        _ => error.to_string(),
    }
}

/// The place of a JSON error in its text, and its message without the place.
pub(crate) fn json_error(bytes: &[u8], error: &serde_json::Error) -> (Place, String) {
    let line = error.line().max(1);
    let start = if line == 1 { 0 } else { memchr::memchr_iter(b'\n', bytes).nth(line - 2).map_or(0, |at| at + 1) };
    let byte = (start + error.column().saturating_sub(1)).min(bytes.len());
    let message = error.to_string();
    let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |parts| parts.0).to_owned();
    (Place { line: line as u64, byte: byte as u64 }, reason)
}

/// A path as the user typed it.
pub(crate) fn shown(path: &std::path::Path) -> String {
    path.display().to_string()
}

/// The existing file whose name differs from `path` only in its suffix.
pub(crate) fn sibling(path: &std::path::Path, suffix: &str) -> Option<PathBuf> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let sibling = path.with_file_name(format!("{stem}{suffix}"));
    sibling.is_file().then_some(sibling)
}
