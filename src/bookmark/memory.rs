//! What the screen remembers from one run to the next: the sizes of its panes, and where each log was left. Nothing depends
//! on it, so a file that cannot be read or written is as good as none.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folder;

const NAME: &str = "screen.json";
const SIZE_LIMIT_BYTES: u64 = 1 << 20;
/// The places of this many logs are kept, those left last.
const MOST_LOGS: usize = 500;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ScreenMemory {
    pub panes: KeptSizes,
    /// The log left last is at the end.
    left: Vec<LeftLog>,
}

/// The sizes of the panes as numbers. See `tui::layout::sizes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct KeptSizes {
    pub wide: Option<[u16; 3]>,
    pub narrow: Option<u16>,
    pub rows: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LeftLog {
    /// The key of the log, as its bookmarks have it.
    log: String,
    at: u32,
}

impl ScreenMemory {
    /// The memory of this user.
    pub(crate) fn load() -> ScreenMemory {
        folder::of_state().map(|state| ScreenMemory::load_from(&state)).unwrap_or_default()
    }

    /// Changes the memory of this user, as it is on the disk by now.
    pub(crate) fn change(change: impl FnOnce(&mut ScreenMemory)) {
        let Some(state) = folder::of_state() else { return };
        let before = ScreenMemory::load_from(&state);
        let mut memory = before.clone();
        change(&mut memory);
        if memory != before {
            // Without a place to write to, the next run begins with the defaults.
            let _ = memory.save_to(&state);
        }
    }

    /// Where a log was left.
    pub(crate) fn left_at(&self, log: &str) -> Option<u32> {
        self.left.iter().rev().find(|left| left.log == log).map(|left| left.at)
    }

    /// Remembers where a log is left. At its first event there is nothing to remember.
    pub(crate) fn leave(&mut self, log: &str, at: u32) {
        self.left.retain(|left| left.log != log);
        if at > 0 {
            self.left.push(LeftLog { log: log.to_owned(), at });
        }
        let too_many = self.left.len().saturating_sub(MOST_LOGS);
        self.left.drain(..too_many);
    }

    fn load_from(state: &Path) -> ScreenMemory {
        let mut bytes = Vec::new();
        let read = File::open(path(state)).and_then(|file| file.take(SIZE_LIMIT_BYTES).read_to_end(&mut bytes));
        read.ok().and_then(|_| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    fn save_to(&self, state: &Path) -> io::Result<()> {
        folder::create(state)?;
        let bytes = serde_json::to_vec(self)?;
        // The number keeps two programs that end at the same time apart.
        let partial = state.join(format!(".{NAME}.{}.partial", std::process::id()));
        let mut options = OpenOptions::new();
        let mut file = folder::private(options.write(true).create(true).truncate(true)).open(&partial)?;
        let written = file.write_all(&bytes).and_then(|()| fs::rename(&partial, path(state)));
        written.inspect_err(|_| drop(fs::remove_file(&partial)))
    }
}

fn path(state: &Path) -> PathBuf {
    state.join(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_loaded_again_and_damage_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        assert_eq!(ScreenMemory::load_from(&state), ScreenMemory::default());
        let mut memory = ScreenMemory { panes: KeptSizes { rows: Some(9), ..KeptSizes::default() }, left: Vec::new() };
        memory.leave("a", 7);
        memory.leave("b", 8);
        memory.leave("a", 9);
        memory.leave("b", 0);
        memory.save_to(&state).expect("saved");
        assert_eq!(ScreenMemory::load_from(&state), memory);
        assert_eq!((memory.left_at("a"), memory.left_at("b")), (Some(9), None));
        let names: Vec<_> =
            fs::read_dir(&state).expect("a folder").map(|entry| entry.expect("it").file_name()).collect();
        assert_eq!(names, ["screen.json"]);
        fs::write(path(&state), "{\"left\": 3").expect("written");
        assert_eq!(ScreenMemory::load_from(&state), ScreenMemory::default());
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut memory = ScreenMemory::default();
        (0..MOST_LOGS + 3).for_each(|number| memory.leave(&number.to_string(), 1));
        assert_eq!((memory.left.len(), memory.left_at("0"), memory.left_at("3")), (MOST_LOGS, None, Some(1)));
    }
}
