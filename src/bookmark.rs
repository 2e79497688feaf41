//! Bookmarks on disk: one file per log in the user's state folder, named after the first request of the log.
//!
//! A change is applied under a lock to the current content of the file, so that several processes can change the
//! bookmarks of one log. The file is replaced as a whole: a process that is killed leaves the old content or the new
//! one. A file that cannot be read is never overwritten.
//!
//! `memory` is a smaller file next to them: what the screen remembers.

mod folder;
pub(crate) mod memory;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::replay::bookmark::anchor::key;
use crate::replay::bookmark::find::find;
use crate::replay::bookmark::{BookmarkEdit, Bookmarks, Refused, Unreadable};
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::{Place, Seq};

/// Larger files are neither read nor written.
const SIZE_LIMIT_BYTES: u64 = 16 << 20;
/// How long to wait for another process to finish its change, which normally takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(2);

#[derive(Debug, thiserror::Error)]
pub(crate) enum BookmarkError {
    #[error("there is no folder for bookmarks: set XDG_STATE_HOME or HOME to an absolute path")]
    NoFolder,

    #[error("{}: bookmarks cannot be {doing} here: {error}; set XDG_STATE_HOME to use another folder", .path.display())]
    Io { path: PathBuf, doing: &'static str, error: io::Error },

    #[error("{}: another process has been changing these bookmarks for {} s; end it, or try again", .path.display(), PATIENCE.as_secs())]
    Busy { path: PathBuf },

    #[error("{}: {}not a valid bookmark file: {reason}; repair it, or move it away to start over", .path.display(), place_text(.place.as_ref()))]
    Unreadable { path: PathBuf, place: Option<Place>, reason: String },

    #[error("{}: the bookmark file would have {bytes} bytes, more than the limit of {SIZE_LIMIT_BYTES}; remove some bookmarks, or shorten their notes", .path.display())]
    TooLarge { path: PathBuf, bytes: u64 },

    #[error("{0}")]
    Refused(#[from] Refused),

    #[error("the log cannot be read again: {0}")]
    Gone(String),

    #[error("the log holds no event to bookmark")]
    NoEvent,

    #[error("bookmark {name:?} is lost: this log has no event like the bookmarked one (event {was})")]
    Lost { name: String, was: Seq },
}

fn place_text(place: Option<&Place>) -> String {
    place.map(|place| format!("{place}: ")).unwrap_or_default()
}

impl From<Gone> for BookmarkError {
    fn from(gone: Gone) -> Self {
        BookmarkError::Gone(gone.reason)
    }
}

/// The bookmarks after a change, and the names of the changed ones, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edited {
    pub bookmarks: Bookmarks,
    pub names: Vec<String>,
}

/// The bookmark file of one log. It is not kept open.
#[derive(Clone, Debug)]
pub(crate) struct BookmarkFile {
    folder: PathBuf,
    key: String,
}

impl BookmarkFile {
    /// The file of the log with this key, in the user's state folder.
    pub(crate) fn open(key: &str) -> Result<BookmarkFile, BookmarkError> {
        Ok(BookmarkFile::within(folder::of_user().ok_or(BookmarkError::NoFolder)?, key))
    }

    /// The file of a log. Its pass must have ended.
    pub(crate) fn of(replay: &dyn Replay) -> Result<BookmarkFile, BookmarkError> {
        BookmarkFile::open(&key(replay)?.ok_or(BookmarkError::NoEvent)?)
    }

