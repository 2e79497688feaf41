//! The sample tapes.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use stepback::tape::store::PayloadStore;
use stepback::tape::stored::Stored;
use stepback::tape::whole::{Newer, Tape};

/// The folders of samples: that of the project, and a larger one that `STEPBACK_TAPES` names or that is above the
/// project.
pub(super) fn folders() -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let above = || project.ancestors().map(|folder| folder.join("shared/fixtures/tape")).find(|folder| folder.is_dir());
    let more = std::env::var_os("STEPBACK_TAPES").map(PathBuf::from).or_else(above);
    [project.join("tests/conformance/tape")].into_iter().chain(more).collect()
}

pub(super) fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// The samples of a folder with this suffix, without it.
pub(super) fn names(folder: &Path, end: &str) -> Vec<String> {
    let found = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = found.filter_map(|name| name.to_str()?.strip_suffix(end).map(str::to_owned)).collect();
    names.sort();
    assert!(!names.is_empty(), "no sample ends with {end}");
    names
}

/// The samples with this suffix in all folders, with their folders.
pub(super) fn all(end: &str) -> Vec<(PathBuf, String)> {
    let of = |folder: PathBuf| names(&folder, end).into_iter().map(move |name| (folder.clone(), name));
    folders().into_iter().flat_map(of).collect()
}

/// A tape and its payload store.
pub(super) fn load(folder: &Path, name: &str) -> (Tape, Stored) {
    let path = folder.join(format!("{name}.tape"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let tape = Tape::read(&bytes, name, Newer::Refused).unwrap_or_else(|error| panic!("{error}"));
    let stored = PayloadStore::of_tape(&path).survey(&tape).expect("a store");
    (tape, stored)
}
