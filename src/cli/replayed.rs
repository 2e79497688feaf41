//! An open log with its replay, for commands that look at moments.

use std::io::Write;
use std::path::Path;

use color_eyre::eyre::{self, eyre};

use super::args::Input;
use super::open::pack::finding_place;
use super::open::{Opened, open};
use super::paint::{Paint, columns, fit, pad};
use super::progress::ByteProgress;
use crate::bookmark;
use crate::dialect::Dialect;
use crate::loader::Loaded;
use crate::replay::Seq;
use crate::replay::bookmark::Bookmarks;
use crate::replay::bookmark::find::find;
use crate::replay::source::Gone;
use crate::replay::target::Target;
use crate::replay::timeline::{EventLine, Replay};
use crate::replay::vocabulary::KindId;

pub(super) struct ReplayedLog {
    /// The name as the user typed it.
    pub name: String,
    /// The command that opens this log again.
    pub command: String,
    pub dialect: &'static Dialect,
    pub loaded: Loaded,
    /// The bookmarks in the crashpack, if the log is in one.
    pub bookmarks: Bookmarks,
    /// The place of the finding that the crashpack is about.
    pub finding: Option<Target>,
}

impl ReplayedLog {
    /// Opens a log and starts its pass.
    pub(super) fn begin(opened: Opened, follow: bool) -> eyre::Result<ReplayedLog> {
        let dialect = opened.dialect();
        let finding = finding_place(&opened, opened.is_minimized);
        let Opened { log, sidecars, command, pack, .. } = opened;
        let packed = pack.and_then(|pack| Bookmarks::from_json(pack.bookmarks.as_ref()?).ok());
        let (name, bookmarks) = (log.name.clone(), packed.unwrap_or_default());
        Ok(ReplayedLog { name, command, dialect, loaded: Loaded::begin(log, sidecars, follow)?, bookmarks, finding })
    }

    /// Opens a log and starts a pass that does not run the checks.
    pub(super) fn begin_without_checks(opened: Opened) -> eyre::Result<ReplayedLog> {
        opened.warn_about_damage();
        let dialect = opened.dialect();
        let Opened { log, command, .. } = opened;
        let (name, bookmarks, finding) = (log.name.clone(), Bookmarks::default(), None);
        Ok(ReplayedLog { name, command, dialect, loaded: Loaded::begin_without_checks(log)?, bookmarks, finding })
    }

    /// Opens a log and waits for the end of its pass.
    pub(super) fn whole(input: &Input) -> eyre::Result<ReplayedLog> {
        let opened = open(input)?;
        opened.warn_about_damage();
        let replayed = ReplayedLog::begin(opened, false)?;
        replayed.finish(Some(&input.file))?;
        Ok(replayed)
    }

    /// Waits for the end of the pass, with a progress bar if it takes long.
    pub(super) fn finish(&self, file: Option<&Path>) -> eyre::Result<()> {
        let bytes = file.and_then(|file| std::fs::metadata(file).ok()).map_or(0, |file| file.len());
        let progress = ByteProgress::new(bytes);
        Ok(self.loaded.wait_to_end(|passed| progress.set(passed))?)
    }

    pub(super) fn replay(&self) -> &dyn Replay {
        &**self.loaded.replay()
    }

    pub(super) fn resolve(&self, target: &Target) -> eyre::Result<Seq> {
        if let Target::Bookmark(name) = target {
            if let Some(marker) = self.loaded.notes().stops().find(|note| note.id == *name) {
                return Ok(marker.at);
            }
            if let Some(packed) = self.bookmarks.get(name) {
                let found = find(std::slice::from_ref(packed), self.replay()).map_err(|gone| self.gone(gone))?;
                if let Some(at) = found.first().and_then(|found| found.at()) {
                    return Ok(at);
                }
            }
            return bookmark::place(name, self.replay()).map_err(|error| eyre!("{}: {error}", self.name));
        }
        target.resolve(self.replay(), &|_| None).map_err(|reason| eyre!("{}: {reason}", self.name))
    }

    /// The error for a log that changed while it was open.
    pub(super) fn gone(&self, gone: Gone) -> eyre::Report {
        eyre!("{}: {}", self.name, gone.reason)
    }

    /// Formats an event as one line.
    pub(super) fn line(&self, at: Seq, kind_columns: usize, paint: Paint) -> eyre::Result<String> {
        let lines = self.replay().lines(&[at]).map_err(|gone| self.gone(gone))?;
        Ok(lines.first().map_or_else(String::new, |line| self.line_text(line, kind_columns, paint)))
    }

    pub(super) fn line_text(&self, line: &EventLine, kind_columns: usize, paint: Paint) -> String {
        let kind = (line.row.kind, self.replay().vocabulary().kind_name(line.row.kind));
        event_line_text(line.at, kind, &line.summary, kind_columns, paint)
    }
}

/// The event of a place. Numbers need no replay.
pub(super) fn place(input: &Input, target: &Target) -> eyre::Result<Seq> {
    match target {
        Target::Event(at) => Ok(Seq(*at)),
        target => ReplayedLog::whole(input)?.resolve(target),
    }
}

/// Formats an event as one line: its number, the id and the name of its kind, its summary.
pub(super) fn event_line_text(
    at: Seq,
    (id, name): (KindId, &str),
    summary: &str,
    kind_columns: usize,
    paint: Paint,
) -> String {
    let number = paint.dim(&format!("{at:>7}"));
    let kind = pad(name, kind_columns);
    let kind = if id == KindId::MALFORMED { paint.bad(&kind) } else { paint.name(&kind) };
    let room = columns().saturating_sub(kind_columns.max(18) + 14).max(20);
    format!("{number}  {kind} {}", fit(summary, room))
}

/// Prints a note on standard error. If that fails, the note is lost.
pub(super) fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "note: {}", super::paint::clean(text));
}
