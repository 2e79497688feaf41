//! Crashpacks on disk: written completely or not at all, verified before their content is trusted.
//!
//! A crashpack is hostile input. Only plain names below its folder are opened, never through a link; sizes are limited;
//! nothing is written to a pack that is being read.

mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::crashpack::manifest::{Bad, FileRow, Manifest, SCHEMA_FAMILY, SIZE_LIMIT_BYTES, Soundness};
use crate::crashpack::{BOOKMARKS, JOURNAL_DIGEST, LEDGER, MANIFEST, SCRIPT, checks, script};
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
    /// The traces, open: the bytes that are shown are those of the file that was hashed.
    traces: BTreeMap<String, File>,
    /// The packed bookmarks, if the file is intact.
    pub bookmarks: Option<Vec<u8>>,
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
        let (mut traces, mut bookmarks) = (BTreeMap::new(), None);
        if let Some(manifest) = &manifest {
            for row in &manifest.files {
                let (file, finding) = examine(folder, row);
                let is_trace = row.name == manifest.trace || manifest.minimized.as_ref() == Some(&row.name);
                match file {
                    Some(file) if is_trace => drop(traces.insert(row.name.clone(), file)),
                    Some(file) if row.name == BOOKMARKS && finding.is_none() => bookmarks = read_bookmarks(file),
                    Some(mut file) if row.name == SCRIPT && finding.is_none() => {
                        findings.extend(foreign_script(&mut file, &manifest.finding.fingerprint));
                    }
                    _ => {}
                }
                findings.extend(finding);
            }
            let listed = names_of(&manifest.files);
            findings.extend(unlisted(&present, &manifest.files, MANIFEST));
            let traces = [Some(&manifest.trace), manifest.minimized.as_ref()];
            let unlisted = traces.into_iter().flatten().filter(|trace| !listed.contains(trace.as_str()));
            findings
                .extend(unlisted.map(|trace| checks::damaged(MANIFEST, "its traces among its files", trace.as_str())));
        }
        Ok(Pack { folder: folder.to_owned(), manifest, damage: findings.into_sorted(), traces, bookmarks })
    }

    /// A trace, open, and its path. `None` if it cannot be opened, which is then part of the damage.
    pub(crate) fn trace(&self, which: Which) -> Result<Option<(PathBuf, File)>, PackError> {
        let name = match (&self.manifest, which) {
            (Some(manifest), Which::Original) => Some(manifest.trace.clone()),
            (Some(manifest), Which::Minimized) => manifest.minimized.clone(),
            (None, which) => self.trace_by_name(which),
        };
        if name.is_none() && which == Which::Minimized {
            return Err(PackError::NoMinimized { path: self.folder.display().to_string() });
        }
        let Some(name) = name else { return Ok(None) };
        let file = match self.traces.get(&name) {
            Some(file) => file.try_clone().ok(),
            None if self.manifest.is_none() => open_below(&self.folder, &name).ok(),
            None => None,
        };
        Ok(file.map(|file| (self.folder.join(name), file)))
    }

    /// The name of a trace, found without a manifest.
    fn trace_by_name(&self, which: Which) -> Option<String> {
        let is_it = |name: &String| {
            let minimized = name.starts_with("trace.min.");
            name.starts_with("trace.") && !name.contains('/') && minimized == (which == Which::Minimized)
        };
        list(&self.folder).ok()?.into_iter().find(is_it)
    }
}

/// Whether a folder is an undamaged pack, and holds nothing else.
pub(crate) fn is_whole_pack(folder: &Path) -> bool {
    Pack::open(folder).is_ok_and(|pack| pack.manifest.is_some() && pack.damage.is_empty())
}

/// The damage of a file that a manifest lists, if there is any.
pub(crate) fn verify_file(folder: &Path, row: &FileRow) -> Option<Finding> {
    examine(folder, row).1
}

/// Findings for the files of a folder that its manifest does not list.
pub(crate) fn unlisted_files(folder: &Path, files: &[FileRow], manifest: &str) -> io::Result<Vec<Finding>> {
    Ok(unlisted(&list(folder)?, files, manifest))
}

fn unlisted(present: &[String], files: &[FileRow], manifest: &str) -> Vec<Finding> {
    let listed = names_of(files);
    let unlisted = present.iter().filter(|name| *name != manifest && !listed.contains(name.as_str()));
    unlisted.map(|name| checks::unlisted(name)).collect()
}

fn names_of(files: &[FileRow]) -> BTreeSet<&str> {
    files.iter().map(|row| row.name.as_str()).collect()
}

fn read_bookmarks(file: File) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(BOOKMARKS_LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The finding for a script that the export did not write. A user runs it without reading it.
fn foreign_script(file: &mut File, fingerprint: &str) -> Option<Finding> {
    let mut bytes = Vec::new();
    let read = file.take(script::LIMIT_BYTES).read_to_end(&mut bytes);
    let is_ours = read.is_ok() && std::str::from_utf8(&bytes).is_ok_and(|text| script::is_ours(text, fingerprint));
    (!is_ours).then(|| checks::foreign_script(SCRIPT))
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

/// Opens a regular file below a folder, without following a link.
fn open_below(folder: &Path, name: &str) -> io::Result<File> {
    let special = || io::Error::other("a link or another special file");
    let mut path = folder.to_owned();
    let (folders, _) = name.rsplit_once('/').unwrap_or(("", name));
    for part in folders.split('/').filter(|part| !part.is_empty()) {
        path.push(part);
        if !fs::symlink_metadata(&path)?.is_dir() {
            return Err(special());
        }
    }
    let path = folder.join(name);
    let found = fs::symlink_metadata(&path)?;
    if !found.is_file() {
        return Err(special());
    }
    let file = File::open(&path)?;
    // Another file may have taken the name before it was opened.
    if is_same(&found, &file.metadata()?) { Ok(file) } else { Err(special()) }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.len(), one.modified().ok()) == (other.len(), other.modified().ok())
}

/// Opens a file of the manifest and hashes it. Returns it at its first byte, and its damage, if there is any.
fn examine(folder: &Path, row: &FileRow) -> (Option<File>, Option<Finding>) {
    let FileRow { name, bytes, blake3 } = row;
    let mut file = match open_below(folder, name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (None, Some(checks::missing(name))),
        Err(error) => return (None, Some(checks::damaged(name, "a regular file", error.to_string()))),
    };
    let expected = format!("{bytes} bytes, blake3 {blake3}");
    let actual = match length_and_hash(&mut file, *bytes) {
        Ok((length, Some(found))) if length == *bytes && found == *blake3 => return (Some(file), None),
        Ok((length, Some(found))) => format!("{length} bytes, blake3 {found}"),
        Ok((length, None)) => format!("{length} bytes"),
        Err(error) => error.to_string(),
    };
    (Some(file), Some(checks::damaged(name, expected, actual)))
}

/// The hash is only taken of a file with the expected length.
fn length_and_hash(file: &mut File, expected: u64) -> io::Result<(u64, Option<String>)> {
    let length = file.metadata()?.len();
    if length != expected {
        return Ok((length, None));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(Read::by_ref(file).take(expected))?;
    file.seek(SeekFrom::Start(0))?;
    Ok((length, Some(hasher.finalize().to_hex().to_string())))
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
