//! Crashpacks on disk: written completely or not at all, verified before their content is trusted.
//!
//! A crashpack is hostile input. Only plain names below its folder are opened, never through a link; sizes are limited;
//! nothing is written to a pack that is being read.

mod writer;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::crashpack::manifest::{Bad, FileRow, Manifest, SCHEMA_FAMILY, SIZE_LIMIT_BYTES, Soundness};
use crate::crashpack::{BOOKMARKS, JOURNAL_DIGEST, LEDGER, MANIFEST, checks};
use crate::replay::finding::{Finding, Findings};
pub(crate) use writer::{OnSignal, PackWriter, WriteError, clean_up};

/// The largest number of entries of the folder that are examined.
const ENTRIES_LIMIT: usize = 200_000;
const DEPTH_LIMIT: usize = 8;
/// How much of a manifest is read to recognize it.
const BEGINNING_BYTES: u64 = 4096;
/// Bookmarks are read as a whole.
const BOOKMARKS_LIMIT_BYTES: u64 = 16 << 20;

#[derive(Debug, thiserror::Error)]
pub(crate) enum PackError {
    #[error("{path}: {MANIFEST}: {reason}; the pack is rejected and none of its files was opened")]
    Refused { path: String, reason: String },

    #[error("{path}: this pack has no minimized trace; `stepback export --minimize` makes one")]
    NoMinimized { path: String },

    #[error("{path}: the pack cannot be read: {error}")]
    Io { path: String, error: io::Error },
}

/// A trace of the pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Which {
    #[default]
    Original,
    Minimized,
}

/// A verified pack.
pub(crate) struct Pack {
    folder: PathBuf,
    /// `None` if it is too damaged to be read.
    pub manifest: Option<Manifest>,
    /// The damage of the pack.
    pub damage: Vec<Finding>,
    /// The files that match the manifest.
    sound: BTreeSet<String>,
}

/// Whether a folder is a crashpack. If its manifest is damaged or missing, the other files decide.
pub(crate) fn is_pack(folder: &Path) -> bool {
    let beginning = read_beginning(&folder.join(MANIFEST));
    memchr::memmem::find(&beginning, SCHEMA_FAMILY.as_bytes()).is_some()
        || [LEDGER, JOURNAL_DIGEST].iter().all(|name| is_plain_file(&folder.join(name)))
}

pub(crate) fn read_beginning(path: &Path) -> Vec<u8> {
    let mut beginning = Vec::new();
    if is_plain_file(path)
        && let Ok(file) = File::open(path)
    {
        let _ = file.take(BEGINNING_BYTES).read_to_end(&mut beginning);
    }
    beginning
}

pub(crate) fn is_plain_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

impl Pack {
    /// Verifies every file. A damaged pack opens with findings; one that names files outside its folder is rejected.
    pub(crate) fn open(folder: &Path) -> Result<Pack, PackError> {
        let mut findings = Findings::default();
        let manifest = read_manifest(folder, &mut findings)?;
        let present = list(folder).map_err(|error| PackError::Io { path: folder.display().to_string(), error })?;
        let mut sound = BTreeSet::new();
        if let Some(manifest) = &manifest {
            for row in &manifest.files {
                match examine(folder, row) {
                    None => {
                        sound.insert(row.name.clone());
                    }
                    Some(finding) => findings.push(finding),
                }
            }
            let listed: BTreeSet<&str> = manifest.files.iter().map(|row| row.name.as_str()).collect();
            let unlisted = present.iter().filter(|name| *name != MANIFEST && !listed.contains(name.as_str()));
            findings.extend(unlisted.map(|name| checks::unlisted(name)));
            let traces = [Some(&manifest.trace), manifest.minimized.as_ref()];
            let unlisted = traces.into_iter().flatten().filter(|trace| !listed.contains(trace.as_str()));
            findings
                .extend(unlisted.map(|trace| checks::damaged(MANIFEST, "its traces among its files", trace.as_str())));
        }
        Ok(Pack { folder: folder.to_owned(), manifest, damage: findings.into_sorted(), sound })
    }

    /// The path of a trace. `None` if it cannot be opened, which is then part of the damage.
    pub(crate) fn trace(&self, which: Which) -> Result<Option<PathBuf>, PackError> {
        let name = match (&self.manifest, which) {
            (Some(manifest), Which::Original) => Some(manifest.trace.clone()),
            (Some(manifest), Which::Minimized) => manifest.minimized.clone(),
            (None, which) => self.trace_by_name(which),
        };
        if name.is_none() && which == Which::Minimized {
            return Err(PackError::NoMinimized { path: self.folder.display().to_string() });
        }
        Ok(name.filter(|name| plain_below(&self.folder, name)).map(|name| self.folder.join(name)))
    }

