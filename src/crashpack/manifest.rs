//! The manifest: every file of a crashpack with its size and hash, and a hash (seal) of the manifest itself.
//!
//! Manifests are not trusted. One with names that could lead out of the folder is rejected before any file is opened.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::MANIFEST;
use crate::replay::finding::{Finding, is_hostile};

pub(crate) const SCHEMA: &str = "stepback-crashpack/1";
/// The schema of a manifest of any version starts with this.
pub(crate) const SCHEMA_FAMILY: &str = "stepback-crashpack/";
/// A larger manifest is rejected.
pub(crate) const SIZE_LIMIT_BYTES: u64 = 32 << 20;
/// A pack with more files is rejected.
pub(crate) const FILES_LIMIT: usize = 100_000;
const NAME_LIMIT_BYTES: usize = 512;
const DEPTH_LIMIT: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub schema: String,
    /// blake3 over the names and hashes of all other files.
    pub pack_id: String,
    /// blake3 of the manifest itself, with zeros in place of these digits.
    pub seal: String,
    /// The dialect of the trace.
    pub dialect: String,
    pub trace: String,
    pub minimized: Option<String>,
    /// The finding that the pack is about.
    pub finding: Expected,
    pub environment: Environment,
    pub files: Vec<FileRow>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Expected {
    pub fingerprint: String,
    pub check: String,
    pub severity: String,
    /// The number of events in the trace.
    pub at: Vec<u32>,
}

impl Expected {
    pub(crate) fn of(finding: &Finding) -> Expected {
        Expected {
            fingerprint: finding.fingerprint(),
            check: finding.check.id.to_owned(),
            severity: finding.severity.name().to_owned(),
            at: finding.at.iter().map(|at| at.0).collect(),
        }
    }
}

/// The system on which the pack was made. It identifies no person, place or variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Environment {
    pub tool_version: String,
    pub os: String,
    pub arch: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct FileRow {
    pub name: String,
    pub bytes: u64,
    pub blake3: String,
}

/// The subject of a pack, before its files are known.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub dialect: String,
    pub trace: String,
    pub minimized: Option<String>,
    pub finding: Expected,
    pub environment: Environment,
}

/// Why a manifest cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// It is not a manifest: the pack is damaged.
    Unreadable(String),
    /// It is a manifest that must not be followed.
    Refused(String),
}

impl Manifest {
    /// The bytes of a sealed manifest for these files.
    pub(crate) fn seal(subject: Subject, mut files: Vec<FileRow>) -> Result<Vec<u8>, Bad> {
        files.sort();
        let Subject { dialect, trace, minimized, finding, environment } = subject;
        let (pack_id, seal) = (pack_id(&files), no_seal());
        let schema = SCHEMA.to_owned();
        let mut manifest = Manifest { schema, pack_id, seal, dialect, trace, minimized, finding, environment, files };
        manifest.refuse_bad_names()?;
        manifest.seal = blake3::hash(&manifest.bytes()?).to_hex().to_string();
        manifest.bytes()
    }

    fn bytes(&self) -> Result<Vec<u8>, Bad> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|error| Bad::Unreadable(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads a manifest, and whether its seal is intact: a damaged one may still list the files.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Manifest, Soundness), Bad> {
        let manifest: Manifest = serde_json::from_slice(bytes).map_err(|error| Bad::Unreadable(error.to_string()))?;
        if manifest.schema != SCHEMA {
            return Err(match manifest.schema.starts_with(SCHEMA_FAMILY) {
                true => Bad::Refused(format!("its schema is not {SCHEMA}; use a newer stepback")),
                false => Bad::Unreadable(format!("its schema is not {SCHEMA}")),
            });
        }
        manifest.refuse_bad_names()?;
        let soundness = if manifest.is_sealed(bytes) { Soundness::Sealed } else { Soundness::Broken };
        Ok((manifest, soundness))
    }

