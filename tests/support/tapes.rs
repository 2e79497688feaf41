//! The sample tapes, where they are.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use stepback::tape::stored::Stored;
use stepback::tape::whole::{Newer, Tape};
use stepback::tape_store::Store;

/// The folder of the samples, if this machine has one.
pub fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("STEPBACK_TAPES").map(PathBuf::from);
    let above = || {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        project.ancestors().map(|folder| folder.join("shared/fixtures/tape")).find(|folder| folder.is_dir())
    };
    named.or_else(above).filter(|folder| folder.is_dir())
}

pub fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// The samples whose names end so, without that end. None where there is no folder.
pub fn names(end: &str) -> Vec<String> {
    let Some(folder) = folder() else { return Vec::new() };
    let found = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = found.filter_map(|name| name.to_str()?.strip_suffix(end).map(str::to_owned)).collect();
    names.sort();
    assert!(!names.is_empty(), "no sample ends with {end}");
    names
}

/// A tape and what its store holds.
pub fn load(name: &str) -> (Tape, Stored) {
    let path = folder().expect("a folder").join(format!("{name}.tape"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let tape = Tape::read(&bytes, name, Newer::Refused).unwrap_or_else(|error| panic!("{error}"));
    let stored = Store::beside(&path).survey(&tape).expect("a store");
    (tape, stored)
}
