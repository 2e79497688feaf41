//! Databases: damaged files, and rows with any values.
//!
//! An input that does not begin as a database becomes the rows of one: a line is a payload.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, params};

use super::archive::Scratch;
use super::log::{checked, holds, open};
use crate::dialect::sidecar::{NamedSidecars, SidecarRequest};
use crate::loader::own_sidecars;
use crate::log::sqlite::Store;
use crate::log::{Log, Options};
use crate::turn;

const ROWS_LIMIT: usize = 60;

pub(super) fn target(input: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.beside("sessions.db");
    if input.starts_with(b"SQLite format 3\0") {
        std::fs::write(&path, input).expect("written");
        damaged(&path);
    } else {
        rows(input, &path);
    }
}

fn damaged(path: &Path) {
    match Log::open(path, &Options::default()) {
        Ok(log) => {
            let request = SidecarRequest { log: &log, named: &NamedSidecars::default(), finds: true };
            let Ok(sidecars) = (log.dialect.sidecars)(&request) else { return };
            if checked(&log, &sidecars).is_some() {
                holds(&log, &sidecars);
                let _ = log.around().and_then(|around| around.downcast_ref::<Store>()).map(Store::times);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = Log::open(path, &Options { turn: Some("t".to_owned()), ..Options::default() });
}

/// Rows report what the same payloads report as lines.
fn rows(input: &[u8], path: &Path) {
    let is_payload = |line: &&[u8]| !line.trim_ascii().is_empty();
    let lines: Vec<&[u8]> =
        input.split(|byte| matches!(byte, b'\n' | b'\r')).filter(is_payload).take(ROWS_LIMIT).collect();
    let mut database = Connection::open(path).expect("a database");
    let schema = "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; \
         CREATE TABLE kernel_events (id INTEGER PRIMARY KEY, seq, ts_ms, kind, turn_id, payload)";
    database.execute_batch(schema).expect("a schema");
    let inserting = database.transaction().expect("a transaction");
    for (seq, line) in (0_i64..).zip(&lines) {
        let row = "INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (?, 5, 'k', 't', ?)";
        let inserted = match std::str::from_utf8(line) {
            Ok(text) => inserting.execute(row, params![seq, text]),
            Err(_) => inserting.execute(row, params![seq, line]),
        };
        inserted.expect("a row");
    }
    inserting.commit().expect("rows");
    drop(database);
    let log = Log::open(path, &Options::default()).expect("a database");
    let sidecars = own_sidecars(&log).expect("none");
    holds(&log, &sidecars);
    let options = Options { dialect: Some(&turn::dialect::DIALECT), ..Options::default() };
    let Ok(as_lines) = open(&lines.join(&b'\n'), &options) else { return };
    if as_lines.container.name() != "lines" || as_lines.wrapping != log.wrapping {
        return;
    }
    let of =
        |log: &Log| checked(log, &own_sidecars(log).expect("none")).map(|results| (results.records, results.events));
    assert_eq!(of(&log), of(&as_lines));
    drop(Arc::clone(&sidecars));
}
