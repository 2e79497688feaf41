//! A `sessions.db` database, opened read-only; its engine may be writing to it.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

use super::error::{LogError, shown};
use super::records::{Item, RECORD_LIMIT_BYTES};
use crate::replay::Place;

/// The compared columns of a `compaction_artifacts` row.
pub(crate) struct ArtifactRow {
    pub id: String,
    pub replaced_start: i64,
    pub replaced_end: i64,
    pub summary_tokens: i64,
}

/// The rows of a database that form a log, fixed when it was opened.
#[derive(Clone)]
pub(crate) struct Store {
    path: PathBuf,
    /// Row ids in log order.
    ids: Vec<i64>,
    /// The turn that was selected, if only one was asked for.
    pub turn: Option<String>,
}

/// How long to wait for a writer that has locked the database.
const BUSY_WAIT: std::time::Duration = std::time::Duration::from_secs(5);

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_WAIT)?;
    let probe = |connection: &Connection| -> rusqlite::Result<i64> {
        connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))
    };
    if let Err(error) = probe(&connection) {
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
        let connection = Connection::open_with_flags(uri, flags)?;
        probe(&connection)?;
        return Ok(connection);
    }
    Ok(connection)
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

impl Store {
    /// Opens all turns in the order of their first events, or only `turn`.
    pub(crate) fn open(path: &Path, turn: Option<&str>) -> Result<Store, LogError> {
        let failed = |error: rusqlite::Error| failure(path, &error);
        let connection = connect(path).map_err(failed)?;
        let has_table = table_exists(&connection, "kernel_events").map_err(failed)?;
        if !has_table {
            return Err(LogError::NoStore { path: shown(path) });
        }
        let mut chosen = None;
        let ids = match turn {
            None => all_ids(&connection).map_err(failed)?,
            Some(turn) => {
                let known = turn_ids(&connection).map_err(failed)?;
                let Some(found) = choose_turn(turn, &known) else {
                    return Err(LogError::NoSuchTurn { path: shown(path), turn: turn.to_owned(), known: list(&known) });
                };
                chosen = Some(found.to_owned());
                ids_of_turn(&connection, found).map_err(failed)?
            }
        };
        Ok(Store { path: path.to_path_buf(), ids, turn: chosen })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The rows from the given one on.
    pub(crate) fn rows(&self, first: usize) -> Result<RowStream, LogError> {
        Ok(RowStream { rows: self.reader()?, ids: self.ids.clone(), next: first })
    }

    /// The database as it is now, if rows were only appended.
    pub(crate) fn grown(&self) -> Option<Store> {
        let now = Store::open(&self.path, self.turn.as_deref()).ok()?;
        now.ids.starts_with(&self.ids).then_some(now)
    }

    pub(crate) fn row_count(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn reader(&self) -> Result<RowReader, LogError> {
        let connection = connect(&self.path).map_err(|error| self.failed(&error))?;
        Ok(RowReader { connection, payload: Vec::new() })
    }

    fn failed(&self, error: &rusqlite::Error) -> LogError {
        failure(&self.path, error)
    }

    /// The compaction rows, oldest first; `None` if the database has no such table.
    pub(crate) fn artifacts(&self) -> Result<Option<Vec<ArtifactRow>>, LogError> {
        let read = || -> rusqlite::Result<Option<Vec<ArtifactRow>>> {
            let connection = connect(&self.path)?;
            // The rows belong to the whole database and cannot be assigned to one turn.
            if self.turn.is_some() || !table_exists(&connection, "compaction_artifacts")? {
                return Ok(None);
            }
            let mut statement = connection.prepare(
                "SELECT id, replaced_start, replaced_end, summary_tokens FROM compaction_artifacts ORDER BY created_at_ms, rowid",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(ArtifactRow {
                    id: row.get(0)?,
                    replaced_start: row.get(1)?,
                    replaced_end: row.get(2)?,
                    summary_tokens: row.get(3)?,
                })
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>().map(Some)
        };
        read().map_err(|error| self.failed(&error))
    }

    /// Sequence number and milliseconds of every row, in log order.
    pub(crate) fn times(&self) -> Result<Vec<(u64, u64)>, LogError> {
        let read = || -> rusqlite::Result<Vec<(u64, u64)>> {
            let connection = connect(&self.path)?;
            let mut statement = connection.prepare("SELECT seq, ts_ms FROM kernel_events WHERE id = ?")?;
            let time = |id: &i64| {
                // A column with an unexpected type does not make the row unusable.
                let number = |value: ValueRef<'_>| value.as_i64().map_or(0, |number| number.max(0) as u64);
                statement.query_row(params![id], |row| Ok((number(row.get_ref(0)?), number(row.get_ref(1)?))))
            };
            self.ids.iter().map(time).collect()
        };
        read().map_err(|error| self.failed(&error))
    }
}

/// SQLite's message, without the statement.
fn failure(path: &Path, error: &rusqlite::Error) -> LogError {
    let message = error.to_string();
    let reason = message.split(" in SELECT").next().unwrap_or(&message).to_owned();
    LogError::Store { path: shown(path), reason }
}

fn table_exists(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
    Ok(connection.query_row(table, params![name], |_| Ok(())).optional()?.is_some())
}

fn all_ids(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare(
        "SELECT k.id FROM kernel_events k \
         LEFT JOIN (SELECT turn_id, MIN(seq) AS first FROM kernel_events WHERE turn_id IS NOT NULL GROUP BY turn_id) t \
         ON k.turn_id = t.turn_id ORDER BY COALESCE(t.first, k.seq), k.turn_id, k.seq, k.id",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}

fn ids_of_turn(connection: &Connection, turn: &str) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare("SELECT id FROM kernel_events WHERE turn_id = ? ORDER BY seq, id")?;
    statement.query_map(params![turn], |row| row.get(0))?.collect()
}

/// Every turn with its number of rows, in order of first appearance.
fn turn_ids(connection: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut statement = connection.prepare(
        "SELECT turn_id, COUNT(*) FROM kernel_events WHERE turn_id IS NOT NULL GROUP BY turn_id ORDER BY MIN(seq)",
    )?;
    let turns = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.max(0) as u64)))?;
    turns.collect()
}