    fn refuse_bad_names(&self) -> Result<(), Bad> {
        if self.files.len() > FILES_LIMIT {
            return Err(Bad::Refused(format!(
                "it lists {} files, more than the limit of {FILES_LIMIT}",
                self.files.len()
            )));
        }
        let mut names = BTreeSet::new();
        for name in self.files.iter().map(|file| &file.name).chain([&self.trace]).chain(&self.minimized) {
            if let Some(reason) = bad_name(name) {
                return Err(Bad::Refused(format!("it names {name:?}: {reason}")));
            }
        }
        if let Some(twice) = self.files.iter().find(|file| !names.insert(file.name.as_str())) {
            return Err(Bad::Refused(format!("it lists {:?} twice", twice.name)));
        }
        Ok(())
    }

    fn is_sealed(&self, bytes: &[u8]) -> bool {
        let Some(at) = memchr::memmem::find(bytes, self.seal.as_bytes()).filter(|_| self.seal.len() == 64) else {
            return false;
        };
        let mut unsealed = bytes.to_vec();
        unsealed[at..at + 64].copy_from_slice(no_seal().as_bytes());
        blake3::hash(&unsealed).to_hex().as_str() == self.seal && pack_id(&self.files) == self.pack_id
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Soundness {
    Sealed,
    /// It was changed after it was sealed.
    Broken,
}

fn no_seal() -> String {
    "0".repeat(64)
}

/// The id of the content: equal files give the same id, regardless of where and when they were packed.
pub(crate) fn pack_id(files: &[FileRow]) -> String {
    let mut lines: Vec<String> = files.iter().map(|file| format!("{}  {}\n", file.blake3, file.name)).collect();
    lines.sort();
    blake3::hash(lines.concat().as_bytes()).to_hex().to_string()
}

/// Why a name is not allowed in a manifest: it could refer to a file outside the pack, or be invisible in a list.
pub(crate) fn bad_name(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.len() > NAME_LIMIT_BYTES {
        Some("it is empty or too long")
    } else if name.starts_with('/') {
        Some("an absolute path")
    } else if name.contains('\\') || name.contains(':') {
        Some("a backslash or a drive letter")
    } else if name.chars().any(is_hostile) {
        Some("an invisible character")
    } else if name.split('/').any(|part| matches!(part, "" | "." | "..")) {
        Some("it could lead out of the pack")
    } else if name.split('/').count() > DEPTH_LIMIT {
        Some("too many nested folders")
    } else if name == MANIFEST {
        Some("the manifest itself")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            dialect: "turn".to_owned(),
            trace: "trace.json".to_owned(),
            minimized: None,
            finding: Expected {
                fingerprint: "turn/x".to_owned(),
                check: "turn/x".to_owned(),
                severity: "error".to_owned(),
                at: vec![3],
            },
            environment: Environment { tool_version: "1".into(), os: "linux".into(), arch: "x86_64".into() },
        }
    }

    fn row(name: &str) -> FileRow {
        FileRow { name: name.to_owned(), bytes: 3, blake3: blake3::hash(name.as_bytes()).to_hex().to_string() }
    }

    #[test]
    fn a_changed_byte_breaks_the_seal() {
        let sealed = Manifest::seal(subject(), vec![row("trace.json"), row("logs/model.log")]).expect("sealed");
        let (manifest, soundness) = Manifest::read(&sealed).expect("read");
        assert_eq!(soundness, Soundness::Sealed);
        assert_eq!(manifest.files[0].name, "logs/model.log", "sorted");
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert!(!matches!(Manifest::read(&damaged), Ok((_, Soundness::Sealed))), "byte {at}");
        }
    }

    #[test]
    fn names_that_lead_out_of_the_pack_are_rejected() {
        for name in
            ["/etc/passwd", "../x", "a/../../x", "C:\\x", "C:x", "a\\b", "a\0b", "a\u{202e}b", "", "a//b", "./a"]
        {
            assert!(bad_name(name).is_some(), "{name:?}");
            assert!(matches!(Manifest::seal(subject(), vec![row(name)]), Err(Bad::Refused(_))), "{name:?}");
        }
        for name in ["trace.json", "logs/model.log", "trace.tape.cas/ab", "..a", "a b"] {
            assert_eq!(bad_name(name), None, "{name:?}");
        }
        assert!(matches!(Manifest::seal(subject(), vec![row("a"), row("a")]), Err(Bad::Refused(_))));
    }
}
