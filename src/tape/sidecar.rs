//! The sidecars of a tape: its payload store and the annotations of its reviewers.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads files")]

mod annotations;
mod payloads;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use super::decode::Decoder;
use super::machine::{EventTape, TapeLedger};
use super::store::{PayloadStore, StoreCopy, annotations_path};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::dialect::sidecar::{
    SidecarCopy, SidecarPayload, SidecarProgress, SidecarRequest, SidecarText, Sidecars, SidecarsOf, VisitPayload,
    VisitText,
};
use crate::log::LogError;
use crate::log::error::shown;
use crate::minimize::parts::Parts;
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::note::Notes;
use crate::replay::source::Head;
use payloads::each_reference;

const STORE: &str = ".cas";
const ANNOTATIONS: &str = ".annotations.jsonl";

pub(crate) struct TapeSidecars {
    head: Option<Head>,
    /// `None` for a tape that was read from a pipe: it has neither a store nor annotations.
    path: Option<PathBuf>,
}

/// Loads the sidecars of a tape (`Dialect::sidecars`).
pub(crate) fn load(request: &SidecarRequest<'_>) -> Result<Arc<dyn Sidecars>, DialectError> {
    Ok(Arc::new(TapeSidecars::of(request.log)))
}

impl TapeSidecars {
    fn of(log: &dyn OpenLog) -> TapeSidecars {
        TapeSidecars { head: log.head().cloned(), path: log.path().map(Path::to_owned) }
    }

    fn store(&self) -> Option<PayloadStore> {
        self.path.as_deref().map(PayloadStore::of_tape)
    }

    /// The file of annotations. A link is not followed.
    fn annotations(&self) -> Option<PathBuf> {
        let path = annotations_path(self.path.as_deref()?);
        fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()).then_some(path)
    }
}

impl SidecarsOf for TapeSidecars {
    type Machine = EventTape;

    fn decoder(&self) -> Decoder {
        Decoder { payloads: self.store().map(|store| Arc::new(store) as _) }
    }

    fn ledger(&self) -> TapeLedger {
        TapeLedger::new(self.head.as_ref())
    }

    fn ledger_of_parts(&self, parts: &Parts) -> TapeLedger {
        let stored = self.store().map(|store| Arc::new(payloads::survey(&store, parts)));
        self.ledger().with_store(stored)
    }

    fn findings(
        &self,
        log: &dyn OpenLog,
        last: Seq,
        progress: &SidecarProgress<'_>,
    ) -> Result<Vec<Finding>, DialectError> {
        self.store().map_or(Ok(Vec::new()), |store| payloads::findings(log, &store, last, progress))
    }

    fn notes(&self, log: &dyn OpenLog) -> Result<(Notes, Vec<Finding>), DialectError> {
        self.path.as_deref().map_or(Ok(Default::default()), |path| annotations::read(log, path))
    }

    fn for_part(&self, part: &dyn OpenLog) -> Result<TapeSidecars, DialectError> {
        Ok(TapeSidecars::of(part))
    }

    fn copy_to(&self, target: &Path) -> io::Result<Option<Box<dyn SidecarCopy>>> {
        let Some(from) = self.store() else { return Ok(None) };
        Ok(Some(Box::new(PayloadCopy { store: StoreCopy::begin(from, target)?, names: BTreeSet::new() })))
    }

    /// Payloads are numbered in messages, because their names are hashes of content that may be secret.
    fn each_payload(&self, log: &dyn OpenLog, visit: &mut VisitPayload<'_>) -> Result<(), DialectError> {
        let Some(store) = self.store() else { return Ok(()) };
        let (mut seen, mut result) = (BTreeSet::new(), Ok(()));
        log.each_record(&mut |read| {
            let mut see = |name: &str| {
                if !seen.insert(name.to_owned()) {
                    return Ok(());
                }
                let place = format!("payload {} (named by event {})", seen.len(), read.at.0);
                let Some(bytes) = store.unverified_bytes(name) else { return Ok(()) };
                visit(&SidecarPayload { folder: STORE, name, place: &place, bytes: &bytes })
            };
            if result.is_ok() {
                result = each_reference(read.record, &mut see);
            }
        })?;
        result.map_err(DialectError::read)
    }

    fn each_text(&self, visit: &mut VisitText<'_>) -> Result<(), DialectError> {
        let Some(path) = self.annotations() else { return Ok(()) };
        let bytes = fs::read(&path).map_err(|error| DialectError::read(LogError::io(&shown(&path), error)))?;
        visit(&SidecarText { suffix: ANNOTATIONS, place: "annotations", bytes: &bytes }).map_err(DialectError::read)
    }

    /// Annotations may contain the hash of their tape. If it was right before, it is corrected.
    fn refitted(&self, lines: Vec<u8>, before: &dyn OpenLog, now: &dyn OpenLog) -> Result<Vec<u8>, DialectError> {
        let old = annotations::content_hash(before)?;
        let Some(at) = memchr::memmem::find(&lines, old.as_bytes()) else { return Ok(lines) };
        let new = annotations::content_hash(now)?;
        Ok([&lines[..at], new.as_bytes(), &lines[at + old.len()..]].concat())
    }

    fn length_bytes(&self) -> u64 {
        self.store().map_or(0, |store| store.length_bytes())
    }

    fn are_files(&self) -> bool {
        self.path.is_some()
    }
}

/// Payloads that are being copied to the store of another tape.
struct PayloadCopy {
    store: StoreCopy,
    names: BTreeSet<String>,
}

impl SidecarCopy for PayloadCopy {
    fn record(&mut self, record: &[u8]) -> io::Result<()> {
        each_reference(record, &mut |name| {
            if self.store.copy(name)? {
                self.names.insert(name.to_owned());
            }
            Ok(())
        })
    }

    fn finish(self: Box<Self>) -> Vec<String> {
        // Readers ignore a marker that could not be removed.
        let _ = self.store.keep();
        self.names.iter().map(|name| format!("{STORE}/{name}")).collect()
    }
}