/// The turn with this id; otherwise a turn whose id starts with it, the one with the most rows if there are several.
fn choose_turn<'t>(wanted: &str, known: &'t [(String, u64)]) -> Option<&'t str> {
    if let Some((exact, _)) = known.iter().find(|(id, _)| id == wanted) {
        return Some(exact);
    }
    let alike = known.iter().filter(|(id, _)| {
        !id.is_empty() && !wanted.is_empty() && (id.starts_with(wanted) || wanted.starts_with(id.as_str()))
    });
    alike.max_by_key(|(_, rows)| *rows).map(|(id, _)| id.as_str())
}

fn list(known: &[(String, u64)]) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> = known.iter().take(SHOWN).map(|(id, rows)| format!("{id} ({rows} events)")).collect();
    match known.len() {
        0 => "no turn at all".to_owned(),
        count if count > SHOWN => format!("{} and {} more", names.join(", "), count - SHOWN),
        _ => names.join(", "),
    }
}

/// Reads rows of a database by their ids.
pub(crate) struct RowReader {
    connection: Connection,
    payload: Vec<u8>,
}

impl RowReader {
    /// The payload of a row; empty if the row has none or was deleted meanwhile.
    pub(crate) fn payload(&mut self, id: u64) -> io::Result<&[u8]> {
        self.read(id as i64)?;
        Ok(&self.payload)
    }

    /// Reads a row and returns the length of its payload. A payload that is too long is not loaded.
    fn read(&mut self, id: i64) -> io::Result<Option<i64>> {
        const ROW: &str =
            "SELECT LENGTH(payload), CASE WHEN LENGTH(payload) <= ?2 THEN payload END FROM kernel_events WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(ROW).map_err(io::Error::other)?;
        let payload = &mut self.payload;
        payload.clear();
        let length: Option<Option<i64>> = statement
            .query_row(params![id, RECORD_LIMIT_BYTES as i64], |row| {
                // Text of any encoding becomes UTF-8; a payload of another type is reported as not being an event.
                match row.get_ref(1)? {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => payload.extend_from_slice(bytes),
                    ValueRef::Integer(number) => payload.extend_from_slice(number.to_string().as_bytes()),
                    ValueRef::Real(number) => payload.extend_from_slice(number.to_string().as_bytes()),
                    ValueRef::Null => {}
                }
                row.get::<_, Option<i64>>(0)
            })
            .optional()
            .map_err(io::Error::other)?;
        Ok(length.flatten())
    }
}

/// The payloads of the rows, one at a time.
pub(crate) struct RowStream {
    rows: RowReader,
    ids: Vec<i64>,
    next: usize,
}

impl RowStream {
    pub(crate) fn next_item(&mut self) -> io::Result<Option<Item<'_>>> {
        let Some(id) = self.ids.get(self.next).copied() else { return Ok(None) };
        self.next += 1;
        // A database has no lines; the row number is used for both.
        let place = Place { line: 0, byte: id.max(0) as u64 };
        match self.rows.read(id)? {
            Some(length) if length > RECORD_LIMIT_BYTES as i64 => {
                Ok(Some(Item::TooLong { place, length_bytes: length as u64 }))
            }
            // A row without a payload, or one that was deleted meanwhile, is empty but keeps its number.
            _ => Ok(Some(Item::Record { place, bytes: &self.rows.payload })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_found_by_its_beginning() {
        let known = [("turn-1".to_owned(), 3), ("turn-12".to_owned(), 9), ("other".to_owned(), 1)];
        assert_eq!(choose_turn("turn-1", &known), Some("turn-1"));
        assert_eq!(choose_turn("turn", &known), Some("turn-12"));
        assert_eq!(choose_turn("other-and-more", &known), Some("other"));
        assert_eq!(choose_turn("unknown", &known), None);
    }
}
