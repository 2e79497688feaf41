//! A folder for crashpacks, the program with its own state folder, and packs that were changed and sealed again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::files::files;

pub(crate) struct Desk {
    folder: tempfile::TempDir,
    state: tempfile::TempDir,
}

pub(crate) fn ours(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

impl Desk {
    pub(crate) fn new() -> Desk {
        Desk { folder: tempfile::tempdir().expect("a folder"), state: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        command.args(arguments).current_dir(ours("")).stdin(Stdio::null());
        command.env("XDG_STATE_HOME", self.state.path()).env("XDG_CONFIG_HOME", self.state.path());
        command
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {errors}"))
    }

    pub(crate) fn check(&self, path: &Path) -> Value {
        self.json(&["check", "--json", path.to_str().expect("a name")])["files"][0].clone()
    }

    /// Exports a log and returns the folder of the pack.
    pub(crate) fn export(&self, log: &str, name: &str, more: &[&str]) -> PathBuf {
        let target = self.path(name);
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        let arguments = [&["export", log, "-o", target.to_str().expect("a name")], more].concat();
        let output = self.run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        target
    }

    /// No temporary folder is left.
    pub(crate) fn leaves_nothing_hidden(&self) {
        let names =
            fs::read_dir(self.folder.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let hidden: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with('.')).collect();
        assert!(hidden.is_empty(), "{hidden:?}");
    }
}

pub(crate) fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

pub(crate) fn checks_of(file: &Value) -> Vec<String> {
    let findings = file["findings"].as_array().expect("findings");
    findings.iter().filter_map(|finding| finding["check"].as_str()).map(str::to_owned).collect()
}

/// Replaces the trace of a pack and seals it again, as an attacker would.
pub(crate) fn replace_trace(pack: &Path, trace: &[u8]) {
    fs::write(pack.join("trace.json"), trace).expect("written");
    seal(pack, read_json(&pack.join("manifest.json")));
}

/// Seals a pack again, with the hashes of its files as they are now.
pub(crate) fn seal(pack: &Path, mut manifest: Value) {
    let packed = files(pack).into_iter().filter(|(name, _)| name != "manifest.json");
    let hashed = packed.map(|(name, bytes)| (name, bytes.len(), blake3::hash(&bytes).to_hex().to_string()));
    let hashed: Vec<(String, usize, String)> = hashed.collect();
    let mut lines: Vec<String> = hashed.iter().map(|(name, _, hash)| format!("{hash}  {name}\n")).collect();
    lines.sort();
    manifest["pack_id"] = json!(blake3::hash(lines.concat().as_bytes()).to_hex().as_str());
    let row = |(name, bytes, blake3)| json!({"name": name, "bytes": bytes, "blake3": blake3});
    manifest["files"] = hashed.into_iter().map(row).collect();
    // The seal is the hash of the manifest with zeros in its place.
    let unsealed = "0".repeat(64);
    manifest["seal"] = json!(unsealed);
    let text = manifest.to_string();
    let sealed = text.replacen(&unsealed, blake3::hash(text.as_bytes()).to_hex().as_str(), 1);
    fs::write(pack.join("manifest.json"), sealed).expect("written");
}
