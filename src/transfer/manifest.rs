//! The manifest of a transfer crashpack: facts about it and, if stepback wrote it, every other file with its hash.
//!
//! The last line is the hash of everything before it, so that a changed manifest is noticed, too.

use std::fmt::Write;

use crate::crashpack::evidence::Given;
use crate::crashpack::manifest::{FileRow, bad_name};
use crate::crashpack::{JOURNAL_DIGEST, LEDGER, escaped};

pub(crate) const MANIFEST: &str = "manifest";
/// The first line.
pub(crate) const TITLE: &str = "# ATP Crashpack Manifest";

const FILES: &str = "files:";
const SEAL: &str = "seal: blake3:";
const SCHEMA_VERSION: u32 = 1;

/// The facts of a manifest, which come before its list of files.
pub(crate) fn preamble(violations: usize, journal_digest: &str, given: &Given) -> String {
    let mut out = format!("{TITLE}\nschema_version: {SCHEMA_VERSION}\nviolations: {violations}\n");
    let _ = writeln!(out, "journal_digest: {journal_digest}\njournal_digest_artifact: {JOURNAL_DIGEST}");
    let _ = writeln!(out, "evidence_ledger: {LEDGER}");
    for (key, value) in &given.metadata {
        let _ = writeln!(out, "metadata.{}: {}", escaped(key), escaped(value));
    }
    if !given.seeds.is_empty() {
        out.push_str("seeds:\n");
    }
    for (name, seed) in &given.seeds {
        let _ = writeln!(out, "  {}: {seed}", escaped(name));
    }
    out
}

/// Adds the files to a manifest, and seals it.
pub(crate) fn sealed(preamble: &str, files: &[FileRow]) -> String {
    let mut out = format!("{preamble}{FILES}\n");
    for FileRow { name, bytes, blake3 } in files {
        let _ = writeln!(out, "  {name}: {bytes} blake3:{blake3}");
    }
    let seal = blake3::hash(out.as_bytes()).to_hex();
    let _ = writeln!(out, "{SEAL}{seal}");
    out
}

/// The files that a manifest lists.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileList {
    pub files: Vec<FileRow>,
    /// Why the manifest cannot be trusted.
    pub damage: Option<&'static str>,
}

/// The files that a manifest lists. `None` if another program wrote it, which lists no hashes.
pub(crate) fn file_list(manifest: &str) -> Option<FileList> {
    let section = manifest.lines().skip_while(|line| line.trim_end() != FILES);
    let (before, seal) = manifest.rsplit_once(SEAL).unwrap_or((manifest, ""));
    if section.clone().next().is_none() && seal.is_empty() {
        return None;
    }
    let is_sealed = seal == format!("{}\n", blake3::hash(before.as_bytes()).to_hex());
    let lines: Vec<&str> = section.skip(1).map_while(|line| line.strip_prefix("  ")).collect();
    let files: Vec<FileRow> = lines.iter().filter_map(|line| row(line)).collect();
    let damage = match () {
        () if !is_sealed => Some("its seal is broken"),
        () if files.len() < lines.len() => Some("it lists a file that cannot be one"),
        () => None,
    };
    Some(FileList { files, damage })
}

fn row(line: &str) -> Option<FileRow> {
    let (name, rest) = line.rsplit_once(": ")?;
    let (bytes, blake3) = rest.split_once(" blake3:")?;
    let row = FileRow { name: name.to_owned(), bytes: bytes.parse().ok()?, blake3: blake3.trim_end().to_owned() };
    bad_name(name).is_none().then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(name: &str) -> String {
        let given = Given {
            seeds: [("rng".to_owned(), 7)].into(),
            metadata: [("note\nfiles:".to_owned(), "a\nseal: blake3:0".to_owned())].into(),
        };
        let file = FileRow { name: name.to_owned(), bytes: 3, blake3: "ab".to_owned() };
        sealed(&preamble(2, "sha256:00", &given), &[file])
    }

    #[test]
    fn the_list_of_files_is_read_again_and_sealed() {
        let text = example("journal");
        let rows = vec![FileRow { name: "journal".to_owned(), bytes: 3, blake3: "ab".to_owned() }];
        assert_eq!(file_list(&text), Some(FileList { files: rows, damage: None }));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            let changed = String::from_utf8(bytes).expect("text");
            assert!(file_list(&changed).is_some_and(|list| list.damage.is_some()), "byte {at}: {changed}");
        }
        assert!(file_list(&(text + "my remarks\n")).is_some_and(|list| list.damage.is_some()));
    }

    #[test]
    fn names_outside_the_folder_are_not_listed() {
        for name in ["../x", "/x", "a/../b"] {
            let list = file_list(&example(name)).expect("a list");
            assert_eq!((list.files.len(), list.damage.is_some()), (0, true), "{name}");
        }
        assert_eq!(file_list("# ATP Crashpack Manifest\nschema_version: 1\nviolations: 1\n"), None);
    }
}
