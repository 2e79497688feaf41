//! Opening the log that the arguments name, and its sidecars.

pub(super) mod pack;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use clap::CommandFactory;
use color_eyre::eyre::{self, eyre};

use super::args::{Arguments, Input, OptionalInput, ReadOptions};
use super::paint;
use super::pass::{check_opened, excerpt};
use super::progress::ByteProgress;
use super::replayed::note;
pub(super) use crate::crashpack::script::word as shell_word;
use crate::crashpack_folder::{Pack, is_pack};
use crate::dialect::Dialect;
use crate::dialect::sidecar::{NamedSidecars, SidecarRequest, Sidecars};
use crate::loader;
use crate::log::{Log, LogError, Options};
use crate::registry;

/// The failed turn that opens when no file is named.
const DEMO: &[u8] = include_bytes!("../../assets/demo.json");
const DEMO_NAME: &str = "the built-in failed turn";

pub(super) struct Opened {
    pub log: Log,
    pub sidecars: Arc<dyn Sidecars>,
    /// The argument of `stepback` that opens this log again.
    pub command: String,
    /// The crashpack that contains it, if there is one.
    pub pack: Option<Box<Pack>>,
    /// Whether it is the minimized trace of that crashpack.
    pub is_minimized: bool,
}

impl Opened {
    /// Warns about a damaged crashpack, for commands that list no findings.
    pub(super) fn warn_about_damage(&self) {
        for damage in &self.log.found {
            note(&format!("{}: {}: {}", self.log.name, damage.check.id, damage.message()));
        }
    }

    pub(super) fn dialect(&self) -> &'static Dialect {
        self.log.dialect
    }
}

pub(super) fn open(input: &Input) -> eyre::Result<Opened> {
    open_path(&input.file, &input.reading)
}

pub(super) fn open_or_demo(input: &OptionalInput) -> eyre::Result<Opened> {
    match &input.file {
        Some(file) => open_path(file, &input.reading),
        None => {
            let log = Log::from_bytes(DEMO_NAME.to_owned(), None, DEMO.to_vec(), &Options::default())?;
            let sidecars = loader::own_sidecars(&log)?;
            Ok(Opened { log, sidecars, command: "stepback --demo".to_owned(), pack: None, is_minimized: false })
        }
    }
}

pub(super) fn open_path(path: &Path, reading: &ReadOptions) -> eyre::Result<Opened> {
    // First, because such a folder may have files with the same names as a crashpack of ours.
    if let Some((dialect, folder)) = registry::of_folder(path) {
        return pack::open_folder(path, dialect, folder, reading);
    }
    if is_pack(path) {
        return pack::open_pack(path, reading);
    }
    pack::refuse_no_pack(path, reading)?;
    if path.is_dir()
        && let Some(root) = registry::family_root(path)
    {
        return open_path(&root, reading);
    }
    let dialect = reading.dialect.as_deref().and_then(registry::by_name);
    let options = Options { turn: reading.turn.clone(), dialect, ..Options::default() };
    let log = Log::open(path, &options)?;
    let sidecars = sidecars(&log, reading, true)?;
    let mut command = format!("stepback {}", file_word(&log.name));
    if let Some(turn) = log.turn() {
        command.push_str(&format!(" --turn {}", shell_word(turn)));
        if reading.turn.as_deref() != Some(turn) {
            let text = paint::clean(&format!(
                "{:?} is the start of a turn id; reading turn {turn}",
                reading.turn.as_deref().unwrap_or("")
            ));
            let _ = writeln!(std::io::stderr(), "note: {text}");
        }
    }
    Ok(Opened { log, sidecars, command, pack: None, is_minimized: false })
}

/// The sidecar files that the user named.
pub(super) fn named_sidecars(reading: &ReadOptions) -> NamedSidecars {
    NamedSidecars::of([
        ("session", reading.session.clone()),
        ("live", reading.live.clone()),
        ("artifacts", reading.artifacts.clone()),
    ])
}

/// Loads the sidecars of a log: those that the user named, and with `finds` those that are beside it.
fn sidecars(log: &Log, reading: &ReadOptions, finds: bool) -> Result<Arc<dyn Sidecars>, LogError> {
    let sidecars = (log.dialect.sidecars)(&SidecarRequest { log, named: &named_sidecars(reading), finds })?;
    sidecars.warnings().iter().for_each(|warning| note(warning));
    Ok(sidecars)
}

/// A file name as an argument of `stepback`: a name that looks like an option or a command gets a `./` prefix.
fn file_word(name: &str) -> String {
    let is_command = Arguments::command().get_subcommands().any(|command| command.get_name() == name);
    if is_command || (name.starts_with('-') && name != "-") {
        return shell_word(&format!("./{name}"));
    }
    shell_word(name)
}

/// With `--strict`, rejects a log that contains undecodable records.
pub(super) fn refuse_if_strict(strict: bool, opened: &Opened) -> eyre::Result<()> {
    if !strict {
        return Ok(());
    }
    let Some(finding) = check_opened(opened, &ByteProgress::none())?.refused else { return Ok(()) };
    let at = finding.at.first().copied().unwrap_or_default();
    let place = match finding.place {
        Some(place) => place,
        None => excerpt(&opened.log, &[], &[at.0].into())?.get(&at.0).map(|(place, _)| *place).unwrap_or_default(),
    };
    let message = finding.message();
    Err(eyre!("{}: {place}: rejected by --strict: {message}; without --strict the rest is replayed", opened.log.name))
}