    /// The file of the log with this key, in the given folder.
    pub(crate) fn within(folder: PathBuf, key: &str) -> BookmarkFile {
        // A key is hexadecimal. If it is not, it must not lead out of the folder.
        let key = key.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '_' });
        BookmarkFile { folder, key: key.collect() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.key))
    }

    /// The bookmarks on disk. This needs no lock, because the file is only ever replaced as a whole.
    pub(crate) fn load(&self) -> Result<Bookmarks, BookmarkError> {
        let path = self.path();
        let Some(bytes) = read_limited(&path)? else { return Ok(Bookmarks::default()) };
        let unreadable = |Unreadable { place, reason }| BookmarkError::Unreadable { path, place, reason };
        Bookmarks::from_json(&bytes).map_err(unreadable)
    }

    /// Applies all changes to the bookmarks on disk, or none of them.
    pub(crate) fn edit(&self, edits: impl IntoIterator<Item = BookmarkEdit>) -> Result<Edited, BookmarkError> {
        folder::create(&self.folder).map_err(|error| failed(&self.folder, "kept", error))?;
        let _lock = self.lock()?;
        let before = self.load()?;
        let mut bookmarks = before.clone();
        let names = edits.into_iter().map(|edit| bookmarks.apply(edit)).collect::<Result<_, _>>()?;
        if bookmarks != before {
            self.replace(&bookmarks)?;
        }
        Ok(Edited { bookmarks, names })
    }

    /// Waits for the lock. It is released when the file is closed, also if the process dies.
    fn lock(&self) -> Result<File, BookmarkError> {
        let path = self.folder.join(format!("{}.lock", self.key));
        let io = |error| failed(&path, "locked", error);
        let file =
            folder::private(OpenOptions::new().write(true).create(true).truncate(false)).open(&path).map_err(io)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if began.elapsed() > PATIENCE => {
                    return Err(BookmarkError::Busy { path });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK_EVERY),
                Err(TryLockError::Error(error)) => return Err(io(error)),
            }
        }
    }

    /// Replaces the file. Only called under the lock, so one name is enough for the partial file, and an existing one was
    /// left by a process that died.
    fn replace(&self, bookmarks: &Bookmarks) -> Result<(), BookmarkError> {
        let path = self.path();
        let partial = self.folder.join(format!(".{}.partial", self.key));
        let bytes = bookmarks.to_json().map_err(|error| failed(&path, "written", error.into()))?;
        if bytes.len() as u64 > SIZE_LIMIT_BYTES {
            return Err(BookmarkError::TooLarge { path, bytes: bytes.len() as u64 });
        }
        let written = write_new(&partial, &bytes).and_then(|()| fs::rename(&partial, &path));
        written.map_err(|error| {
            // If this fails, the next change removes the partial file.
            let _ = fs::remove_file(&partial);
            failed(&path, "written", error)
        })?;
        folder::sync(&self.folder);
        Ok(())
    }
}

/// The event of a bookmark of this log.
pub(crate) fn place(name: &str, replay: &dyn Replay) -> Result<Seq, BookmarkError> {
    let bookmarks = BookmarkFile::of(replay)?.load()?;
    let bookmark = bookmarks.get(name).ok_or_else(|| bookmarks.unknown(name))?;
    let found = find(std::slice::from_ref(bookmark), replay)?;
    let lost = || BookmarkError::Lost { name: name.to_owned(), was: bookmark.anchor.at };
    found.first().and_then(|found| found.at()).ok_or_else(lost)
}

fn failed(path: &Path, doing: &'static str, error: io::Error) -> BookmarkError {
    BookmarkError::Io { path: path.to_owned(), doing, error }
}

/// The content of a file up to the limit. `None` if the file does not exist.
fn read_limited(path: &Path) -> Result<Option<Vec<u8>>, BookmarkError> {
    let io = |error| failed(path, "read", error);
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(io)?,
    };
    let mut bytes = Vec::new();
    let length = file.metadata().map_err(io)?.len();
    file.take(SIZE_LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > SIZE_LIMIT_BYTES {
        return Err(BookmarkError::TooLarge { path: path.to_owned(), bytes: length.max(bytes.len() as u64) });
    }
    Ok(Some(bytes))
}

/// Writes a file that only its owner can read, and waits until it is on disk.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = folder::private(OpenOptions::new().write(true).create_new(true)).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
