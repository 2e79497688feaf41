//! Crashpacks: damage is reported, and nothing outside of the folder is read.
//!
//! With a first file `seal`, the manifest is sealed again after the input changed other files, as an attacker would.

use std::fs;
use std::io::Read;
use std::path::Path;

use super::archive::{Entry, OUTSIDE, Scratch, entries};
use crate::crashpack::MANIFEST;
use crate::crashpack::manifest::{FileRow, Manifest, Subject};
use crate::crashpack_folder::{Pack, PackError, Which, is_whole_pack};
use crate::log::{Log, Options};
use crate::registry;

const SEAL: &str = "seal";

pub(super) fn target(input: &[u8]) {
    let mut files = entries(input);
    let is_resealed = files.first().is_some_and(|(name, _)| *name == SEAL);
    files.retain(|(name, _)| *name != SEAL);
    let scratch = Scratch::of(&files);
    let folder = scratch.folder();
    if is_resealed {
        reseal(&folder, &files);
    }
    let pack = match (Pack::open(&folder), Pack::open(&folder)) {
        (Ok(one), Ok(two)) => {
            assert_eq!((&one.manifest, &one.damage, &one.bookmarks), (&two.manifest, &two.damage, &two.bookmarks));
            one
        }
        (Err(one), Err(two)) => return assert_eq!(one.to_string(), two.to_string()),
        _ => panic!("opened once, refused once"),
    };
    let is_whole = pack.manifest.is_some() && pack.damage.is_empty();
    assert_eq!(is_whole, is_whole_pack(&folder));
    if let (Some(manifest), true) = (&pack.manifest, is_whole) {
        is_as_listed(&folder, manifest, &files);
    }
    for which in [Which::Original, Which::Minimized] {
        match pack.trace(which) {
            Ok(Some((path, mut file))) => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).expect("a regular file");
                assert!(memchr::memmem::find(&bytes, OUTSIDE.as_bytes()).is_none(), "a link was followed");
                assert!(path.starts_with(&folder));
                opens(&pack, &path);
            }
            Ok(None) => assert!(!is_whole),
            Err(error) => assert!(which == Which::Minimized && matches!(error, PackError::NoMinimized { .. })),
        }
    }
}

/// Opens the trace as the commands do.
fn opens(pack: &Pack, path: &Path) {
    let dialect = pack.manifest.as_ref().and_then(|manifest| registry::by_name(&manifest.dialect));
    let file = fs::File::open(path).expect("a regular file");
    if let Ok(log) = Log::from_file(path, file, &Options { dialect, ..Options::default() }) {
        let _ = crate::check(&log);
    }
}

/// Every file of an intact pack has the length and hash of its row, and there are no others.
fn is_as_listed(folder: &Path, manifest: &Manifest, files: &[(&str, Entry<'_>)]) {
    for row in &manifest.files {
        let bytes = fs::read(folder.join(&row.name)).expect("a listed file");
        assert_eq!(FileRow { name: row.name.clone(), ..described(&bytes) }, *row);
    }
    for (name, _) in files.iter().filter(|(name, _)| *name != MANIFEST) {
        let is_there = fs::symlink_metadata(folder.join(name)).is_ok_and(|found| found.is_file());
        let is_listed = manifest.files.iter().any(|row| row.name == *name);
        assert!(is_listed || !is_there, "{name} is not listed");
    }
}

fn described(bytes: &[u8]) -> FileRow {
    FileRow { name: String::new(), bytes: bytes.len() as u64, blake3: blake3::hash(bytes).to_hex().to_string() }
}

/// Writes a manifest that lists the files as they are.
fn reseal(folder: &Path, files: &[(&str, Entry<'_>)]) {
    let path = folder.join(MANIFEST);
    let Some(Ok((manifest, _))) = fs::read(&path).ok().map(|bytes| Manifest::read(&bytes)) else { return };
    let Manifest { dialect, trace, minimized, finding, environment, .. } = manifest;
    let subject = Subject { dialect, trace, minimized, finding, environment };
    let row = |(name, _): &(&str, Entry<'_>)| {
        let bytes = fs::read(folder.join(name)).ok()?;
        (*name != MANIFEST).then(|| FileRow { name: (*name).to_owned(), ..described(&bytes) })
    };
    if let Ok(sealed) = Manifest::seal(subject, files.iter().filter_map(row).collect()) {
        fs::write(path, sealed).expect("written");
    }
}