    /// The name of a trace, found without a manifest.
    fn trace_by_name(&self, which: Which) -> Option<String> {
        let is_it = |name: &String| {
            let minimized = name.starts_with("trace.min.");
            name.starts_with("trace.") && !name.contains('/') && minimized == (which == Which::Minimized)
        };
        list(&self.folder).ok()?.into_iter().find(is_it)
    }

    /// The packed bookmarks, if the file is intact.
    pub(crate) fn bookmarks(&self) -> Option<Vec<u8>> {
        if !self.sound.contains(BOOKMARKS) {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(self.folder.join(BOOKMARKS)).ok()?.take(BOOKMARKS_LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// The manifest, or `None` and a finding. `Err` if the manifest must not be followed.
fn read_manifest(folder: &Path, findings: &mut Findings) -> Result<Option<Manifest>, PackError> {
    let refused = |reason| Err(PackError::Refused { path: folder.display().to_string(), reason });
    let path = folder.join(MANIFEST);
    let mut damaged = |actual: String| findings.push(checks::damaged(MANIFEST, "a sealed manifest", actual));
    if !is_plain_file(&path) {
        match fs::symlink_metadata(&path) {
            Ok(_) => damaged("not a regular file".to_owned()),
            Err(_) => findings.push(checks::missing(MANIFEST)),
        }
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(SIZE_LIMIT_BYTES + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        damaged(error.to_string());
        return Ok(None);
    }
    if bytes.len() as u64 > SIZE_LIMIT_BYTES {
        return refused(format!("it is longer than {SIZE_LIMIT_BYTES} bytes"));
    }
    match Manifest::read(&bytes) {
        Ok((manifest, Soundness::Sealed)) => Ok(Some(manifest)),
        Ok((manifest, Soundness::Broken)) => {
            damaged("its seal is broken".to_owned());
            Ok(Some(manifest))
        }
        Err(Bad::Unreadable(reason)) => {
            damaged(reason);
            Ok(None)
        }
        Err(Bad::Refused(reason)) => refused(reason),
    }
}

/// Whether a name is a regular file below a folder, without a link on the way.
fn plain_below(folder: &Path, name: &str) -> bool {
    let mut path = folder.to_owned();
    let mut parts = name.split('/').peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let is_right = match fs::symlink_metadata(&path) {
            Ok(found) if parts.peek().is_none() => found.is_file(),
            Ok(found) => found.is_dir(),
            Err(_) => false,
        };
        if !is_right {
            return false;
        }
    }
    true
}

/// The damage of a file, if there is any.
fn examine(folder: &Path, row: &FileRow) -> Option<Finding> {
    let FileRow { name, bytes, blake3 } = row;
    let path = folder.join(name);
    if !plain_below(folder, name) {
        return Some(match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => checks::missing(name),
            Err(error) => checks::damaged(name, "a regular file", error.to_string()),
            Ok(_) => checks::damaged(name, "a regular file", "a link or another special file"),
        });
    }
    let expected = format!("{bytes} bytes, blake3 {blake3}");
    let length = fs::metadata(&path).map_or(0, |found| found.len());
    if length != *bytes {
        return Some(checks::damaged(name, expected, format!("{length} bytes")));
    }
    let mut hasher = blake3::Hasher::new();
    let hashed = File::open(&path).and_then(|file| hasher.update_reader(file.take(*bytes)).map(|_| ()));
    if let Err(error) = hashed {
        return Some(checks::damaged(name, expected, error.to_string()));
    }
    let found = hasher.finalize().to_hex();
    (found.as_str() != blake3).then(|| checks::damaged(name, expected, format!("{length} bytes, blake3 {found}")))
}

/// Every file below a folder by its relative name, sorted. Links are listed and not followed.
fn list(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((folder, before, depth)) = open.pop() {
        let mut is_empty = depth > 0;
        for entry in fs::read_dir(&folder)? {
            is_empty = false;
            let entry = entry?;
            let name = format!("{before}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() && depth < DEPTH_LIMIT {
                open.push((entry.path(), format!("{name}/"), depth + 1));
            } else {
                found.push(name);
            }
            if found.len() + open.len() > ENTRIES_LIMIT {
                return Err(io::Error::other(format!("it contains more than {ENTRIES_LIMIT} entries")));
            }
        }
        if is_empty {
            found.push(before);
        }
    }
    found.sort();
    Ok(found)
}
