//! Read-only SQLite connections to untrusted databases: limited lengths and steps, and a schema that is
//! not trusted.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

use crate::log::error::{LogError, shown};
use crate::log::records::RECORD_LIMIT_BYTES;

/// How long to wait for a writer that has locked the database.
const BUSY_WAIT: Duration = Duration::from_secs(5);
/// The longest value that is read. A longer payload is reported as too long without being read.
const MOST_VALUE_BYTES: usize = 2 * RECORD_LIMIT_BYTES;
/// SQLite's instructions for listing the rows of an empty database, and those for each byte of a file: a row takes
/// about 80.
const BASE_STEPS: u64 = 10_000_000;
const STEPS_PER_BYTE: u64 = 40;
/// SQLite's instructions for reading one row.
const ROW_STEPS: u64 = 100_000;
/// After how many instructions they are counted.
const COUNTED_STEPS: u64 = 1_000;

/// An open database, and how many instructions it may still take.
pub(super) struct Limited {
    pub(super) connection: Connection,
    left: Arc<AtomicU64>,
}

impl Limited {
    /// Opens a database for statements that read all of its rows.
    pub(super) fn open(path: &Path) -> rusqlite::Result<Limited> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        let steps = BASE_STEPS.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE));
        let limited = Self::limit(Connection::open_with_flags(path, flags)?, steps)?;
        let Err(error) = limited.probe() else { return Ok(limited) };
        let cannot_open = [ErrorCode::CannotOpen, ErrorCode::ReadOnly];
        if !error.sqlite_error_code().is_some_and(|code| cannot_open.contains(&code)) {
            return Err(error);
        }
        // In a read-only folder, a database in WAL mode can only be opened as immutable. That is safe only if
        // there is no write-ahead log with unmerged changes.
        let mut wal = path.as_os_str().to_owned();
        wal.push("-wal");
        if Path::new(&wal).exists() {
            return Err(error);
        }
        let uri = format!("file:{}?immutable=1", escape_uri(path));
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        let limited = Self::limit(Connection::open_with_flags(uri, flags)?, steps)?;
        limited.probe()?;
        Ok(limited)
    }

    fn limit(mut connection: Connection, steps: u64) -> rusqlite::Result<Limited> {
        connection.busy_timeout(BUSY_WAIT)?;
        for (limit, most) in [
            (Limit::SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES as i32),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 10),
            (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
        ] {
            connection.set_limit(limit, most)?;
        }
        for (config, on) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        ] {
            connection.set_db_config(config, on)?;
        }
        let left = Arc::new(AtomicU64::new(steps));
        let counted = Arc::clone(&left);
        let is_used_up = move || {
            let before = counted.load(Ordering::Relaxed);
            counted.store(before.saturating_sub(COUNTED_STEPS), Ordering::Relaxed);
            before < COUNTED_STEPS
        };
        connection.progress_handler(COUNTED_STEPS as i32, Some(is_used_up))?;
        Ok(Limited { connection, left })
    }

    fn probe(&self) -> rusqlite::Result<i64> {
        self.connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))
    }

    /// Prepares for a statement that reads one row.
    pub(super) fn expect_row(&self) {
        self.left.store(ROW_STEPS, Ordering::Relaxed);
    }

    /// The names of the first tables, for a message.
    pub(super) fn tables(&self) -> rusqlite::Result<Vec<String>> {
        let names = "SELECT substr(name, 1, 60) FROM sqlite_schema WHERE type = 'table' ORDER BY name LIMIT 200";
        self.connection.prepare(names)?.query_map([], |row| row.get(0))?.collect()
    }

    /// Whether there is a plain table of this name. A table whose rows are computed while they are read is rejected:
    /// few bytes of a file could become any amount of memory and time.
    pub(super) fn has_table(&self, path: &Path, name: &str) -> Result<bool, LogError> {
        let failed = |error: rusqlite::Error| failure(path, &error);
        let kind = "SELECT type = 'view', rootpage = 0 OR sql LIKE 'create%virtual%table%using%' FROM sqlite_schema \
             WHERE type IN ('table', 'view') AND name = ?";
        let found: Option<(bool, bool)> = self
            .connection
            .query_row(kind, params![name], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(failed)?;
        let rejected = |reason: String| Err(LogError::ComputedRows { path: shown(path), reason });
        match found {
            None => return Ok(false),
            Some((true, _)) => return rejected(format!("`{name}` is a view")),
            Some((_, true)) => return rejected(format!("table `{name}` is virtual")),
            Some(_) => {}
        }
        let odd = "SELECT name, hidden FROM pragma_table_xinfo(?) WHERE hidden <> 0 OR name = '_rowid_' COLLATE NOCASE";
        let column: Option<(String, i64)> = self
            .connection
            .query_row(odd, params![name], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(failed)?;
        match column {
            None => Ok(true),
            Some((column, 0)) => rejected(format!("column `{column}` of table `{name}` hides its row numbers")),
            Some((column, _)) => rejected(format!("column `{column}` of table `{name}` is generated")),
        }
    }
}

/// SQLite's message without the statement, or which limit was met.
pub(super) fn failure(path: &Path, error: &rusqlite::Error) -> LogError {
    LogError::Store { path: shown(path), reason: reason(error) }
}

/// Why reading failed.
pub(super) fn reason(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::TooBig) => format!(
            "a value is longer than {MOST_VALUE_BYTES} bytes; have its engine export the turn as lines of events"
        ),
        Some(ErrorCode::OperationInterrupted) => {
            "reading it takes far more steps than a database of its size needs; have its engine export the turn as lines of events".to_owned()
        }
        _ => {
            let message = error.to_string();
            message.split(" in SELECT").next().unwrap_or(&message).to_owned()
        }
    }
}

fn escape_uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.bytes().fold(String::new(), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-') {
            uri.push(byte as char);
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
        uri
    })
}
