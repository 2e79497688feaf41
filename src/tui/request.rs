//! Requests to the host: what an update needs from files, threads or the terminal.

use std::path::PathBuf;

use super::form::PackTrace;
use super::inquiry::state::Question;
use crate::replay::Seq;
use crate::replay::bookmark::BookmarkEdit;

/// What the loop or the host should do after an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Nothing,
    Suspend,
    Redraw,
    /// Change the saved bookmarks.
    Keep(BookmarkEdit),
    /// Copy a text to the clipboard. The first text describes it.
    Copy(String, String),
    /// Save a picture of the screen.
    Picture(PathBuf),
    /// Find the logs that belong to the open one.
    Family,
    /// Answer a question about the whole log.
    Ask(Question),
    /// Open the log again.
    Reopen,
    /// Show this trace of the crashpack.
    Trace(PackTrace),
    /// Replay the what-if variant, and show this event of it.
    Vary(Seq),
    /// Save the variant as a new log.
    SaveVariant(PathBuf),
    /// Compare with this log.
    Compare(PathBuf),
    /// Minimize the finding of this number, and save the result if there is a path.
    Minimize(usize, Option<PathBuf>),
    /// Save the minimized log.
    SaveMinimized(PathBuf),
    /// Show the minimized log instead of the whole one.
    OpenMinimized,
    /// Search for secrets in everything that would be exported.
    LookForSecrets,
    /// Write the reviewed crashpack into this folder.
    Export(PathBuf),
}
