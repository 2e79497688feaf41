//! A `sessions.db` database, opened read-only; its engine may be writing to it.

mod connection;

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};

use self::connection::{Limited, failure, reason};
use super::detect::printable;
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

impl Store {
    /// Opens all turns in the order of their first events, or only `turn`.
    pub(crate) fn open(path: &Path, turn: Option<&str>) -> Result<Store, LogError> {
        let failed = |error: rusqlite::Error| failure(path, &error);
        let limited = Limited::open(path).map_err(failed)?;
        if !limited.has_table(path, "kernel_events")? {
            let tables = limited.tables().map_err(failed)?;
            let is_opencode =
                ["session", "message", "part"].iter().all(|name| tables.iter().any(|table| table == name));
            let found = match (is_opencode, tables.as_slice()) {
                (true, _) => "this looks like the database of opencode, which stepback does not open yet".to_owned(),
                (_, []) => "it has no tables".to_owned(),
                (_, tables) => format!("it has the tables {}", printable(&tables[..tables.len().min(12)].join(", "))),
            };
            return Err(LogError::NoStore { path: shown(path), found });
        }
        let connection = &limited.connection;
        let mut chosen = None;
        let ids = match turn {
            None => all_ids(connection).map_err(failed)?,
            Some(turn) => {
                let known = turn_ids(connection).map_err(failed)?;
                let Some(found) = choose_turn(turn, &known) else {
                    return Err(LogError::NoSuchTurn { path: shown(path), turn: turn.to_owned(), known: list(&known) });
                };
                chosen = Some(found.to_owned());
                ids_of_turn(connection, found).map_err(failed)?
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
        let limited = self.limited()?;
        Ok(RowReader { limited, payload: Vec::new() })
    }

    fn limited(&self) -> Result<Limited, LogError> {
        Limited::open(&self.path).map_err(|error| failure(&self.path, &error))
    }

    /// The compaction rows, oldest first; `None` if the database has no such table.
    pub(crate) fn artifacts(&self) -> Result<Option<Vec<ArtifactRow>>, LogError> {
        // The rows belong to the whole database and cannot be assigned to one turn.
        if self.turn.is_some() {
            return Ok(None);
        }
        let limited = self.limited()?;
        if !limited.has_table(&self.path, "compaction_artifacts")? {
            return Ok(None);
        }
        let read = || -> rusqlite::Result<Vec<ArtifactRow>> {
            let mut statement = limited.connection.prepare(
                "SELECT id, replaced_start, replaced_end, summary_tokens FROM compaction_artifacts ORDER BY created_at_ms, _rowid_",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(ArtifactRow {
                    id: row.get(0)?,
                    replaced_start: row.get(1)?,
                    replaced_end: row.get(2)?,
                    summary_tokens: row.get(3)?,
                })
            })?;
            rows.collect()
        };
        read().map(Some).map_err(|error| failure(&self.path, &error))
    }

    /// Sequence number and milliseconds of every row, in log order.
    pub(crate) fn times(&self) -> Result<Vec<(u64, u64)>, LogError> {
        let limited = self.limited()?;
        let failed = |error: rusqlite::Error| failure(&self.path, &error);
        let mut statement =
            limited.connection.prepare("SELECT seq, ts_ms FROM kernel_events WHERE _rowid_ = ?").map_err(failed)?;
        let time = |id: &i64| {
            limited.expect_row();
            // A column with an unexpected type does not make the row unusable.
            let number = |value: ValueRef<'_>| value.as_i64().map_or(0, |number| number.max(0) as u64);
            let time = statement.query_row(params![id], |row| Ok((number(row.get_ref(0)?), number(row.get_ref(1)?))));
            let gone = || LogError::RowGone { path: shown(&self.path), row: *id };
            time.optional().map_err(failed)?.ok_or_else(gone)
        };
        self.ids.iter().map(time).collect()
    }
}

fn all_ids(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare(
        "SELECT k._rowid_ FROM kernel_events k \
         LEFT JOIN (SELECT turn_id, MIN(seq) AS first FROM kernel_events WHERE turn_id IS NOT NULL GROUP BY turn_id) t \
         ON k.turn_id = t.turn_id ORDER BY COALESCE(t.first, k.seq), k.turn_id, k.seq, k._rowid_",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}

fn ids_of_turn(connection: &Connection, turn: &str) -> rusqlite::Result<Vec<i64>> {
    let mut statement =
        connection.prepare("SELECT _rowid_ FROM kernel_events WHERE turn_id = ? ORDER BY seq, _rowid_")?;
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
    limited: Limited,
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
        // The number of bytes is in the head of a row: a payload that is too long is not read.
        const ROW: &str = "SELECT OCTET_LENGTH(payload), CASE WHEN OCTET_LENGTH(payload) <= ?2 THEN payload END \
             FROM kernel_events WHERE _rowid_ = ?1";
        let failed = |error: rusqlite::Error| io::Error::other(reason(&error));
        self.limited.expect_row();
        let mut statement = self.limited.connection.prepare_cached(ROW).map_err(failed)?;
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
            .map_err(failed)?;
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

    /// An engine may delete rows between two statements.
    #[test]
    fn a_row_that_is_gone_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sessions.db");
        let writer = Connection::open(&path).expect("a database");
        let schema = "CREATE TABLE kernel_events (id INTEGER PRIMARY KEY, seq, ts_ms, kind, turn_id, payload); \
             INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (0, 5, 'k', 't', '{}'), (1, 6, 'k', 't', '{}')";
        writer.execute_batch(schema).expect("rows");
        let store = Store::open(&path, None).expect("a store");
        assert_eq!(store.times().expect("times"), [(0, 5), (1, 6)]);
        writer.execute("DELETE FROM kernel_events WHERE id = 2", []).expect("deleted");
        let error = store.times().expect_err("a row is gone");
        assert!(error.to_string().contains("row 2 was deleted while it was read"), "{error}");
    }

    #[test]
    fn a_statement_that_goes_on_and_on_is_interrupted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sessions.db");
        Connection::open(&path).and_then(|writer| writer.execute_batch("CREATE TABLE t (x)")).expect("a database");
        let limited = Limited::open(&path).expect("a database");
        let count = |limited: &Limited| -> rusqlite::Result<i64> {
            let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
            limited.connection.query_row(endless, [], |row| row.get(0))
        };
        let error = count(&limited).expect_err("an end");
        assert!(failure(&path, &error).to_string().contains("far more steps"), "{error}");
        let long = limited.connection.query_row("SELECT zeroblob(40000000)", [], |row| row.get::<_, Vec<u8>>(0));
        let error = long.expect_err("too long");
        assert!(failure(&path, &error).to_string().contains("longer than"), "{error}");
    }
}
