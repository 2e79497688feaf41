//! A folder of files as one input, and the folder on disk.
//!
//! A line `=== NAME` begins a file. `=== NAME ->` is a link to a log outside of the folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const MARK: &[u8] = b"=== ";
const FILES_LIMIT: usize = 40;
const NAME_LIMIT_BYTES: usize = 100;
const DEPTH_LIMIT: usize = 3;

/// The id of the turn in the log outside of the folder. No folder may show it.
pub(super) const OUTSIDE: &str = "a-turn-outside-of-the-folder";

/// The content of a file in an input.
pub(super) enum Entry<'i> {
    File(&'i [u8]),
    Link,
}

/// The files of an input, in order, without those whose names cannot be used.
pub(super) fn entries(input: &[u8]) -> Vec<(&str, Entry<'_>)> {
    let mut starts: Vec<usize> = memchr::memmem::find_iter(input, b"\n=== ").map(|at| at + 1).collect();
    if input.starts_with(MARK) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([input.len()]);
    let entry = |(start, end): (&usize, usize)| {
        let section = &input[start + MARK.len()..end.max(start + MARK.len())];
        let (name, content) = match memchr::memchr(b'\n', section) {
            Some(at) => (&section[..at], &section[at + 1..]),
            None => (section, &section[section.len()..]),
        };
        let name = std::str::from_utf8(name).ok()?;
        let (name, entry) = name.strip_suffix(" ->").map_or((name, Entry::File(content)), |name| (name, Entry::Link));
        is_plain(name).then_some((name, entry))
    };
    starts.iter().zip(ends).filter_map(entry).take(FILES_LIMIT).collect()
}

fn is_plain(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let is_part = |part: &&str| !matches!(*part, "" | "." | "..") && !part.contains('\0');
    name.len() <= NAME_LIMIT_BYTES && parts.len() <= DEPTH_LIMIT && parts.iter().all(is_part)
}

/// A folder that is removed at the end.
pub(super) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    pub(super) fn new() -> Scratch {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("stepback-fuzz-{}-{number}", std::process::id()));
        fs::create_dir_all(root.join("in")).expect("a folder");
        Scratch { root }
    }

    /// A folder with these files.
    pub(super) fn of(entries: &[(&str, Entry<'_>)]) -> Scratch {
        let scratch = Scratch::new();
        let outside = format!("{{\"event_type\":\"turn_started\",\"turn_id\":\"{OUTSIDE}\"}}\n");
        fs::write(scratch.root.join("outside"), outside).expect("written");
        for (name, entry) in entries {
            let path = scratch.folder().join(name);
            // A name may be a file and a folder in the same input; the first one wins.
            let is_made = path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok());
            match entry {
                Entry::File(bytes) if is_made => drop(fs::write(&path, bytes)),
                Entry::Link if is_made => link(&scratch.root.join("outside"), &path),
                _ => {}
            }
        }
        scratch
    }

    /// The folder with the files of the input.
    pub(super) fn folder(&self) -> PathBuf {
        self.root.join("in")
    }

    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) {
    let _ = std::os::unix::fs::symlink(target, path);
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) {}
