//! From the arguments to an open log and what stands beside it.

use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use color_eyre::eyre::{self, eyre};
use serde::de::DeserializeOwned;

use super::args::{Arguments, Input, OptionalInput, Reading};
use super::paint;
use super::pass::{excerpt, judge};
use super::progress::Progress;
use crate::dialect::{self, Dialect, TURN};
use crate::log::open::Around;
use crate::log::{Log, LogError, Options, error};
use crate::turn::coverage::ArtifactRow;
use crate::turn::report::Beside;
use crate::turn::trace::{PackHead, SCHEMA_VERSION};

/// The failed turn that opens when no file is named.
const DEMO: &[u8] = include_bytes!("../../assets/demo.json");
const DEMO_NAME: &str = "the built-in failed turn";

pub struct Opened {
    pub log: Log,
    pub beside: Beside,
    /// What to say after `stepback` so that this log opens again.
    pub command: String,
}

impl Opened {
    pub fn dialect(&self) -> &'static Dialect {
        dialect::by_name(self.log.dialect)
    }
}

pub fn open(input: &Input) -> eyre::Result<Opened> {
    open_path(&input.file, &input.reading)
}

pub fn open_or_demo(input: &OptionalInput) -> eyre::Result<Opened> {
    match &input.file {
        Some(file) => open_path(file, &input.reading),
        None => {
            let log = Log::from_bytes(DEMO_NAME.to_owned(), None, DEMO.to_vec(), &Options::default())?;
            Ok(Opened { log, beside: Beside::default(), command: "stepback".to_owned() })
        }
    }
}

pub fn open_path(path: &Path, reading: &Reading) -> eyre::Result<Opened> {
    let dialect = reading.dialect.as_deref().map(|name| dialect::by_name(name).name);
    let options = Options { turn: reading.turn.clone(), dialect };
    let log = Log::open(path, &options)?;
    refuse_newer_pack(&log)?;
    let beside = Beside {
        session: session(&log, reading)?,
        live: reading.live.as_deref().map(read_json).transpose()?,
        artifacts: artifacts(&log, reading)?,
    };
    let mut command = format!("stepback {}", file_word(&log.name));
    if let Some(turn) = log.turn() {
        command.push_str(&format!(" --turn {}", shell_word(turn)));
        if reading.turn.as_deref() != Some(turn) {
            let told = paint::clean(&format!(
                "{:?} is no whole turn id; taking {turn}",
                reading.turn.as_deref().unwrap_or("")
            ));
            let _ = writeln!(std::io::stderr(), "note: {told}");
        }
    }
    Ok(Opened { log, beside, command })
}

fn refuse_newer_pack(log: &Log) -> Result<(), LogError> {
    match &log.around {
        Some(around) if around.is_pack => match pack_head(around, 0).unsupported() {
            Some(reason) => Err(LogError::Refused { path: log.name.clone(), reason }),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

pub fn pack_head(around: &Around, event_count: usize) -> PackHead {
    PackHead {
        schema_version: if around.schema_version == 0 { SCHEMA_VERSION } else { around.schema_version },
        includes_session: around.includes_session,
        has_session: around.session_messages.is_some(),
        event_count,
        stored_coherence_ok: around.stored_coherence_ok,
    }
}

fn session(log: &Log, reading: &Reading) -> eyre::Result<Option<Vec<crate::turn::message::Message>>> {
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

fn artifacts(log: &Log, reading: &Reading) -> eyre::Result<Option<Vec<ArtifactRow>>> {
    if let Some(path) = &reading.artifacts {
        return read_json(path).map(Some);
    }
    let rows = match log.artifact_rows() {
        Ok(rows) => rows,
        Err(error) => {
            // Nobody asked for them by name: say so and go on without.
            super::loading::note(&format!("{error}; going on without its compactions"));
            None
        }
    };
    let rows = rows.map(|rows| {
        let row = |row: crate::log::sqlite::ArtifactRow| ArtifactRow {
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

/// A file's name after `stepback`: one that could be taken for an option or a command says that it is a file.
fn file_word(name: &str) -> String {
    let is_command = Arguments::command().get_subcommands().any(|command| command.get_name() == name);
    if is_command || (name.starts_with('-') && name != "-") {
        return shell_word(&format!("./{name}"));
    }
    shell_word(name)
}

/// A word for a shell, quoted only where it must be.
pub fn shell_word(text: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+=,".contains(&byte);
    if !text.is_empty() && text.bytes().all(bare) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\"'\"'"))
}

/// What only turn logs have cannot be had of others; `what` says what it is.
pub fn refuse_other_dialect(opened: &Opened, what: &str) -> eyre::Result<()> {
    let dialect = opened.dialect();
    if dialect.name == TURN.name {
        return Ok(());
    }
    Err(eyre!("{}: {what}, and this is an {}", opened.log.name, dialect.title))
}

/// With `--strict` a log that holds anything undecodable is refused as a whole.
pub fn refuse_if_strict(strict: bool, opened: &Opened) -> eyre::Result<()> {
    if !strict {
        return Ok(());
    }
    let Some(finding) = judge(opened, &Progress::none())?.refused else { return Ok(()) };
    let at = finding.at.first().copied().unwrap_or_default();
    let place = match finding.place {
        Some(place) => place,
        None => excerpt(&opened.log, &[at.0].into())?.get(&at.0).map(|(place, _)| *place).unwrap_or_default(),
    };
    let message = finding.message();
    Err(eyre!("{}: {place}: refused: {message}; leave out --strict to replay the rest", opened.log.name))
}
