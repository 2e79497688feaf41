//! Opening a crashpack in place of a log: verifying it, opening its trace, and adding damage to the findings.

use std::path::Path;

use color_eyre::eyre::{self, eyre};

use super::{Opened, file_word, sidecars};
use crate::cli::args::ReadOptions;
use crate::cli::pass::check_opened;
use crate::cli::progress::ByteProgress;
use crate::crashpack_folder::{Pack, Which};
use crate::dialect::Dialect;
use crate::dialect::container::Container;
use crate::dialect::folder::{FolderRecords, LogFolder};
use crate::loader;
use crate::log::{Log, LogError, Options, error};
use crate::registry;
use crate::replay::target::Target;

pub(crate) fn open_pack(path: &Path, reading: &ReadOptions) -> eyre::Result<Opened> {
    let pack = Pack::open(path)?;
    let which = if reading.minimized { Which::Minimized } else { Which::Original };
    let packed = pack.manifest.as_ref().map(|manifest| manifest.dialect.as_str());
    let named = reading.dialect.as_deref().or(packed);
    let dialect = named.and_then(registry::by_name);
    let (name, options) = (error::shown(path), Options { turn: reading.turn.clone(), dialect, ..Options::default() });
    let mut log = match pack.trace(which)? {
        Some((path, file)) => Log::from_file(&path, file, &options)?,
        // The rest of the pack still opens; the missing file is reported as damage.
        None => Log::from_bytes(name.clone(), None, Vec::new(), &options)?,
    };
    if log.container == Container::Sqlite {
        // `export` never packs a database, and opening one reads files that the manifest does not list.
        let reason = "the trace of this crashpack is a SQLite database; open that file directly".to_owned();
        return Err(LogError::Refused { path: name, reason }.into());
    }
    (log.name, log.found) = (name, pack.damage.clone());
    // Only sidecars that the user names belong to a trace in a pack.
    let sidecars = sidecars(&log, reading, false)?;
    let flag = if reading.minimized { " --minimized" } else { "" };
    let command = format!("stepback {}{flag}", file_word(&log.name));
    Ok(Opened { log, sidecars, command, pack: Some(Box::new(pack)), is_minimized: reading.minimized })
}

/// Opens a folder that is a log of a dialect.
pub(crate) fn open_folder(
    path: &Path,
    dialect: &'static Dialect,
    folder: &LogFolder,
    reading: &ReadOptions,
) -> eyre::Result<Opened> {
    refuse_no_pack(path, reading)?;
    let (name, FolderRecords { lines, damage }) = (error::shown(path), (folder.read)(path));
    let options = Options { turn: reading.turn.clone(), dialect: Some(dialect), ..Options::default() };
    let mut log = Log::from_bytes(name, None, lines, &options)?;
    (log.found, log.refusal) = (damage, Some(folder.refusal));
    let command = format!("stepback {}", file_word(&log.name));
    Ok(Opened { sidecars: loader::own_sidecars(&log)?, log, command, pack: None, is_minimized: false })
}

/// The place of the finding that a pack is about.
pub(crate) fn finding_place(opened: &Opened, minimized: bool) -> Option<Target> {
    let expected = &opened.pack.as_ref()?.manifest.as_ref()?.finding;
    if !minimized {
        return expected.at.first().copied().map(Target::Event);
    }
    // A minimized trace has other numbers, and it is short enough to be checked here.
    let checked = check_opened(opened, &ByteProgress::none()).ok()?;
    let finding = checked.findings.iter().find(|finding| finding.fingerprint() == expected.fingerprint)?;
    finding.at.first().map(|at| Target::Event(at.0))
}

/// Rejects options that only apply to crashpacks.
pub(crate) fn refuse_no_pack(path: &Path, reading: &ReadOptions) -> eyre::Result<()> {
    match reading.minimized {
        true => Err(eyre!(
            "{}: `--minimized` opens the minimized trace of a crashpack, but this is not one",
            path.display()
        )),
        false => Ok(()),
    }
}
