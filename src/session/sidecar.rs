//! The other logs of a session log's family, as its sidecars: what the logs of one folder say about each other.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;

use super::checker::SessionChecker;
use super::decode::decode;
use super::dialect::DIALECT;
use super::family::{FamilyMember, families};
use super::machine::SessionLog;
use crate::dialect::Dialect;
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::dialect::sidecar::{SidecarProgress, SidecarRequest, Sidecars, SidecarsOf};
use crate::log::{Log, Options};
use crate::replay::Seq;
use crate::replay::family::FamilyTree;
use crate::replay::finding::Finding;

/// In a folder with more logs, a log's relatives are only looked up by their names.
const MOST_READ: usize = 64;
/// The screen lists at most this many logs.
const MOST_LISTED: usize = 512;
/// A log up to this length is read in less time than its folder.
const SHORT_BYTES: u64 = 1 << 20;
const ENDINGS: [&str; 2] = [".jsonl", ".json"];
/// Larger files are not looked at.
const MOST_BYTES: u64 = 256 << 20;

#[derive(Clone, Default)]
pub(crate) struct SessionFamily {
    /// The path of the log if its folder may be looked at.
    log: Option<PathBuf>,
}

pub(super) fn sidecars(request: &SidecarRequest<'_>) -> Result<Arc<dyn Sidecars>, DialectError> {
    let log = request.log.path().filter(|_| request.finds).map(Path::to_path_buf);
    Ok(Arc::new(SessionFamily { log }))
}

impl SidecarsOf for SessionFamily {
    type Machine = SessionLog;

    fn ledger(&self) -> SessionChecker {
        SessionChecker::default()
    }

    fn findings(
        &self,
        log: &dyn OpenLog,
        _: Seq,
        progress: &SidecarProgress<'_>,
    ) -> Result<Vec<Finding>, DialectError> {
        let Some(path) = &self.log else { return Ok(Vec::new()) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Looking at the folder is cheaper than reading a long log again, and more expensive than a short one.
        if path.metadata().is_ok_and(|found| found.len() > SHORT_BYTES) && siblings(folder, path, 1).is_empty() {
            return Ok(Vec::new());
        }
        let own = member(path, log)?;
        if !own.has_links() {
            return Ok(Vec::new());
        }
        let mut others = Vec::new();
        for other in relatives(folder, path, &own) {
            others.extend(read(&other));
            if !progress(0) {
                break;
            }
        }
        Ok(own.findings(&others))
    }

    /// A part of a log is a different log, so nothing follows for its family.
    fn for_part(&self, _: &dyn OpenLog) -> Result<Self, DialectError> {
        Ok(SessionFamily::default())
    }
}

/// The logs in the folder that may belong to a log: all of them, or those that it mentions by name if there are many.
fn relatives(folder: &Path, path: &Path, own: &FamilyMember) -> Vec<PathBuf> {
    let few = siblings(folder, path, MOST_READ + 1);
    if few.len() <= MOST_READ {
        return few;
    }
    let names: BTreeSet<&str> = own.relatives().map(|name| &**name).filter(|name| is_plain(name)).collect();
    let files = names.into_iter().flat_map(|name| ENDINGS.map(|ending| folder.join(format!("{name}{ending}"))));
    files.filter(|file| file != path && is_regular(file)).collect()
}

/// Whether a name from a log is the name of a file, and not a path to another folder.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

fn is_regular(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= MOST_BYTES)
}

/// Some of the other possible logs of a folder, in order.
fn siblings(folder: &Path, path: &Path, most: usize) -> Vec<PathBuf> {
    let others = possible_logs(folder).filter(|other| other.file_name() != path.file_name());
    let mut paths: Vec<PathBuf> = others.take(most).collect();
    paths.sort();
    paths
}

/// The regular files of a folder that may be session logs. Links are not followed.
fn possible_logs(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = folder.to_path_buf();
    let is_log = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        !name.starts_with('.') && ENDINGS.iter().any(|ending| name.ends_with(ending)) && is_regular(&entry.path())
    };
    fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(is_log)
        .map(move |entry| folder.join(entry.file_name()))
}

/// What the family needs to know about a log in a file; `None` if it is not a session log.
fn read(path: &Path) -> Option<FamilyMember> {
    static ONLY: &[&Dialect] = &[&DIALECT];
    let log = Log::open(path, &Options { turn: None, dialect: None, dialects: ONLY }).ok()?;
    member(path, &log).ok().filter(|member| member.events > 0)
}

fn member(path: &Path, log: &dyn OpenLog) -> Result<FamilyMember, DialectError> {
    let mut member = FamilyMember::new(path.to_path_buf());
    log.each_record(&mut |read| {
        member.events += u32::from(!read.record.is_empty());
        if is_about_families(read.record)
            && let Ok(event) = read.event().and_then(decode)
        {
            member.see(read.at, &event);
        }
    })?;
    Ok(member)
}

/// Whether a record may be one of the few kinds that matter here, without decoding it. A kind may be written with escapes.
fn is_about_families(record: &[u8]) -> bool {
    static WORDS: LazyLock<[Finder<'static>; 3]> =
        LazyLock::new(|| [Finder::new("run_"), Finder::new("agent_process_changed"), Finder::new("\\u")]);
    WORDS.iter().any(|word| word.find(record).is_some())
}

/// The families in a folder.
pub(super) fn family_tree(folder: &Path) -> FamilyTree {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut files: Vec<PathBuf> = possible_logs(folder).collect();
    files.sort();
    let skipped = files.len().saturating_sub(MOST_LISTED);
    families(files.iter().take(MOST_LISTED).filter_map(|path| read(path)).collect(), skipped)
}
