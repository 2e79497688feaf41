//! Sidecars: the files beside a log that belong to it, and what a dialect does with them.
//!
//! A dialect implements [`SidecarsOf`] for its own type; the other rooms see it as [`Sidecars`]. A dialect without any
//! uses [`no_sidecars`].

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
use crate::replay::check_pass::{CheckPass, MachineCheckPass};
use crate::replay::finding::Finding;
use crate::replay::machine::Machine;
use crate::replay::note::Notes;
use crate::replay::source::Source;
use crate::replay::timeline::{Begun, Timeline};

/// Hears how many bytes of sidecars were read, and answers whether the result is still wanted.
pub(crate) type SidecarProgress<'p> = dyn Fn(u64) -> bool + Sync + 'p;

/// Sidecar files that the user named, each by what it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedSidecars(Vec<(&'static str, PathBuf)>);

impl NamedSidecars {
    pub(crate) fn of(files: impl IntoIterator<Item = (&'static str, Option<PathBuf>)>) -> NamedSidecars {
        NamedSidecars(files.into_iter().filter_map(|(what, file)| Some((what, file?))).collect())
    }

    pub(crate) fn get(&self, what: &str) -> Option<&Path> {
        self.0.iter().find(|(known, _)| *known == what).map(|(_, file)| file.as_path())
    }
}

/// Asks for the sidecars of a log.
pub(crate) struct SidecarRequest<'r> {
    pub log: &'r dyn OpenLog,
    pub named: &'r NamedSidecars,
    /// Also load what was not named but is found beside the log. Files that the records themselves refer to are part of
    /// the log and count in any case.
    pub finds: bool,
}

/// A file that records refer to by the hash of its content.
pub(crate) struct SidecarPayload<'a> {
    /// The folder that it is in: what follows the name of the log.
    pub folder: &'static str,
    /// Its name in that folder.
    pub name: &'a str,
    /// For messages. It gives nothing of the content away.
    pub place: &'a str,
    pub bytes: &'a [u8],
}

/// A text about the log, in lines.
pub(crate) struct SidecarText<'a> {
    /// What follows the name of the log.
    pub suffix: &'static str,
    /// For messages.
    pub place: &'static str,
    pub bytes: &'a [u8],
}

pub(crate) type VisitPayload<'v> = dyn FnMut(&SidecarPayload<'_>) -> io::Result<()> + 'v;
pub(crate) type VisitText<'v> = dyn FnMut(&SidecarText<'_>) -> io::Result<()> + 'v;

/// Sidecars on their way to a copy of their log, or to a part of it. Dropped before `finish`, nothing is left of them.
pub(crate) trait SidecarCopy {
    /// Copies what a record of the new log refers to.
    fn record(&mut self, record: &[u8]) -> io::Result<()>;

    /// Keeps the copies. Returns their paths, each as what follows the name of the new log.
    fn finish(self: Box<Self>) -> Vec<String>;
}

/// The sidecars of one log, whatever its dialect.
pub(crate) trait Sidecars: Any + Send + Sync {
    /// An empty replay of the log, and the pass that fills it.
    fn begin(&self, source: Arc<dyn Source>) -> Begun;

    /// The checks alone, without a replay.
    fn check_pass(&self) -> Box<dyn CheckPass>;

    /// The checks of parts of the log, for minimizing it.
    fn checker<'p>(&self, dialect: &Dialect, parts: &'p Parts) -> Box<dyn CandidateChecker + 'p>;

    /// What is wrong between the sidecars and a log or a variant of it. `last` is its last event.
    fn findings(
        &self,
        log: &dyn OpenLog,
        last: Seq,
        progress: &SidecarProgress<'_>,
    ) -> Result<Vec<Finding>, DialectError>;

    /// The notes that others wrote about the log, and what is wrong with them.
    fn notes(&self, log: &dyn OpenLog) -> Result<(Notes, Vec<Finding>), DialectError>;

    /// What counts for a log that holds only some of the records.
    fn for_part(&self, part: &dyn OpenLog) -> Result<Arc<dyn Sidecars>, DialectError>;

    /// Begins to copy what must go along with a log that is saved at `target`.
    fn copy_to(&self, target: &Path) -> io::Result<Option<Box<dyn SidecarCopy>>>;

    /// Shows each payload that the records of a log refer to, once.
    fn each_payload(&self, log: &dyn OpenLog, visit: &mut VisitPayload<'_>) -> Result<(), DialectError>;

    /// Shows each text that goes into a crashpack with the log.
    fn each_text(&self, visit: &mut VisitText<'_>) -> Result<(), DialectError>;

    /// Makes such a text fit the log again after masking has changed both.
    fn refitted(&self, lines: Vec<u8>, before: &dyn OpenLog, now: &dyn OpenLog) -> Result<Vec<u8>, DialectError>;

    /// Notes for the user about sidecars that were left out.
    fn warnings(&self) -> &[String];

    /// How many bytes the checks read besides the log.
    fn length_bytes(&self) -> u64;

    /// Whether records may refer to files beside the log, so that a log without a path lacks them.
    fn are_files(&self) -> bool;
}

/// The sidecars of one dialect. The defaults are those of a dialect without any.
pub(crate) trait SidecarsOf: Send + Sync + Sized + 'static {
    type Machine: Machine;

    fn decoder(&self) -> <Self::Machine as Machine>::Decoder {
        Default::default()
    }

    fn ledger(&self) -> <Self::Machine as Machine>::Ledger;

    /// The ledger for minimizing: what the sidecars say of the records is known before the first one.
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
}

impl<S: SidecarsOf> Sidecars for S {
    fn begin(&self, source: Arc<dyn Source>) -> Begun {
        Timeline::<S::Machine>::begin_dyn(source, self.decoder(), self.ledger())
    }

    fn check_pass(&self) -> Box<dyn CheckPass> {
        MachineCheckPass::<S::Machine>::begin(self.decoder(), self.ledger())
    }

    fn checker<'p>(&self, dialect: &Dialect, parts: &'p Parts) -> Box<dyn CandidateChecker + 'p> {
        let checker = MachineChecker::<S::Machine>::new(parts, self.ledger_of_parts(parts));
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
