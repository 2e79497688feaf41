//! What stands beside a log: the saved session, the engine's own snapshot, the rows of its compactions.

use std::io::Write;
use std::path::Path;

use color_eyre::eyre::{self, eyre};
use serde::de::DeserializeOwned;

use crate::cli::args::ReadOptions;
use crate::cli::{paint, replayed};
use crate::log::{Log, LogError, error};
use crate::turn::coverage::CompactionRow;
use crate::turn::report::Beside;

pub fn of(log: &Log, reading: &ReadOptions) -> eyre::Result<Beside> {
    Ok(Beside {
        session: session(log, reading)?,
        live: reading.live.as_deref().map(read_json).transpose()?,
        artifacts: artifacts(log, reading)?,
    })
}

/// Only what somebody has named.
pub fn named(reading: &ReadOptions) -> eyre::Result<Beside> {
    Ok(Beside {
        session: reading.session.as_deref().map(read_json).transpose()?,
        live: reading.live.as_deref().map(read_json).transpose()?,
        artifacts: reading.artifacts.as_deref().map(read_json).transpose()?,
    })
}

fn session(log: &Log, reading: &ReadOptions) -> eyre::Result<Option<Vec<crate::turn::message::Message>>> {
    if let Some(path) = &reading.session {
        return read_json(path).map(Some);
    }
    if let Some(text) = log.around.as_ref().and_then(|around| around.session_messages.as_deref()) {
        return serde_json::from_str(text)
            .map(Some)
            .map_err(|error| eyre!("{}: its session messages cannot be read: {error}", log.name));
    }
    let Some(path) = log.path.as_deref().and_then(|path| error::beside(path, ".session.json")) else {
        return Ok(None);
    };
    match read_json(&path) {
        Ok(session) => Ok(Some(session)),
        Err(error) => {
            // Nobody asked for it by name: say so and go on without.
            let _ = writeln!(std::io::stderr(), "note: {}; going on without it", paint::clean(&error.to_string()));
            Ok(None)
        }
    }
}

fn artifacts(log: &Log, reading: &ReadOptions) -> eyre::Result<Option<Vec<CompactionRow>>> {
    if let Some(path) = &reading.artifacts {
        return read_json(path).map(Some);
    }
    let rows = match log.artifact_rows() {
        Ok(rows) => rows,
        Err(error) => {
            // Nobody asked for them by name: say so and go on without.
            replayed::note(&format!("{error}; going on without its compactions"));
            None
        }
    };
    let rows = rows.map(|rows| {
        let row = |row: crate::log::sqlite::ArtifactRow| CompactionRow {
            id: row.id,
            replaced_start: row.replaced_start,
            replaced_end: row.replaced_end,
            summary_tokens: row.summary_tokens,
        };
        rows.into_iter().map(row).collect()
    });
    Ok(rows)
}

fn read_json<T: DeserializeOwned>(path: &Path) -> eyre::Result<T> {
    let name = error::shown(path);
    let bytes = std::fs::read(path).map_err(|error| LogError::io(&name, error))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let (place, reason) = error::json_error(&bytes, &error);
        eyre!("{name}: line {}, byte {}: {reason}; write it again, or leave it out", place.line, place.byte)
    })
}
