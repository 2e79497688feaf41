//! Sidecars: the files beside a log that belong to it, and how a dialect uses them.
//!
//! A dialect implements [`SidecarsOf`] for its own type; the other modules see it as [`Sidecars`]. A dialect without
//! any uses [`no_sidecars`].

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads files")]

use std::any::Any;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Dialect;
use super::open_log::{DialectError, OpenLog};
use crate::minimize::checker::{CandidateChecker, MachineChecker};
use crate::minimize::parts::Parts;
use crate::replay::Seq;
use crate::replay::check::Check;
use crate::replay::check_pass::{CheckPass, MachineCheckPass};
use crate::replay::event_search::{EventSearch, Hits, Sought};
use crate::replay::finding::Finding;
use crate::replay::machine::Machine;
use crate::replay::note::Notes;
use crate::replay::record_pass::RecordPass;
use crate::replay::source::Source;
use crate::replay::timeline::{Begun, Timeline};

/// Gets the number of sidecar bytes read so far; returns whether to continue.
pub(crate) type SidecarProgress<'p> = dyn Fn(u64) -> bool + Sync + 'p;

/// Sidecar files that the user named, by the names of the options for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedSidecars(Vec<(&'static str, PathBuf)>);

impl NamedSidecars {
    pub(crate) fn of(files: impl IntoIterator<Item = (&'static str, Option<PathBuf>)>) -> NamedSidecars {
        NamedSidecars(files.into_iter().filter_map(|(option, file)| Some((option, file?))).collect())
    }

    pub(crate) fn get(&self, option: &str) -> Option<&Path> {
        self.0.iter().find(|(known, _)| *known == option).map(|(_, file)| file.as_path())
    }
}

/// A request for the sidecars of a log.
pub(crate) struct SidecarRequest<'r> {
    pub log: &'r dyn OpenLog,
    pub named: &'r NamedSidecars,
    /// Whether to load sidecars that are beside the log but were not named. Files that the records refer to are part of
    /// the log and are always loaded.
    pub finds: bool,
}

/// A file that records refer to by the hash of its content.
pub(crate) struct SidecarPayload<'a> {
    /// The suffix that makes the log's name the name of the folder.
    pub folder: &'static str,
    /// The file name in that folder.
    pub name: &'a str,
    /// A description for messages that reveals nothing of the content.
    pub place: &'a str,
    pub bytes: &'a [u8],
}

/// A text file about the log, made of lines.
pub(crate) struct SidecarText<'a> {
    /// The suffix that makes the log's name the name of the file.
    pub suffix: &'static str,
    /// A description for messages.
    pub place: &'static str,
    pub bytes: &'a [u8],
}

pub(crate) type VisitPayload<'v> = dyn FnMut(&SidecarPayload<'_>) -> io::Result<()> + 'v;
pub(crate) type VisitText<'v> = dyn FnMut(&SidecarText<'_>) -> io::Result<()> + 'v;

/// Sidecars that are being copied along with a log or a part of it. Unless `finish` is called, the copies are removed.
pub(crate) trait SidecarCopy {
    /// Copies what a record of the new log refers to.
    fn record(&mut self, record: &[u8]) -> io::Result<()>;

    /// Keeps the copies. Returns their suffixes to the name of the new log.
    fn finish(self: Box<Self>) -> Vec<String>;
}

/// The sidecars of a log of any dialect.
pub(crate) trait Sidecars: Any + Send + Sync {
    /// Makes an empty replay of the log, and the pass that fills it.
    fn begin(&self, source: Arc<dyn Source>) -> Begun;

    /// Makes a pass that only runs the checks, without a replay.
    fn check_pass(&self) -> Box<dyn CheckPass>;

    /// Makes a pass that sends the events at which a condition holds, without a replay. The condition must read only the
    /// event.
    fn event_search(&self, sought: Sought, hits: Hits) -> Box<dyn RecordPass>;

    /// Makes a checker for parts of the log, for minimizing.
    fn checker<'p>(&self, dialect: &Dialect, parts: &'p Parts) -> Box<dyn CandidateChecker + 'p>;

    /// Compares the sidecars with a log or a variant of it. `last` is its last event.
    fn findings(
        &self,
        log: &dyn OpenLog,
        last: Seq,
        progress: &SidecarProgress<'_>,
    ) -> Result<Vec<Finding>, DialectError>;

    /// The reviewers' notes about the log, and the findings about these notes.
    fn notes(&self, log: &dyn OpenLog) -> Result<(Notes, Vec<Finding>), DialectError>;

    /// The sidecars for a log that contains only some of the records.
    fn for_part(&self, part: &dyn OpenLog) -> Result<Arc<dyn Sidecars>, DialectError>;

    /// Starts copying the files that a log saved at `target` needs.
    fn copy_to(&self, target: &Path) -> io::Result<Option<Box<dyn SidecarCopy>>>;

    /// Visits each payload that the records refer to, once.
    fn each_payload(&self, log: &dyn OpenLog, visit: &mut VisitPayload<'_>) -> Result<(), DialectError>;

    /// Visits each text that goes into a crashpack with the log.
    fn each_text(&self, visit: &mut VisitText<'_>) -> Result<(), DialectError>;

    /// Adapts such a text to the log after masking has changed both.
    fn refitted(&self, lines: Vec<u8>, before: &dyn OpenLog, now: &dyn OpenLog) -> Result<Vec<u8>, DialectError>;

    /// Notes for the user about sidecars that were ignored.
    fn warnings(&self) -> &[String];

    /// The number of bytes that the checks read besides the log.
    fn length_bytes(&self) -> u64;

    /// Whether records may refer to files beside the log, which a log without a path lacks.
    fn are_files(&self) -> bool;

    /// The sidecar without which a check reports nothing, if there is one.
    fn source_of(&self, check: &Check) -> Option<&'static str>;
}

/// The sidecars of one dialect. The defaults are those of a dialect without any.
pub(crate) trait SidecarsOf: Send + Sync + Sized + 'static {
    type Machine: Machine;

    fn decoder(&self) -> <Self::Machine as Machine>::Decoder {
        Default::default()
    }

    fn ledger(&self) -> <Self::Machine as Machine>::Ledger;

    /// The ledger for minimizing: it knows in advance what the sidecars imply about the records.
    fn ledger_of_parts(&self, _parts: &Parts) -> <Self::Machine as Machine>::Ledger {
        self.ledger()
    }

    fn findings(&self, _: &dyn OpenLog, _: Seq, _: &SidecarProgress<'_>) -> Result<Vec<Finding>, DialectError> {
        Ok(Vec::new())
    }

    fn notes(&self, _: &dyn OpenLog) -> Result<(Notes, Vec<Finding>), DialectError> {
        Ok(Default::default())
    }

    fn for_part(&self, part: &dyn OpenLog) -> Result<Self, DialectError>;

    fn copy_to(&self, _target: &Path) -> io::Result<Option<Box<dyn SidecarCopy>>> {
        Ok(None)
    }

    fn each_payload(&self, _: &dyn OpenLog, _: &mut VisitPayload<'_>) -> Result<(), DialectError> {
        Ok(())
    }

    fn each_text(&self, _: &mut VisitText<'_>) -> Result<(), DialectError> {
        Ok(())
    }

    fn refitted(&self, lines: Vec<u8>, _before: &dyn OpenLog, _now: &dyn OpenLog) -> Result<Vec<u8>, DialectError> {
        Ok(lines)
    }

    fn warnings(&self) -> &[String] {
        &[]
    }

    fn length_bytes(&self) -> u64 {
        0
    }

    fn are_files(&self) -> bool {
        false
    }

    fn source_of(&self, _: &Check) -> Option<&'static str> {
        None
    }
}

impl<S: SidecarsOf> Sidecars for S {
    fn begin(&self, source: Arc<dyn Source>) -> Begun {
        Timeline::<S::Machine>::begin_dyn(source, self.decoder(), self.ledger())
    }

    fn check_pass(&self) -> Box<dyn CheckPass> {
        MachineCheckPass::<S::Machine>::begin(self.decoder(), self.ledger())
    }

    fn event_search(&self, sought: Sought, hits: Hits) -> Box<dyn RecordPass> {
        EventSearch::<S::Machine>::begin(self.decoder(), sought, hits)
    }

    fn checker<'p>(&self, dialect: &Dialect, parts: &'p Parts) -> Box<dyn CandidateChecker + 'p> {
        let checker = MachineChecker::<S::Machine>::decoding(parts, self.decoder(), self.ledger_of_parts(parts));
        Box::new(checker.with_torn_tail(dialect.torn_tail))
    }

    fn findings(
        &self,
        log: &dyn OpenLog,
        last: Seq,
        progress: &SidecarProgress<'_>,
    ) -> Result<Vec<Finding>, DialectError> {
        SidecarsOf::findings(self, log, last, progress)
    }

    fn notes(&self, log: &dyn OpenLog) -> Result<(Notes, Vec<Finding>), DialectError> {
        SidecarsOf::notes(self, log)
    }

    fn for_part(&self, part: &dyn OpenLog) -> Result<Arc<dyn Sidecars>, DialectError> {
        Ok(Arc::new(SidecarsOf::for_part(self, part)?))
    }

    fn copy_to(&self, target: &Path) -> io::Result<Option<Box<dyn SidecarCopy>>> {
        SidecarsOf::copy_to(self, target)
    }

    fn each_payload(&self, log: &dyn OpenLog, visit: &mut VisitPayload<'_>) -> Result<(), DialectError> {
        SidecarsOf::each_payload(self, log, visit)
    }

    fn each_text(&self, visit: &mut VisitText<'_>) -> Result<(), DialectError> {
        SidecarsOf::each_text(self, visit)
    }

    fn refitted(&self, lines: Vec<u8>, before: &dyn OpenLog, now: &dyn OpenLog) -> Result<Vec<u8>, DialectError> {
        SidecarsOf::refitted(self, lines, before, now)
    }

    fn warnings(&self) -> &[String] {
        SidecarsOf::warnings(self)
    }

    fn length_bytes(&self) -> u64 {
        SidecarsOf::length_bytes(self)
    }

    fn are_files(&self) -> bool {
        SidecarsOf::are_files(self)
    }

    fn source_of(&self, check: &Check) -> Option<&'static str> {
        SidecarsOf::source_of(self, check)
    }
}

/// The sidecars of a dialect that has none.
pub(crate) struct NoSidecars<M>(PhantomData<fn() -> M>);

impl<M: Machine<Ledger: Default>> SidecarsOf for NoSidecars<M> {
    type Machine = M;

    fn ledger(&self) -> M::Ledger {
        M::Ledger::default()
    }

    fn for_part(&self, _: &dyn OpenLog) -> Result<Self, DialectError> {
        Ok(NoSidecars(PhantomData))
    }
}

/// The column of a dialect without sidecars.
pub(crate) fn no_sidecars<M: Machine<Ledger: Default>>(
    _: &SidecarRequest<'_>,
) -> Result<Arc<dyn Sidecars>, DialectError> {
    Ok(Arc::new(NoSidecars::<M>(PhantomData)))
}
